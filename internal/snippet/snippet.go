// Package snippet cuts from a passage the part in which the searched words stand, and marks them.
package snippet

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ddx-rag/ddx/internal/text"
)

// Mark encloses matched words, for example in the codes of bold print.
type Mark struct{ Open, Close string }

// match is one matched word of a passage.
type match struct {
	start, end int // bytes
	weight     float64
	term       string
}

// Best returns the stretch of the passage, about width characters long, whose distinct matched terms weigh most, with every matched word
// marked. Weights are by term, as the analysis makes terms. White space, control characters included, becomes single spaces, so
// that a passage cannot disturb a terminal; an ellipsis shows where it was cut. Without a match it is the beginning.
func Best(a *text.Analysis, passage string, weights map[string]float64, width int, mark Mark) string {
	matches := find(a, passage, weights)
	start := windowStart(passage, matches, width)
	var b strings.Builder
	if start > 0 {
		b.WriteString("… ")
	}
	end := writeMarked(&b, passage, matches, start, width, mark)
	if strings.TrimSpace(passage[end:]) != "" {
		b.WriteString(" …")
	}
	return b.String()
}

func find(a *text.Analysis, passage string, weights map[string]float64) []match {
	var matches []match
	s := a.NewScanner()
	s.Reset(passage)
	for s.Next() {
		if w, ok := weights[string(s.Term())]; ok {
			start, end := s.Span()
			if n := len(matches); n > 0 && start < matches[n-1].end { // an analysis may make several terms of one word
				matches[n-1].end = max(matches[n-1].end, end)
				continue
			}
			matches = append(matches, match{start, end, w, string(s.Term())})
		}
	}
	return matches
}

// windowStart slides a window over the matches and returns where the best one begins, a few words of context included.
func windowStart(passage string, matches []match, width int) int {
	inside := map[string]int{}
	best, sum, first, bestFirst := 0.0, 0.0, 0, -1
	for _, m := range matches {
		if inside[m.term] == 0 {
			sum += m.weight
		}
		inside[m.term]++
		for m.end-matches[first].start > width*3/4 && matches[first].start < m.start {
			out := matches[first].term
			if inside[out]--; inside[out] == 0 {
				sum -= matches[first].weight
			}
			first++
		}
		if sum > best {
			best, bestFirst = sum, first
		}
	}
	if bestFirst < 0 || matches[bestFirst].end <= width {
		return 0
	}
	from := matches[bestFirst].start - width/8
	for from > 0 && !utf8.RuneStart(passage[from]) {
		from--
	}
	if space := strings.IndexFunc(passage[from:matches[bestFirst].start], unicode.IsSpace); space >= 0 {
		_, size := utf8.DecodeRuneInString(passage[from+space:])
		return from + space + size
	}
	return matches[bestFirst].start
}

// writeMarked writes about width characters from start, ending at a word's end, and returns where it ended.
func writeMarked(b *strings.Builder, passage string, matches []match, start, width int, mark Mark) int {
	written, pending, marked := 0, false, -1
	next := 0
	for next < len(matches) && matches[next].start < start {
		next++
	}
	for i, r := range passage[start:] {
		at := start + i
		if marked >= 0 && at >= marked {
			b.WriteString(mark.Close)
			marked = -1
		}
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			if written >= width {
				return at
			}
			pending = written > 0
			continue
		}
		if written >= 2*width { // a passage without spaces
			if marked >= 0 {
				b.WriteString(mark.Close)
			}
			return at
		}
		if pending {
			b.WriteByte(' ')
			written++
			pending = false
		}
		if next < len(matches) && at == matches[next].start {
			b.WriteString(mark.Open)
			marked = matches[next].end
			next++
		}
		b.WriteRune(r)
		written++
	}
	if marked >= 0 {
		b.WriteString(mark.Close)
	}
	return len(passage)
}
