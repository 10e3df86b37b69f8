package text

import (
	"unicode"
	"unicode/utf8"
)

// maxWord is the length in bytes that a token of maxTokenLength can have in lower case.
const maxWord = 3 * maxTokenLength

// tokenizer finds the tokens of a text and puts each into lower case. ASCII text goes a short way of its own; what touches other
// characters is left to match.
type tokenizer struct {
	text       string
	pos        int // where the next token is looked for
	start, end int // the token's place in the text
	length     int // of its word
	buffer     [maxWord]byte
}

func (t *tokenizer) reset(text string) { t.text, t.pos = text, 0 }

// word is the token in lower case and without a possessive 's. It can be empty only where the token is.
func (t *tokenizer) word() []byte { return t.buffer[:t.length] }

// next goes to the next token and tells whether there is one.
func (t *tokenizer) next() bool {
	for {
		switch t.nextASCII() {
		case isToken:
			return true
		case isEnd:
			return false
		}
		if t.general() {
			return true
		}
	}
}

type kind uint8

const (
	isEnd   kind = iota
	isToken      // start, end and the word are set
	isOther      // at start begins something that is not all ASCII
)

// nextASCII finds the next token if that is ASCII alone, and neither it nor a punctuation mark right behind it touches another character.
func (t *tokenizer) nextASCII() kind {
	text := t.text
	i := t.pos
	for {
		for i < len(text) && asciiProperties[text[i]]&wordLike == 0 {
			if text[i] >= utf8.RuneSelf || i+1 < len(text) && text[i+1] >= utf8.RuneSelf && (text[i] == '#' || text[i] == '*') {
				t.start = i
				return isOther
			}
			i++
		}
		if i == len(text) {
			t.pos = i
			return isEnd
		}
		t.start = i
		limit := min(len(text), i+maxTokenLength)
		word := t.buffer[:limit-i]
		n := 0
		var all property
		for {
			for n < len(word) {
				c := text[i+n]
				p := asciiProperties[c]
				if p&wordLike == 0 {
					break
				}
				word[n] = c | byte(p&upper)
				all |= p
				n++
			}
			// Here ends a run of letters and digits; a mark between two letters or two digits joins it to the next one.
			end := i + n
			if end == len(text) {
				break
			}
			mark := text[end]
			if mark >= utf8.RuneSelf {
				return isOther
			}
			p := asciiProperties[mark]
			if p&(midLetter|midDigit) == 0 || end+1 >= len(text) {
				break
			}
			if text[end+1] >= utf8.RuneSelf {
				return isOther
			}
			both := asciiProperties[text[end-1]] & asciiProperties[text[end+1]]
			if end+1 >= limit || !(p&midLetter != 0 && both&letter != 0 || p&midDigit != 0 && both&digit != 0) {
				break
			}
			word[n] = mark
			n++
		}
		i += n
		if all&(letter|digit) == 0 {
			i = t.afterUnderscores(i)
			continue
		}
		t.end, t.pos = i, i
		if n >= 2 && t.buffer[n-1] == 's' && t.buffer[n-2] == '\'' {
			n -= 2
		}
		t.length = n
		return isToken
	}
}

// afterUnderscores returns where to look on after a run of underscores, of which those up to i were read: a run is no token, but its end
// belongs to a token that begins within reach.
func (t *tokenizer) afterUnderscores(i int) int {
	for i < len(t.text) && t.text[i] == '_' {
		i++
	}
	if i-t.start < maxTokenLength {
		return i
	}
	return i - maxTokenLength + 1
}

// general takes the token at start by the full rules, or moves behind the character there if none begins with it.
func (t *tokenizer) general() bool {
	end := match(t.text, t.start)
	if end == t.start {
		_, size := utf8.DecodeRuneInString(t.text[t.start:])
		t.pos = t.start + size
		return false
	}
	t.end, t.pos = end, end
	w := t.buffer[:0]
	for _, r := range t.text[t.start:end] {
		w = utf8.AppendRune(w, unicode.ToLower(r))
	}
	t.length = len(trimPossessive(w))
	return true
}

// trimPossessive removes an apostrophe and s from the end, as Lucene's EnglishPossessiveFilter does.
func trimPossessive(w []byte) []byte {
	if len(w) == 0 || w[len(w)-1] != 's' {
		return w
	}
	switch r, size := utf8.DecodeLastRune(w[:len(w)-1]); r {
	case '\'', '\u2019', '\uFF07':
		return w[:len(w)-1-size]
	}
	return w
}
