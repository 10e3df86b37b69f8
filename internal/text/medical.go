package text

import (
	"unicode"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/unicode/norm"
)

// MedicalEnglish is LuceneEnglish with the names of drugs, genes and units kept findable however they are typed. Before the word breaks,
// in texts with characters outside ASCII:
//
//   - compatibility decomposition (NFKD) without its combining marks: naïve, composed or not, becomes naive, ﬁbrosis fibrosis, D₃ D3,
//     10⁹ 109, µg (micro sign) μg (Greek letter); also ø o, ł l, đ d, ß ss, æ ae, œ oe;
//   - Greek letters are spelled out (α alpha, β beta, ...) and parted by a hyphen from Latin letters beside them: TNFα and TNF-α become
//     TNF-alpha. μ stays, since it is nearly always the micro of a unit;
//   - all hyphens and the minus sign become -, all apostrophes '; soft hyphens and zero-width characters are dropped.
//
// After the word breaks, in all texts:
//
//   - a number with a unit becomes two tokens: 3.5mg is 3.5 and mg;
//
//   - a name of parts joined by hyphens, with a digit in it, and of letters that are short or written like an abbreviation, yields its parts
//     and, after them, the whole without hyphens. So IL-6 (il, 6, il6) meets IL6 (il6), and COVID-19 (covid, 19, covid19) meets both
//     Covid-19 (covid, 19) and COVID19. Ordinary words, 12-year-old, yield their parts alone.
//
//     IL-6, IL‑6 (U+2011)      il 6 il6
//     TNF-α, TNF‐α, TNFα       tnf alpha
//     5-FU                     5 fu 5fu
//     β-blocker                beta blocker
//     25-OH-D₃                 25 oh d3 25ohd3
//     HbA1c                    hba1c
//     Crohn’s                  crohn
//     3.5mg                    3.5 mg
//     µg, μg                   μg
const MedicalEnglish = "medical-english"

// medical is what the medical analysis adds to a Scanner.
type medical struct {
	buffer   []byte  // the normalized text
	origin   []int32 // for each byte of it, and for its end, where it comes from
	greekEnd int     // where a spelled-out Greek letter ends in buffer
	iter     norm.Iter

	joined []byte // a compound's letters and digits, to follow its last part; empty for none
	word   [maxCompound + 8]byte
	start  int // span of the compound
	end    int
}

// normalize returns the normalized text, which is valid until the next call.
func (m *medical) normalize(text string) string {
	m.buffer, m.origin, m.greekEnd = m.buffer[:0], m.origin[:0], -1
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
			m.addASCII(c, i)
			i++
			continue
		}
		m.iter.InitString(norm.NFKD, text[i:])
		for m.iter.Pos() == 0 && !m.iter.Done() { // one character, which may become several, with the marks that follow it
			for segment := m.iter.Next(); len(segment) > 0; {
				r, size := utf8.DecodeRune(segment)
				m.addRune(r, size, i)
				segment = segment[size:]
			}
		}
		i += max(1, m.iter.Pos())
	}
	m.origin = append(m.origin, int32(len(text)))
	return unsafe.String(unsafe.SliceData(m.buffer), len(m.buffer))
}

func (m *medical) add(c byte, from int) {
	m.buffer = append(m.buffer, c)
	m.origin = append(m.origin, int32(from))
}

// addASCII adds a character, parted by a hyphen from a Greek letter before it.
func (m *medical) addASCII(c byte, from int) {
	if m.greekEnd == len(m.buffer) && asciiLetter(c) {
		m.add('-', from)
	}
	m.add(c, from)
}

func (m *medical) addRune(r rune, size, from int) {
	switch {
	case r == utf8.RuneError && size <= 1:
		m.add(' ', from) // a broken byte parts words
	case r < utf8.RuneSelf:
		m.addASCII(byte(r), from)
	case unicode.Is(unicode.Mn, r), r >= 0x200B && r <= 0x200D, r == 0x2060, r == 0xFEFF, r == 0xAD:
	case r == 0x2010, r == 0x2011, r == 0x2043, r == 0x2212:
		m.add('-', from)
	case r == 0x2018, r == 0x2019, r == 0x02BC:
		m.add('\'', from)
	default:
		m.addFolded(r, from)
	}
}

func (m *medical) addFolded(r rune, from int) {
	spelled, greek := fold(r)
	if spelled == "" {
		var encoded [utf8.UTFMax]byte
		for _, c := range utf8.AppendRune(encoded[:0], r) {
			m.add(c, from)
		}
		return
	}
	if n := len(m.buffer); greek && n > 0 && asciiLetter(m.buffer[n-1]) {
		m.add('-', from)
	}
	for i := range len(spelled) {
		m.add(spelled[i], from)
	}
	if greek {
		m.greekEnd = len(m.buffer)
	}
}

func asciiLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// fold spells a letter in ASCII that decomposition leaves as it is; "" for all others. μ is not spelled out.
func fold(r rune) (spelled string, greek bool) {
	switch r {
	case 'ø', 'Ø':
		return "o", false
	case 'ł', 'Ł':
		return "l", false
	case 'đ', 'Đ', 'ð', 'Ð':
		return "d", false
	case 'ß', 'ẞ':
		return "ss", false
	case 'æ', 'Æ':
		return "ae", false
	case 'œ', 'Œ':
		return "oe", false
	case 'ı':
		return "i", false
	}
	switch r {
	case 'α', 'Α':
		spelled = "alpha"
	case 'β', 'Β':
		spelled = "beta"
	case 'γ', 'Γ':
		spelled = "gamma"
	case 'δ', 'Δ':
		spelled = "delta"
	case 'ε', 'Ε':
		spelled = "epsilon"
	case 'ζ', 'Ζ':
		spelled = "zeta"
	case 'η', 'Η':
		spelled = "eta"
	case 'θ', 'Θ':
		spelled = "theta"
	case 'ι', 'Ι':
		spelled = "iota"
	case 'κ', 'Κ':
		spelled = "kappa"
	case 'λ', 'Λ':
		spelled = "lambda"
	case 'ν', 'Ν':
		spelled = "nu"
	case 'ξ', 'Ξ':
		spelled = "xi"
	case 'ο', 'Ο':
		spelled = "omicron"
	case 'π', 'Π':
		spelled = "pi"
	case 'ρ', 'Ρ':
		spelled = "rho"
	case 'σ', 'ς', 'Σ':
		spelled = "sigma"
	case 'τ', 'Τ':
		spelled = "tau"
	case 'υ', 'Υ':
		spelled = "upsilon"
	case 'φ', 'Φ':
		spelled = "phi"
	case 'χ', 'Χ':
		spelled = "chi"
	case 'ψ', 'Ψ':
		spelled = "psi"
	case 'ω', 'Ω':
		spelled = "omega"
	}
	return spelled, spelled != ""
}

// compound notes a name that starts at start and goes beyond end, the end of its first part, by hyphens: Next gives it after its parts.
func (m *medical) compound(text string, start, end int) {
	m.joined = m.joined[:0]
	digits, i, from := false, start, start
	for {
		letters, upper := 0, false
		for ; i < len(text) && (asciiLetter(text[i]) || isDigit(text[i])); i++ {
			if isDigit(text[i]) {
				digits = true
			} else {
				letters++
				upper = upper || text[i] < 'a' && i > from
			}
			m.joined = append(m.joined, text[i]|lowerBit(text[i]))
		}
		if i == from || letters > 2 && !upper || len(m.joined) > maxCompound {
			m.joined = m.joined[:0]
			return
		}
		if i+1 >= len(text) || text[i] != '-' || !asciiLetter(text[i+1]) && !isDigit(text[i+1]) {
			break
		}
		i++
		from = i
	}
	if !digits || i <= end {
		m.joined = m.joined[:0]
		return
	}
	m.start, m.end = start, i
}

// maxCompound bounds the letters and digits of a compound.
const maxCompound = 24

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// lowerBit is what makes an ASCII letter lower case, 0 for others.
func lowerBit(c byte) byte {
	if asciiLetter(c) {
		return 0x20
	}
	return 0
}

// unitStart returns where the unit in a token that is a number with a unit starts, or 0.
func unitStart(token string) int {
	i := 0
	for i < len(token) && (isDigit(token[i]) || token[i] == '.' || token[i] == ',') {
		i++
	}
	if i == 0 || i == len(token) || len(token)-i > 5 {
		return 0
	}
	switch token[i:] {
	case "mg", "g", "kg", "ug", "mcg", "ng", "pg", "μg", "ml", "mL", "l", "L", "dl", "dL", "μl", "μL", "mmol", "μmol", "nmol", "pmol", "mol", "mEq", "meq",
		"IU", "iu", "mm", "cm", "m", "km", "nm", "μm", "mmHg", "kPa", "Hz", "kcal", "Gy", "mGy", "mSv", "cc", "h", "min", "ms":
		return i
	}
	return 0
}
