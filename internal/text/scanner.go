package text

import "unicode/utf8"

// Scanner walks through the tokens of a text. It belongs to one goroutine at a time; Reset makes it ready for the next text. It does not
// allocate once its buffers have grown.
type Scanner struct {
	tokenizer  tokenizer
	start, end int
	word       []byte
	term       []byte
	stemmed    bool

	medical *medical // nil for the plain analysis
	mapped  bool     // the tokenizer's text is normalized; spans go through medical.origin
	unit    []byte   // the unit that follows the current token as a token of its own
}

// Reset starts with another text.
func (s *Scanner) Reset(text string) {
	if s.medical != nil {
		s.medical.joined, s.medical.end, s.unit = s.medical.joined[:0], 0, nil
		if s.mapped = !isASCII(text); s.mapped {
			text = s.medical.normalize(text)
		}
	}
	s.tokenizer.reset(text)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Next goes to the next token that is not a stop word, and tells whether there is one.
func (s *Scanner) Next() bool {
	s.stemmed = false
	if s.medical != nil {
		return s.nextMedical()
	}
	for s.tokenizer.next() {
		s.start, s.end, s.word = s.tokenizer.start, s.tokenizer.end, s.tokenizer.word()
		if !stopWord(s.word) {
			return true
		}
	}
	return false
}

func (s *Scanner) nextMedical() bool {
	t := &s.tokenizer
	for {
		if len(s.unit) > 0 {
			s.start, s.end, s.word, s.unit = s.end, t.end, s.unit, nil
			return true
		}
		if s.compoundDue() {
			return true
		}
		if !t.next() {
			return s.compoundDue()
		}
		s.start, s.end, s.word = t.start, t.end, t.word()
		s.partNames()
		if !stopWord(s.word) {
			return true
		}
	}
}

// compoundDue gives the compound whose last part has been passed.
func (s *Scanner) compoundDue() bool {
	m := s.medical
	if len(m.joined) == 0 || s.tokenizer.pos < m.end {
		return false
	}
	s.start, s.end = m.start, m.end
	s.word = append(m.word[:0], m.joined...)
	m.joined = m.joined[:0]
	return true
}

// partNames cuts a unit off its number, to come next, and notes a compound that starts here.
func (s *Scanner) partNames() {
	if s.start < s.medical.end {
		return // a part of a compound that is noted
	}
	if unit := unitStart(s.tokenizer.text[s.start:s.end]); unit > 0 {
		s.word, s.unit = s.word[:unit], s.word[unit:]
		s.end = s.start + unit
		return
	}
	if text := s.tokenizer.text; s.end < len(text) && text[s.end] == '-' {
		s.medical.compound(text, s.start, s.end)
	}
}

// Word returns the token in lower case and without a possessive 's, not stemmed. It is valid until the next call of Next or Reset.
func (s *Scanner) Word() []byte { return s.word }

// Term returns the stem of Word. It is valid until the next call of Next or Reset.
func (s *Scanner) Term() []byte {
	if !s.stemmed {
		s.term = porter(append(s.term[:0], s.word...))
		s.stemmed = true
	}
	return s.term
}

// Span returns where the token stands in the text, in bytes.
func (s *Scanner) Span() (start, end int) {
	if s.mapped {
		return int(s.medical.origin[s.start]), int(s.medical.origin[s.end])
	}
	return s.start, s.end
}

// stopWord tells whether a word is one of Lucene's 33 English stop words.
func stopWord(w []byte) bool {
	if len(w) > 5 {
		return false
	}
	switch string(w) {
	case "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of", "on", "or", "such",
		"that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with":
		return true
	}
	return false
}
