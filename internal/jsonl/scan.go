package jsonl

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skipString returns the end of the string that starts at i.
func skipString(b []byte, i int) (int, error) {
	for i++; i < len(b); {
		if len(b)-i >= 8 {
			s := special(binary.LittleEndian.Uint64(b[i:]))
			if s == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(s) / 8
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, nil
		case c == '\\':
			n := escape(b[i:])
			if n == 0 {
				return 0, fmt.Errorf("broken JSON at byte %d: an escape that JSON does not know", i+1)
			}
			i += n
		case c < ' ':
			return 0, fmt.Errorf("broken JSON at byte %d: a control character in a string", i+1)
		default:
			i++
		}
	}
	return 0, errInString
}

// special looks at eight bytes of a string at once. The lowest bit that is set lies in the first byte that is a quote, a backslash or a control
// character; the result is 0 if there is none.
func special(x uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, backslash := x^ones*'"', x^ones*'\\'
	return (quote-ones)&^quote&highs | (backslash-ones)&^backslash&highs | (x-ones*' ')&^x&highs
}

// escape returns the length of the escape that b starts with, at most len(b) where it is cut off; 0 if it is none.
func escape(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	if b[1] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), b[1]) < 0 {
			return 0
		}
		return 2
	}
	for i := 2; i < min(6, len(b)); i++ {
		if c := b[i] | 0x20; (b[i] < '0' || b[i] > '9') && (c < 'a' || c > 'f') {
			return 0
		}
	}
	return min(6, len(b))
}

// skipValue returns the end of the value that starts at i.
func skipValue(b []byte, i int) (int, error) {
	start := i
	if i < len(b) && b[i] == '"' {
		return skipString(b, i)
	}
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			end, err := skipString(b, i)
			if err != nil {
				return 0, err
			}
			i = end
			continue
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 {
				return checked(b, start, i)
			}
			if depth--; depth == 0 {
				return checked(b, start, i+1)
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return checked(b, start, i)
			}
		}
		i++
	}
	return 0, errCutOff
}

func checked(b []byte, start, end int) (int, error) {
	if !json.Valid(b[start:end]) {
		return 0, broken(b, start, "a value")
	}
	return end, nil
}

// unescape appends what stands between the quotes of a string that has been checked, escapes resolved, and tells whether all surrogates come in
// pairs; half a pair becomes U+FFFD.
func unescape(to, inside []byte) (text []byte, whole bool) {
	whole = true
	for {
		n := bytes.IndexByte(inside, '\\')
		if n < 0 {
			return append(to, inside...), whole
		}
		to = append(to, inside[:n]...)
		c := inside[n+1]
		inside = inside[n+2:]
		switch c {
		case 'b':
			to = append(to, '\b')
		case 'f':
			to = append(to, '\f')
		case 'n':
			to = append(to, '\n')
		case 'r':
			to = append(to, '\r')
		case 't':
			to = append(to, '\t')
		case 'u':
			r := hexadecimal(inside)
			inside = inside[4:]
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if len(inside) >= 6 && inside[0] == '\\' && inside[1] == 'u' {
					pair = utf16.DecodeRune(r, hexadecimal(inside[2:]))
				}
				if r = pair; r == utf8.RuneError {
					whole = false
				} else {
					inside = inside[6:]
				}
			}
			to = utf8.AppendRune(to, r)
		default: // a quote, a backslash or a slash stands for itself
			to = append(to, c)
		}
	}
}

// hexadecimal is the value of the four digits that b starts with.
func hexadecimal(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c&^0x20 - 'A' + 10
		}
		r = r<<4 | rune(c)
	}
	return r
}
