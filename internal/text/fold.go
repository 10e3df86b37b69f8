package text

import (
	"unicode"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/unicode/norm"
)

// folder rewrites a text in the plain characters in which the same thing is most often typed. What it makes is spelled the same for
// composed and decomposed input, and stays as it is when folded again.
type folder struct {
	out      []byte
	origins  []origin // one for each byte of out
	held     [2]heldLetter
	holding  int  // how many Greek letters are held back, until it is known whether they are names or a word
	word     bool // in the midst of a Greek word
	superEnd int  // where in out a superscript number ends, -1 for nowhere
	iter     norm.Iter
}

// origin says which bytes of the text a byte comes from.
type origin struct{ start, end int }

type heldLetter struct {
	r    rune
	from origin
}

// maxIdleBuffer bounds what a scanner keeps of its buffers' sizes, in bytes, from one text to the next.
const maxIdleBuffer = 1 << 16

// fold returns the folded text, which is valid until the next call.
func (f *folder) fold(text string) string {
	if cap(f.out) > maxIdleBuffer {
		f.out, f.origins = nil, nil
	}
	f.out, f.origins = f.out[:0], f.origins[:0]
	f.holding, f.word, f.superEnd = 0, false, -1
	for i := 0; i < len(text); {
		n := 1
		if text[i] < utf8.RuneSelf && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
			f.ascii(text[i], origin{i, i + 1}, text[i:])
		} else {
			n = max(1, norm.NFKD.NextBoundaryInString(text[i:], true))
			f.character(text[i:i+n], origin{i, i + n}, text[i:])
		}
		i += n
	}
	f.settle(0, origin{}, "")
	return unsafe.String(unsafe.SliceData(f.out), len(f.out))
}

func (f *folder) add(c byte, from origin) {
	f.out = append(f.out, c)
	f.origins = append(f.origins, from)
}

func (f *folder) addString(s string, from origin) {
	for i := range len(s) {
		f.add(s[i], from)
	}
}

// last returns the last byte so far, 0 for none.
func (f *folder) last() byte {
	if len(f.out) == 0 {
		return 0
	}
	return f.out[len(f.out)-1]
}

// character folds one character with the marks that follow it; rest is the text from there.
func (f *folder) character(segment string, from origin, rest string) {
	r, _ := utf8.DecodeRuneInString(segment)
	switch r {
	case '⁺':
		f.ascii('+', from, "")
		return
	case '⁻':
		f.ascii('^', from, "")
		f.add('-', from)
		return
	case '´', '\u1FFD': // typed for an apostrophe
		f.ascii('\'', from, "")
		return
	case '™', '℠', 'ª', 'º': // their decompositions would become letters of the word before them
		f.ascii(' ', from, "")
		return
	}
	script := superscript(r)
	alone := r >= 0x3371 && r <= 0x33DF || // units in one character, fractions, numbers in circles
		unicode.Is(unicode.No, r) && !script && !(r >= '₀' && r <= '₉') && norm.NFKD.PropertiesString(segment).Decomposition() != nil
	switch {
	case script:
		f.settle(0, from, "")
		if f.superEnd != len(f.out) && f.isExponent() {
			f.add('^', from)
		}
	case alone:
		f.ascii(' ', from, "")
	}
	f.iter.InitString(norm.NFKD, segment)
	for !f.iter.Done() {
		for s := f.iter.Next(); len(s) > 0; {
			r, size := utf8.DecodeRune(s)
			if !alone || !unicode.IsMark(r) { // a mark on a unit would hide it
				f.rune(r, size, from, rest)
			}
			s = s[size:]
		}
	}
	switch {
	case script:
		f.superEnd = len(f.out)
	case alone:
		f.ascii(' ', from, "")
	}
}

func superscript(r rune) bool {
	return r == '¹' || r == '²' || r == '³' || r == '⁰' || r >= '⁴' && r <= '⁹'
}

// isExponent tells whether a superscript number here is an exponent or a footnote rather than a part of the name or unit before it: it
// follows a number, or a word of more than three letters.
func (f *folder) isExponent() bool {
	if isDigit(f.last()) {
		return true
	}
	n := len(f.out)
	return n > 3 && isLetter(f.out[n-1]) && isLetter(f.out[n-2]) && isLetter(f.out[n-3]) && isLetter(f.out[n-4])
}

func (f *folder) rune(r rune, size int, from origin, rest string) {
	switch {
	case r < utf8.RuneSelf:
		f.ascii(byte(r), from, rest)
		return
	case invisible(r):
		return
	case r == utf8.RuneError && size <= 1:
		f.ascii(' ', from, "")
		return
	}
	if plain := plainSpelling(r); plain != "" {
		f.settle(rune(plain[0]), from, "")
		f.addString(plain, from)
		return
	}
	if lower := unicode.ToLower(r); lower >= 'α' && lower <= 'ω' {
		f.greek(lower, from)
		return
	}
	f.settle(r, from, "")
	var encoded [utf8.UTFMax]byte
	for _, c := range encoded[:utf8.EncodeRune(encoded[:], r)] {
		f.add(c, from)
	}
}

// ascii adds a character after what was held back; rest is the text from there, as far as it matters to the unit that may begin.
func (f *folder) ascii(c byte, from origin, rest string) {
	f.settle(rune(c), from, rest)
	f.add(c, from)
}

// greek holds a letter back: up to two stand for their names, more are a word.
func (f *folder) greek(r rune, from origin) {
	if r == 'ς' {
		r = 'σ'
	}
	if f.holding == len(f.held) {
		f.word = true
		for _, h := range f.held {
			f.addGreek(h.r, h.from)
		}
		f.holding = 0
	}
	if f.word {
		f.addGreek(r, from)
		return
	}
	f.held[f.holding] = heldLetter{r, from}
	f.holding++
}

func (f *folder) addGreek(r rune, from origin) {
	f.add(0xC0|byte(r>>6), from)
	f.add(0x80|byte(r&0x3F), from)
}

// settle writes the Greek letters held back by their names, parted by hyphens from letters and digits before them and from letters
// behind. μ stays before the letters of a unit. The character that follows is next, the text from there rest.
func (f *folder) settle(next rune, from origin, rest string) {
	f.word = false
	if f.holding == 0 {
		return
	}
	held := f.held[:f.holding]
	f.holding = 0
	before := f.last()
	if held[0].r == 'μ' && len(held) == 1 && !isLetter(before) && before < utf8.RuneSelf &&
		(unitAhead(rest) || held[0].from == from) { // the latter in ㎍ and its like
		if isDigit(before) {
			f.add(' ', held[0].from)
		}
		f.addGreek('μ', held[0].from)
		return
	}
	for _, h := range held {
		if c := f.last(); isLetter(c) || isDigit(c) || c >= utf8.RuneSelf {
			f.add('-', h.from)
		}
		f.addString(greekNames[h.r-'α'], h.from)
	}
	if unicode.IsLetter(next) {
		f.add('-', held[len(held)-1].from)
	}
}

var greekNames = [...]string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
	"omicron", "pi", "rho", "sigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"}

// unitAhead tells whether the text goes on with the letters of a unit that is used with micro.
func unitAhead(s string) bool {
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	if n < len(s) && s[n] >= utf8.RuneSelf {
		r, _ := utf8.DecodeRuneInString(s[n:])
		if plain := plainSpelling(r); (plain == "" || isLetter(plain[0])) && !unicode.IsPunct(r) && !unicode.IsSpace(r) {
			return false // the word may go on
		}
	}
	switch s[:n] {
	case "g", "G", "l", "L", "m", "M", "mol", "mole", "s", "sec", "V", "A", "W", "F", "U", "IU", "Ci", "kat", "Eq", "eq", "Sv", "Gy":
		return true
	}
	return false
}

// invisible tells whether a character is a mark on the letter before it or shows nothing at all.
func invisible(r rune) bool {
	switch {
	case r >= 0x300 && r <= 0x36F, r >= 0x1AB0 && r <= 0x1AFF, r >= 0x1DC0 && r <= 0x1DFF, r >= 0xFE20 && r <= 0xFE2F: // accents
		return true
	case r == 0xAD, r == 0x61C, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F,
		r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF:
		return true
	}
	return false
}

// plainSpelling spells in ASCII what decomposition leaves as it is; "" for all others.
func plainSpelling(r rune) string {
	switch r {
	case '‐', '‑', '‒', '–', '−', '⁃', '֊', '﹣': // hyphens, the dash of ranges and compounds, minus
		return "-"
	case '‘', '’', '‛', 'ʼ', 'ʹ', '′':
		return "'"
	case '⁄', '∕':
		return "/"
	case '·', '⋅', '∙', '®', '©':
		return " "
	case 'ø', 'Ø':
		return "o"
	case 'ł', 'Ł':
		return "l"
	case 'đ', 'Đ', 'ð', 'Ð':
		return "d"
	case 'þ', 'Þ':
		return "th"
	case 'ß', 'ẞ':
		return "ss"
	case 'æ', 'Æ':
		return "ae"
	case 'œ', 'Œ':
		return "oe"
	case 'ı':
		return "i"
	}
	return ""
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
