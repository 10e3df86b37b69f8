// Package lines reads data files line by line: plain or gzip-compressed, with or without a byte order mark, LF or CRLF, of any line length. It
// knows what is not a data file at all, and says so.
package lines

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// Space is the white space that surrounds and separates things on a line: that of ASCII. A no-break space belongs to a text or an id.
const Space = " \t\r\n\v\f"

// Reader reads one file; it holds one line at a time.
type Reader struct {
	name   string
	in     *bufio.Reader
	long   []byte // a line that is longer than the buffer
	number int
}

const bufferSize = 1 << 18

// NewReader reads from r; name is the file's, for messages. What begins like a Git LFS pointer, a web page or UTF-16 is an error.
func NewReader(name string, r io.Reader) (*Reader, error) {
	in := bufio.NewReaderSize(r, bufferSize)
	start, err := in.Peek(2)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if string(start) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: it begins like a gzip file, but: %w", name, err)
		}
		in = bufio.NewReaderSize(unzipped, bufferSize)
	}
	start, err = in.Peek(64)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if bytes.HasPrefix(start, []byte("\xef\xbb\xbf")) {
		start = start[3:]
		_, _ = in.Discard(3) // cannot fail: it has been peeked
	}
	switch trimmed := bytes.ToLower(bytes.Trim(start, Space)); {
	case bytes.HasPrefix(start, []byte("version https://git-lfs")):
		return nil, fmt.Errorf("%s: this is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`", name)
	case bytes.HasPrefix(trimmed, []byte("<!doctype")), bytes.HasPrefix(trimmed, []byte("<html")):
		return nil, fmt.Errorf("%s: this is a web page, not data; the download went wrong", name)
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return nil, fmt.Errorf("%s: the text is UTF-16; save it as UTF-8", name)
	}
	return &Reader{name: name, in: in}, nil
}

// Number is that of the line that was read last, from 1.
func (r *Reader) Number() int { return r.number }

// Errorf returns an error about the line that was read last.
func (r *Reader) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", r.name, r.number, fmt.Errorf(format, args...))
}

// Next returns the next line that is not blank, without white space at its ends; io.EOF after the last. The bytes hold until the next call.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.read()
		if err != nil {
			return nil, err
		}
		if line = bytes.Trim(line, Space); len(line) > 0 {
			return line, nil
		}
	}
}

func (r *Reader) read() ([]byte, error) {
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		switch {
		case err == nil || err == io.EOF && len(part)+len(r.long) > 0:
			r.number++
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
			r.number++
			return nil, r.Errorf("%w", err)
		}
	}
}
