package text

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// medical is what the medical analysis adds to a Scanner. Plain ASCII words come straight from the tokenizer; a stretch without white
// space that holds anything else, or a name of several parts, is analysed as a whole and its tokens wait in a queue.
type medical struct {
	folder   folder
	inner    tokenizer // over the folded stretch
	queue    []queued
	next     int    // of the queue
	words    []byte // of the queued tokens
	iter     norm.Iter
	composed []byte
}

// queued is a token: its word in words, its place in the text.
type queued struct{ from, to, start, end int }

func (m *medical) reset() {
	if cap(m.words) > maxIdleBuffer {
		m.words, m.queue = nil, nil
	}
	m.words, m.queue, m.next = m.words[:0], m.queue[:0], 0
}

// needsWhole tells whether the tokenizer's token has to be looked at together with what follows it, or to be parted.
func needsWhole(t *tokenizer) bool {
	if first, last := t.buffer[0], t.buffer[t.length-1]; isDigit(first) && isLetter(last) {
		return true // perhaps a number with its unit
	}
	if t.end+1 >= len(t.text) {
		return false
	}
	switch following := t.text[t.end+1]; t.text[t.end] {
	case '-':
		return following == '(' || following >= utf8.RuneSelf || asciiProperties[following]&wordLike != 0
	case '(':
		return isDigit(t.text[t.end-1]) && (following >= utf8.RuneSelf || asciiProperties[following]&wordLike != 0)
	}
	return false
}

// stretch queues the tokens from start to the next white space and returns where that is.
func (m *medical) stretch(text string, start int) (end int) {
	m.reset()
	ascii := true
	for end = start; end < len(text) && text[end] > ' '; end++ {
		ascii = ascii && text[end] < utf8.RuneSelf
	}
	part := text[start:end]
	if !ascii {
		part = m.folder.fold(part)
	}
	m.inner.reset(part)
	for more := m.inner.next(); more; {
		more = m.name(part)
	}
	for i := range m.queue {
		q := &m.queue[i]
		if !ascii {
			q.start, q.end = m.folder.origins[q.start].start, m.folder.origins[q.end-1].end
		}
		q.start += start
		q.end += start
	}
	return end
}

// name queues the tokens of a name, from the tokenizer's present token on, the whole before its parts. It goes to the token after it and
// tells whether there is one.
func (m *medical) name(text string) (more bool) {
	first := len(m.queue)
	measure := false
	inParentheses := false
	for {
		measure = m.token() || measure
		end := m.inner.end
		if more = m.inner.next(); !more {
			break
		}
		closed := m.inner.end < len(text) && text[m.inner.end] == ')'
		linked := false
		switch text[end:m.inner.start] {
		case "-":
			linked = true
			inParentheses = false
		case "(":
			linked = closed && isDigit(text[end-1])
			inParentheses = linked
		case "-(":
			linked = closed
			inParentheses = linked
		case ")", ")-":
			linked = inParentheses
			inParentheses = false
		}
		if !linked {
			break
		}
	}
	parts := m.queue[first:]
	if len(parts) < 2 || measure || !m.abbreviates(parts) {
		return more
	}
	from := len(m.words)
	for _, p := range parts {
		m.words = append(m.words, m.words[p.from:p.to]...)
	}
	m.queue = slices.Insert(m.queue, first, queued{from, len(m.words), parts[0].start, parts[len(parts)-1].end})
	return more
}

// token queues the tokenizer's token, a number with a unit as two, and tells whether that was so.
func (m *medical) token() (measure bool) {
	t := &m.inner
	w := t.word()
	if n := unitStart(w); n > 0 {
		m.add(w[:n], t.start, t.start+n)
		m.add(unitName(w[n:]), t.start+n, t.end)
		return true
	}
	m.add(unitName(m.compose(w)), t.start, t.end)
	return false
}

// compose puts together again what folding took apart and left so, in other scripts than Latin.
func (m *medical) compose(w []byte) []byte {
	if norm.NFC.QuickSpan(w) == len(w) {
		return w
	}
	m.composed = m.composed[:0]
	for m.iter.Init(norm.NFC, w); !m.iter.Done(); {
		m.composed = append(m.composed, m.iter.Next()...)
	}
	return m.composed
}

func (m *medical) add(word []byte, start, end int) {
	from := len(m.words)
	m.words = append(m.words, word...)
	m.queue = append(m.queue, queued{from, len(m.words), start, end})
}

const (
	maxParts        = 6 // of a name that is also indexed as a whole
	maxPartLength   = 5 // of a part, in bytes, names of Greek letters aside
	maxGreekSuffix  = 2 // as in alpha1 and kappab
	minGreekToStand = 4 // letters of a Greek letter's name that is recognised with such a suffix
	maxGreekName    = len("epsilon") + maxGreekSuffix
)

// abbreviates tells whether the parts make a name that is also written in one word: all are short or Greek letters, and at least one is
// a number, a single letter, a Greek letter or letters with digits. Ranges of numbers, ages and doses are no names.
func (m *medical) abbreviates(parts []queued) bool {
	if len(parts) > maxParts {
		return false
	}
	numbers, marked := 0, false
	for _, p := range parts {
		w := m.words[p.from:p.to]
		greek := isGreekName(w)
		if len(w) > maxPartLength && !greek || isMeasure(w) {
			return false
		}
		letters, digits := 0, 0
		for _, c := range w {
			switch {
			case isLetter(c):
				letters++
			case isDigit(c):
				digits++
			case c >= utf8.RuneSelf:
				return false
			}
		}
		if letters == 0 {
			numbers++
		}
		marked = marked || digits > 0 || letters == 1 || greek
	}
	return marked && numbers < len(parts)
}

func isGreekName(w []byte) bool {
	if len(w) > maxGreekName {
		return false
	}
	for _, name := range greekNames {
		if rest, ok := strings.CutPrefix(string(w), name); ok && (rest == "" || len(name) >= minGreekToStand && len(rest) <= maxGreekSuffix) {
			return true
		}
	}
	return false
}

// unitName gives one name to a unit that has two: micrograms.
func unitName(w []byte) []byte {
	if string(w) == "mcg" {
		return microgram
	}
	return w
}

var microgram = []byte("μg")

// unitStart returns where the unit starts in a word that is a number with a unit, 0 if it is something else.
func unitStart(w []byte) int {
	n := 0
	for n < len(w) && (isDigit(w[n]) || n > 0 && (w[n] == '.' || w[n] == ',')) {
		n++
	}
	if n == 0 || n == len(w) || !isUnit(w[n:]) {
		return 0
	}
	return n
}

// isUnit knows the units that are written without a space behind their number, save those of one letter that end names as well.
func isUnit(w []byte) bool {
	switch string(w) {
	case "kg", "g", "mg", "μg", "mcg", "ug", "ng", "pg", "fg", "l", "dl", "cl", "ml", "μl", "ul", "nl", "fl", "cc", "km", "cm", "mm", "μm", "um",
		"nm", "mol", "mmol", "μmol", "umol", "nmol", "pmol", "mm3", "cm2", "m2", "meq", "iu", "miu", "mmhg", "cmh2o", "kpa", "hz", "khz", "mhz",
		"bpm", "kcal", "kj", "kda", "gy", "cgy", "mgy", "msv", "mci", "mbq", "mv", "kv", "ma", "h", "hr", "hrs", "min", "mins", "ms", "sec", "wk",
		"wks", "yr", "yrs", "yo", "units":
		return true
	}
	return false
}

// isMeasure tells whether a part makes a name an age, a time or a dose.
func isMeasure(w []byte) bool {
	switch string(w) {
	case "day", "days", "week", "weeks", "month", "hour", "hours", "year", "years", "old", "time", "times", "fold", "step", "steps", "point":
		return true
	}
	return isUnit(w) && len(w) > 1
}
