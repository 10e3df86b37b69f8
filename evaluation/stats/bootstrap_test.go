package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ddx-rag/ddx/evaluation/stats"
)

func TestTheIntervalIsThatOfScipy(t *testing.T) {
	got := stats.Bootstrap(gains, seed)
	// scipy 1.17.1, scipy.stats.bootstrap(method="BCa", n_resamples=1_000_000): 0.0948 to 0.3872 (mean of three seeds). The ends of
	// intervals from 10,000 resamples scatter about these with standard deviations of 0.0017 and 0.0033.
	if math.Abs(got.Mean-0.21744) > 1e-12 || math.Abs(got.CI95[0]-0.0948) > 4*0.0017 || math.Abs(got.CI95[1]-0.3872) > 4*0.0033 {
		t.Errorf("mean %v, interval %v", got.Mean, *got.CI95)
	}
	// The plain percentile interval, which has neither correction, lies elsewhere at its upper end.
	if got.CI95[1] < 0.365 {
		t.Errorf("the interval %v is not corrected for skewness", *got.CI95)
	}
}

// With five queries all 3,125 resamples can be listed, which gives the interval without any chance.
func TestTheIntervalIsThatOfAllResamples(t *testing.T) {
	for _, values := range [][]float64{
		{0.1, 0.4, -0.2, 0.9, 0.35},
		{-3, -1, -0.5, 0.25, 0.3},
		{2, 2.5, 10, 3, 2.25},
	} {
		var means []float64
		var all func(sum float64, left int)
		all = func(sum float64, left int) {
			if left == 0 {
				means = append(means, sum/float64(len(values)))
				return
			}
			for _, v := range values {
				all(sum+v, left-1)
			}
		}
		all(0, len(values))
		slices.Sort(means)

		mean, n := 0.0, float64(len(values))
		for _, v := range values {
			mean += v / n
		}
		lower := 0.0
		for _, m := range means {
			if math.Abs(m-mean) < 1e-9 {
				lower += 0.5
			} else if m < mean {
				lower++
			}
		}
		z0 := bisect(lower / float64(len(means)))
		// The acceleration as Efron defines it, from the means without one query each.
		var jackknife []float64
		centre := 0.0
		for _, v := range values {
			without := (n*mean - v) / (n - 1)
			jackknife = append(jackknife, without)
			centre += without / n
		}
		var square, cube float64
		for _, j := range jackknife {
			square += math.Pow(centre-j, 2)
			cube += math.Pow(centre-j, 3)
		}
		a := cube / (6 * math.Pow(square, 1.5))
		want := func(share float64) (low, high float64) {
			z := z0 + bisect(share)
			at := 0.5 * math.Erfc(-(z0+z/(1-a*z))/math.Sqrt2)
			// What 10,000 drawn resamples can give instead: within four standard errors of the share, twice because z0 is drawn as well.
			slack := 4 * math.Sqrt(at*(1-at)/stats.Resamples) * 2
			position := func(share float64) int {
				return int(min(max(share, 0), 1) * float64(len(means)-1))
			}
			return means[position(at-slack)], means[position(at+slack)]
		}
		got := stats.Bootstrap(values, seed).CI95
		for i, share := range []float64{0.025, 0.975} {
			if low, high := want(share); got[i] < low-1e-9 || got[i] > high+1e-9 {
				t.Errorf("%v: end at %v is %v, want %v to %v", values, share, got[i], low, high)
			}
		}
	}
}

// bisect inverts the normal distribution function in the plainest way.
func bisect(share float64) float64 {
	low, high := -10.0, 10.0
	for range 100 {
		if middle := (low + high) / 2; 0.5*math.Erfc(-middle/math.Sqrt2) < share {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// Experiments with a known true difference are simulated. The share of intervals that hold it has to be near 95 %.
func TestIntervalsCoverTheTruthAsOftenAsTheyPromise(t *testing.T) {
	const experiments = 160
	for _, c := range []struct {
		name         string
		queries      int
		draw         func(*rand.Rand) float64
		truth        float64
		lowest, most float64
	}{
		// Half of the queries are untouched, the others gain an amount with a long tail.
		{"skewed with many zeros, 60 queries", 60, func(r *rand.Rand) float64 { return math.Floor(2*r.Float64()) * r.ExpFloat64() }, 0.5, 0.90, 0.985},
		{"symmetric, 40 queries", 40, func(r *rand.Rand) float64 { return r.NormFloat64() }, 0, 0.90, 0.985},
		{"uniform, 20 queries", 20, func(r *rand.Rand) float64 { return r.Float64() }, 0.5, 0.88, 0.985},
	} {
		t.Run(c.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, uint64(c.queries)))
			inside := 0
			for range experiments {
				differences := make([]float64, c.queries)
				for i := range differences {
					differences[i] = c.draw(random)
				}
				ci := stats.Bootstrap(differences, seed).CI95
				if ci == nil {
					t.Fatal("no interval")
				}
				if ci[0] <= c.truth && c.truth <= ci[1] {
					inside++
				}
			}
			if coverage := float64(inside) / experiments; coverage < c.lowest || coverage > c.most {
				t.Errorf("%.3f of the intervals hold the true difference, want %v to %v", coverage, c.lowest, c.most)
			}
		})
	}
}

func TestIntervalsScaleWithTheDifferences(t *testing.T) {
	want := stats.Bootstrap(gains, seed).CI95
	scaled := make([]float64, len(gains))
	for _, factor := range []float64{0x1p-1060, 0x1p-30, 4, 0x1p1020} {
		for i, g := range gains {
			scaled[i] = g * factor
		}
		got := stats.Bootstrap(scaled, seed).CI95
		for i := range got {
			if math.Abs(got[i]/factor-want[i]) > 1e-3 { // the smallest factor leaves 14 bits of the values
				t.Errorf("factor %v: interval %v, want %v times that", factor, *got, *want)
			}
		}
	}
}

func TestSeedsGiveOtherSamplesOfTheSameInterval(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(5) {
		ci := stats.Bootstrap(gains, seed).CI95
		seen[fmt.Sprint(*ci)] = true
		if math.Abs(ci[0]-0.0948) > 0.01 || math.Abs(ci[1]-0.3872) > 0.015 {
			t.Errorf("seed %d: %v", seed, *ci)
		}
	}
	if len(seen) < 5 {
		t.Errorf("five seeds give %d intervals", len(seen))
	}
}

func TestMethodsNameWhatWasDone(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{stats.Bootstrap(gains, seed).Method(), "95 % BCa bootstrap interval of the mean paired difference, 10000 resamples"},
		{stats.Randomization(gains, seed).Method(), "two-sided paired randomisation test of the mean difference, exact"},
		{stats.Randomization(slices.Concat(gains, gains, gains), seed).Method(),
			"two-sided paired randomisation test of the mean difference, 100000 random sign assignments"},
		{stats.Randomization(nil, seed).Method(), "two-sided paired randomisation test of the mean difference"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
		if strings.Contains(c.got, "%!") {
			t.Error("format error")
		}
	}
}
