package embedded_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
	"github.com/ddx-rag/ddx/vectorstore/embedded"
	"github.com/ddx-rag/ddx/vectorstore/storetest"
)

// generator draws documents: zipf is the exponent of the words' frequencies, topics how many parts of the corpus have favourite words of
// their own.
type generator struct {
	documents, vocabulary, length, topics int
	zipf                                  float64
}

func (g generator) draw(rng *rand.Rand) []vectorstore.Document {
	zipf := rand.NewZipf(rng, g.zipf, 1, uint64(g.vocabulary-1))
	docs := make([]vectorstore.Document, g.documents)
	for d := range docs {
		if d > 0 && rng.IntN(20) == 0 {
			docs[d].Text = docs[rng.IntN(d)].Text // repeated passages make equal scores
		} else {
			var b strings.Builder
			for range rng.IntN(2 * g.length) {
				w := zipf.Uint64()
				if g.topics > 0 && rng.IntN(3) == 0 {
					w += uint64(d * g.topics / g.documents * 1000)
				}
				fmt.Fprintf(&b, "w%dx ", w)
			}
			docs[d].Text = b.String()
		}
		docs[d].ID = strconv.Itoa((d * 7919) % g.documents) // distinct: 7919 divides none of the sizes
	}
	return docs
}

// query draws a text that a passage resembles: words of some documents, and words that no document has.
func query(rng *rand.Rand, docs []vectorstore.Document) string {
	var words []string
	for range 1 + rng.IntN(4) {
		fields := strings.Fields(docs[rng.IntN(len(docs))].Text)
		rng.Shuffle(len(fields), func(i, k int) { fields[i], fields[k] = fields[k], fields[i] })
		words = append(words, fields[:rng.IntN(len(fields)+1)]...)
	}
	for range rng.IntN(3) {
		words = append(words, "unknown"+strconv.Itoa(rng.IntN(100)))
	}
	return strings.Join(words, " ")
}

func parameters(rng *rand.Rand) (k1, b float64) {
	k1 = []float64{0, 0.9, 1.2, 3 * rng.Float64(), 1e-9, 1000}[rng.IntN(6)]
	b = []float64{0, 1, 0.4, 0.75, rng.Float64()}[rng.IntN(5)]
	return k1, b
}

func compare(t *testing.T, x *embedded.Index, r *storetest.Reference, q vectorstore.TextQuery) {
	t.Helper()
	got, err := x.SearchText(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) == 0 {
		got = nil
	}
	want := r.Search(q)
	if len(want) == 0 {
		want = nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%+v, depth %d, %d excluded, query %.200q (-formula +index):\n%s", q.BM25, q.Depth, len(q.Exclude), q.Text, diff)
	}
}

// Whatever the search leaves out on its way must not show: hits, order and scores are the plain formula's to the last bit.
func TestHitsAreThoseOfThePlainFormulaToTheBit(t *testing.T) {
	for name, g := range map[string]generator{
		"few words":           {documents: 700, vocabulary: 12, length: 6, zipf: 1.01},
		"many words":          {documents: 3000, vocabulary: 20000, length: 60, zipf: 1.05},
		"topics in order":     {documents: 12000, vocabulary: 900, length: 12, zipf: 1.2, topics: 40},
		"one word dominates":  {documents: 9000, vocabulary: 3000, length: 8, zipf: 3},
		"several blocks":      {documents: 140_000, vocabulary: 200, length: 2, zipf: 1.3, topics: 7},
		"very long documents": {documents: 40, vocabulary: 500, length: 8000, zipf: 1.1},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(g.documents)))
			docs := g.draw(rng)
			x := open(t, docs)
			r := storetest.NewReference(analysis(t, text.LuceneEnglish), docs)
			for range min(10, 1+400_000/g.documents) {
				q := vectorstore.TextQuery{Text: query(rng, docs), Depth: 1 + rng.IntN(1+rng.IntN(150))}
				for range rng.IntN(10) {
					q.Exclude = append(q.Exclude, docs[rng.IntN(len(docs))].ID)
				}
				if rng.IntN(8) == 0 {
					q.Depth = len(docs) + rng.IntN(2)
				}
				for _, variant := range []vectorstore.Variant{vectorstore.R2MED, vectorstore.Lucene} {
					k1, b := parameters(rng)
					q.BM25 = vectorstore.BM25{Variant: variant, K1: k1, B: b}
					compare(t, x, r, q)
				}
			}
		})
	}
}

// What was asked before, and how the index was built, must not show either.
func TestHitsDoNotDependOnEarlierSearches(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	docs := generator{documents: 9000, vocabulary: 500, length: 10, zipf: 1.1, topics: 9}.draw(rng)
	used := open(t, docs)
	for range 5 {
		q := vectorstore.TextQuery{Text: query(rng, docs), Depth: 20, BM25: vectorstore.DefaultBM25()}
		want, err := used.SearchText(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := open(t, docs).SearchText(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-used +fresh):\n%s", diff)
		}
	}
}

// More formulas than are kept, all in use at the same time.
func TestASweepOfParametersGivesEachItsOwnHits(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	docs := generator{documents: 400, vocabulary: 200, length: 20, zipf: 1.1}.draw(rng)
	x := open(t, docs)
	r := storetest.NewReference(analysis(t, text.LuceneEnglish), docs)
	text := query(rng, docs)
	var g sync.WaitGroup
	for worker := range 4 {
		g.Go(func() {
			for i := range 60 {
				step := (i*7 + worker*13) % 30
				q := vectorstore.TextQuery{Text: text, Depth: 10, BM25: vectorstore.BM25{Variant: vectorstore.R2MED, K1: float64(step) / 10, B: 0.4}}
				if step%2 == 1 {
					q.BM25.Variant = vectorstore.Lucene
				}
				got, err := x.SearchText(t.Context(), q)
				if err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff(r.Search(q), got); diff != "" {
					t.Errorf("%+v (-formula +index):\n%s", q.BM25, diff)
				}
			}
		})
	}
	g.Wait()
}

func TestTheSharesOfExplainAddUpToTheScore(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	docs := generator{documents: 500, vocabulary: 300, length: 40, zipf: 1.1}.draw(rng)
	x := open(t, docs)
	for range 20 {
		for _, variant := range []vectorstore.Variant{vectorstore.R2MED, vectorstore.Lucene} {
			q := vectorstore.TextQuery{Text: query(rng, docs), Depth: 10, BM25: vectorstore.BM25{Variant: variant, K1: 0.9, B: 0.4}}
			hits, err := x.SearchText(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hits {
				sum := 0.0
				shares := x.Explain(q.BM25, q.Text, h.ID)
				for i, s := range shares {
					sum += s.Score
					if s.Count != len(strings.Split(" "+q.Text+" ", " "+s.Term+" "))-1 && !strings.Contains(q.Text, s.Term+" "+s.Term) {
						t.Errorf("%q is said to stand %d times in %q", s.Term, s.Count, q.Text)
					}
					if i > 0 && s.Score > shares[i-1].Score {
						t.Errorf("a larger share stands after a smaller one: %+v, %+v", shares[i-1], s)
					}
				}
				if math.Abs(sum-h.Score) > 1e-12*h.Score {
					t.Errorf("shares of %s add up to %v, the score is %v", h.ID, sum, h.Score)
				}
			}
		}
	}
	if shares := x.Explain(vectorstore.DefaultBM25(), "w1x", "no such document"); shares != nil {
		t.Errorf("an unknown document has the shares %+v", shares)
	}
}

// FuzzSearch takes each line of a text for a document.
func FuzzSearch(f *testing.F) {
	f.Add("fever fever cough\nrash fever\nketoacidosis\ncough cough\nfever headache\nnausea cough", "fever fever fever cough ketoacidosis", 0.9, 0.4, 3)
	f.Add("a\n\nthe\nrash rash\nrash rash", "rash", 0.0, 1.0, 1)
	f.Add("Crohn’s naïve \xff\nIL-6 in β-blocker", "crohn's il 6", 1000.0, 0.0, 10)
	f.Fuzz(func(t *testing.T, corpus, query string, k1, b float64, depth int) {
		var docs []vectorstore.Document
		for i, line := range strings.Split(corpus, "\n") {
			docs = append(docs, vectorstore.Document{ID: strconv.Itoa(i), Text: line})
		}
		x := open(t, docs)
		r := storetest.NewReference(analysis(t, text.LuceneEnglish), docs)
		for _, variant := range []vectorstore.Variant{vectorstore.R2MED, vectorstore.Lucene} {
			q := vectorstore.TextQuery{Text: query, Depth: depth, BM25: vectorstore.BM25{Variant: variant, K1: k1, B: b}}
			if q.BM25.Validate() != nil || depth < 1 {
				if hits, err := x.SearchText(t.Context(), q); err == nil {
					t.Errorf("%+v, depth %d: %v, want an error", q.BM25, depth, hits)
				}
				continue
			}
			compare(t, x, r, q)
		}
	})
}
