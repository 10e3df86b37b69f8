package embedded

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
)

// queryTerm is one distinct term of a query.
type queryTerm struct {
	term   uint32
	count  int
	idf    float64
	weight float64 // what impacts are multiplied with
	factor int     // what is in the impacts already
	left   []float32
}

// scratch is what one search needs; it is kept for the next one. Counts, seen and scores are zero between searches.
type scratch struct {
	scanner  *text.Scanner
	counts   []uint32 // by term
	seen     []uint64 // a bit for each term with a count
	terms    []queryTerm
	excluded []uint32
	scores   [blockSize]float64
	best     best
}

func newScratch(x *Index) *scratch {
	return &scratch{scanner: x.analysis.NewScanner(), counts: make([]uint32, x.terms), seen: make([]uint64, (x.terms+63)/64)}
}

// SearchText implements vectorstore.Lexical. Every document that has a term of the query is scored, each sum in the order of the terms, so that
// scores and ranking depend on nothing but the index and the words of the query.
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
	s.excluded = s.excluded[:0]
	for _, id := range q.Exclude {
		if d, ok := x.document(id); ok {
			s.excluded = append(s.excluded, d)
		}
	}
	x.score(f, s, q.Depth)
	hits := make([]vectorstore.Hit, len(s.best.found))
	for i, h := range s.best.found {
		hits[i] = vectorstore.Hit{ID: string(x.idBytes(h.doc)), Score: h.score}
	}
	slices.SortFunc(hits, vectorstore.CompareHits)
	return hits, nil
}

// analyze fills s.terms with the query's distinct known terms, in order, and their weights.
func (x *Index) analyze(f *formula, s *scratch, query string) {
	length := 0
	s.scanner.Reset(query)
	for s.scanner.Next() {
		if t, ok := x.scanned(s.scanner); ok {
			s.seen[t/64] |= 1 << (t % 64)
			s.counts[t]++
			length++
		}
	}
	s.terms = s.terms[:0]
	for i, word := range s.seen {
		if word == 0 {
			continue
		}
		s.seen[i] = 0
		for ; word != 0; word &= word - 1 {
			t := uint32(i*64 + bits.TrailingZeros64(word))
			qt := queryTerm{term: t, count: int(s.counts[t]), idf: x.termIDF(f, t)}
			qt.weight, qt.factor = f.weight(qt.idf, qt.count, length)
			s.terms = append(s.terms, qt)
			s.counts[t] = 0
		}
	}
}

// score adds up the terms' shares block by block and keeps the best documents.
func (x *Index) score(f *formula, s *scratch, depth int) {
	for i := range s.terms {
		qt := &s.terms[i]
		qt.left = x.termImpacts(f, qt.term, qt.factor).values
	}
	s.best.reset(min(depth, x.documents))
	for b := range x.blocks() {
		for i := range s.terms {
			qt := &s.terms[i]
			start, end := x.list(b, qt.term)
			docs := x.docs[start:end]
			add(&s.scores, docs, qt.left[:len(docs)], qt.weight)
			qt.left = qt.left[len(docs):]
		}
		for _, d := range s.excluded {
			if int(d/blockSize) == b {
				s.scores[d%blockSize] = 0
			}
		}
		scores := s.scores[:min(blockSize, x.documents-b*blockSize)]
		s.best.take(scores, uint32(b*blockSize))
		clear(scores)
	}
	s.best.cut()
}

// add adds a term's shares to the scores of a block; there are as many impacts as documents.
func add(scores *[blockSize]float64, docs []uint16, impacts []float32, weight float64) {
	impacts = impacts[:len(docs)]
	for i, d := range docs {
		scores[d] += float64(weight * float64(impacts[i])) // rounded before the addition on every processor
	}
}
