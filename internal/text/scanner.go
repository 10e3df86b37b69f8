package text

// Scanner walks through the tokens of a text. It belongs to one goroutine at a time; Reset makes it ready for the next text. It does not
// allocate once its buffers have grown.
type Scanner struct {
	tokenizer  tokenizer
	medical    *medical // nil for the plain analysis
	start, end int
	word       []byte
	term       []byte
	stemmed    bool
}

// Reset starts with another text.
func (s *Scanner) Reset(text string) {
	s.tokenizer.reset(text)
	if s.medical != nil {
		s.medical.reset()
	}
}

// Next goes to the next token that is not a stop word, and tells whether there is one.
func (s *Scanner) Next() bool {
	for s.token() {
		if !stopWord(s.word) {
			s.stemmed = false
			return true
		}
	}
	return false
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

// Span returns where the token stands in the text given to Reset, in bytes. Tokens start in the order of their appearance; a name that
// the medical analysis gives as a whole spans the parts that follow it.
func (s *Scanner) Span() (start, end int) { return s.start, s.end }

// token goes to the next token, stop words included.
func (s *Scanner) token() bool {
	t := &s.tokenizer
	if s.medical != nil {
		return s.medicalToken()
	}
	if !t.next() {
		return false
	}
	s.start, s.end, s.word = t.start, t.end, t.word()
	return true
}

func (s *Scanner) medicalToken() bool {
	t, m := &s.tokenizer, s.medical
	for {
		if m.next < len(m.queue) {
			q := m.queue[m.next]
			m.next++
			s.start, s.end, s.word = q.start, q.end, m.words[q.from:q.to:q.to]
			return true
		}
		switch t.nextASCII() {
		case isEnd:
			return false
		case isToken:
			if !needsWhole(t) {
				s.start, s.end, s.word = t.start, t.end, unitName(t.word())
				return true
			}
		}
		t.pos = m.stretch(t.text, t.start)
	}
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
