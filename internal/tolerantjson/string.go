package tolerantjson

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// string reads a string in quotation marks.
func (p *parser) string() (string, error) {
	p.at++
	start := p.at
	var unescaped strings.Builder
	escaped := false
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == '"':
			s := p.text[start:p.at]
			if escaped {
				unescaped.WriteString(s)
				s = unescaped.String()
			}
			p.at++
			return s, nil
		case c == '\\':
			escaped = true
			unescaped.WriteString(p.text[start:p.at])
			if err := p.escape(&unescaped); err != nil {
				return "", err
			}
			start = p.at
		default:
			if c < ' ' {
				p.repaired("control character in a string")
			}
			p.at++
		}
	}
	return "", ErrCutOff
}

// escape reads what starts with a backslash.
func (p *parser) escape(to *strings.Builder) error {
	if p.at+1 >= len(p.text) {
		p.at = len(p.text)
		return ErrCutOff
	}
	c := p.text[p.at+1]
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		to.WriteByte("\"\\/\b\f\n\r\t"[i])
		p.at += 2
		return nil
	}
	if c == 'u' {
		if r, ok := p.hex(); ok {
			p.at += 6
			if utf16.IsSurrogate(r) {
				if low, ok := p.hex(); ok {
					if pair := utf16.DecodeRune(r, low); pair != '\ufffd' {
						to.WriteRune(pair)
						p.at += 6
						return nil
					}
				}
			}
			to.WriteRune(r) // half of a pair becomes U+FFFD
			return nil
		}
	}
	p.repaired("unknown escape in a string")
	to.WriteByte('\\')
	p.at++
	return nil
}

// hex reads the number of a \u escape at the current position without moving on.
func (p *parser) hex() (rune, bool) {
	if len(p.text)-p.at < 6 || p.text[p.at] != '\\' || p.text[p.at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[p.at+2:p.at+6], 16, 16)
	return rune(n), err == nil
}
