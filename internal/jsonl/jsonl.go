// Package jsonl reads JSON Lines files strictly and fast: one object a line, field names compared letter for letter, ids that may be numbers and
// keep their digits. A byte order mark, CRLF, blank lines, a missing final newline, gzip and lines of any length are fine; everything else
// that is not JSON Lines is an error with file and line.
package jsonl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// Reader reads the objects of one file. It holds one line at a time.
type Reader struct {
	name   string
	in     *bufio.Reader
	long   []byte // a line that is longer than the buffer
	line   int
	keys   []string
	values [][]byte
	seen   [][]byte // field names of the current line
}

// NewReader reads from r; name is the file's, for messages. Keys are the fields that are wanted; other fields are checked and passed over.
func NewReader(name string, r io.Reader, keys ...string) (*Reader, error) {
	in := bufio.NewReaderSize(r, 1<<18)
	start, err := in.Peek(2)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if string(start) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: it begins like a gzip file, but: %w", name, err)
		}
		in = bufio.NewReaderSize(unzipped, 1<<18)
	}
	start, err = in.Peek(64)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if bytes.HasPrefix(start, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3) // cannot fail: it has been peeked
		start = start[3:]
	}
	switch trimmed := bytes.ToLower(bytes.TrimSpace(start)); {
	case bytes.HasPrefix(start, []byte("version https://git-lfs")):
		return nil, fmt.Errorf("%s: this is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`", name)
	case bytes.HasPrefix(trimmed, []byte("<!doctype")), bytes.HasPrefix(trimmed, []byte("<html")):
		return nil, fmt.Errorf("%s: this is a web page, not data; the download went wrong", name)
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return nil, fmt.Errorf("%s: the text is UTF-16; save it as UTF-8", name)
	}
	return &Reader{name: name, in: in, keys: keys, values: make([][]byte, len(keys))}, nil
}

// Line is the number of the line that was read last, from 1.
func (r *Reader) Line() int { return r.line }

// Errorf returns an error about the line that was read last.
func (r *Reader) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", r.name, r.line, fmt.Errorf(format, args...))
}

// Next reads the next object; io.EOF after the last. After an error about the content of a line the next call goes on with the next line.
func (r *Reader) Next() error {
	for {
		line, err := r.readLine()
		if err != nil {
			return err
		}
		line = bytes.Trim(line, " \t\r\n")
		if len(line) == 0 {
			continue
		}
		if err := r.parse(line); err != nil {
			return r.Errorf("%w", err)
		}
		return nil
	}
}

func (r *Reader) readLine() ([]byte, error) {
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		switch {
		case err == nil || err == io.EOF && len(part)+len(r.long) > 0:
			r.line++
			if len(r.long) == 0 {
				return part, nil
			}
			r.long = append(r.long, part...)
			return r.long, nil
		case errors.Is(err, bufio.ErrBufferFull):
			r.long = append(r.long, part...)
		case err == io.EOF:
			return nil, io.EOF
		default:
			r.line++
			return nil, r.Errorf("%w", err)
		}
	}
}

// Raw is the JSON of the i-th wanted field, nil where the object has none. It holds until the next call of Next.
func (r *Reader) Raw(i int) []byte { return r.values[i] }

// Has tells whether the i-th wanted field is there and not null.
func (r *Reader) Has(i int) bool { return r.values[i] != nil && string(r.values[i]) != "null" }

// String is the i-th wanted field, which must be a string.
func (r *Reader) String(i int) (string, error) {
	switch raw := r.values[i]; {
	case raw == nil:
		return "", r.Errorf("%q is missing", r.keys[i])
	case string(raw) == "null":
		return "", r.Errorf("%q is null", r.keys[i])
	case raw[0] != '"':
		return "", r.Errorf("%q is not a string", r.keys[i])
	default:
		return r.unquote(raw)
	}
}

// ID is the i-th wanted field as an id: the text of a string or the digits of a number as they are written, so that 007 and 7 differ and long
// numbers are not rounded.
func (r *Reader) ID(i int) (string, error) {
	raw := r.values[i]
	if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return string(raw), nil
	}
	id, err := r.String(i)
	if err == nil && id == "" {
		err = r.Errorf("%q is empty", r.keys[i])
	}
	return id, err
}

func (r *Reader) unquote(raw []byte) (string, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", r.Errorf("a string is broken: %w", err)
	}
	return s, nil
}

// parse takes the wanted fields out of a line.
func (r *Reader) parse(line []byte) error {
	clear(r.values)
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
	r.seen = r.seen[:0]
	for {
		if i >= len(line) || line[i] != '"' {
			return broken(line, i, "a field name in quotes")
		}
		end, err := skipString(line, i)
		if err != nil {
			return err
		}
		key := line[i:end]
		if slices.ContainsFunc(r.seen, func(k []byte) bool { return bytes.Equal(k, key) }) {
			return fmt.Errorf("the field %s stands twice", key)
		}
		r.seen = append(r.seen, key)
		if i = skipSpace(line, end); i >= len(line) || line[i] != ':' {
			return broken(line, i, "a colon")
		}
		i = skipSpace(line, i+1)
		if end, err = skipValue(line, i); err != nil {
			return err
		}
		if k := r.wanted(key); k >= 0 {
			if r.values[k] != nil { // the same name, written in another way
				return fmt.Errorf("the field %q stands twice", r.keys[k])
			}
			r.values[k] = line[i:end]
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

// wanted returns the place of a key among the wanted ones, or -1.
func (r *Reader) wanted(key []byte) int {
	if bytes.IndexByte(key, '\\') >= 0 {
		var s string
		if json.Unmarshal(key, &s) != nil {
			return -1
		}
		return slices.Index(r.keys, s)
	}
	for i, k := range r.keys {
		if string(key[1:len(key)-1]) == k {
			return i
		}
	}
	return -1
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
	start := i
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			if bytes.IndexByte(b[start:i], '\\') >= 0 && !json.Valid(b[start:i+1]) {
				return 0, fmt.Errorf("broken JSON at byte %d: the string has an escape that JSON does not know", start+1)
			}
			return i + 1, nil
		case c == '\\':
			i++
		case c < ' ':
			return 0, fmt.Errorf("broken JSON at byte %d: a control character in a string", i+1)
		}
	}
	return 0, errors.New("the object is cut off inside a string")
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
		case ',', ' ', '\t':
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

// IDs is the i-th wanted field as a list of ids.
func (r *Reader) IDs(i int) ([]string, error) {
	var raw []json.RawMessage
	if r.values[i] == nil || json.Unmarshal(r.values[i], &raw) != nil {
		return nil, r.Errorf("%q is not a list of ids", r.keys[i])
	}
	ids := make([]string, len(raw))
	for k, v := range raw {
		if v[0] == '"' {
			if err := json.Unmarshal(v, &ids[k]); err != nil {
				return nil, r.Errorf("%q: %w", r.keys[i], err)
			}
		} else if v[0] == '-' || v[0] >= '0' && v[0] <= '9' {
			ids[k] = string(v)
		} else {
			return nil, r.Errorf("%q is not a list of ids", r.keys[i])
		}
	}
	return ids, nil
}
