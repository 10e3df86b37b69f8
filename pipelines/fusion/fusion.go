// Package fusion joins ranked lists into one. All functions are pure: they read their lists, never write to them, and give the same
// bits for the same lists, in whatever order those lists are handed over.
//
// What holds for every function:
//   - A list whose weight is not a finite number above zero is left out, and so is an empty one; neither changes what the others give.
//   - If an id stands more than once in a list, its first place counts and the others are passed over as if they were not there.
//   - The result is in vectorstore.CompareHits order and holds at most depth hits; a depth below one gives none.
//   - A parameter that has no meaning (a negative k, an unknown normalization) gives no hits. Check parameters where they are read.
//   - The shares of one document are added from the smallest to the largest, so that documents with the same shares from different
//     lists get the very same score and are ordered by id, not by rounding.
package fusion

import (
	"math"
	"slices"

	"github.com/ddx-rag/ddx/vectorstore"
)

// List is one ranking that takes part, best hit first, and how much it counts relative to the others.
type List struct {
	Hits   []vectorstore.Hit
	Weight float64 // > 0
}

// takesPart tells whether the list has anything to add.
func (l List) takesPart() bool {
	return len(l.Hits) > 0 && l.Weight > 0 && !math.IsInf(l.Weight, 1)
}

// distinct returns the hits of the list without later repeats of an id.
func (l List) distinct() []vectorstore.Hit {
	seen := make(map[string]bool, len(l.Hits))
	for i, h := range l.Hits {
		if !seen[h.ID] {
			seen[h.ID] = true
			continue
		}
		// Lists without a repeat, nearly all, are not copied.
		hits := slices.Clone(l.Hits[:i])
		for _, h := range l.Hits[i:] {
			if !seen[h.ID] {
				seen[h.ID] = true
				hits = append(hits, h)
			}
		}
		return hits
	}
	return l.Hits
}

// pool gathers the shares that documents get from lists.
type pool struct {
	index  map[string]int // of a document in ids
	ids    []string
	shares []share
	base   []float64 // what every document of the pool gets
}

type share struct {
	document int
	value    float64
}

func newPool(lists []List) *pool {
	n := 0
	for _, l := range lists {
		n += len(l.Hits)
	}
	return &pool{index: make(map[string]int, n), shares: make([]share, 0, n)}
}

func (p *pool) add(id string, value float64) {
	i, ok := p.index[id]
	if !ok {
		i = len(p.ids)
		p.index[id] = i
		p.ids = append(p.ids, id)
	}
	p.shares = append(p.shares, share{i, value})
}

// rank adds up the shares and returns the best depth documents.
func (p *pool) rank(depth int) []vectorstore.Hit {
	if depth < 1 || len(p.ids) == 0 {
		return nil
	}
	slices.SortFunc(p.shares, func(a, b share) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	slices.Sort(p.base)
	base := 0.0
	for _, v := range p.base {
		base = plus(base, v)
	}
	hits := make([]vectorstore.Hit, len(p.ids))
	for i, id := range p.ids {
		hits[i].ID = id
	}
	for _, s := range p.shares {
		hits[s.document].Score = plus(hits[s.document].Score, s.value)
	}
	for i := range hits {
		hits[i].Score = plus(hits[i].Score, base)
	}
	slices.SortFunc(hits, vectorstore.CompareHits)
	return slices.Clip(hits[:min(depth, len(hits))])
}

// plus adds without leaving the finite numbers: a sum that overflows stays at the largest one, so that no later addition makes a NaN.
func plus(a, b float64) float64 {
	return finite(a + b)
}

func finite(x float64) float64 {
	return max(-math.MaxFloat64, min(math.MaxFloat64, x))
}
