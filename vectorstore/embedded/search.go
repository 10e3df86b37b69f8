package embedded

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
)

// queryTerm is one distinct term of a query.
type queryTerm struct {
	term   uint32
	count  int
	weight float32 // what impacts are multiplied with
	base   float64 // for exact scores
	most   float64 // the largest share that the term can have in a score
}

// scratch is what one search needs; it is kept for the next one, and everything in it is zero between searches.
type scratch struct {
	scanner *text.Scanner
	counts  []uint32  // by term
	bases   []float64 // by term, zero for what the query has not
	scores  []float32 // by document
	terms   []queryTerm
	hits    []scored
	heap    []float32
}

// scored is a document with its approximate or exact score.
type scored struct {
	doc   uint32
	score float64
}

func newScratch(x *Index) *scratch {
	return &scratch{
		scanner: x.analysis.NewScanner(),
		counts:  make([]uint32, x.terms), bases: make([]float64, x.terms), scores: make([]float32, x.documents),
	}
}

// SearchText implements vectorstore.Lexical. Candidates are found with float32 sums whose error is bounded; whatever can be among the best Depth
// is then scored exactly, in a fixed order of terms, so that scores and ranking depend on nothing but the index and the query.
func (x *Index) SearchText(ctx context.Context, q vectorstore.TextQuery) ([]vectorstore.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := q.BM25.Validate(); err != nil {
		return nil, err
	}
	if q.Depth < 1 {
		return nil, fmt.Errorf("search depth %d; use 1 or more", q.Depth)
	}
	f := x.formula(q.BM25)
	s := x.pool.Get().(*scratch)
	defer x.pool.Put(s)

	x.analyze(f, s, q.Text)
	if len(s.terms) == 0 {
		return nil, nil
	}
	x.accumulate(f, s)
	for _, id := range q.Exclude {
		if d, ok := x.document(id); ok {
			s.scores[d] = 0
		}
	}
	s.candidates(f, q.Depth)
	for _, t := range s.terms {
		s.bases[t.term] = t.base
	}
	for i := range s.hits {
		s.hits[i].score = x.exact(f, s, s.hits[i].doc)
	}
	for _, t := range s.terms {
		s.bases[t.term] = 0
	}
	clear(s.scores)
	return x.ranked(s.hits, q.Depth), nil
}

// analyze fills s.terms with the query's distinct known terms and their weights, the term with the largest possible share first.
func (x *Index) analyze(f *formula, s *scratch, query string) {
	s.terms = s.terms[:0]
	length := 0
	s.scanner.Reset(query)
	for s.scanner.Next() {
		t, ok := x.term(s.scanner.Term())
		if !ok {
			continue
		}
		length++
		if s.counts[t] == 0 {
			s.terms = append(s.terms, queryTerm{term: t})
		}
		s.counts[t]++
	}
	for i := range s.terms {
		qt := &s.terms[i]
		qt.count = int(s.counts[qt.term])
		s.counts[qt.term] = 0
		df := int(x.postings[qt.term+1] - x.postings[qt.term])
		w := f.queryWeight(df, qt.count, length)
		qt.weight, qt.base = float32(w), f.exactBase(w, df)
	}
}

// accumulate adds up all terms' approximate shares.
func (x *Index) accumulate(f *formula, s *scratch) {
	scores := s.scores
	for _, qt := range s.terms {
		start, end := x.postings[qt.term], x.postings[qt.term+1]
		docs := x.docs[start:end]
		values := x.termImpacts(f, qt.term).values[:len(docs)]
		w := qt.weight
		for i, d := range docs {
			scores[d] += w * values[i]
		}
	}
}

// exact adds up a document's shares in the order of its terms.
func (x *Index) exact(f *formula, s *scratch, d uint32) float64 {
	sum := 0.0
	start, end := x.forward[d], x.forward[d+1]
	tfs := x.fwdTFs[start:end]
	for i, t := range x.fwdTerms[start:end] {
		if base := s.bases[t]; base != 0 {
			sum += f.score(base, tfs[i], d)
		}
	}
	return sum
}

// ranked keeps the best exact scores, of equal ones those that stand first in the corpus, and orders them as rankings are ordered.
func (x *Index) ranked(found []scored, depth int) []vectorstore.Hit {
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc))
	})
	found = found[:min(depth, len(found))]
	hits := make([]vectorstore.Hit, 0, len(found))
	for _, h := range found {
		if h.score > 0 {
			hits = append(hits, vectorstore.Hit{ID: string(x.idBytes(h.doc)), Score: h.score})
		}
	}
	slices.SortFunc(hits, vectorstore.CompareHits)
	return hits
}
