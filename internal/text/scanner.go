package text

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// maxTokenLength is Lucene's: a longer token is cut into pieces of so many UTF-16 units.
const maxTokenLength = 255

// Classes of ASCII characters in the word break rules of UAX #29.
const (
	letter       = 1 << iota
	digit        // 0-9
	underscore   // joins letters and digits
	midLetter    // joins two letters: ' . :
	midDigit     // joins two digits: ' . , ;
	alphanumeric = letter | digit
)

type classTable [256]uint8

func newClassTable() *classTable {
	var t classTable
	for c := range 128 {
		switch r := byte(c); {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			t[c] = letter
		case r >= '0' && r <= '9':
			t[c] = digit
		case r == '_':
			t[c] = underscore
		case r == '\'', r == '.':
			t[c] = midLetter | midDigit
		case r == ':':
			t[c] = midLetter
		case r == ',', r == ';':
			t[c] = midDigit
		}
	}
	return &t
}

// Scanner walks through the tokens of a text. It belongs to one goroutine at a time; Reset makes it ready for the next text. It does not
// allocate once its buffers have grown to the longest token.
type Scanner struct {
	class    *classTable
	text     string
	pos      int // where the next token is looked for
	start    int // span of the token
	end      int
	word     []byte
	term     []byte
	stemmed  bool
	spare    [maxTokenLength + 1]byte
	segments *words.Iterator[string] // over text[base:base+len]; only while a stretch with non-ASCII characters lasts
	base     int
	inside   bool
	pending  bool // the current segment has not been looked at yet

	medical *medical // nil for the plain analysis
	mapped  bool     // text is normalized; spans go through medical.origin
	unitEnd int      // where the unit ends that follows the current token as a token of its own; 0 for none
}

// Reset starts with another text.
func (s *Scanner) Reset(text string) {
	s.mapped = s.medical != nil && !isASCII(text)
	if s.medical != nil {
		s.medical.joined = s.medical.joined[:0]
	}
	if s.mapped {
		text = s.medical.normalize(text)
	}
	s.text, s.pos, s.inside, s.pending, s.unitEnd = text, 0, false, false, 0
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
	for {
		if s.medical != nil && s.compoundDue() {
			return true
		}
		if !s.token() {
			return s.medical != nil && s.compoundDue()
		}
		if s.medical != nil {
			s.partNames()
		}
		s.normalize()
		if len(s.word) > 0 && !stopWord(s.word) {
			s.stemmed = false
			return true
		}
	}
}

// compoundDue gives the compound whose last part has been passed.
func (s *Scanner) compoundDue() bool {
	m := s.medical
	if len(m.joined) == 0 || s.pos < m.end {
		return false
	}
	s.start, s.end = m.start, m.end
	s.word = append(s.word[:0], m.joined...)
	s.stemmed = false
	m.joined = m.joined[:0]
	return true
}

// partNames cuts a unit off its number, to come next, and notes a compound that starts here.
func (s *Scanner) partNames() {
	if s.start < s.medical.end && len(s.medical.joined) > 0 {
		return // a part of a compound that is noted
	}
	if unit := unitStart(s.text[s.start:s.end]); unit > 0 {
		s.unitEnd = s.end
		s.end = s.start + unit
		return
	}
	if s.end < len(s.text) && s.text[s.end] == '-' {
		s.medical.compound(s.text, s.start, s.end)
	}
}

// Word returns the token in lower case and without a possessive 's, not stemmed. It is valid until the next call of Next or Reset.
func (s *Scanner) Word() []byte { return s.word }

// Term returns the stem of Word. It is valid until the next call of Next or Reset.
func (s *Scanner) Term() []byte {
	if !s.stemmed {
		s.term = append(s.term[:0], s.word...)
		s.term = porter(s.term, &s.spare)
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

// token finds the next token, stop words included.
func (s *Scanner) token() bool {
	if s.unitEnd > 0 {
		s.start, s.end, s.unitEnd = s.end, s.unitEnd, 0
		return true
	}
	for {
		if s.inside {
			if s.segment() {
				return true
			}
			continue
		}
		i := s.pos
		for i < len(s.text) && s.class[s.text[i]]&(alphanumeric|underscore) == 0 && s.text[i] < utf8.RuneSelf {
			i++
		}
		if i == len(s.text) {
			s.pos = i
			return false
		}
		if s.text[i] >= utf8.RuneSelf {
			s.enter(i)
			continue
		}
		switch end, word := s.scanASCII(i); {
		case end < 0:
			s.enter(i)
		case word:
			s.start, s.end, s.pos = i, end, end
			return true
		default:
			s.pos = end
		}
	}
}

// scanASCII finds the end of the token that starts at i, and whether it holds a letter or digit. The end is negative where the token touches
// a character outside ASCII, so that the general rules have to decide.
func (s *Scanner) scanASCII(i int) (end int, word bool) {
	text := s.text
	limit := min(len(text), i+maxTokenLength)
	var last, all uint8
	for ; i < limit; i++ {
		c := s.class[text[i]]
		if c&(alphanumeric|underscore) == 0 {
			if text[i] >= utf8.RuneSelf {
				return -1, false
			}
			if i+1 >= len(text) {
				break
			}
			if text[i+1] >= utf8.RuneSelf && c != 0 {
				return -1, false
			}
			next := s.class[text[i+1]]
			if c&midLetter != 0 && last&next&letter != 0 || c&midDigit != 0 && last&next&digit != 0 {
				if i+1 < limit {
					continue
				}
			}
			break
		}
		last = c
		all |= c
	}
	if i < len(text) && text[i] >= utf8.RuneSelf {
		return -1, false
	}
	return i, all&alphanumeric != 0
}

// enter begins a stretch that the general word break rules have to part: up to the next ASCII white space, at which every token ends.
func (s *Scanner) enter(i int) {
	end := i
	for end < len(s.text) && s.text[end] > ' ' {
		end++
	}
	s.base, s.inside = i, true
	s.segments.SetText(s.text[i:end])
	s.pos = end
}

// segment takes the next token of the stretch, or ends the stretch.
func (s *Scanner) segment() bool {
	for s.pending || s.segments.Next() {
		s.pending = false
		value := s.segments.Value()
		if !wordLike(value) {
			continue
		}
		s.start, s.end = s.base+s.segments.Start(), s.base+s.segments.End()
		// Scripts that are written without spaces have no word breaks in UAX #29's rules; Lucene keeps their runs whole.
		for complexContext(value) && s.segments.Next() {
			if value = s.segments.Value(); !complexContext(value) {
				s.pending = true
				break
			}
			s.end = s.base + s.segments.End()
		}
		return true
	}
	s.inside = false
	return false
}

// normalize fills word from the token: lower case, without a possessive 's.
func (s *Scanner) normalize() {
	token := s.text[s.start:s.end]
	s.word = s.word[:0]
	for i := 0; i < len(token); i++ {
		c := token[i]
		if c >= utf8.RuneSelf {
			s.word = s.word[:0]
			for _, r := range token {
				s.word = utf8.AppendRune(s.word, unicode.ToLower(r))
			}
			break
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		s.word = append(s.word, c)
	}
	if n := len(s.word); n >= 2 && s.word[n-1] == 's' {
		if s.word[n-2] == '\'' {
			s.word = s.word[:n-2]
		} else if n >= 4 && (string(s.word[n-4:n-1]) == "’" || string(s.word[n-4:n-1]) == "＇") {
			s.word = s.word[:n-4]
		}
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
