// Package stats compares two systems that were measured on the same queries: a confidence interval of the mean difference, a test of it,
// and the correction for many comparisons. It works on paired differences, one a query (system minus baseline); see metric.Differences.
//
// Everything is pure and seeded. Results depend on the values and the seed alone, not on the order in which the differences come, to the
// last bit: they are sorted by value first. What cannot be tested has nil in place of figures and a Reason; NaN never comes out.
package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Count tells on how many queries the system is better than, equal to and worse than the baseline.
func Count(differences []float64) (wins, ties, losses int) {
	for _, d := range differences {
		switch {
		case d > 0:
			wins++
		case d < 0:
			losses++
		default:
			ties++
		}
	}
	return wins, ties, losses
}

// sample is a set of differences, sorted and scaled.
type sample struct {
	values []float64 // sorted; divided by scale, so that none is above 1 in size
	scale  float64   // a power of two, so that scaling loses no bit
	mean   float64   // of values
	reason string    // why nothing can be computed; "" if all is well
}

func newSample(differences []float64) sample {
	s := sample{values: slices.Clone(differences), scale: 1}
	largest := 0.0
	for i, d := range s.values {
		if math.IsNaN(d) || math.IsInf(d, 0) {
			s.reason = "not testable: a difference is not a finite number"
			return s
		}
		s.values[i] += 0 // -0 becomes 0, so that equal values have equal bits
		largest = max(largest, math.Abs(d))
	}
	slices.Sort(s.values)
	if largest > 0 {
		_, exponent := math.Frexp(largest)
		s.scale = math.Ldexp(1, exponent-1)
		for i := range s.values {
			s.values[i] /= s.scale
		}
	}
	if n := len(s.values); n > 0 {
		for _, v := range s.values {
			s.mean += v
		}
		s.mean = min(max(s.mean/float64(n), s.values[0]), s.values[n-1]) // rounding must not carry it out of their range
	}
	switch {
	case len(s.values) < 2:
		s.reason = "not testable: fewer than two queries"
	case largest == 0:
		s.reason = "not testable: no query differs"
	}
	return s
}

// tolerance is how far two sums of the sample's values, divided by the number of values, may lie apart and still count as equal:
// rounding separates sums that are equal on paper, and ties decide both the test and the interval where differences are few.
const tolerance = 1e-12

func newRand(seed uint64) *rand.PCG { return rand.NewPCG(seed, 0x6a09e667f3bcc909) }

// Holm adjusts p-values for the number of comparisons so that the chance of any false finding among them stays below the level at which
// they are read (step-down procedure, Holm, Scandinavian Journal of Statistics 1979). It needs no independence. Nil stands for
// a comparison that was not testable: it is left out of the family and stays nil. The order of p is kept.
func Holm(p []*float64) []*float64 {
	var family []int
	for i := range p {
		if p[i] != nil && !math.IsNaN(*p[i]) {
			family = append(family, i)
		}
	}
	slices.SortStableFunc(family, func(a, b int) int { return cmp.Compare(*p[a], *p[b]) })
	adjusted := make([]*float64, len(p))
	highest := 0.0
	for rank, i := range family {
		highest = max(highest, min(1, *p[i]*float64(len(family)-rank)))
		v := highest
		adjusted[i] = &v
	}
	return adjusted
}
