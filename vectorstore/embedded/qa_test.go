package embedded_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ddx-rag/ddx/internal/sharedtest"
	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
	"github.com/ddx-rag/ddx/vectorstore/embedded"
)

// lines decodes a JSON Lines file.
func lines[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out []T
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, v)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func sequence(docs []vectorstore.Document) iter.Seq2[vectorstore.Document, error] {
	return func(yield func(vectorstore.Document, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

func analysis(t testing.TB, name string) *text.Analysis {
	t.Helper()
	a, err := text.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// open builds an index of documents in a folder of the test's own.
func open(t testing.TB, docs []vectorstore.Document) *embedded.Index {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index")
	a := analysis(t, text.LuceneEnglish)
	if err := embedded.Build(context.Background(), path, "test", a, sequence(docs), 2); err != nil {
		t.Fatal(err)
	}
	x, err := embedded.Open(path, a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

type question struct{ ID, Text string }

type vignettes struct {
	index *embedded.Index
	query []question
	hyde  map[string]string
}

func openVignettes(t testing.TB) vignettes {
	t.Helper()
	dir := sharedtest.Path(t, "data/vignette-dx")
	v := vignettes{
		index: open(t, lines[vectorstore.Document](t, filepath.Join(dir, "corpus.jsonl"))),
		query: lines[question](t, filepath.Join(dir, "query.jsonl")),
		hyde:  map[string]string{},
	}
	type recorded struct {
		ID  string
		Doc string `json:"hy_doc"`
	}
	for _, r := range lines[recorded](t, filepath.Join(dir, "hyde/reference-llm/query_with_hydoc.jsonl")) {
		v.hyde[r.ID] = r.Doc
	}
	return v
}

// The runs of Lucene 9.12 and gensim 4.4 on real data: the same documents in the same order except where scores are within 1e-5,
// and scores within 1e-4 relative.
func TestRunsOfLuceneAndGensimAreReproduced(t *testing.T) {
	v := openVignettes(t)
	for _, c := range []struct {
		file    string
		variant vectorstore.Variant
		hyde    bool
	}{
		{"vignette-dx.query.lucene.trec", vectorstore.Lucene, false},
		{"vignette-dx.query+hyde.lucene.trec", vectorstore.Lucene, true},
		{"vignette-dx.query.r2med.trec", vectorstore.R2MED, false},
		{"vignette-dx.query+hyde.r2med.trec", vectorstore.R2MED, true},
	} {
		t.Run(c.file, func(t *testing.T) {
			want := map[string][]vectorstore.Hit{}
			content, err := os.ReadFile(sharedtest.Path(t, "qa/bm25/"+c.file))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(content)) {
				f := strings.Fields(line)
				score, err := strconv.ParseFloat(f[4], 64)
				if err != nil {
					t.Fatal(err)
				}
				want[f[0]] = append(want[f[0]], vectorstore.Hit{ID: f[2], Score: score})
			}
			worst := 0.0
			for _, q := range v.query {
				searched := q.Text
				if c.hyde {
					searched += " " + v.hyde[q.ID]
				}
				got, err := v.index.SearchText(t.Context(), vectorstore.TextQuery{
					Text: searched, Depth: 100, BM25: vectorstore.BM25{Variant: c.variant, K1: 0.9, B: 0.4},
				})
				if err != nil {
					t.Fatal(err)
				}
				relative, problem := sameRanking(want[q.ID], got)
				worst = max(worst, relative)
				if problem != "" {
					t.Errorf("query %s: %s", q.ID, problem)
				}
			}
			t.Logf("largest relative difference of scores %.2g", worst)
		})
	}
}

// sameRanking returns the largest relative difference of scores, and what else is wrong.
func sameRanking(want, got []vectorstore.Hit) (worst float64, problem string) {
	if len(want) != len(got) {
		return 0, fmt.Sprintf("%d hits, want %d", len(got), len(want))
	}
	place := map[string]int{}
	for i, h := range want {
		place[h.ID] = i
	}
	for i, h := range got {
		w, ok := place[h.ID]
		if !ok {
			if last := want[len(want)-1].Score; math.Abs(h.Score-last) > 1e-5 {
				return worst, fmt.Sprintf("rank %d: %s with score %v is not in the recorded ranking", i+1, h.ID, h.Score)
			}
			continue
		}
		worst = max(worst, math.Abs(h.Score-want[w].Score)/want[w].Score)
		if w != i && math.Abs(want[w].Score-want[i].Score) > 1e-5 {
			return worst, fmt.Sprintf("rank %d: %s stands at rank %d in the recorded ranking", i+1, h.ID, w+1)
		}
	}
	if worst > 1e-4 {
		return worst, fmt.Sprintf("scores differ by %v relative", worst)
	}
	return worst, ""
}

func BenchmarkSearch(b *testing.B) {
	v := openVignettes(b)
	for _, variant := range []vectorstore.Variant{vectorstore.R2MED, vectorstore.Lucene} {
		for _, length := range []string{"query", "query+hyde", "four"} {
			var texts []string
			for i, q := range v.query {
				s := q.Text
				if length != "query" {
					s += " " + v.hyde[q.ID]
				}
				if length == "four" {
					for k := 1; k < 4; k++ {
						other := v.query[(i+k)%len(v.query)]
						s += " " + other.Text + " " + v.hyde[other.ID]
					}
				}
				texts = append(texts, s)
			}
			b.Run(string(variant)+"/"+length, func(b *testing.B) {
				i := 0
				search := func() {
					_, err := v.index.SearchText(context.Background(), vectorstore.TextQuery{
						Text: texts[i%len(texts)], Depth: 100, BM25: vectorstore.BM25{Variant: variant, K1: 0.9, B: 0.4},
					})
					if err != nil {
						b.Fatal(err)
					}
					i++
				}
				for range texts {
					search()
				}
				for b.Loop() {
					search()
				}
			})
		}
	}
}
