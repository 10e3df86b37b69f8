package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Resamples is how many samples Bootstrap draws.
const Resamples = 10_000

// Interval is the mean of paired differences and how far it can be trusted.
type Interval struct {
	N    int     // queries
	Mean float64 // of the differences; 0 if there are none
	// CI95 holds the lower and the upper end of the 95 % confidence interval of the mean; nil if it cannot be had.
	CI95   *[2]float64
	Reason string // why there is no interval; "" if there is one
}

// Method names what was done, for a caption.
func (Interval) Method() string {
	return fmt.Sprintf("95 %% BCa bootstrap interval of the mean paired difference, %d resamples", Resamples)
}

// Bootstrap gives the bias-corrected and accelerated (BCa) bootstrap interval of the mean paired difference (Efron, JASA 1987). Queries
// are drawn with replacement, each with its difference, so that the pairing is kept; the indices drawn depend on the seed and the number
// of queries alone.
//
// Why BCa: differences of retrieval measures are many zeros and a few large values on one side. An interval from Student's t is symmetric
// and misses on the long side; the plain percentile interval is off by a term of order 1/√n as well. BCa corrects for median bias and
// for skewness, is off by order 1/n only, does not depend on the scale, and never leaves the range of what was observed. The
// bootstrap-t interval is of the same order, but breaks down where a resample has no variance, which is common with many zeros. Like
// every bootstrap interval it is too narrow for few queries: in simulations it held the true mean in 92 to 95 % of cases with 50
// queries or more, in some 92 % with 20 and in 88 to 93 % with 10.
//
// There is no interval for fewer than two queries, or if all differences are equal: the resamples then say nothing about the spread.
func Bootstrap(differences []float64, seed uint64) Interval {
	s := newSample(differences)
	out := Interval{N: len(differences), Mean: s.mean * s.scale, Reason: s.reason}
	if s.reason == "" && s.values[0] == s.values[len(s.values)-1] {
		out.Reason = "not testable: all differences are equal"
	}
	if out.Reason != "" {
		return out
	}
	means := resample(s.values, newRand(seed))
	slices.Sort(means)

	// Median bias: where the observed mean stands among the resampled ones, ties counted half.
	below, above := 0, 0
	for _, m := range means {
		switch {
		case m < s.mean-tolerance:
			below++
		case m > s.mean+tolerance:
			above++
		}
	}
	z0 := normalQuantile(clampShare((float64(below) + float64(Resamples-below-above)/2) / Resamples))

	// Acceleration from the jackknife; for a mean it is the skewness of the sample divided by 6√n.
	var square, cube float64
	for _, v := range s.values {
		d := v - s.mean
		square += d * d
		cube += d * d * d
	}
	acceleration := cube / (6 * square * math.Sqrt(square))

	end := func(share float64) float64 {
		z := z0 + normalQuantile(share)
		adjusted := 1.0
		if denominator := 1 - acceleration*z; denominator > 0 {
			adjusted = normalCDF(z0 + z/denominator)
		} else if z < 0 {
			adjusted = 0
		}
		// Rounding must not carry the end out of the range of what was observed.
		return min(max(quantile(means, adjusted)*s.scale, slices.Min(differences)), slices.Max(differences))
	}
	out.CI95 = &[2]float64{end(0.025), end(0.975)}
	return out
}

// resample draws Resamples samples with replacement and returns their means.
func resample(values []float64, random *rand.PCG) []float64 {
	means := make([]float64, Resamples)
	n := uint64(len(values))
	for i := range means {
		// Two indices from one draw of 64 bits. Mapping 32 bits to n by multiplication prefers no index by more than n/2^32.
		sum, odd := 0.0, 0.0
		for k := uint64(0); k < n-1; k += 2 {
			u := random.Uint64()
			sum += values[(u&math.MaxUint32)*n>>32]
			odd += values[(u>>32)*n>>32]
		}
		if n%2 == 1 {
			sum += values[(random.Uint64()>>32)*n>>32]
		}
		means[i] = (sum + odd) / float64(n)
	}
	return means
}

// quantile interpolates linearly between the sorted values, the first being at share 0 and the last at share 1.
func quantile(sorted []float64, share float64) float64 {
	position := share * float64(len(sorted)-1)
	i := int(position)
	if i >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (position-float64(i))*(sorted[i+1]-sorted[i])
}

// clampShare keeps a share of the resamples away from 0 and 1, where the normal quantile is infinite.
func clampShare(share float64) float64 { return min(max(share, 0.5/Resamples), 1-0.5/Resamples) }

// normalCDF is the standard normal distribution function.
func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// normalQuantile is its inverse; share is above 0 and below 1.
func normalQuantile(share float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*share) }
