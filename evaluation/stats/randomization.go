package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Permutations is how many sign assignments Randomization draws where there are too many to enumerate.
const Permutations = 100_000

// exactLimit is up to how many non-zero differences all sign assignments are counted, 2^32 of them at most. Each half of the differences
// has at most 2^16 signed sums, which are sorted and matched with those of the other half.
const exactLimit = 32

// Test is the outcome of a paired randomisation test.
type Test struct {
	N       int      // queries
	NonZero int      // queries that differ; the others have no say in the test
	P       *float64 // two-sided p-value, above 0 and at most 1; nil if not testable
	Exact   bool     // whether all sign assignments were counted, rather than a sample of them
	Reason  string   // why there is no p-value; "" if there is one
}

// Method names the test and its sidedness, for a caption.
func (t Test) Method() string {
	const name = "two-sided paired randomisation test of the mean difference"
	switch {
	case t.P == nil:
		return name
	case t.Exact:
		return name + ", exact"
	}
	return fmt.Sprintf("%s, %d random sign assignments", name, Permutations)
}

// Randomization tests whether the mean paired difference is zero (paired randomisation test, Fisher 1935; recommended for retrieval by
// Smucker, Allan and Carterette, CIKM 2007). If the system and the baseline were the same, each difference could as well have the other
// sign; the p-value is the share of sign assignments whose mean is at least as far from zero as the observed one.
//
// With up to 32 non-zero differences all assignments are counted and p is exact. With more, 100,000 of them are drawn and p is (b+1)/(m+1),
// b of m being as extreme (Phipson and Smyth 2010), so that it is never 0. Differences of zero do not change a sum and are passed
// over. Equal differences that are not zero are testable: if all of n differ by the same amount, p is 2/2^n. Not testable are fewer
// than two queries, and differences that are all zero.
func Randomization(differences []float64, seed uint64) Test {
	s := newSample(differences)
	t := Test{N: len(differences), Reason: s.reason}
	var sizes []float64
	total := 0.0
	for _, v := range s.values {
		if v != 0 {
			sizes = append(sizes, math.Abs(v))
			total += v
		}
	}
	t.NonZero = len(sizes)
	if t.Reason != "" {
		return t
	}
	slices.Sort(sizes) // by size, so that exchanging system and baseline gives the same p
	// The smallest sum, in size, that counts as extreme.
	extreme := math.Abs(total) - tolerance*float64(len(s.values))
	var p float64
	if t.Exact = len(sizes) <= exactLimit; t.Exact {
		p = countAll(sizes, extreme)
	} else {
		p = countDrawn(sizes, extreme, newRand(seed))
	}
	t.P = &p
	return t
}

// countAll returns the share of sign assignments whose sum is at least extreme in size.
func countAll(sizes []float64, extreme float64) float64 {
	if extreme <= 0 {
		return 1
	}
	left, right := signedSums(sizes[:len(sizes)/2]), signedSums(sizes[len(sizes)/2:])
	// By symmetry as many sums are at least extreme as are at most -extreme. As the left summand grows, ever more right ones reach.
	count, from := 0, len(right)
	for _, l := range left {
		for from > 0 && l+right[from-1] >= extreme {
			from--
		}
		count += len(right) - from
	}
	return math.Ldexp(2*float64(count), -len(sizes))
}

// signedSums returns the sums of all sign assignments, sorted.
func signedSums(sizes []float64) []float64 {
	sums := []float64{0}
	for _, size := range sizes {
		// The sums with -size and those with +size are each sorted already: merge them.
		merged := make([]float64, 0, 2*len(sums))
		i, j := 0, 0
		for j < len(sums) {
			if i < len(sums) && sums[i]-size <= sums[j]+size {
				merged = append(merged, sums[i]-size)
				i++
			} else {
				merged = append(merged, sums[j]+size)
				j++
			}
		}
		sums = merged
	}
	return sums
}

// countDrawn draws sign assignments and estimates the share of those whose sum is at least extreme in size.
func countDrawn(sizes []float64, extreme float64, random *rand.PCG) float64 {
	// Signs are drawn for eight differences at a time, whose 256 signed sums are worked out beforehand.
	groups := make([][256]float64, (len(sizes)+7)/8)
	for g := range groups {
		part := sizes[8*g : min(8*g+8, len(sizes))]
		for signs := range groups[g] {
			for i, size := range part {
				if signs>>i&1 == 1 {
					size = -size
				}
				groups[g][signs] += size
			}
		}
	}
	count := 0
	for range Permutations {
		sum := 0.0
		for g := 0; g < len(groups); g += 8 {
			signs := random.Uint64()
			for i := range groups[g:min(g+8, len(groups))] {
				sum += groups[g+i][signs>>(8*i)&0xff]
			}
		}
		if math.Abs(sum) >= extreme {
			count++
		}
	}
	return float64(count+1) / float64(Permutations+1)
}
