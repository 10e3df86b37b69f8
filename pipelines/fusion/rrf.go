package fusion

import (
	"math"

	"github.com/ddx-rag/ddx/vectorstore"
)

// RRF is weighted reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): a document scores the sum, over the lists that
// hold it, of weight / (k + rank), with the rank counted from one by the place in the list. Scores in the lists are not looked at. The
// paper uses k = 60 and equal weights of 1; the smaller k is, the more the first places of single lists count. k is a finite number
// from zero.
//
// Servers differ in two ways. Those that count ranks from zero divide by (k + rank - 1): their k is one more than the k here, so a
// server's k = 2 is k = 1. Some let a weight divide the rank, 1 / (k - 1 + rank/weight) in one-based ranks, instead of multiplying
// the share; the two agree only for weights of 1 (and for k - 1 = 0).
func RRF(lists []List, k float64, depth int) []vectorstore.Hit {
	if !(k >= 0) || math.IsInf(k, 1) { // also refuses NaN
		return nil
	}
	p := newPool(lists)
	for _, l := range lists {
		if !l.takesPart() {
			continue
		}
		for i, h := range l.distinct() {
			p.add(h.ID, l.Weight/(k+float64(i+1)))
		}
	}
	return p.rank(depth)
}
