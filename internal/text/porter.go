package text

import (
	"math/bits"
	"unicode/utf8"
)

// porter stems a lower-case word in place by the algorithm of Porter ("An algorithm for suffix stripping", Program 1980) in the form that
// Lucene uses: words of one or two characters stay as they are, and the two departures that Porter himself published later are included
// (step 2 turns -bli into -ble and -logi into -log). What is not an ASCII letter counts as a consonant, and characters are counted as Java
// does, in UTF-16 units. It returns the stem, which shares the word's storage.
func porter(w []byte) []byte {
	if len(w) <= 2 || len(w) <= 6 && w[0] >= utf8.RuneSelf && units(w) <= 2 {
		return w
	}
	s := stemmer{b: w}
	s.mark(0)
	s.step1a()
	s.step1b()
	s.step1c()
	s.step2()
	s.step3()
	s.step4()
	s.step5()
	return s.b
}

func units(w []byte) (n int) {
	for _, r := range string(w) {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return n
}

// stemmer holds the word. All but the tests of doubled letters work on bytes: the bytes of longer characters are consonants in a row.
type stemmer struct {
	b      []byte
	j      int    // the length of the stem before the suffix that ends found last
	vowels uint64 // bit i tells whether b[i] is a vowel, for the first 64 bytes
}

const marked = 64

// letterKinds tells vowels and y from all else.
var letterKinds = [256]uint8{'a': 1, 'e': 1, 'i': 1, 'o': 1, 'u': 1, 'y': 2}

// mark notes the vowels from byte i on. A y is one after a consonant.
func (s *stemmer) mark(i int) {
	if i >= marked {
		return
	}
	previous := uint64(1) // a y in front is a consonant
	if i > 0 {
		previous = s.vowels >> (i - 1) & 1
	}
	vowels := s.vowels & (1<<i - 1)
	for _, c := range s.b[i:min(len(s.b), marked)] {
		kind := uint64(letterKinds[c])
		previous = kind&1 | kind>>1&^previous
		vowels |= previous << i
		i++
	}
	s.vowels = vowels
}

func (s *stemmer) vowel(i int) bool {
	if i < marked {
		return s.vowels>>i&1 != 0
	}
	kind := letterKinds[s.b[i]]
	return kind == 1 || kind == 2 && !s.vowel(i-1)
}

// measure counts the vowel-consonant sequences in b[:j].
func (s *stemmer) measure() int {
	if s.j <= marked {
		if s.j == 0 {
			return 0
		}
		return bits.OnesCount64(s.vowels &^ (s.vowels >> 1) & (1<<(s.j-1) - 1))
	}
	n := bits.OnesCount64(s.vowels &^ (s.vowels >> 1) & (1<<(marked-1) - 1))
	previous := s.vowel(marked - 1)
	for _, c := range s.b[marked:s.j] {
		kind := letterKinds[c]
		now := kind == 1 || kind == 2 && !previous
		if previous && !now {
			n++
		}
		previous = now
	}
	return n
}

func (s *stemmer) vowelInStem() bool {
	for i := marked; i < s.j; i++ {
		if s.vowel(i) {
			return true
		}
	}
	return s.vowels&(1<<s.j-1) != 0
}

// lastCharacter returns where the character begins whose last byte is i. One that takes two units in UTF-16 begins at i, as what
// precedes its second unit, its first one, is a consonant unlike any other.
func (s *stemmer) lastCharacter(i int) int {
	_, size := utf8.DecodeLastRune(s.b[:i+1])
	if size == 4 {
		return i
	}
	return i + 1 - size
}

// doubleConsonant returns the length of the consonant that ends at byte i and has the same one before it, and 0 if there is none.
func (s *stemmer) doubleConsonant(i int) int {
	if s.b[i] < utf8.RuneSelf {
		if i >= 1 && s.b[i] == s.b[i-1] && !s.vowel(i) {
			return 1
		}
		return 0
	}
	first := s.lastCharacter(i)
	size := i + 1 - first
	if size > 1 && first >= size && string(s.b[first:i+1]) == string(s.b[first-size:first]) {
		return size
	}
	return 0
}

// cvc tells whether the characters up to byte i are consonant, vowel, consonant, the last one not w, x or y.
func (s *stemmer) cvc(i int) bool {
	c := s.b[i]
	if c >= utf8.RuneSelf {
		i = s.lastCharacter(i)
	}
	return i >= 2 && !s.vowel(i) && s.vowel(i-1) && !s.vowel(i-2) && c != 'w' && c != 'x' && c != 'y'
}

func (s *stemmer) ends(suffix string) bool {
	j := len(s.b) - len(suffix)
	if j < 0 || string(s.b[j:]) != suffix {
		return false
	}
	s.j = j
	return true
}

// set puts another end behind the stem; it is never longer than what ends found there, but for an e behind a shortened word.
func (s *stemmer) set(suffix string) {
	s.b = append(s.b[:s.j], suffix...)
	s.mark(s.j)
}

func (s *stemmer) step1a() {
	n := len(s.b)
	if s.b[n-1] != 's' {
		return
	}
	switch {
	case s.ends("sses"):
		s.b = s.b[:n-2]
	case s.ends("ies"):
		s.set("i")
	case s.b[n-2] != 's':
		s.b = s.b[:n-1]
	}
}

func (s *stemmer) step1b() {
	if c := s.b[len(s.b)-1]; c != 'd' && c != 'g' {
		return
	}
	if s.ends("eed") {
		if s.measure() > 0 {
			s.b = s.b[:len(s.b)-1]
		}
		return
	}
	if !(s.ends("ed") || s.ends("ing")) || !s.vowelInStem() {
		return
	}
	s.b = s.b[:s.j]
	last := len(s.b) - 1
	switch double := s.doubleConsonant(last); {
	case s.ends("at"):
		s.set("ate")
	case s.ends("bl"):
		s.set("ble")
	case s.ends("iz"):
		s.set("ize")
	case double > 0:
		if c := s.b[last]; c != 'l' && c != 's' && c != 'z' {
			s.b = s.b[:len(s.b)-double]
		}
	default:
		if s.j = len(s.b); s.measure() == 1 && s.cvc(last) {
			s.set("e")
		}
	}
}

func (s *stemmer) step1c() {
	if s.ends("y") && s.vowelInStem() {
		s.set("i")
	}
}

// replace puts another end behind the stem if that has a measure above zero.
func (s *stemmer) replace(suffix string) {
	if s.measure() > 0 {
		s.set(suffix)
	}
}

func (s *stemmer) step2() {
	if len(s.b) < 4 {
		return
	}
	switch s.b[len(s.b)-1] {
	case 'i':
		s.step2i()
	case 'l':
		switch {
		case s.ends("ational"):
			s.replace("ate")
		case s.ends("tional"):
			s.replace("tion")
		}
	case 'm':
		if s.ends("alism") {
			s.replace("al")
		}
	case 'n':
		switch {
		case s.ends("ization"):
			s.replace("ize")
		case s.ends("ation"):
			s.replace("ate")
		}
	case 'r':
		switch {
		case s.ends("izer"):
			s.replace("ize")
		case s.ends("ator"):
			s.replace("ate")
		}
	case 's':
		switch {
		case s.ends("iveness"):
			s.replace("ive")
		case s.ends("fulness"):
			s.replace("ful")
		case s.ends("ousness"):
			s.replace("ous")
		}
	}
}

func (s *stemmer) step2i() {
	switch {
	case s.ends("enci"):
		s.replace("ence")
	case s.ends("anci"):
		s.replace("ance")
	case s.ends("bli"):
		s.replace("ble")
	case s.ends("alli"):
		s.replace("al")
	case s.ends("entli"):
		s.replace("ent")
	case s.ends("eli"):
		s.replace("e")
	case s.ends("ousli"):
		s.replace("ous")
	case s.ends("aliti"):
		s.replace("al")
	case s.ends("iviti"):
		s.replace("ive")
	case s.ends("biliti"):
		s.replace("ble")
	case s.ends("logi"):
		s.replace("log")
	}
}

func (s *stemmer) step3() {
	switch s.b[len(s.b)-1] {
	case 'e':
		switch {
		case s.ends("icate"):
			s.replace("ic")
		case s.ends("ative"):
			s.replace("")
		case s.ends("alize"):
			s.replace("al")
		}
	case 'i':
		if s.ends("iciti") {
			s.replace("ic")
		}
	case 'l':
		switch {
		case s.ends("ical"):
			s.replace("ic")
		case s.ends("ful"):
			s.replace("")
		}
	case 's':
		if s.ends("ness") {
			s.replace("")
		}
	}
}

func (s *stemmer) step4() {
	if len(s.b) >= 2 && s.endsLong() && s.measure() > 1 {
		s.b = s.b[:s.j]
	}
}

// endsLong finds the suffixes that long stems lose.
func (s *stemmer) endsLong() bool {
	switch s.b[len(s.b)-2] {
	case 'a':
		return s.ends("al")
	case 'c':
		return s.ends("ance") || s.ends("ence")
	case 'e':
		return s.ends("er")
	case 'i':
		return s.ends("ic")
	case 'l':
		return s.ends("able") || s.ends("ible")
	case 'n':
		return s.ends("ant") || s.ends("ement") || s.ends("ment") || s.ends("ent")
	case 'o':
		return s.ends("ion") && s.j > 0 && (s.b[s.j-1] == 's' || s.b[s.j-1] == 't') || s.ends("ou")
	case 's':
		return s.ends("ism")
	case 't':
		return s.ends("ate") || s.ends("iti")
	case 'u':
		return s.ends("ous")
	case 'v':
		return s.ends("ive")
	case 'z':
		return s.ends("ize")
	}
	return false
}

func (s *stemmer) step5() {
	last := len(s.b) - 1
	if s.b[last] == 'e' {
		s.j = last
		if m := s.measure(); m > 1 || m == 1 && !s.cvc(last-1) {
			s.b = s.b[:last]
		}
	}
	last = len(s.b) - 1
	if s.b[last] == 'l' && s.doubleConsonant(last) > 0 {
		if s.j = len(s.b); s.measure() > 1 {
			s.b = s.b[:last]
		}
	}
}
