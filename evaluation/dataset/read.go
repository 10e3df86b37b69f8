package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/trec"
	"github.com/ddx-rag/ddx/internal/jsonl"
	"github.com/ddx-rag/ddx/vectorstore"
)

// file is a file's name as messages show it.
func (d *Dataset) file(name string) string { return path.Join(d.options.Path, name) }

func (d *Dataset) open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%q is not the name of a file inside the dataset's folder; write it without a leading slash and without \"..\"", name)
	}
	f, err := d.fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file; a dataset's folder holds %s, %s and %s", d.file(name), d.corpus, d.options.QueryFile, d.options.QrelsFile)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.file(name), err)
	}
	return f, nil
}

func (d *Dataset) hashFile(ctx context.Context, name string) (string, error) {
	f, err := d.open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // nothing was written
	h := sha256.New()
	buffer := make([]byte, 1<<18)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := f.Read(buffer)
		h.Write(buffer[:n])
		if err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", d.file(name), err)
		}
	}
}

// readQrels returns the judgments and how many lines repeat an earlier one.
func (d *Dataset) readQrels() (metric.Qrels, int, error) {
	f, err := d.open(d.options.QrelsFile)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	j, err := trec.ParseQrels(d.file(d.options.QrelsFile), f)
	if err != nil {
		return nil, 0, err
	}
	return j.Qrels, j.Repeats, nil
}

// readQueries reads the query file; a line that repeats a query as it is becomes a warning, one that contradicts it an error.
func (d *Dataset) readQueries(ctx context.Context) (queries []Query, warnings []string, err error) {
	name := d.options.QueryFile
	type place struct{ index, line int }
	seen := map[string]place{}
	repeats := 0
	err = d.eachLine(ctx, name, queryKeys, func(r *jsonl.Reader) error {
		q, err := parseQuery(r)
		if err != nil {
			return err
		}
		if first, twice := seen[q.ID]; twice {
			switch earlier := queries[first.index]; {
			case earlier.Text != q.Text:
				return r.Errorf("query %q has another text here than in line %d; keep one of them", q.ID, first.line)
			case !sameExcluded(earlier, q):
				return r.Errorf("query %q has other excluded_ids here than in line %d; keep one of them", q.ID, first.line)
			}
			repeats++
			return nil
		}
		seen[q.ID] = place{len(queries), r.Line()}
		queries = append(queries, q)
		return nil
	})
	if err == nil && len(queries) == 0 {
		err = fmt.Errorf("%s: there is no query in it", d.file(name))
	}
	if repeats > 0 {
		warnings = append(warnings, fmt.Sprintf("%s: lines that repeat a query, counted once: %d", d.file(name), repeats))
	}
	return queries, warnings, err
}

var queryKeys = []string{"id", "text", "excluded_ids"}

func parseQuery(r *jsonl.Reader) (Query, error) {
	id, err := runID(r)
	if err != nil {
		return Query{}, err
	}
	text, err := r.String(1)
	if err != nil {
		return Query{}, fmt.Errorf("%w (query %q)", err, id)
	}
	q := Query{ID: id, Text: text}
	if r.Has(2) {
		if q.Exclude, err = r.IDs(2); err != nil {
			return Query{}, fmt.Errorf("%w (query %q)", err, id)
		}
	}
	return q, nil
}

// sameExcluded tells whether two queries exclude the same documents, in whatever order.
func sameExcluded(a, b Query) bool {
	return slices.Equal(slices.Sorted(slices.Values(a.Exclude)), slices.Sorted(slices.Values(b.Exclude)))
}

// runID reads the first wanted field as the id of a query or document, and refuses one that a run in TREC's format cannot hold: better now than
// when the run is written, after all the work.
func runID(r *jsonl.Reader) (string, error) {
	id, err := r.ID(0)
	switch {
	case err != nil:
		return "", err
	case strings.ContainsAny(id, " \t\r\n\v\f"):
		return "", r.Errorf("the id %q contains white space, which separates columns in a TREC run; replace it here and in the judgments", id)
	case strings.ContainsFunc(id, unicode.IsControl):
		return "", r.Errorf("the id %q contains a control character, which a TREC run cannot hold; remove it here and in the judgments", id)
	case strings.HasPrefix(id, "\ufeff"):
		return "", r.Errorf("the id %q begins with a byte order mark; remove it here and in the judgments", id)
	}
	return id, nil
}

// eachLine calls f for every line of a file, up to the first error.
func (d *Dataset) eachLine(ctx context.Context, name string, keys []string, f func(*jsonl.Reader) error) error {
	_, err := d.eachGoodLine(ctx, name, keys, f, func(err error) error { return err })
	return err
}

// eachGoodLine calls f for every line of a file, and bad for the errors about lines that reading or f gives; other errors end it. It returns how
// many lines were read, good and bad ones.
func (d *Dataset) eachGoodLine(ctx context.Context, name string, keys []string, f func(*jsonl.Reader) error, bad func(error) error) (lines int, err error) {
	file, err := d.open(name)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	r, err := jsonl.NewReader(d.file(name), file, keys...)
	if err != nil {
		return 0, err
	}
	for ; ; lines++ {
		if lines%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return lines, err
			}
		}
		err := r.Next()
		if err == io.EOF {
			return lines, nil
		}
		if err == nil {
			err = f(r)
		}
		if line := (*jsonl.LineError)(nil); errors.As(err, &line) {
			err = bad(err)
		}
		if err != nil {
			return lines, err
		}
	}
}

// errStop ends eachLine early.
var errStop = errors.New("enough")

var documentKeys = []string{"id", "text", "title"}

func parseDocument(r *jsonl.Reader) (vectorstore.Document, error) {
	id, err := runID(r)
	if err != nil {
		return vectorstore.Document{}, err
	}
	doc := vectorstore.Document{ID: id}
	if doc.Text, err = r.String(1); err != nil {
		return doc, fmt.Errorf("%w (document %q)", err, id)
	}
	if r.Has(2) {
		if doc.Title, err = r.String(2); err != nil {
			return doc, fmt.Errorf("%w (document %q)", err, id)
		}
	}
	return doc, nil
}
