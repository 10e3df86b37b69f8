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

// Explain takes apart the score that a text gives a document, the largest share first, equal shares by term. An unknown document has none.
func (x *Index) Explain(p vectorstore.BM25, query, id string) []TermScore {
	d, ok := x.document(id)
	if !ok {
		return nil
	}
	f := x.formula(p)
	s := x.pool.Get().(*scratch)
	defer x.pool.Put(s)
	x.analyze(f, s, query)
	var shares []TermScore
	start, end := x.forward[d], x.forward[d+1]
	for _, qt := range s.terms {
		i, has := slices.BinarySearch(x.fwdTerms[start:end], qt.term)
		if !has {
			continue
		}
		tf := x.fwdTFs[start+uint64(i)]
		shares = append(shares, TermScore{
			Term: string(x.termAt(qt.term)), Count: qt.count, Frequency: int(tf),
			Documents: int(x.postings[qt.term+1] - x.postings[qt.term]),
			Score:     f.score(qt.base, tf, d),
		})
	}
	slices.SortFunc(shares, func(a, b TermScore) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.Term, b.Term))
	})
	return shares
}
