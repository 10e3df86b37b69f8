package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ddx-rag/ddx/evaluation/stats"
)

// enumerate tries every sign assignment, one after the other. Values are multiples of 1/64, so that sums are exact.
func enumerate(differences []float64) float64 {
	observed := 0.0
	for _, d := range differences {
		observed += d
	}
	extreme := 0
	for signs := range 1 << len(differences) {
		sum := 0.0
		for i, d := range differences {
			if signs>>i&1 == 1 {
				d = -d
			}
			sum += d
		}
		if math.Abs(sum) >= math.Abs(observed) {
			extreme++
		}
	}
	return float64(extreme) / float64(int(1)<<len(differences))
}

func TestSmallTestsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	for n := 2; n <= 14; n++ {
		for range 20 {
			differences := make([]float64, n)
			for i := range differences {
				differences[i] = float64(random.IntN(9)-3) / 64 // few values, so that many sums are equal; some are zero
			}
			got := stats.Randomization(differences, seed)
			if got.NonZero == 0 {
				continue
			}
			if want := enumerate(differences); !got.Exact || *got.P != want {
				t.Errorf("%v: p = %v (exact: %v), want %v", differences, *got.P, got.Exact, want)
			}
		}
	}
}

func TestRoundingDoesNotSeparateEqualSums(t *testing.T) {
	// 0.1+0.2 and 0.3 differ in float64, so sums that are equal on paper come out unequal, which moves p by whole assignments.
	for _, c := range []struct {
		differences []float64
		want        float64
	}{
		{[]float64{0.1, 0.2, -0.3}, 1},
		{[]float64{0.1, 0.2, 0.3, -0.6}, 1},
		{[]float64{0.1, 0.1, 0.1, -0.3, 0.3}, 20. / 32},
	} {
		tenths := make([]float64, len(c.differences))
		for i, d := range c.differences {
			tenths[i] = math.Round(d * 10)
		}
		if want := enumerate(tenths); want != c.want {
			t.Fatalf("%v: counted in tenths, p = %v, not %v", c.differences, want, c.want)
		}
		if got := stats.Randomization(c.differences, seed); *got.P != c.want {
			t.Errorf("%v: p = %v, want %v", c.differences, *got.P, c.want)
		}
	}
}

func TestThePValueIsThatOfScipy(t *testing.T) {
	// scipy 1.17.1, permutation_test(permutation_type="samples", n_resamples=inf) of the mean difference.
	for _, c := range []struct {
		differences []float64
		want        float64
		nonZero     int
	}{
		{[]float64{0.369, 0.131, -0.25, 0.5, 0.0693, 0, 0.613, -0.131, 0.2891, 0, -0.0387}, 0.1171875, 9},
		{gains, 0.005859375, 14},
	} {
		got := stats.Randomization(c.differences, seed)
		if *got.P != c.want || got.NonZero != c.nonZero || !got.Exact {
			t.Errorf("p = %v, %d of %d differ, exact: %v; want p = %v, %d", *got.P, got.NonZero, got.N, got.Exact, c.want, c.nonZero)
		}
	}
}

// If every difference has the same size, the test is the sign test, whose p-value has a closed form for any number of queries.
func TestEqualSizesGiveTheSignTest(t *testing.T) {
	for _, c := range []struct{ queries, losses int }{{5, 0}, {20, 5}, {31, 9}, {32, 10}, {33, 10}, {60, 21}, {80, 29}, {200, 86}} {
		differences := make([]float64, c.queries)
		for i := range differences {
			differences[i] = 0.3
			if i < c.losses {
				differences[i] = -0.3
			}
		}
		want, choose := 0.0, 1.0
		for k := 0; k <= c.losses; k++ {
			want += 2 * choose * math.Ldexp(1, -c.queries)
			choose *= float64(c.queries-k) / float64(k+1)
		}
		got := stats.Randomization(differences, seed)
		slack := 1e-12
		if !got.Exact {
			slack = 4*math.Sqrt(want*(1-want)/stats.Permutations) + 1e-5
		}
		if got.Exact != (c.queries <= 32) || math.Abs(*got.P-want) > slack {
			t.Errorf("%d losses of %d: p = %v (exact: %v), want %v", c.losses, c.queries, *got.P, got.Exact, want)
		}
	}
}

func TestADrawnPValueIsNeverZero(t *testing.T) {
	differences := make([]float64, 300)
	for i := range differences {
		differences[i] = 1 + float64(i)
	}
	if got := stats.Randomization(differences, seed); *got.P != 1.0/(stats.Permutations+1) {
		t.Errorf("p = %v", *got.P)
	}
}

func TestExchangingTheSystemsKeepsP(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 11))
	for _, n := range []int{12, 70} {
		differences, exchanged := make([]float64, n), make([]float64, n)
		for i := range differences {
			differences[i] = random.NormFloat64() + 0.2
			exchanged[i] = -differences[i]
		}
		a, b := stats.Randomization(differences, seed), stats.Randomization(exchanged, seed)
		if *a.P != *b.P {
			t.Errorf("%d queries: p = %v and %v", n, *a.P, *b.P)
		}
	}
}

// Without any true difference, p is below 5 % in 5 % of all experiments.
func TestFalseFindingsAreAsRareAsPromised(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 13))
	const experiments = 2000
	findings := 0
	for range experiments {
		differences := make([]float64, 18)
		for i := range differences {
			differences[i] = random.NormFloat64() * random.ExpFloat64()
		}
		if *stats.Randomization(differences, seed).P <= 0.05 {
			findings++
		}
	}
	if share := float64(findings) / experiments; share < 0.035 || share > 0.065 { // three standard errors
		t.Errorf("%.4f of the experiments are findings", share)
	}
}
