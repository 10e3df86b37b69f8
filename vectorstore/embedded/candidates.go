package embedded

import "slices"

// candidates fills s.hits with every document whose exact score can be among the best depth.
func (s *scratch) candidates(f *formula, depth int) {
	s.hits = s.hits[:0]
	least := float32(float64(s.kthScore(depth)) * (1 - 2*f.errorBound(len(s.terms))))
	for d, v := range s.scores {
		if v > 0 && v >= least {
			s.hits = append(s.hits, scored{doc: uint32(d)})
		}
	}
}

// kthScore returns the depth-th largest of the approximate scores above zero, or 0 when there are fewer.
func (s *scratch) kthScore(depth int) float32 {
	heap := s.heap[:0]
	least := float32(0)
	for _, v := range s.scores {
		if v <= least {
			continue
		}
		if len(heap) < depth {
			heap = append(heap, v)
			if len(heap) == depth {
				slices.Sort(heap) // ascending: a min-heap
				least = heap[0]
			}
			continue
		}
		heap[0] = v
		sink(heap)
		least = heap[0]
	}
	s.heap = heap
	if len(heap) < depth {
		return 0
	}
	return least
}

// sink moves the first element of a min-heap down to its place.
func sink(heap []float32) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child+1] < heap[child] {
			child++
		}
		if heap[i] <= heap[child] {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
