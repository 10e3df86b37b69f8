package embedded

import (
	"cmp"
	"slices"

	"github.com/ddx-rag/ddx/vectorstore"
)

// TermScore is one term's share in a document's score.
type TermScore struct {
	Term      string
	Count     int     // in the query
	Frequency int     // in the document
	Documents int     // that have the term
	Score     float64 // the shares of all terms add up to the score
}

// Explain takes apart the score that a text gives a document, the largest share first, equal shares by term. An unknown document
// and a formula that is not valid have none.
func (x *Index) Explain(p vectorstore.BM25, query, id string) []TermScore {
	d, ok := x.document(id)
	if !ok || p.Validate() != nil {
		return nil
	}
	f := x.formula(p)
	s := x.pool.Get().(*scratch)
	defer x.pool.Put(s)
	x.analyze(f, s, query)
	var shares []TermScore
	block, within := int(d/blockSize), uint16(d%blockSize)
	for _, qt := range s.terms {
		start, end := x.list(block, qt.term)
		i, has := slices.BinarySearch(x.docs[start:end], within)
		if !has {
			continue
		}
		tf := x.tfs[start+uint64(i)]
		shares = append(shares, TermScore{
			Term: string(x.termAt(qt.term)), Count: qt.count, Frequency: int(tf), Documents: x.frequency(qt.term),
			Score: qt.weight * float64(f.impact(qt.idf, qt.factor, tf, d)),
		})
	}
	slices.SortFunc(shares, func(a, b TermScore) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.Term, b.Term))
	})
	return shares
}

// Postings is how many postings the search for a text reads: the work that it makes.
func (x *Index) Postings(query string) int {
	s := x.pool.Get().(*scratch)
	defer x.pool.Put(s)
	x.analyze(x.formula(vectorstore.DefaultBM25()), s, query)
	n := 0
	for _, qt := range s.terms {
		n += x.frequency(qt.term)
	}
	return n
}
