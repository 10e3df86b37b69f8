package text

import (
	"sort"
	"unicode/utf8"
)

// maxTokenLength is Lucene's, in UTF-16 units: nothing beyond it is looked at, so a longer token comes in pieces.
const maxTokenLength = 255

// property is a set of what a character can be to the word break rules.
type property uint16

const (
	letter     property = 1 << iota
	hebrew              // a letter that may be followed by ' or by " and another one
	digit               // 0-9 and the digits of other scripts
	katakana            // joins its like
	underscore          // joins letters, digits and katakana
	upper               // an ASCII capital: the bit by which it differs from the small letter
	midLetter           // joins two letters: ' . : and others
	midDigit            // joins two digits: ' . , ; and others
	extend              // combining marks and invisible characters: part of what stands before them
	single              // ideographs and hiragana: a token each
	complex             // scripts without spaces, such as Thai: a run is a token
	pictograph          // emoji
	modifier            // skin tones, which can stand alone
	regional            // two of them make a flag

	wordLike = letter | digit | underscore
)

// wordBreak is a row of the table of properties.
type wordBreak struct {
	first, last rune
	property    property
}

// asciiProperties is the table's part for single bytes; those from 0x80 on, which belong to longer characters, have no property.
var asciiProperties = func() (t [256]property) {
	for c := range t[:utf8.RuneSelf] {
		switch r := byte(c); {
		case r >= 'a' && r <= 'z':
			t[c] = letter
		case r >= 'A' && r <= 'Z':
			t[c] = letter | upper
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
	return t
}()

func properties(r rune) property {
	if r < utf8.RuneSelf {
		return asciiProperties[r]
	}
	i := sort.Search(len(wordBreaks), func(i int) bool { return wordBreaks[i].last >= r })
	if i < len(wordBreaks) && wordBreaks[i].first <= r {
		return wordBreaks[i].property
	}
	return 0
}

// states is a set of places in the rules: all those that the characters read so far can have led to.
type states uint32

const (
	start             states = 1 << iota
	leadingUnderscore        // nothing but _ so far
	letters
	midLetters // a letter is needed
	digits
	midDigits // a digit is needed
	katakanas
	hebrewLetter    // may be followed by a quotation mark
	hebrewQuote     // a Hebrew letter is needed
	hebrewComplete  // a Hebrew letter with its quotation mark
	afterUnderscore // _ after anything else
	singleCharacter
	complexRun

	firstJoiner // zero-width joiners before the first emoji
	firstEmoji
	firstSelected // with an emoji presentation selector
	firstModifier
	tags
	tagged
	joined // just after a joiner between emoji
	joiners
	nextEmoji
	nextSelected
	nextModifier
	keycapBase
	keycapSelected
	keycap
	oneRegional
	flag

	accepting = letters | digits | katakanas | hebrewComplete | afterUnderscore | singleCharacter | complexRun | firstEmoji | firstSelected |
		firstModifier | tagged | nextEmoji | nextSelected | nextModifier | keycap | flag

	// wordStart are the states in which any word may begin, wordGoesOn those in which letters and digits may follow.
	wordStart  = start | leadingUnderscore | afterUnderscore
	wordGoesOn = wordStart | letters | digits | hebrewComplete
	// afterEmoji is where a joiner can continue a sequence.
	afterEmoji  = firstEmoji | firstSelected | firstModifier | nextEmoji | nextSelected | nextModifier
	emojiStates = start | firstJoiner | firstEmoji | firstSelected | firstModifier | tags | joined | joiners | nextEmoji | nextSelected |
		nextModifier | keycapBase | keycapSelected | keycap | oneRegional | flag
)

// Characters that the rules for emoji know by name.
const (
	joiner          = '\u200D'
	textSelector    = '\uFE0E'
	emojiSelector   = '\uFE0F'
	combiningKeycap = '\u20E3'
	firstTag        = '\U000E0020'
	tagTerminator   = '\U000E007F'
)

// match returns the end of the longest token that starts at i, or i if none does. The rules are those of Lucene's StandardTokenizer: the
// word breaks of UAX #29, emoji sequences whole, and the scripts for which UAX #29 leaves the matter open. They differ from the plain
// standard in small things, for example in letting a token end with the apostrophe behind a Hebrew letter and go on with a digit.
func match(text string, i int) int {
	end := i
	now := start
	for units := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if units++; r > 0xFFFF {
			units++
		}
		if units > maxTokenLength {
			break
		}
		p := properties(r)
		next := nextInWord(now, p, r)
		if now&emojiStates != 0 {
			next |= nextInEmoji(now, p, r)
		}
		if next == 0 {
			break
		}
		i += size
		now = next
		if now&accepting != 0 {
			end = i
		}
	}
	return end
}

func nextInWord(now states, p property, r rune) (next states) {
	if p&extend != 0 {
		next = now & (leadingUnderscore | letters | midLetters | digits | midDigits | katakanas | hebrewLetter | hebrewQuote | hebrewComplete |
			afterUnderscore | singleCharacter | complexRun)
	}
	if p&letter != 0 && now&(wordGoesOn|midLetters) != 0 {
		next |= letters
		if p&hebrew != 0 && now&wordGoesOn != 0 {
			next |= hebrewLetter
		}
	}
	if p&hebrew != 0 && now&hebrewQuote != 0 {
		next |= hebrewComplete
	}
	if p&digit != 0 && now&(wordGoesOn|midDigits) != 0 {
		next |= digits
	}
	if p&katakana != 0 && now&(wordStart|katakanas) != 0 {
		next |= katakanas
	}
	if p&underscore != 0 {
		if now&(start|leadingUnderscore) != 0 {
			next |= leadingUnderscore
		}
		if now&(letters|digits|katakanas|hebrewComplete|afterUnderscore) != 0 {
			next |= afterUnderscore
		}
	}
	if p&midLetter != 0 && now&letters != 0 {
		next |= midLetters
	}
	if p&midDigit != 0 && now&digits != 0 {
		next |= midDigits
	}
	if now&hebrewLetter != 0 {
		switch r {
		case '\'':
			next |= hebrewComplete
		case '"':
			next |= hebrewQuote
		}
	}
	if p&single != 0 && now&start != 0 {
		next |= singleCharacter
	}
	if p&complex != 0 && now&(start|complexRun) != 0 {
		next |= complexRun
	}
	return next
}

func nextInEmoji(now states, p property, r rune) (next states) {
	if p&extend != 0 {
		next = now & (oneRegional | flag)
		if r != textSelector && r != emojiSelector {
			next |= now & (firstEmoji | firstModifier | nextEmoji | nextModifier | keycapBase | keycap)
		}
	}
	if p&pictograph != 0 {
		if now&(start|firstJoiner) != 0 {
			next |= firstEmoji
		}
		if now&(joined|joiners) != 0 {
			next |= nextEmoji
		}
	}
	if p&modifier != 0 {
		if now&start != 0 {
			next |= firstModifier
		}
		if now&joined != 0 {
			next |= nextModifier
		}
	}
	if p&regional != 0 {
		if now&start != 0 {
			next |= oneRegional
		}
		if now&oneRegional != 0 {
			next |= flag
		}
	}
	switch {
	case r == joiner:
		if now&(start|firstJoiner) != 0 {
			next |= firstJoiner
		}
		if now&(joined|joiners) != 0 {
			next |= joiners
		}
		if now&afterEmoji != 0 {
			next |= joined
		}
	case r == emojiSelector:
		if now&firstEmoji != 0 {
			next |= firstSelected
		}
		if now&nextEmoji != 0 {
			next |= nextSelected
		}
		if now&keycapBase != 0 {
			next |= keycapSelected
		}
	case r == combiningKeycap:
		if now&(keycapBase|keycapSelected) != 0 {
			next |= keycap
		}
	case r >= firstTag && r < tagTerminator:
		if now&(firstSelected|tags) != 0 {
			next |= tags
		}
	case r == tagTerminator:
		if now&tags != 0 {
			next |= tagged
		}
	case r >= '0' && r <= '9', r == '#', r == '*':
		if now&start != 0 {
			next |= keycapBase
		}
	}
	return next
}
