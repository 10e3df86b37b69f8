package embedded

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
}

func (c *best) reset(depth int) { c.depth, c.least, c.found = depth, 0, c.found[:0] }

// take looks through the scores of the documents from, from+1, ..., which follow on those already taken. Scores of 0 are no hits.
func (c *best) take(scores []float64, from uint32) {
	room := 2*c.depth + 64
	for i, score := range scores {
		if score <= c.least {
			continue
		}
		c.found = append(c.found, scored{from + uint32(i), score})
		if len(c.found) == room {
			c.cut()
		}
	}
}

// cut drops everything but the best depth.
func (c *best) cut() {
	if len(c.found) <= c.depth {
		return
	}
	c.partition()
	c.found = c.found[:c.depth]
	c.least = c.found[0].score
	for _, s := range c.found {
		c.least = min(c.least, s.score)
	}
}

// partition brings the best depth of found to its front, in any order (quickselect; no two documents compare equal).
func (c *best) partition() {
	low, high := 0, len(c.found) // the border lies within found[low:high]
	for high-low > 1 {
		mid := low + (high-low)/2
		c.found[mid], c.found[high-1] = c.found[high-1], c.found[mid]
		pivot, end := c.found[high-1], low
		for i := low; i < high-1; i++ {
			if s := c.found[i]; s.score > pivot.score || s.score == pivot.score && s.doc < pivot.doc {
				c.found[i], c.found[end] = c.found[end], s
				end++
			}
		}
		c.found[end], c.found[high-1] = pivot, c.found[end]
		switch {
		case end == c.depth || end+1 == c.depth:
			return
		case end > c.depth:
			high = end
		default:
			low = end + 1
		}
	}
}
