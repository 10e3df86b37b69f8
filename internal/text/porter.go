package text

import (
	"slices"
	"unicode/utf8"
)

// porter stems a lower-case word in place by the algorithm of Porter ("An algorithm for suffix stripping", Program 1980) in the form that
// Lucene uses: words of one or two letters stay as they are, and the two departures that Porter himself published later are included
// (step 2 turns -bli into -ble and -logi into -log). Characters that are not ASCII letters count as consonants. It returns the stem, which shares
// the word's storage; spare is room to work in.
func porter(w []byte, spare *[maxTokenLength + 1]byte) []byte {
	for _, c := range w {
		if c >= utf8.RuneSelf {
			return porterRunes(w, spare)
		}
	}
	return porterASCII(w)
}

// porterRunes stems a word with characters outside ASCII. The rules count characters, so each such character becomes one byte that no
// rule knows, the same byte for the same character; a stem keeps the characters before its suffix, so they can be put back.
func porterRunes(w []byte, packed *[maxTokenLength + 1]byte) []byte {
	var runes [128]rune
	n, distinct := 0, 0
	for i := 0; i < len(w); {
		if n == len(packed) {
			return w
		}
		r, size := utf8.DecodeRune(w[i:])
		i += size
		if r < utf8.RuneSelf {
			packed[n] = byte(r)
			n++
			continue
		}
		k := slices.Index(runes[:distinct], r)
		if k < 0 {
			if k = distinct; k == len(runes) {
				return w
			}
			runes[k] = r
			distinct++
		}
		packed[n] = utf8.RuneSelf + byte(k)
		n++
	}
	stem := porterASCII(packed[:n])
	out := w[:0]
	for _, c := range stem {
		if c < utf8.RuneSelf {
			out = append(out, c)
		} else {
			out = utf8.AppendRune(out, runes[c-utf8.RuneSelf])
		}
	}
	return out
}

func porterASCII(w []byte) []byte {
	if len(w) <= 2 {
		return w
	}
	s := stemmer{b: w}
	s.step1a()
	s.step1b()
	s.step1c()
	s.step2()
	s.step3()
	s.step4()
	s.step5()
	return s.b
}

// stemmer holds the word; j is the length of the stem before the suffix that ends tested last.
type stemmer struct {
	b []byte
	j int
}

func (s *stemmer) consonant(i int) bool {
	switch s.b[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !s.consonant(i-1)
	}
	return true
}

// measure counts the vowel-consonant sequences in b[:j].
func (s *stemmer) measure() int {
	n, i := 0, 0
	for i < s.j && s.consonant(i) {
		i++
	}
	for {
		for i < s.j && !s.consonant(i) {
			i++
		}
		if i >= s.j {
			return n
		}
		n++
		for i < s.j && s.consonant(i) {
			i++
		}
		if i >= s.j {
			return n
		}
	}
}

func (s *stemmer) vowelInStem() bool {
	for i := range s.j {
		if !s.consonant(i) {
			return true
		}
	}
	return false
}

// doubleConsonant tells whether the bytes before and at i are the same consonant.
func (s *stemmer) doubleConsonant(i int) bool {
	return i >= 1 && s.b[i] == s.b[i-1] && s.consonant(i)
}

// cvc tells whether the bytes up to i are consonant, vowel, consonant, the last one not w, x or y.
func (s *stemmer) cvc(i int) bool {
	if i < 2 || !s.consonant(i) || s.consonant(i-1) || !s.consonant(i-2) {
		return false
	}
	c := s.b[i]
	return c != 'w' && c != 'x' && c != 'y'
}

func (s *stemmer) ends(suffix string) bool {
	j := len(s.b) - len(suffix)
	if j < 0 || string(s.b[j:]) != suffix {
		return false
	}
	s.j = j
	return true
}

func (s *stemmer) set(suffix string) { s.b = append(s.b[:s.j], suffix...) }

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
	switch {
	case s.ends("at"):
		s.set("ate")
	case s.ends("bl"):
		s.set("ble")
	case s.ends("iz"):
		s.set("ize")
	case s.doubleConsonant(last):
		if c := s.b[last]; c != 'l' && c != 's' && c != 'z' {
			s.b = s.b[:last]
		}
	default:
		if s.j = len(s.b); s.measure() == 1 && s.cvc(last) {
			s.set("e")
		}
	}
}

func (s *stemmer) step1c() {
	if s.ends("y") && s.vowelInStem() {
		s.b[len(s.b)-1] = 'i'
	}
}

type rule struct{ suffix, to string }

// replace applies the first rule whose suffix the word has, if the stem before it has a measure above zero.
func (s *stemmer) replace(rules []rule) {
	for _, r := range rules {
		if s.ends(r.suffix) {
			if s.measure() > 0 {
				s.set(r.to)
			}
			return
		}
	}
}

func (s *stemmer) step2() {
	if len(s.b) < 2 {
		return
	}
	switch s.b[len(s.b)-2] {
	case 'a':
		s.replace([]rule{{"ational", "ate"}, {"tional", "tion"}})
	case 'c':
		s.replace([]rule{{"enci", "ence"}, {"anci", "ance"}})
	case 'e':
		s.replace([]rule{{"izer", "ize"}})
	case 'l':
		s.replace([]rule{{"bli", "ble"}, {"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}})
	case 'o':
		s.replace([]rule{{"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"}})
	case 's':
		s.replace([]rule{{"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}})
	case 't':
		s.replace([]rule{{"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"}})
	case 'g':
		s.replace([]rule{{"logi", "log"}})
	}
}

func (s *stemmer) step3() {
	switch s.b[len(s.b)-1] {
	case 'e':
		s.replace([]rule{{"icate", "ic"}, {"ative", ""}, {"alize", "al"}})
	case 'i':
		s.replace([]rule{{"iciti", "ic"}})
	case 'l':
		s.replace([]rule{{"ical", "ic"}, {"ful", ""}})
	case 's':
		s.replace([]rule{{"ness", ""}})
	}
}

func (s *stemmer) step4() {
	if len(s.b) < 2 || !s.hasStep4Suffix() {
		return
	}
	if s.measure() > 1 {
		s.b = s.b[:s.j]
	}
}

func (s *stemmer) hasStep4Suffix() bool {
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
	if s.b[last] == 'l' && s.doubleConsonant(last) {
		if s.j = len(s.b); s.measure() > 1 {
			s.b = s.b[:last]
		}
	}
}
