// Package storetest is the contract that every store in ddx keeps, as tests that the stores' own tests run.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
)

// tolerance is how far a score may lie from the formula's, relative to it: room for stores that keep weights as float32.
const tolerance = 1e-5

// Open gives a store that holds the documents in their order, under the analysis text.LuceneEnglish, and closes it when the test ends.
type Open func(t *testing.T, docs []vectorstore.Document) vectorstore.Lexical

// Lexical tests a store against the contract of vectorstore.Lexical.
func Lexical(t *testing.T, open Open) {
	a, err := text.Lookup(text.LuceneEnglish)
	if err != nil {
		t.Fatal(err)
	}
	docs := corpus()
	s := suite{store: open(t, docs), reference: NewReference(a, docs), open: open}
	t.Run("scores and order are those of the formula", s.formula)
	t.Run("the variants weigh a repeated query word as published", s.variants)
	t.Run("equal scores: the corpus decides who is returned, the id in which order", s.ties)
	t.Run("a depth returns the best of all hits", s.depths)
	t.Run("excluded documents give way to others", s.exclude)
	t.Run("nothing in common gives no hits", s.nothing)
	t.Run("unknown words change nothing", s.unknown)
	t.Run("small corpora are searched", s.small)
	t.Run("long queries are searched", s.long)
	t.Run("what cannot be searched with is refused", s.refused)
	t.Run("an ended context ends a search", s.cancelled)
	t.Run("searches at the same time give what single ones give", s.concurrent)
	t.Run("hits belong to the caller", s.owned)
}

type suite struct {
	store     vectorstore.Lexical
	reference *Reference
	open      Open
}

var words = strings.Fields(`fever cough rash ketoacidosis headache nausea dyspnea syncope edema pallor jaundice hematuria vertigo ataxia diplopia
	pruritus arthralgia myalgia palpitations polyuria polydipsia dysphagia hoarseness hemoptysis melena wheeze tremor clonus nystagmus fatigue`)

// corpus is small but has what corpora have: repeated texts, documents without any term, titles, lengths beyond 39 terms.
func corpus() []vectorstore.Document {
	rng := rand.New(rand.NewPCG(1, 2))
	docs := []vectorstore.Document{
		{ID: "empty"},
		{ID: "stop words", Text: "it is not the one of a"},
		{ID: "title only", Title: "Palpitations and syncope"},
		{ID: "titled", Title: "Wheeze", Text: "Cough, hoarseness and wheeze."},
		{ID: "zażółć/Phototaxis_3.txt", Text: "Nystagmus with diplopia"},
	}
	for i := range 150 {
		d := vectorstore.Document{ID: fmt.Sprintf("d%03d", (i*37)%150)} // ids are in another order than documents
		if i%6 == 5 {
			d.Text = docs[rng.IntN(len(docs))].SearchableText()
		} else {
			d.Text = strings.Join(some(rng, 1+rng.IntN(12)+rng.IntN(2)*rng.IntN(90)), " ")
		}
		docs = append(docs, d)
	}
	return docs
}

// some draws words, those at the front of the list more often.
func some(rng *rand.Rand, n int) []string {
	drawn := make([]string, n)
	for i := range drawn {
		drawn[i] = words[int(float64(len(words))*math.Pow(rng.Float64(), 2))]
	}
	return drawn
}

var formulas = []vectorstore.BM25{
	{Variant: vectorstore.R2MED, K1: 0.9, B: 0.4},
	{Variant: vectorstore.Lucene, K1: 0.9, B: 0.4},
	{Variant: vectorstore.R2MED, K1: 1.2, B: 0.75},
	{Variant: vectorstore.Lucene, K1: 2, B: 1},
	{Variant: vectorstore.R2MED, K1: 0, B: 0},
	{Variant: vectorstore.Lucene, K1: 0, B: 1},
	{Variant: vectorstore.R2MED, K1: 0.9, B: 0},
}

func search(t *testing.T, s vectorstore.Lexical, q vectorstore.TextQuery) []vectorstore.Hit {
	t.Helper()
	hits, err := s.SearchText(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q.BM25, err)
	}
	return hits
}

// check compares hits with those of the formula: scores within the tolerance, and in the order of the hits' own scores.
func (s suite) check(t *testing.T, q vectorstore.TextQuery, hits []vectorstore.Hit) {
	t.Helper()
	want := s.reference.Search(q)
	if len(hits) != len(want) {
		t.Fatalf("%+v, depth %d: %d hits, want %d", q.BM25, q.Depth, len(hits), len(want))
	}
	all := q
	all.Depth = len(s.reference.ids)
	scores := map[string]float64{}
	for _, h := range s.reference.Search(all) {
		scores[h.ID] = h.Score
	}
	for i, h := range hits {
		if !near(h.Score, scores[h.ID]) {
			t.Errorf("%+v: %s has the score %v, want %v", q.BM25, h.ID, h.Score, scores[h.ID])
		}
		if !near(h.Score, want[i].Score) {
			t.Errorf("%+v: rank %d has the score %v, want %v", q.BM25, i+1, h.Score, want[i].Score)
		}
		if i > 0 && vectorstore.CompareHits(hits[i-1], h) >= 0 {
			t.Errorf("%+v: %v stands before %v", q.BM25, hits[i-1], h)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b)) }

func (s suite) formula(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, p := range formulas {
		for range 20 {
			q := vectorstore.TextQuery{Text: strings.Join(some(rng, 1+rng.IntN(25)), " "), Depth: 1 + rng.IntN(200), BM25: p}
			s.check(t, q, search(t, s.store, q))
		}
	}
	q := vectorstore.TextQuery{Text: "PALPITATION?", Depth: 1000, BM25: vectorstore.DefaultBM25()}
	if hits := search(t, s.store, q); !slices.ContainsFunc(hits, func(h vectorstore.Hit) bool { return h.ID == "title only" }) {
		t.Error("a word of another number and case is not found in a title")
	}
}

// The figures were computed by hand from the formulas.
func (s suite) variants(t *testing.T) {
	var docs []vectorstore.Document
	for i, d := range []string{"fever fever cough", "rash fever", "ketoacidosis", "cough cough", "fever headache", "nausea cough"} {
		docs = append(docs, vectorstore.Document{ID: fmt.Sprint(i + 1), Text: d})
	}
	store := s.open(t, docs)
	for _, c := range []struct {
		variant vectorstore.Variant
		want    map[string]float64
		first   string
	}{
		{vectorstore.Lucene, map[string]float64{"1": 1.6835, "3": 0.8956}, "1"},
		{vectorstore.R2MED, map[string]float64{"1": 0.3055, "3": 0.5654}, "3"},
	} {
		hits := search(t, store, vectorstore.TextQuery{
			Text: "fever fever fever cough ketoacidosis", Depth: 10, BM25: vectorstore.BM25{Variant: c.variant, K1: 0.9, B: 0.4},
		})
		if len(hits) != 6 || hits[0].ID != c.first {
			t.Errorf("%s: hits %v, want 6 with document %s first", c.variant, hits, c.first)
		}
		for _, h := range hits {
			if want, ok := c.want[h.ID]; ok && math.Abs(h.Score-want) > 6e-5 {
				t.Errorf("%s: document %s has the score %.5f, want %.4f", c.variant, h.ID, h.Score, want)
			}
		}
	}
}

func (s suite) ties(t *testing.T) {
	var docs []vectorstore.Document
	for _, id := range []string{"m", "b", "z", "a", "y"} {
		docs = append(docs, vectorstore.Document{ID: id, Text: "rash and fever"})
	}
	store := s.open(t, append(docs, vectorstore.Document{ID: "best", Text: "rash"}))
	for depth, want := range [][]string{1: {"best"}, 2: {"best", "m"}, 3: {"best", "m", "b"}, 4: {"best", "z", "m", "b"}, 5: {"best", "z", "m", "b", "a"}} {
		for _, variant := range []vectorstore.Variant{vectorstore.R2MED, vectorstore.Lucene} {
			if depth == 0 {
				continue
			}
			var got []string
			for _, h := range search(t, store, vectorstore.TextQuery{Text: "rash", Depth: depth, BM25: vectorstore.BM25{Variant: variant, K1: 0.9, B: 0.4}}) {
				got = append(got, h.ID)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, depth %d (-want +got):\n%s", variant, depth, diff)
			}
		}
	}
}

func (s suite) depths(t *testing.T) {
	place := map[string]int{}
	for i, id := range s.reference.ids {
		place[id] = i
	}
	for _, p := range formulas {
		q := vectorstore.TextQuery{Text: "fever rash with cough", Depth: 100_000, BM25: p}
		all := search(t, s.store, q)
		if len(all) < 100 {
			t.Fatalf("%+v: only %d hits", p, len(all))
		}
		slices.SortFunc(all, func(a, b vectorstore.Hit) int {
			if a.Score != b.Score {
				return vectorstore.CompareHits(a, b)
			}
			return place[a.ID] - place[b.ID]
		})
		for depth := 1; depth <= len(all)+1; depth++ {
			want := slices.Clone(all[:min(depth, len(all))])
			slices.SortFunc(want, vectorstore.CompareHits)
			q.Depth = depth
			if diff := cmp.Diff(want, search(t, s.store, q)); diff != "" {
				t.Fatalf("%+v, depth %d (-want +got):\n%s", p, depth, diff)
			}
		}
	}
}

func (s suite) exclude(t *testing.T) {
	for _, p := range formulas[:2] {
		q := vectorstore.TextQuery{Text: "cough, wheeze", Depth: 10, BM25: p}
		first := search(t, s.store, q)
		for _, h := range first[:5] {
			q.Exclude = append(q.Exclude, h.ID)
		}
		q.Exclude = append(q.Exclude, "no such document", "", q.Exclude[0], "empty")
		hits := search(t, s.store, q)
		if diff := cmp.Diff(first[5:], hits[:5]); diff != "" {
			t.Errorf("%+v: others have moved (-want +got):\n%s", p, diff)
		}
		s.check(t, q, hits)

		q.Exclude, q.Depth = s.reference.ids, 1000
		if hits := search(t, s.store, q); len(hits) > 0 {
			t.Errorf("%+v: %v although every document is excluded", p, hits)
		}
	}
}

func (s suite) nothing(t *testing.T) {
	for _, p := range formulas {
		for _, query := range []string{"", " \n\t", "the of and", "zzgnarf", "?!", "\x00", "\xff\xfe", strings.Repeat("\u200d", 100)} {
			if hits := search(t, s.store, vectorstore.TextQuery{Text: query, Depth: 10, BM25: p}); len(hits) > 0 {
				t.Errorf("%+v, %q: %v", p, query, hits)
			}
		}
	}
}

// Both variants count known terms only, unlike Anserini's query-side BM25, which counts all.
func (s suite) unknown(t *testing.T) {
	for _, p := range formulas {
		q := vectorstore.TextQuery{Text: "fever and polyuria, polyuria", Depth: 1000, BM25: p}
		want := search(t, s.store, q)
		q.Text = "zzgnarf fever qqxyz and polyuria, \xff polyuria zzgnarf zzgnarf"
		if diff := cmp.Diff(want, search(t, s.store, q)); diff != "" {
			t.Errorf("%+v (-without +with):\n%s", p, diff)
		}
	}
}

func (s suite) small(t *testing.T) {
	none := s.open(t, nil)
	wordless := s.open(t, []vectorstore.Document{{ID: "a"}, {ID: "b", Text: "the"}})
	one := s.open(t, []vectorstore.Document{{ID: "a", Text: "fever"}})
	for _, p := range formulas {
		q := vectorstore.TextQuery{Text: "fever", Depth: 10, BM25: p}
		if hits := search(t, none, q); len(hits) > 0 {
			t.Errorf("%+v: no document, but %v", p, hits)
		}
		if hits := search(t, wordless, q); len(hits) > 0 {
			t.Errorf("%+v: no document with a term, but %v", p, hits)
		}
		if hits := search(t, one, q); len(hits) != 1 || hits[0].ID != "a" || !(hits[0].Score > 0) {
			t.Errorf("%+v: one document, but %v", p, hits)
		}
	}
}

func (s suite) long(t *testing.T) {
	many := make([]string, 3000)
	docs := corpus()
	for i := range many {
		many[i] = fmt.Sprintf("gene%d", i)
		docs[i%len(docs)].Text += " " + many[i]
	}
	long := suite{store: s.open(t, docs), reference: NewReference(s.reference.analysis, docs)}
	for _, p := range formulas {
		for _, query := range []string{strings.Join(many, " "), strings.Repeat("fever ", 5000) + "gene7", strings.Join(many, " fever ")} {
			q := vectorstore.TextQuery{Text: query, Depth: 50, BM25: p}
			long.check(t, q, search(t, long.store, q))
		}
	}
}

func (s suite) refused(t *testing.T) {
	for _, q := range []vectorstore.TextQuery{
		{Depth: 0, BM25: vectorstore.DefaultBM25()},
		{Depth: -1, BM25: vectorstore.DefaultBM25()},
		{Depth: 10},
		{Depth: 10, BM25: vectorstore.BM25{Variant: "okapi", K1: 0.9, B: 0.4}},
		{Depth: 10, BM25: vectorstore.BM25{Variant: vectorstore.R2MED, K1: -0.1, B: 0.4}},
		{Depth: 10, BM25: vectorstore.BM25{Variant: vectorstore.R2MED, K1: math.NaN(), B: 0.4}},
		{Depth: 10, BM25: vectorstore.BM25{Variant: vectorstore.Lucene, K1: 0.9, B: 1.1}},
		{Depth: 10, BM25: vectorstore.BM25{Variant: vectorstore.Lucene, K1: 0.9, B: math.NaN()}},
	} {
		q.Text = "fever"
		if hits, err := s.store.SearchText(t.Context(), q); err == nil || hits != nil {
			t.Errorf("depth %d, %+v: %v and the error %v", q.Depth, q.BM25, hits, err)
		}
	}
}

func (s suite) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	hits, err := s.store.SearchText(ctx, vectorstore.TextQuery{Text: "fever", Depth: 10, BM25: vectorstore.DefaultBM25()})
	if !errors.Is(err, context.Canceled) || hits != nil {
		t.Errorf("%v and the error %v, want none and %v", hits, err, context.Canceled)
	}
}

func (s suite) concurrent(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	queries := make([]vectorstore.TextQuery, 60)
	want := make([][]vectorstore.Hit, len(queries))
	for i := range queries {
		queries[i] = vectorstore.TextQuery{Text: strings.Join(some(rng, 1+rng.IntN(30)), " "), Depth: 1 + rng.IntN(40), BM25: formulas[i%len(formulas)]}
		want[i] = search(t, s.store, queries[i])
	}
	fresh := s.open(t, corpus()) // so that what is computed at the first use is computed at the same time
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for k := range queries {
				i := (k + g*7) % len(queries)
				got, err := fresh.SearchText(t.Context(), queries[i])
				if err != nil {
					t.Error(err)
				} else if diff := cmp.Diff(want[i], got); diff != "" {
					t.Errorf("query %d (-alone +together):\n%s", i, diff)
				}
			}
		})
	}
	wg.Wait()
}

func (s suite) owned(t *testing.T) {
	q := vectorstore.TextQuery{Text: "fever", Depth: 10, BM25: vectorstore.DefaultBM25()}
	hits := search(t, s.store, q)
	want := slices.Clone(hits)
	for i := range hits {
		hits[i] = vectorstore.Hit{ID: "changed", Score: -1}
	}
	if diff := cmp.Diff(want, search(t, s.store, q)); diff != "" {
		t.Errorf("a caller's change shows in the next search (-want +got):\n%s", diff)
	}
}
