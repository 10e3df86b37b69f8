package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/evaluation/stats"
)

// gains are differences as they are found in retrieval: some zeros, a few large values, more up than down.
var gains = []float64{0, 0, 0, 0.369, 0.131, -0.25, 0.5, 1, 0.0693, 0, 0.613, -0.131, 0.2891, 0.431, 0, -0.0387, 0.9134, 0, 0.1461, 0.3066}

const seed = 20261201

func pointers(values ...float64) []*float64 {
	out := make([]*float64, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			out[i] = &v
		}
	}
	return out
}

func TestWhatCannotBeTestedSaysSo(t *testing.T) {
	type outcome struct {
		Mean         float64
		CI95         bool
		CI95Reason   string
		P            float64 // -1 if there is none
		RandomReason string
	}
	for _, c := range []struct {
		name        string
		differences []float64
		want        outcome
	}{
		{"no query", nil, outcome{P: -1, CI95Reason: "not testable: fewer than two queries", RandomReason: "not testable: fewer than two queries"}},
		{"one query", []float64{0.5},
			outcome{Mean: 0.5, P: -1, CI95Reason: "not testable: fewer than two queries", RandomReason: "not testable: fewer than two queries"}},
		{"all differences are zero", []float64{0, 0, math.Copysign(0, -1), 0, 0},
			outcome{P: -1, CI95Reason: "not testable: no query differs", RandomReason: "not testable: no query differs"}},
		{"all differences are equal: no spread, but a sign", []float64{0.5, 0.5, 0.5, 0.5, 0.5},
			outcome{Mean: 0.5, P: 2.0 / 32, CI95Reason: "not testable: all differences are equal"}},
		{"a difference is no number", []float64{0.5, math.NaN()}, outcome{P: -1,
			CI95Reason: "not testable: a difference is not a finite number", RandomReason: "not testable: a difference is not a finite number"}},
		{"a difference is infinite", []float64{0.5, math.Inf(1)}, outcome{P: -1,
			CI95Reason: "not testable: a difference is not a finite number", RandomReason: "not testable: a difference is not a finite number"}},
		{"two queries that differ", []float64{0.5, 0.25}, outcome{Mean: 0.375, CI95: true, P: 0.5}},
		{"one query of two differs", []float64{0.5, 0}, outcome{Mean: 0.25, CI95: true, P: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			interval, test := stats.Bootstrap(c.differences, seed), stats.Randomization(c.differences, seed)
			got := outcome{Mean: interval.Mean, CI95: interval.CI95 != nil, CI95Reason: interval.Reason, P: -1, RandomReason: test.Reason}
			if test.P != nil {
				got.P = *test.P
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if interval.N != len(c.differences) || test.N != len(c.differences) {
				t.Errorf("n is %d and %d, want %d", interval.N, test.N, len(c.differences))
			}
		})
	}
}

func TestWinsTiesAndLossesAreCounted(t *testing.T) {
	wins, ties, losses := stats.Count(gains)
	if got := [3]int{wins, ties, losses}; got != [3]int{11, 6, 3} {
		t.Errorf("wins, ties, losses = %v", got)
	}
}

func TestResultsDoNotDependOnTheOrderOfQueries(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{7, 20, 61} { // exact and drawn tests, even and odd numbers
		differences := make([]float64, n)
		for i := range differences {
			differences[i] = random.NormFloat64()
		}
		interval, test := stats.Bootstrap(differences, seed), stats.Randomization(differences, seed)
		for range 5 {
			random.Shuffle(n, func(i, j int) { differences[i], differences[j] = differences[j], differences[i] })
			if diff := cmp.Diff(interval, stats.Bootstrap(differences, seed)); diff != "" {
				t.Errorf("%d queries: %s", n, diff)
			}
			if diff := cmp.Diff(test, stats.Randomization(differences, seed)); diff != "" {
				t.Errorf("%d queries: %s", n, diff)
			}
		}
	}
}

func TestTheArgumentIsLeftAlone(t *testing.T) {
	differences := slices.Clone(gains)
	stats.Bootstrap(differences, seed)
	stats.Randomization(differences, seed)
	if diff := cmp.Diff(gains, differences); diff != "" {
		t.Error(diff)
	}
}

func TestHolmIsTheStepDownAdjustment(t *testing.T) {
	none := math.NaN() // stands for a comparison that was not testable
	for _, c := range []struct {
		name    string
		p, want []float64
	}{
		// statsmodels 0.15.0, multipletests(method="holm").
		{"as statsmodels computes it", []float64{0.01, 0.04, 0.03, 0.005, 0.2, 0.9}, []float64{0.05, 0.12, 0.12, 0.03, 0.4, 0.9}},
		{"comparisons that were not testable are no part of the family", []float64{none, 0.01, none, 0.04}, []float64{none, 0.02, none, 0.04}},
		{"a single p stays as it is", []float64{0.03}, []float64{0.03}},
		{"equal p are adjusted alike", []float64{0.02, 0.02, 0.02}, []float64{0.06, 0.06, 0.06}},
		{"no adjusted p is above 1", []float64{0.6, 0.7}, []float64{1, 1}},
		{"nothing testable", []float64{none, none}, []float64{none, none}},
		{"nothing at all", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := stats.Holm(pointers(c.p...))
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
			if diff := cmp.Diff(pointers(c.want...), got, near); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzComparisonsNeverGiveNonsense(f *testing.F) {
	f.Add(0.1, 0.2, -0.3, uint8(3), uint64(1))
	f.Add(5e-324, -5e-324, 0.0, uint8(40), uint64(2))
	f.Add(math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, uint8(9), uint64(3))
	f.Add(1.0, 1+0x1p-52, 1.0, uint8(2), uint64(4))
	f.Add(math.Inf(1), math.NaN(), 0.0, uint8(3), uint64(5))
	f.Fuzz(func(t *testing.T, a, b, c float64, n uint8, seed uint64) {
		differences := make([]float64, n)
		for i := range differences {
			differences[i] = []float64{a, b, c}[i%3]
		}
		lowest, highest := min(a, b, c), max(a, b, c)
		interval := stats.Bootstrap(differences, seed)
		if (interval.CI95 == nil) != (interval.Reason != "") || math.IsNaN(interval.Mean) || math.IsInf(interval.Mean, 0) {
			t.Errorf("%v: %+v", differences, interval)
		}
		if ci := interval.CI95; ci != nil && !(lowest <= ci[0] && ci[0] <= ci[1] && ci[1] <= highest) {
			t.Errorf("%v: interval %v leaves the range of the differences or is upside down", differences, *ci)
		}
		test := stats.Randomization(differences, seed)
		if (test.P == nil) != (test.Reason != "") || test.P != nil && !(*test.P > 0 && *test.P <= 1) {
			t.Errorf("%v: %+v", differences, test)
		}
		for _, p := range stats.Holm([]*float64{test.P, &a, nil}) {
			if p != nil && !(*p <= 1) {
				t.Errorf("Holm gives %v", *p)
			}
		}
	})
}

// Eight pipelines by four measures over 80 queries, each with its interval and its test.
func BenchmarkExperiment(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	series := make([][]float64, 32)
	for i := range series {
		series[i] = make([]float64, 80)
		for k := range series[i] {
			series[i][k] = random.NormFloat64()
		}
	}
	b.Run("Bootstrap", func(b *testing.B) {
		for b.Loop() {
			for _, s := range series {
				stats.Bootstrap(s, seed)
			}
		}
	})
	b.Run("Randomization drawn", func(b *testing.B) {
		for b.Loop() {
			for _, s := range series {
				stats.Randomization(s, seed)
			}
		}
	})
	b.Run("Randomization exact", func(b *testing.B) {
		for b.Loop() {
			for _, s := range series {
				stats.Randomization(s[:32], seed)
			}
		}
	})
}

func Example() {
	// nDCG@10 of a pipeline minus that of the baseline, one a query.
	differences := []float64{0.42, 0, 0.13, 0.31, -0.05, 0, 0.27, 0.5, 0.11, -0.02, 0.36, 0.08}

	interval := stats.Bootstrap(differences, 1)
	test := stats.Randomization(differences, 1)
	wins, ties, losses := stats.Count(differences)
	fmt.Printf("mean %+.3f, 95 %% interval [%+.2f, %+.2f]\n", interval.Mean, interval.CI95[0], interval.CI95[1])
	fmt.Printf("p = %.4f (%s)\n", *test.P, test.Method())
	fmt.Println("wins, ties, losses:", wins, ties, losses)

	another := 0.03 // of another pipeline
	for _, p := range stats.Holm([]*float64{test.P, &another, nil}) {
		if p == nil {
			fmt.Println("not testable")
			continue
		}
		fmt.Printf("p adjusted for both comparisons: %.4f\n", *p)
	}
	// Output:
	// mean +0.176, 95 % interval [+0.08, +0.29]
	// p = 0.0078 (two-sided paired randomisation test of the mean difference, exact)
	// wins, ties, losses: 8 2 2
	// p adjusted for both comparisons: 0.0156
	// p adjusted for both comparisons: 0.0300
	// not testable
}
