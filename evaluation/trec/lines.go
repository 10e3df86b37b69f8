// Package trec reads and writes the files that retrieval evaluation passes around: relevance judgments (qrels) as TREC, R2MED and BEIR
// write them, and runs in TREC's format. What is read is plain or gzip-compressed, whatever the file's name; a byte order mark, CRLF,
// blank lines, a missing final newline and lines of any length are fine. Errors name the file and the line.
package trec

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// lines reads a text line by line.
type lines struct {
	name   string
	reader *bufio.Reader
	buffer []byte
	number int // of the line that was read last, from 1
}

const utf8BOM = "\xef\xbb\xbf"

func newLines(name string, r io.Reader) (*lines, error) {
	l := &lines{name: name, reader: bufio.NewReaderSize(r, 1<<16)}
	magic, err := l.reader.Peek(2)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(l.reader)
		if err != nil {
			return nil, fmt.Errorf("%s: it begins like a gzip file, but: %w", name, err)
		}
		l.reader = bufio.NewReaderSize(unzipped, 1<<16)
	}
	magic, err = l.reader.Peek(3)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case string(magic) == utf8BOM:
		_, _ = l.reader.Discard(len(utf8BOM)) // cannot fail: it has been peeked
	case bytes.HasPrefix(magic, []byte("\xff\xfe")), bytes.HasPrefix(magic, []byte("\xfe\xff")):
		return nil, fmt.Errorf("%s: the text is UTF-16; save it as UTF-8", name)
	}
	return l, nil
}

// next returns the next line that is not blank, without white space at its ends; io.EOF after the last. The bytes hold until the next call.
func (l *lines) next() ([]byte, error) {
	for {
		l.buffer = l.buffer[:0]
		for {
			part, err := l.reader.ReadSlice('\n')
			l.buffer = append(l.buffer, part...)
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err == io.EOF && len(l.buffer) == 0 {
				return nil, io.EOF
			}
			l.number++
			if err != nil && err != io.EOF {
				return nil, l.errorf("%w", err)
			}
			break
		}
		if line := bytes.Trim(l.buffer, whiteSpace); len(line) > 0 {
			return line, nil
		}
	}
}

func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.name, l.number, fmt.Errorf(format, args...))
}

// whiteSpace is what separates columns: white space of ASCII, as in trec_eval. A no-break space is part of an id.
const whiteSpace = " \t\r\n\v\f"

// fields cuts a line into columns. It returns at most len(columns) of them, and how many there are in all.
func fields(line []byte, columns [][]byte) int {
	n := 0
	for {
		line = bytes.TrimLeft(line, whiteSpace)
		if len(line) == 0 {
			return n
		}
		end := bytes.IndexAny(line, whiteSpace)
		if end < 0 {
			end = len(line)
		}
		if n < len(columns) {
			columns[n] = line[:end]
		}
		n++
		line = line[end:]
	}
}

// readFile parses the file at path.
func readFile[T any](path string, parse func(name string, r io.Reader) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	return parse(path, f)
}
