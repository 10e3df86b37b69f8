package metric

import "math"

// value computes a measure for the query that was taken in last. Sums run over ranks from the first on, as in trec_eval.
func (e *evaluator) value(m Measure) float64 {
	switch m.kind {
	case numRet:
		return float64(e.retrieved)
	case numRel:
		return float64(e.relevant)
	case numRelRet:
		return float64(len(e.found))
	}
	if e.relevant == 0 {
		return 0
	}
	depth := m.depth
	if depth == 0 {
		depth = math.MaxInt
	}
	switch m.kind {
	case ndcg:
		return e.ndcg(depth, func(grade int) float64 { return float64(grade) })
	case ndcgExp:
		// All gains are divided by 2^highest, which cancels out and keeps large grades finite.
		highest := e.grades[0]
		lowest := math.Ldexp(1, -highest)
		return e.ndcg(depth, func(grade int) float64 { return math.Ldexp(1, grade-highest) - lowest })
	case recall:
		return float64(e.foundUpTo(depth)) / float64(e.relevant)
	case precision:
		return float64(e.foundUpTo(depth)) / float64(depth)
	case averagePrecision:
		sum := 0.0
		for i, p := range e.found[:e.foundUpTo(depth)] {
			sum += float64(i+1) / float64(p.rank)
		}
		return sum / float64(e.relevant)
	case reciprocalRank:
		if e.foundUpTo(depth) > 0 {
			return 1 / float64(e.found[0].rank)
		}
	case success:
		if e.foundUpTo(depth) > 0 {
			return 1
		}
	}
	return 0
}

// foundUpTo counts the relevant hits whose rank is depth or less.
func (e *evaluator) foundUpTo(depth int) int {
	n := 0
	for n < len(e.found) && e.found[n].rank <= depth {
		n++
	}
	return n
}

// ndcg divides the discounted gain of the ranking by that of the best possible one, in which all judged documents, found or not, stand
// in the order of their grades.
func (e *evaluator) ndcg(depth int, gain func(grade int) float64) float64 {
	got, best := 0.0, 0.0
	for _, p := range e.found[:e.foundUpTo(depth)] {
		got += gain(p.grade) / e.discount(p.rank)
	}
	for i, grade := range e.grades[:min(depth, len(e.grades))] {
		best += gain(grade) / e.discount(i+1)
	}
	return got / best
}

func (e *evaluator) discount(rank int) float64 {
	for len(e.discounts) < rank {
		e.discounts = append(e.discounts, math.Log2(float64(len(e.discounts)+2)))
	}
	return e.discounts[rank-1]
}
