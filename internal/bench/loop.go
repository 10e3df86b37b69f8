package main

import (
	"context"
	"math"
	"time"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/internal/text"
)

// loop is the plainest way to score documents: postings with float32 impacts, added up term by term. It neither analyzes queries nor selects hits;
// measured in the same run, it tells how much of a search is more than that.
type loop struct {
	terms  map[string]int
	docs   [][]uint32 // by term
	values [][]float32
	scores []float32
}

func newLoop(ctx context.Context, d *dataset.Dataset, a *text.Analysis) (*loop, error) {
	l := &loop{terms: map[string]int{}}
	s := a.NewScanner()
	n := uint32(0)
	for doc, err := range d.Documents(ctx) {
		if err != nil {
			return nil, err
		}
		counts := map[int]int{}
		s.Reset(doc.SearchableText())
		for s.Next() {
			t, ok := l.terms[string(s.Term())]
			if !ok {
				t = len(l.terms)
				l.terms[string(s.Term())] = t
				l.docs, l.values = append(l.docs, nil), append(l.values, nil)
			}
			counts[t]++
		}
		for t, tf := range counts {
			l.docs[t] = append(l.docs[t], n)
			l.values[t] = append(l.values[t], float32(tf)/(float32(tf)+0.9)) // any impacts do
		}
		n++
	}
	l.scores = make([]float32, n)
	return l, nil
}

// weighted is a term of a query.
type weighted struct {
	term   int
	weight float32
}

func (l *loop) analyze(a *text.Analysis, query string) []weighted {
	seen := map[int]bool{}
	var terms []weighted
	for _, term := range a.Terms(query) {
		if t, ok := l.terms[term]; ok && !seen[t] {
			seen[t] = true
			terms = append(terms, weighted{t, float32(math.Log(float64(len(l.scores)) / float64(len(l.docs[t]))))})
		}
	}
	return terms
}

// measure returns the milliseconds per query.
func (l *loop) measure(queries [][]weighted) float64 {
	start := time.Now()
	for _, terms := range queries {
		clear(l.scores)
		for _, t := range terms {
			values := l.values[t.term]
			for i, d := range l.docs[t.term] {
				l.scores[d] += t.weight * values[i]
			}
		}
	}
	return milliseconds(start) / float64(len(queries))
}
