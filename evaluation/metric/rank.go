package metric

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"github.com/ddx-rag/ddx/vectorstore"
)

// evaluator holds what the measures of one query are computed from, and buffers that are used again for the next query.
type evaluator struct {
	retrieved int     // hits
	judged    int     // hits that have a grade
	relevant  int     // relevant documents, found or not
	found     []place // relevant hits in the order of their ranks
	grades    []int   // positive grades of all judged documents, highest first

	entries   []entry
	seen      table
	discounts []float64 // discounts[i] is log2(i+2), what the gain at rank i+1 is divided by
}

// place is a relevant hit.
type place struct{ rank, grade int } // the first hit has rank 1

// entry is a hit as trec_eval sees it.
type entry struct {
	score float32
	grade int32 // 0 if not relevant
	id    string
}

// before orders hits as trec_eval does: by score, equal scores by id descending.
func before(a, b entry) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	return strings.Compare(b.id, a.id)
}

// rank takes in one query.
func (e *evaluator) rank(query string, judgments map[string]int, hits []vectorstore.Hit) error {
	e.retrieved, e.judged, e.relevant = len(hits), 0, 0
	e.found, e.grades, e.entries = e.found[:0], e.grades[:0], e.entries[:0]
	e.seen.reset(len(judgments) + len(hits))
	for id, grade := range judgments {
		grade = min(max(grade, 0), math.MaxInt32)
		if grade > 0 {
			e.relevant++
			e.grades = append(e.grades, grade)
		}
		e.seen.add(id, int32(grade))
	}
	slices.SortFunc(e.grades, func(a, b int) int { return cmp.Compare(b, a) })
	sorted := true
	for _, h := range hits {
		if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) {
			return fmt.Errorf("query %q, document %q: score %v is not a finite number", query, h.ID, h.Score)
		}
		grade, judged, repeated := e.seen.hit(h.ID)
		if repeated {
			return &DuplicateError{Query: query, Document: h.ID}
		}
		if judged {
			e.judged++
		}
		next := entry{score: float32(h.Score), grade: grade, id: h.ID}
		if n := len(e.entries); n > 0 && sorted {
			sorted = before(e.entries[n-1], next) < 0
		}
		e.entries = append(e.entries, next)
	}
	if !sorted {
		slices.SortFunc(e.entries, before)
	}
	for i := range e.entries {
		if g := e.entries[i].grade; g > 0 {
			e.found = append(e.found, place{rank: i + 1, grade: int(g)})
		}
	}
	return nil
}

// table tells which documents of one query are judged and which have been seen among the hits. It is a hash table with open addressing
// that is emptied by raising its round, so that a query costs no allocation and a hit one lookup.
type table struct {
	seed  maphash.Seed
	round uint32
	slots []slot
	ids   []string // ids of judged documents and hits, in the order of arrival
}

type slot struct {
	round uint32 // the slot is empty unless this is the table's round
	hash  uint32
	index int32 // in ids
	grade int32
	state uint8
}

const (
	slotJudged uint8 = 1 << iota
	slotHit
)

// reset empties the table and makes room for n documents.
func (t *table) reset(n int) {
	t.ids = t.ids[:0]
	t.round++
	if 2*n <= len(t.slots) && t.round != 0 {
		return
	}
	size := max(len(t.slots), 64)
	for size < 2*n {
		size *= 2
	}
	if t.round == 0 || t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	t.slots, t.round = make([]slot, size), 1
}

// find returns the slot of id, or the empty one where it belongs.
func (t *table) find(id string) *slot {
	h := maphash.String(t.seed, id)
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.round != t.round {
			*s = slot{round: t.round, hash: uint32(h >> 32), index: int32(len(t.ids))}
			t.ids = append(t.ids, id)
			return s
		}
		if s.hash == uint32(h>>32) && t.ids[s.index] == id {
			return s
		}
	}
}

// add enters a judged document.
func (t *table) add(id string, grade int32) {
	s := t.find(id)
	s.grade, s.state = grade, slotJudged
}

// hit enters a hit and tells its grade, whether it is judged and whether it was among the hits before.
func (t *table) hit(id string) (grade int32, judged, repeated bool) {
	s := t.find(id)
	judged, repeated = s.state&slotJudged != 0, s.state&slotHit != 0
	s.state |= slotHit
	return s.grade, judged, repeated
}
