package fusion

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ddx-rag/ddx/vectorstore"
)

var approx = cmpopts.EquateApprox(0, 5e-7)

// ranked makes a list of the given weight with falling scores.
func ranked(weight float64, ids ...string) List {
	l := List{Weight: weight}
	for i, id := range ids {
		l.Hits = append(l.Hits, vectorstore.Hit{ID: id, Score: float64(len(ids) - i)})
	}
	return l
}

func scored(weight float64, hits ...vectorstore.Hit) List { return List{Hits: hits, Weight: weight} }

func TestRRF(t *testing.T) {
	a, b := ranked(1, "x", "y"), ranked(1, "y", "z")
	l1, l2 := ranked(1, "p", "a", "b", "q"), ranked(1, "c", "d", "e", "q")
	tests := []struct {
		name  string
		lists []List
		k     float64
		depth int
		want  []vectorstore.Hit
	}{
		{"the usual k of 60", []List{a, b}, 60, 10, []vectorstore.Hit{{ID: "y", Score: .032522}, {ID: "x", Score: .016393}, {ID: "z", Score: .016129}}},
		{"k 1 equals k 2 of servers that count from zero", []List{a, b}, 1, 10,
			[]vectorstore.Hit{{ID: "y", Score: 1./2 + 1./3}, {ID: "x", Score: .5}, {ID: "z", Score: 1. / 3}}},
		{"a small k ranks two first places above one document in both lists", []List{l1, l2}, 1, 3,
			[]vectorstore.Hit{{ID: "p", Score: .5}, {ID: "c", Score: .5}, {ID: "q", Score: .4}}},
		{"the usual k ranks the document in both lists first", []List{l1, l2}, 60, 1, []vectorstore.Hit{{ID: "q", Score: .03125}}},
		{"k 0", []List{a, b}, 0, 10, []vectorstore.Hit{{ID: "y", Score: 1.5}, {ID: "x", Score: 1}, {ID: "z", Score: .5}}},
		{"an empty leg leaves the other list's order", []List{{Weight: 1}, b}, 60, 10, []vectorstore.Hit{{ID: "y", Score: 1. / 61}, {ID: "z", Score: 1. / 62}}},
		{"weights multiply the share", []List{ranked(.7, "x"), ranked(.2, "y")}, 60, 10, []vectorstore.Hit{{ID: "x", Score: .7 / 61}, {ID: "y", Score: .2 / 61}}},
		{"zero, negative, infinite and NaN weights leave the list out",
			[]List{ranked(1, "x"), ranked(0, "y"), ranked(-1, "y"), ranked(math.NaN(), "y"), ranked(math.Inf(1), "y")}, 60, 10,
			[]vectorstore.Hit{{ID: "x", Score: 1. / 61}}},
		{"a repeated id counts once and takes one place", []List{ranked(1, "x", "x", "y", "x", "z", "y")}, 60, 10,
			[]vectorstore.Hit{{ID: "x", Score: 1. / 61}, {ID: "y", Score: 1. / 62}, {ID: "z", Score: 1. / 63}}},
		{"scores are not looked at", []List{scored(1, vectorstore.Hit{ID: "x", Score: math.NaN()}, vectorstore.Hit{ID: "y", Score: 9})}, 60, 10,
			[]vectorstore.Hit{{ID: "x", Score: 1. / 61}, {ID: "y", Score: 1. / 62}}},
		{"ties are ordered by id, descending", []List{ranked(1, "a", "b"), ranked(1, "b", "a")}, 60, 10,
			[]vectorstore.Hit{{ID: "b", Score: 1./61 + 1./62}, {ID: "a", Score: 1./61 + 1./62}}},
		{"depth zero", []List{a}, 60, 0, nil},
		{"no lists", nil, 60, 10, nil},
		{"a negative k has no meaning", []List{a}, -1, 10, nil},
		{"a NaN k has no meaning", []List{a}, math.NaN(), 10, nil},
		{"an infinite k has no meaning", []List{a}, math.Inf(1), 10, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, RRF(tt.lists, tt.k, tt.depth), approx); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCombSUM(t *testing.T) {
	a := scored(1, vectorstore.Hit{ID: "x", Score: 30}, vectorstore.Hit{ID: "y", Score: 20}, vectorstore.Hit{ID: "z", Score: 10})
	b := scored(.5, vectorstore.Hit{ID: "z", Score: .8}, vectorstore.Hit{ID: "w", Score: .4})
	z := math.Sqrt(1.5) // of the outer ones of three evenly spaced scores
	tests := []struct {
		name      string
		lists     []List
		normalize Normalization
		want      []vectorstore.Hit
	}{
		{"none", []List{a, b}, None, []vectorstore.Hit{{ID: "x", Score: 30}, {ID: "y", Score: 20}, {ID: "z", Score: 10.4}, {ID: "w", Score: .2}}},
		{"minmax", []List{a, b}, MinMax, []vectorstore.Hit{{ID: "x", Score: 1}, {ID: "z", Score: .5}, {ID: "y", Score: .5}, {ID: "w", Score: 0}}},
		{"max", []List{a, b}, Max, []vectorstore.Hit{{ID: "x", Score: 1}, {ID: "z", Score: 1./3 + .5}, {ID: "y", Score: 2. / 3}, {ID: "w", Score: .25}}},
		{"zscore gives absent documents the list's lowest", []List{a, b}, ZScore,
			[]vectorstore.Hit{{ID: "x", Score: z - .5}, {ID: "y", Score: -.5}, {ID: "z", Score: -z + .5}, {ID: "w", Score: -z - .5}}},
		{"zscore of one list", []List{a}, ZScore, []vectorstore.Hit{{ID: "x", Score: z}, {ID: "y", Score: 0}, {ID: "z", Score: -z}}},
		{"minmax of a single hit is 1", []List{ranked(.3, "x")}, MinMax, []vectorstore.Hit{{ID: "x", Score: .3}}},
		{"minmax of equal scores is 1", []List{scored(1, vectorstore.Hit{ID: "x", Score: 0}, vectorstore.Hit{ID: "y", Score: 0})}, MinMax,
			[]vectorstore.Hit{{ID: "y", Score: 1}, {ID: "x", Score: 1}}},
		{"zscore of a single hit is 0", []List{ranked(1, "x")}, ZScore, []vectorstore.Hit{{ID: "x", Score: 0}}},
		{"max of zeros is 0", []List{scored(1, vectorstore.Hit{ID: "x", Score: 0})}, Max, []vectorstore.Hit{{ID: "x", Score: 0}}},
		{"max keeps the order of negative scores", []List{scored(1, vectorstore.Hit{ID: "x", Score: -1}, vectorstore.Hit{ID: "y", Score: -2})}, Max,
			[]vectorstore.Hit{{ID: "x", Score: -.5}, {ID: "y", Score: -1}}},
		{"an empty leg adds nothing", []List{a, {Weight: 5}}, Max, []vectorstore.Hit{{ID: "x", Score: 1}, {ID: "y", Score: 2. / 3}, {ID: "z", Score: 1. / 3}}},
		{"an empty leg adds nothing to z-scores", []List{a, {Weight: 5}}, ZScore, []vectorstore.Hit{{ID: "x", Score: z}, {ID: "y", Score: 0}, {ID: "z", Score: -z}}},
		{"zero, negative, infinite and NaN weights leave the list out",
			[]List{ranked(1, "x"), ranked(0, "y"), ranked(-1, "y"), ranked(math.NaN(), "y"), ranked(math.Inf(1), "y")}, Max, []vectorstore.Hit{{ID: "x", Score: 1}}},
		{"the first of repeated ids counts", []List{scored(1, vectorstore.Hit{ID: "x", Score: 4}, vectorstore.Hit{ID: "y", Score: 2}, vectorstore.Hit{ID: "x", Score: 100})}, Max,
			[]vectorstore.Hit{{ID: "x", Score: 1}, {ID: "y", Score: .5}}},
		{"hits without a finite score are passed over",
			[]List{scored(1, vectorstore.Hit{ID: "i", Score: math.Inf(1)}, vectorstore.Hit{ID: "x", Score: 4}, vectorstore.Hit{ID: "n", Score: math.NaN()})}, Max, []vectorstore.Hit{{ID: "x", Score: 1}}},
		{"a range that overflows is still a range",
			[]List{scored(1, vectorstore.Hit{ID: "x", Score: math.MaxFloat64}, vectorstore.Hit{ID: "y", Score: 0}, vectorstore.Hit{ID: "z", Score: -math.MaxFloat64})}, MinMax,
			[]vectorstore.Hit{{ID: "x", Score: 1}, {ID: "y", Score: .5}, {ID: "z", Score: 0}}},
		{"an unknown normalization has no meaning", []List{a}, "sigmoid", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, CombSUM(tt.lists, tt.normalize, 10), approx); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	t.Run("depth cuts the ranking", func(t *testing.T) {
		if got := CombSUM([]List{a}, Max, 2); len(got) != 2 || got[1].ID != "y" {
			t.Errorf("got %v", got)
		}
	})
}

func TestInputIsNotWrittenTo(t *testing.T) {
	lists := []List{ranked(1, "x", "y", "x"), ranked(.5, "y", "z")}
	before := []List{ranked(1, "x", "y", "x"), ranked(.5, "y", "z")}
	RRF(lists, 60, 10)
	for _, n := range Normalizations() {
		CombSUM(lists, n, 10)
	}
	if diff := cmp.Diff(before, lists); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
}

// randomLists makes lists over a small set of ids, with weights and scores that are awkward in binary.
func randomLists(r *rand.Rand) []List {
	lists := make([]List, 1+r.IntN(6))
	for i := range lists {
		lists[i].Weight = float64(1+r.IntN(9)) / 10
		for range r.IntN(12) {
			lists[i].Hits = append(lists[i].Hits, vectorstore.Hit{ID: strconv.Itoa(r.IntN(30)), Score: float64(r.IntN(20)) / 7})
		}
		lists[i].Hits = lists[i].distinct()
		slices.SortFunc(lists[i].Hits, vectorstore.CompareHits)
	}
	return lists
}

func shuffled(r *rand.Rand, lists []List) []List {
	lists = slices.Clone(lists)
	r.Shuffle(len(lists), func(i, j int) { lists[i], lists[j] = lists[j], lists[i] })
	return lists
}

func TestOrderOfListsDoesNotShow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		lists := randomLists(r)
		other := shuffled(r, lists)
		for _, k := range []float64{0, 1, 60} {
			if diff := cmp.Diff(RRF(lists, k, 20), RRF(other, k, 20)); diff != "" {
				t.Fatalf("RRF of %v and %v differ:\n%s", lists, other, diff)
			}
		}
		// CombSUM looks at scores alone, so the order of hits must not show either.
		for i := range other {
			other[i].Hits = slices.Clone(other[i].Hits)
			r.Shuffle(len(other[i].Hits), func(a, b int) { other[i].Hits[a], other[i].Hits[b] = other[i].Hits[b], other[i].Hits[a] })
		}
		for _, n := range Normalizations() {
			if diff := cmp.Diff(CombSUM(lists, n, 20), CombSUM(other, n, 20)); diff != "" {
				t.Fatalf("CombSUM %s of %v and %v differ:\n%s", n, lists, other, diff)
			}
		}
	}
}

func TestRenamingDocumentsInOrderRenamesTheResult(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rename := func(hits []vectorstore.Hit) []vectorstore.Hit {
		hits = slices.Clone(hits)
		for i := range hits {
			hits[i].ID = "doc/" + hits[i].ID
		}
		return hits
	}
	for range 500 {
		lists := randomLists(r)
		renamed := slices.Clone(lists)
		for i := range renamed {
			renamed[i].Hits = rename(renamed[i].Hits)
		}
		if diff := cmp.Diff(rename(RRF(lists, 60, 20)), RRF(renamed, 60, 20), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("of %v:\n%s", lists, diff)
		}
	}
}

func FuzzFusion(f *testing.F) {
	f.Add([]byte{1, 2, 3, 255, 1, 2}, 60.0, 1.0, 3.5, 10)
	f.Add([]byte{255, 255, 9, 9}, 0.0, math.MaxFloat64, -math.MaxFloat64, 1)
	f.Add([]byte{1, 2, 255, 2, 1}, 1.0, 5e-324, 5e-324, 3)
	f.Fuzz(func(t *testing.T, ids []byte, k, weight, score float64, depth int) {
		lists := []List{{Weight: weight}}
		distinct := map[string]bool{}
		for i, id := range ids {
			l := &lists[len(lists)-1]
			if id == 255 {
				lists = append(lists, List{Weight: weight / float64(i+1)})
				continue
			}
			l.Hits = append(l.Hits, vectorstore.Hit{ID: string(rune(id)), Score: score * float64(int(id)-i)})
			distinct[string(rune(id))] = true
		}
		reversed := slices.Clone(lists)
		slices.Reverse(reversed)
		check := func(name string, got, other []vectorstore.Hit) {
			if len(got) > max(depth, 0) || len(got) > len(distinct) {
				t.Fatalf("%s: %d hits for depth %d and %d documents", name, len(got), depth, len(distinct))
			}
			if !slices.IsSortedFunc(got, vectorstore.CompareHits) {
				t.Fatalf("%s: not in order: %v", name, got)
			}
			seen := map[string]bool{}
			for _, h := range got {
				if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || seen[h.ID] || !distinct[h.ID] {
					t.Fatalf("%s: hit %v in %v", name, h, got)
				}
				seen[h.ID] = true
			}
			if !slices.Equal(got, other) {
				t.Fatalf("%s: the order of the lists shows: %v and %v", name, got, other)
			}
		}
		check("rrf", RRF(lists, k, depth), RRF(reversed, k, depth))
		for _, n := range Normalizations() {
			check(string(n), CombSUM(lists, n, depth), CombSUM(reversed, n, depth))
		}
	})
}

func benchmarkLists() []List {
	r := rand.New(rand.NewPCG(5, 6))
	lists := make([]List, 5)
	for i := range lists {
		lists[i].Weight = 1 / float64(i+1)
		for j, id := range r.Perm(3000)[:1000] {
			lists[i].Hits = append(lists[i].Hits, vectorstore.Hit{ID: "MedQuAD_" + strconv.Itoa(id), Score: 30 / float64(j+1)})
		}
	}
	return lists
}

func BenchmarkRRF(b *testing.B) {
	lists := benchmarkLists()
	b.ReportAllocs()
	for b.Loop() {
		RRF(lists, 60, 100)
	}
}

func BenchmarkCombSUM(b *testing.B) {
	lists := benchmarkLists()
	for _, n := range Normalizations() {
		b.Run(string(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				CombSUM(lists, n, 100)
			}
		})
	}
}
