package text

import "unicode/utf8"

// porter stems a lower-case word in place by the algorithm of Porter ("An algorithm for suffix stripping", Program 1980) in the form that
// Lucene uses: words of one or two characters stay as they are, and the two departures that Porter himself published later are included
// (step 2 turns -bli into -ble and -logi into -log). What is not an ASCII letter counts as a consonant, and characters are counted as Java
// does, in UTF-16 units. It returns the stem, which shares the word's storage.
func porter(w []byte) []byte {
	if len(w) <= 2 || len(w) <= 6 && w[0] >= utf8.RuneSelf && units(w) <= 2 {
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

func units(w []byte) (n int) {
	for _, r := range string(w) {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return n
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
		if i >= 1 && s.b[i] == s.b[i-1] && s.consonant(i) {
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
	if i < 2 || !s.consonant(i) || s.consonant(i-1) || !s.consonant(i-2) {
		return false
	}
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
	case s.doubleConsonant(last) > 0:
		if c := s.b[last]; c != 'l' && c != 's' && c != 'z' {
			s.b = s.b[:len(s.b)-s.doubleConsonant(last)]
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
	if s.b[last] == 'l' && s.doubleConsonant(last) > 0 {
		if s.j = len(s.b); s.measure() > 1 {
			s.b = s.b[:last]
		}
	}
}
