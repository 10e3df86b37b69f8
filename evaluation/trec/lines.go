// Package trec reads and writes the files that retrieval evaluation passes around: relevance judgments (qrels) as TREC, R2MED and BEIR
// write them, and runs in TREC's format. What is read is plain or gzip-compressed, whatever the file's name; a byte order mark, CRLF,
// blank lines, a missing final newline and lines of any length are fine. Errors name the file and the line.
package trec

import (
	"bytes"
	"io"
	"os"

	"github.com/ddx-rag/ddx/internal/lines"
)

// fields cuts a line into columns. It returns at most len(columns) of them, and how many there are in all.
func fields(line []byte, columns [][]byte) int {
	n := 0
	for {
		line = bytes.TrimLeft(line, lines.Space)
		if len(line) == 0 {
			return n
		}
		end := bytes.IndexAny(line, lines.Space)
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
