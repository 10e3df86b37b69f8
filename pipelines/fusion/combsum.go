package fusion

import (
	"math"
	"slices"

	"github.com/ddx-rag/ddx/vectorstore"
)

// Normalization says how the scores of a list are made comparable with those of other lists before they are added.
type Normalization string

const (
	// None adds scores as they are. A document that a list does not hold gets 0 from it.
	None Normalization = "none"
	// MinMax maps the list's lowest score to 0 and its highest to 1. Absent documents get 0. Where all scores are equal, so that there
	// is no range, each hit gets 1, because being found must count for more than being absent (OpenSearch and bleve do the same, ranx
	// gives 0).
	MinMax Normalization = "minmax"
	// ZScore subtracts the mean of the list's scores and divides by their standard deviation (of the list as the whole population).
	// Absent documents get the list's lowest z-score: with 0, the mean, they would pass hits that the list does hold. Where all
	// scores are equal, each z-score is 0.
	ZScore Normalization = "zscore"
	// Max divides by the list's best score. Absent documents get 0. It is meant for scores that are not negative, such as BM25's; if
	// some are, the divisor is the largest absolute score, so that the order stays as it is. Scores that are all 0 stay 0.
	Max Normalization = "max"
)

// Normalizations lists all normalizations in a fixed order.
func Normalizations() []Normalization { return []Normalization{None, MinMax, ZScore, Max} }

// CombSUM is the weighted sum of normalized scores (CombSUM of Fox and Shaw, TREC-2, 1994; normalizations as compared by Montague and
// Aslam, CIKM 2001). Hits whose score is NaN or infinite are passed over. Only the scores count, not the order of the hits.
func CombSUM(lists []List, normalize Normalization, depth int) []vectorstore.Hit {
	p := newPool(lists)
	for _, l := range lists {
		if !l.takesPart() {
			continue
		}
		l.Hits = finiteHits(l.distinct())
		if len(l.Hits) == 0 {
			continue
		}
		var base float64
		var score func(float64) float64
		switch normalize {
		case None:
			score = func(s float64) float64 { return s }
		case MinMax:
			score = minMax(l.Hits)
		case ZScore:
			score, base = zScore(l.Hits)
		case Max:
			score = divideByMax(l.Hits)
		default:
			return nil
		}
		if base != 0 {
			p.base = append(p.base, finite(l.Weight*base))
		}
		for _, h := range l.Hits {
			p.add(h.ID, finite(l.Weight*score(h.Score)))
		}
	}
	return p.rank(depth)
}

func finiteHits(hits []vectorstore.Hit) []vectorstore.Hit {
	kept := make([]vectorstore.Hit, 0, len(hits))
	for _, h := range hits {
		if !math.IsNaN(h.Score) && !math.IsInf(h.Score, 0) {
			kept = append(kept, h)
		}
	}
	return kept
}

func bounds(hits []vectorstore.Hit) (low, high float64) {
	low, high = hits[0].Score, hits[0].Score
	for _, h := range hits {
		low, high = min(low, h.Score), max(high, h.Score)
	}
	return low, high
}

func minMax(hits []vectorstore.Hit) func(float64) float64 {
	low, high := bounds(hits)
	if low == high {
		return func(float64) float64 { return 1 }
	}
	if math.IsInf(high-low, 1) {
		return func(s float64) float64 { return (s/2 - low/2) / (high/2 - low/2) }
	}
	return func(s float64) float64 { return (s - low) / (high - low) }
}

func divideByMax(hits []vectorstore.Hit) func(float64) float64 {
	low, high := bounds(hits)
	divisor := max(high, -low)
	if divisor == 0 {
		return func(float64) float64 { return 0 }
	}
	return func(s float64) float64 { return s / divisor }
}

// zScore returns how far a score is above the list's lowest, in standard deviations, and the lowest z-score itself. The two are kept
// apart because every document of the pool gets the lowest one, and only the hits of the list get what is above it.
func zScore(hits []vectorstore.Hit) (aboveLowest func(float64) float64, lowest float64) {
	low, high := bounds(hits)
	if low == high {
		return func(float64) float64 { return 0 }, 0
	}
	// The z-score does not change with the scale of the scores, and between 0 and 1 nothing overflows.
	scaled := minMax(hits)
	// Summed in the order of the scores, so that the order of the hits does not show in the last bits.
	values := make([]float64, len(hits))
	for i, h := range hits {
		values[i] = scaled(h.Score)
	}
	slices.Sort(values)
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	variance := 0.0
	for _, v := range values {
		variance += (v - mean) * (v - mean) / float64(len(values))
	}
	deviation := math.Sqrt(variance)
	return func(s float64) float64 { return scaled(s) / deviation }, -mean / deviation
}
