// Package jsonl reads JSON Lines files strictly and fast: one object a line, field names compared letter for letter, ids that may be numbers and
// keep their digits. A byte order mark, CRLF, blank lines, a missing final newline, gzip and lines of any length are fine; everything else
// that is not JSON Lines is an error with file and line. Half a surrogate pair in an escape becomes U+FFFD in a text and is an error in an id.
package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
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
	plain  []byte          // a string without its escapes
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
		return "", o.missing(i)
	case raw[0] != '"':
		return "", fmt.Errorf("%q is %s; use a string", o.keys[i], shorten(raw))
	default:
		text, _ := o.unquote(raw)
		return text, nil
	}
}

// ID is the i-th wanted field as an id: the text of a string or the digits of a number as they are written, so that 007 and 7 differ and long
// numbers are not rounded.
func (o *Object) ID(i int) (string, error) {
	if o.values[i] == nil {
		return "", o.missing(i)
	}
	id, err := o.id(o.values[i])
	if err != nil {
		err = fmt.Errorf("%q is %w", o.keys[i], err)
	}
	return id, err
}

// IDs is the i-th wanted field as a list of ids.
func (o *Object) IDs(i int) ([]string, error) {
	var raw []json.RawMessage
	if o.values[i] == nil {
		return nil, o.missing(i)
	}
	if json.Unmarshal(o.values[i], &raw) != nil || raw == nil {
		return nil, fmt.Errorf("%q is %s; use a list of ids", o.keys[i], shorten(o.values[i]))
	}
	ids := make([]string, len(raw))
	for k, v := range raw {
		var err error
		if ids[k], err = o.id(v); err != nil {
			return nil, fmt.Errorf("id %d of %q is %w", k+1, o.keys[i], err)
		}
	}
	return ids, nil
}

func (o *Object) id(raw []byte) (string, error) {
	if isNumber(raw) {
		return string(raw), nil
	}
	if raw[0] != '"' {
		return "", fmt.Errorf("%s; use a string or a number", shorten(raw))
	}
	id, whole := o.unquote(raw)
	switch {
	case id == "":
		return "", errors.New("empty")
	case !whole: // two such ids would look alike once they are decoded
		return "", fmt.Errorf("%s, with half a surrogate pair: write the whole character", shorten(raw))
	}
	return id, nil
}

func isNumber(raw []byte) bool { return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' }

// missing says which fields the object has instead of the i-th wanted one.
func (o *Object) missing(i int) error {
	const most = 8
	var names []string
	for _, name := range o.seen[:min(len(o.seen), most)] {
		names = append(names, strconv.Quote(shorten(name)))
	}
	switch {
	case len(names) == 0:
		return fmt.Errorf("%q is missing; the object has no field", o.keys[i])
	case len(o.seen) > most:
		names = append(names, "...")
	}
	return fmt.Errorf("%q is missing; the object has %s", o.keys[i], strings.Join(names, ", "))
}

// shorten cuts a value for a message.
func shorten(raw []byte) string {
	if len(raw) > 30 {
		return strings.ToValidUTF8(string(raw[:30]), "") + "..."
	}
	return string(raw)
}

// unquote returns the text of a string that has been checked, and whether it has no half of a surrogate pair.
func (o *Object) unquote(raw []byte) (text string, whole bool) {
	inside := raw[1 : len(raw)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return string(inside), true
	}
	o.plain, whole = unescape(slices.Grow(o.plain[:0], len(inside)), inside)
	return string(o.plain), whole
}

// Parse takes the wanted fields out of a line that holds exactly one object.
func (o *Object) Parse(line []byte) error {
	clear(o.values)
	o.seen, o.many = o.seen[:0], nil
	if !utf8.Valid(line) {
		return fmt.Errorf("the line is not valid UTF-8 from byte %d on; save the file as UTF-8", validLength(line)+1)
	}
	if len(line) == 0 || line[0] != '{' {
		return notObject(line)
	}
	i := skipSpace(line, 1)
	if i < len(line) && line[i] == '}' {
		return atEnd(line, i+1)
	}
	for {
		if i >= len(line) || line[i] != '"' {
			return broken(line, i, "a field name in quotes")
		}
		end, err := skipString(line, i)
		if err != nil {
			return err
		}
		key := fieldName(line[i:end])
		if o.repeated(key) {
			return fmt.Errorf("the field %q stands twice; keep one", key)
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
			if i = skipSpace(line, i+1); i < len(line) && line[i] == '}' {
				return fmt.Errorf("broken JSON at byte %d: the object ends after a comma; remove the comma", i+1)
			}
		case i < len(line) && line[i] == '}':
			return atEnd(line, i+1)
		default:
			return broken(line, i, "a comma or the end of the object")
		}
	}
}

// fieldName takes a name out of its quotes.
func fieldName(quoted []byte) []byte {
	inside := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	name, _ := unescape(nil, inside)
	return name
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

// notObject says what a line is that does not begin like an object.
func notObject(line []byte) error {
	switch {
	case bytes.HasPrefix(line, []byte("<")):
		return errors.New("the line is a tag, as of a web page or of a server's error message, and not a JSON object; get the file again")
	case bytes.HasPrefix(line, []byte("[")):
		return errors.New("the line is not a JSON object; JSON Lines files have one object a line, without a list around them")
	}
	return errors.New("the line is not a JSON object; JSON Lines files have one object a line")
}

// validLength is the length of the valid UTF-8 that b begins with.
func validLength(b []byte) int {
	n := 0
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

func atEnd(line []byte, i int) error {
	i = skipSpace(line, i)
	switch {
	case i >= len(line):
		return nil
	case line[i] == ',':
		return fmt.Errorf("there is more after the object (byte %d): write one object a line, without a comma after it", i+1)
	}
	return fmt.Errorf("there is more after the object (byte %d): write one object a line", i+1)
}

func broken(line []byte, i int, expected string) error {
	if i >= len(line) {
		return errCutOff
	}
	return fmt.Errorf("broken JSON at byte %d: expected %s", i+1, expected)
}

var (
	errCutOff   = errors.New("the object is cut off; it has to stand whole on one line")
	errInString = errors.New("the object is cut off inside a string; it has to stand whole on one line, with line breaks written as \\n")
)
