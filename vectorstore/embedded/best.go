package embedded

import "math"

// scored is a document with its score.
type scored struct {
	doc   uint32
	score float64
}

// best collects the documents with the highest scores; of equally scored ones those that stand first in the corpus.
type best struct {
	depth int
	least float64  // a later document has to exceed it
	found []scored // the best so far among others
	peaks []scored // the highest score of each group of documents, under the number of the group
}

// groupSize is how many documents are looked at together: few, so that many groups have none of the best.
const groupSize = 64

func (c *best) reset(depth int) { c.depth, c.least, c.found = depth, 0, c.found[:0] }

// take looks through the scores of the documents from, from+1, ..., which follow on those already taken. Scores of 0 are no hits.
func (c *best) take(scores []float64, from uint32) {
	c.survey(scores)
	room := 2*c.depth + 64
	for _, p := range c.peaks {
		if p.score <= c.least {
			continue
		}
		first := int(p.doc) * groupSize
		for i, score := range scores[first:min(first+groupSize, len(scores))] {
			if score <= c.least {
				continue
			}
			c.found = append(c.found, scored{from + uint32(first+i), score})
			if len(c.found) == room {
				c.cut()
			}
		}
	}
}

// survey finds the peaks, in the order of the groups, and raises least: what depth groups reach, depth documents reach.
func (c *best) survey(scores []float64) {
	c.peaks = c.peaks[:0]
	for first := 0; first < len(scores); first += groupSize {
		peak := uint64(0) // bits of numbers from 0 on are ordered like the numbers, and compared without a branch
		for _, score := range scores[first:min(first+groupSize, len(scores))] {
			peak = max(peak, math.Float64bits(score))
		}
		c.peaks = append(c.peaks, scored{uint32(first / groupSize), math.Float64frombits(peak)})
	}
	if groups := len(c.peaks); groups > c.depth {
		c.peaks = append(c.peaks, c.peaks...)
		c.least = max(c.least, math.Nextafter(lowest(c.peaks[groups:], c.depth), 0))
		c.peaks = c.peaks[:groups]
	}
}

// cut drops everything but the best depth.
func (c *best) cut() {
	if len(c.found) > c.depth {
		c.least = max(c.least, lowest(c.found, c.depth))
		c.found = c.found[:c.depth]
	}
}

// lowest brings the best n to the front, in any order, and returns the lowest of their scores; n is above 0 and below the number of all.
func lowest(all []scored, n int) float64 {
	partition(all, n)
	least := all[0].score
	for _, s := range all[:n] {
		least = min(least, s.score)
	}
	return least
}

// partition brings the best n to the front, in any order (quickselect; no two documents compare equal).
func partition(all []scored, n int) {
	low, high := 0, len(all) // the border lies within all[low:high]
	for high-low > 1 {
		mid := low + (high-low)/2
		all[mid], all[high-1] = all[high-1], all[mid]
		pivot, end := all[high-1], low
		for i := low; i < high-1; i++ {
			if s := all[i]; s.score > pivot.score || s.score == pivot.score && s.doc < pivot.doc {
				all[i], all[end] = all[end], s
				end++
			}
		}
		all[end], all[high-1] = pivot, all[end]
		switch {
		case end == n || end+1 == n:
			return
		case end > n:
			high = end
		default:
			low = end + 1
		}
	}
}
