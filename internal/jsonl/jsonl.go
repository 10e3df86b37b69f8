// Package jsonl reads JSON Lines files strictly and fast: one object a line, field names compared letter for letter, ids that may be numbers and
// keep their digits. A byte order mark, CRLF, blank lines, a missing final newline, gzip and lines of any length are fine; everything else
// that is not JSON Lines is an error with file and line.
package jsonl

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ddx-rag/ddx/internal/lines"
)

// Reader reads the objects of one file. It holds one line at a time.
type Reader struct {
	name  string
	lines *lines.Reader
	Object
}

// NewReader reads from r; name is the file's, for messages. Keys are the fields that are wanted; other fields are checked and passed over.
func NewReader(name string, r io.Reader, keys ...string) (*Reader, error) {
	l, err := lines.NewReader(name, r)
	if err != nil {
		return nil, err
	}
	return &Reader{name: name, lines: l, Object: *NewObject(keys...)}, nil
}

// Line is the number of the line that was read last, from 1.
func (r *Reader) Line() int { return r.lines.Number() }

// LineError is an error about the content of one line. Reading can go on with the next one.
type LineError struct {
	Name string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// Errorf returns a LineError about the line that was read last.
func (r *Reader) Errorf(format string, args ...any) error {
	return &LineError{Name: r.name, Line: r.Line(), Err: fmt.Errorf(format, args...)}
}

// Next reads the next object; io.EOF after the last. After a LineError the next call goes on with the next line; any other error
// is about the reading itself and ends it.
func (r *Reader) Next() error {
	line, err := r.lines.Next()
	if err != nil {
		return err
	}
	if err := r.Parse(line); err != nil {
		return r.Errorf("%w", err)
	}
	return nil
}

// String is the i-th wanted field, which must be a string; an error names the line.
func (r *Reader) String(i int) (string, error) { return located(r, i, r.Object.String) }

// ID is the i-th wanted field as an id, see Object.ID; an error names the line.
func (r *Reader) ID(i int) (string, error) { return located(r, i, r.Object.ID) }

// IDs is the i-th wanted field as a list of ids; an error names the line.
func (r *Reader) IDs(i int) ([]string, error) { return located(r, i, r.Object.IDs) }

func located[T any](r *Reader, i int, field func(int) (T, error)) (T, error) {
	v, err := field(i)
	if err != nil {
		err = r.Errorf("%w", err)
	}
	return v, err
}

// Object reads the wanted fields of one JSON object after the other.
type Object struct {
	keys   []string
	values [][]byte
	seen   [][]byte        // field names of the current object
	many   map[string]bool // the same, where they are many; nil otherwise
}

// NewObject wants the fields with these keys.
func NewObject(keys ...string) *Object { return &Object{keys: keys, values: make([][]byte, len(keys))} }

// Raw is the JSON of the i-th wanted field, nil where the object has none. It holds until the next object is read.
func (o *Object) Raw(i int) []byte { return o.values[i] }

// Has tells whether the i-th wanted field is there and not null.
func (o *Object) Has(i int) bool { return o.values[i] != nil && string(o.values[i]) != "null" }

// String is the i-th wanted field, which must be a string.
func (o *Object) String(i int) (string, error) {
	switch raw := o.values[i]; {
	case raw == nil:
		return "", fmt.Errorf("%q is missing", o.keys[i])
	case string(raw) == "null":
		return "", fmt.Errorf("%q is null", o.keys[i])
	case raw[0] != '"':
		return "", fmt.Errorf("%q is not a string", o.keys[i])
	default:
		return o.unquote(raw)
	}
}

// ID is the i-th wanted field as an id: the text of a string or the digits of a number as they are written, so that 007 and 7 differ and long
// numbers are not rounded.
func (o *Object) ID(i int) (string, error) {
	raw := o.values[i]
	switch {
	case raw == nil:
		return "", fmt.Errorf("%q is missing", o.keys[i])
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return string(raw), nil
	case raw[0] != '"':
		return "", fmt.Errorf("%q is %s; use a string or a number", o.keys[i], shorten(raw))
	}
	id, err := o.unquote(raw)
	if err == nil && id == "" {
		err = fmt.Errorf("%q is empty", o.keys[i])
	}
	return id, err
}

// shorten cuts a value for a message.
func shorten(raw []byte) string {
	if len(raw) > 30 {
		return strings.ToValidUTF8(string(raw[:30]), "") + "..."
	}
	return string(raw)
}

// IDs is the i-th wanted field as a list of ids.
func (o *Object) IDs(i int) ([]string, error) {
	var raw []json.RawMessage
	if o.values[i] == nil || json.Unmarshal(o.values[i], &raw) != nil {
		return nil, fmt.Errorf("%q is not a list of ids", o.keys[i])
	}
	ids := make([]string, len(raw))
	for k, v := range raw {
		if v[0] == '"' {
			if err := json.Unmarshal(v, &ids[k]); err != nil {
				return nil, fmt.Errorf("%q: %w", o.keys[i], err)
			}
		} else if v[0] == '-' || v[0] >= '0' && v[0] <= '9' {
			ids[k] = string(v)
		} else {
			return nil, fmt.Errorf("%q is not a list of ids", o.keys[i])
		}
	}
	return ids, nil
}

func (o *Object) unquote(raw []byte) (string, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fmt.Errorf("a string is broken: %w", err)
	}
	return s, nil
}

// Parse takes the wanted fields out of a line that holds exactly one object.
func (o *Object) Parse(line []byte) error {
	clear(o.values)
	if !utf8.Valid(line) {
		return errors.New("the line is not valid UTF-8")
	}
	if line[0] != '{' {
		return errors.New("the line is not a JSON object; JSON Lines files have one object a line")
	}
	i := skipSpace(line, 1)
	if i < len(line) && line[i] == '}' {
		return atEnd(line, i+1)
	}
	o.seen, o.many = o.seen[:0], nil
	for {
		if i >= len(line) || line[i] != '"' {
			return broken(line, i, "a field name in quotes")
		}
		end, err := skipString(line, i)
		if err != nil {
			return err
		}
		key, err := fieldName(line[i:end])
		if err != nil {
			return err
		}
		if o.repeated(key) {
			return fmt.Errorf("the field %q stands twice", key)
		}
		if i = skipSpace(line, end); i >= len(line) || line[i] != ':' {
			return broken(line, i, "a colon")
		}
		i = skipSpace(line, i+1)
		if end, err = skipValue(line, i); err != nil {
			return err
		}
		for k, wanted := range o.keys {
			if string(key) == wanted {
				o.values[k] = line[i:end]
			}
		}
		i = skipSpace(line, end)
		switch {
		case i < len(line) && line[i] == ',':
			i = skipSpace(line, i+1)
		case i < len(line) && line[i] == '}':
			return atEnd(line, i+1)
		default:
			return broken(line, i, "a comma or the end of the object")
		}
	}
}

// fieldName takes a name out of its quotes.
func fieldName(quoted []byte) ([]byte, error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	var name string
	err := json.Unmarshal(quoted, &name)
	return []byte(name), err
}

// repeated notes a field name and tells whether the line had it before.
func (o *Object) repeated(key []byte) bool {
	const few = 32
	if len(o.seen) < few {
		if slices.ContainsFunc(o.seen, func(k []byte) bool { return bytes.Equal(k, key) }) {
			return true
		}
		o.seen = append(o.seen, key)
		return false
	}
	if o.many == nil {
		o.many = make(map[string]bool, 2*few)
		for _, k := range o.seen {
			o.many[string(k)] = true
		}
	}
	if o.many[string(key)] {
		return true
	}
	o.many[string(key)] = true
	return false
}

func atEnd(line []byte, i int) error {
	if i = skipSpace(line, i); i < len(line) {
		return fmt.Errorf("there is more after the object (byte %d): write one object a line", i+1)
	}
	return nil
}

func broken(line []byte, i int, expected string) error {
	if i >= len(line) {
		return errors.New("the object is cut off")
	}
	return fmt.Errorf("broken JSON at byte %d: expected %s", i+1, expected)
}

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
	return 0, errors.New("the object is cut off inside a string")
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
	return 0, errors.New("the object is cut off")
}

func checked(b []byte, start, end int) (int, error) {
	if !json.Valid(b[start:end]) {
		return 0, broken(b, start, "a value")
	}
	return end, nil
}
