// Package tolerantjson finds JSON in what a language model wrote: between prose, in code fences and with the small faults that models
// make. It never completes what is missing: a value that the text breaks off in, or that makes no sense further in, is an error.
package tolerantjson

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrCutOff is wrapped by the error for a text that ends inside a value.
var ErrCutOff = errors.New("the text ends inside a JSON value")

// Number is a number as written. Besides JSON's own forms it can have a sign "+", lack digits before or after the point, end in "%",
// or be NaN, Infinity or -Infinity; who reads it decides what is acceptable.
type Number string

// Value is a complete object or array of a text.
type Value struct {
	Data    any      // map[string]any, []any, string, Number, bool or nil
	Repairs []string // what was not JSON but could be understood without doubt, each kind once
}

// maxDepth bounds nesting: deeper text is not an answer to any sensible question.
const maxDepth = 64

// Find returns the outermost objects and arrays of the text, in order. Accepted beyond JSON are: commas before a closing bracket and
// missing ones between values where nothing else can follow, comments, raw control characters and unknown escapes in strings,
// Python's True, False and None, and the numbers that Number lists. Of members with the same key the last one counts.
//
// The values before and after a broken one are returned together with the error, which says what is wrong with the first broken
// one. Text between brackets that is not the start of JSON ("{patient}", "[see below]") is passed over. The time is linear in the
// length of the text.
func Find(text string) ([]Value, error) {
	var values []Value
	var first error
	fail := func(err error) {
		if first == nil {
			first = err
		}
	}
	// Every attempt reads on to where it fails. Without a bound a text made for it could have each of its brackets read on to the end.
	spent, budget := 0, 4*len(text)+4096
	var failed []int // brackets that were open when an attempt failed: they would fail at the same place
	for at := 0; at < len(text); {
		i := strings.IndexAny(text[at:], "{[")
		if i < 0 {
			break
		}
		start := at + i
		if slices.Contains(failed, start) {
			at = start + 1
			continue
		}
		p := parser{text: text, at: start}
		data, err := p.value()
		spent += p.at - start
		switch {
		case err == nil:
			values = append(values, Value{data, p.repairs})
			at = p.at
		case errors.Is(err, ErrCutOff):
			fail(err)
			return values, first
		case p.members > 0:
			// It was an object, so what it holds is a part of something broken.
			fail(err)
			at = p.at
		default:
			failed, at = p.open, start+1
		}
		if spent > budget {
			fail(errors.New("the text has too many brackets that are never closed to look for JSON in it"))
			return values, first
		}
	}
	return values, first
}

type parser struct {
	text    string
	at      int
	open    []int // where the open objects and arrays start
	members int   // keys with a colon that were read
	repairs []string
}

func (p *parser) repaired(what string) {
	if !slices.Contains(p.repairs, what) {
		p.repairs = append(p.repairs, what)
	}
}

// broken is the error for the character at the current position.
func (p *parser) broken(expected string) error {
	if p.at >= len(p.text) {
		return ErrCutOff
	}
	return &brokenError{p.text, p.at, expected}
}

// brokenError makes its message when asked, as most attempts fail and are forgotten.
type brokenError struct {
	text     string
	at       int
	expected string
}

func (e *brokenError) Error() string {
	near := e.text[e.at:]
	n := 0
	for i := range near { // up to 20 characters
		if n++; n > 20 {
			near = near[:i]
			break
		}
	}
	return fmt.Sprintf("the JSON is broken in line %d at %q: expected %s", 1+strings.Count(e.text[:e.at], "\n"), near, e.expected)
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// space passes over white space and comments.
func (p *parser) space() error {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch {
		case strings.HasPrefix(rest, "//"):
			p.repaired("comment")
			i := strings.IndexByte(rest, '\n')
			if i < 0 {
				i = len(rest)
			}
			p.at += i
		case strings.HasPrefix(rest, "/*"):
			p.repaired("comment")
			i := strings.Index(rest[2:], "*/")
			if i < 0 {
				p.at = len(p.text)
				return ErrCutOff
			}
			p.at += i + 4
		case rest == "/":
			p.at++ // half the start of a comment
		default:
			r, size := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) && r != '\ufeff' && r != '\u200b' {
				return nil
			}
			p.at += size
		}
	}
	return ErrCutOff
}

func (p *parser) value() (any, error) {
	switch c := p.peek(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		return p.string()
	}
	return p.literal()
}

// push opens an object or array. It is closed by pop only when it is complete, so that open says afterwards which ones failed.
func (p *parser) push() error {
	if len(p.open) == maxDepth {
		return p.broken(fmt.Sprintf("no more than %d levels", maxDepth))
	}
	p.open = append(p.open, p.at)
	p.at++
	return nil
}

func (p *parser) pop() {
	p.open = p.open[:len(p.open)-1]
	p.at++
}

// next moves from one element to the next or to the closing bracket, and tells whether there is a next one. An element that starts
// with any of the given characters can follow without a comma.
func (p *parser) next(closing byte, elements int, starts string) (bool, error) {
	if err := p.space(); err != nil {
		return false, err
	}
	if p.peek() == closing {
		p.pop()
		return false, nil
	}
	if elements == 0 {
		return true, nil
	}
	if p.peek() != ',' {
		if !strings.ContainsRune(starts, rune(p.peek())) {
			return false, p.broken(fmt.Sprintf("a comma or %q", string(closing)))
		}
		p.repaired("missing comma")
		return true, nil
	}
	p.at++
	if err := p.space(); err != nil {
		return false, err
	}
	if p.peek() == closing {
		p.repaired("comma before a closing bracket")
		p.pop()
		return false, nil
	}
	return true, nil
}

func (p *parser) object() (any, error) {
	if err := p.push(); err != nil {
		return nil, err
	}
	object := map[string]any{}
	for n := 0; ; n++ {
		more, err := p.next('}', n, `"`)
		if err != nil {
			return nil, err
		}
		if !more {
			return object, nil
		}
		if p.peek() != '"' {
			return nil, p.broken("a key in quotation marks")
		}
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		if err := p.space(); err != nil {
			return nil, err
		}
		if p.peek() != ':' {
			return nil, p.broken("a colon")
		}
		p.at++
		p.members++
		if err := p.space(); err != nil {
			return nil, err
		}
		if object[key], err = p.value(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) array() (any, error) {
	if err := p.push(); err != nil {
		return nil, err
	}
	array := []any{}
	for {
		more, err := p.next(']', len(array), `{"`)
		if err != nil {
			return nil, err
		}
		if !more {
			return array, nil
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
}

// literal reads a number or a word.
func (p *parser) literal() (any, error) {
	end := p.at
	for end < len(p.text) && isLiteral(p.text[end]) {
		end++
	}
	if end == len(p.text) {
		p.at = end
		return nil, ErrCutOff // a number could go on
	}
	word := p.text[p.at:end]
	var v any
	switch word {
	case "null":
	case "true", "false":
		v = word == "true"
	case "None":
		p.repaired("Python's None")
	case "True", "False":
		p.repaired("Python's " + word)
		v = word == "True"
	default:
		if !isNumber(word) {
			return nil, p.broken("a value")
		}
		v = Number(word)
	}
	p.at = end
	return v, nil
}

func isLiteral(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '+' || c == '-' || c == '.' || c == '%'
}

func isNumber(s string) bool {
	switch s {
	case "NaN", "Infinity", "-Infinity":
		return true
	}
	s = strings.TrimSuffix(s, "%")
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	before := skipDigits(s)
	digits := len(s) - len(before)
	if after, ok := strings.CutPrefix(before, "."); ok {
		before = skipDigits(after)
		digits += len(after) - len(before)
	}
	if digits == 0 {
		return false
	}
	if before != "" && (before[0] == 'e' || before[0] == 'E') {
		exponent := before[1:]
		if exponent != "" && (exponent[0] == '-' || exponent[0] == '+') {
			exponent = exponent[1:]
		}
		return exponent != "" && skipDigits(exponent) == ""
	}
	return before == ""
}

func skipDigits(s string) string {
	return strings.TrimLeft(s, "0123456789")
}
