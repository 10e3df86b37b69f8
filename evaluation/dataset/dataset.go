// Package dataset reads benchmarks in R2MED's layout: a folder with corpus.jsonl (id, text, optional title), query.jsonl (id, text),
// qrels.jsonl (q_id, p_id, score), and model answers recorded as <method>/<model>/query_with_hydoc.jsonl (id, text, hy_doc).
package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/trec"
	"github.com/ddx-rag/ddx/internal/jsonl"
	"github.com/ddx-rag/ddx/vectorstore"
)

// The files of a dataset's folder.
const (
	CorpusFile       = "corpus.jsonl"
	DefaultQueryFile = "query.jsonl"
	DefaultQrelsFile = "qrels.jsonl"
	recordingFile    = "query_with_hydoc.jsonl"
)

// Options say which files of a folder make the dataset.
type Options struct {
	Name      string // of the dataset, in results
	Path      string // of the folder, shown before file names in messages; "" for a built-in dataset
	QueryFile string // "" stands for query.jsonl
	QrelsFile string // "" stands for qrels.jsonl
}

// Query is one question of a dataset.
type Query struct {
	ID      string
	Text    string
	Exclude []string // documents that must not be returned for it (field excluded_ids, as in BRIGHT)
}

// Dataset is an opened dataset: its queries and judgments in memory, its corpus on disk. Safe for concurrent use.
type Dataset struct {
	fsys    fs.FS
	options Options

	queries    []Query
	texts      map[string]string // of queries, by id
	qrels      metric.Qrels
	warnings   []string
	hash       string
	corpusHash string

	mu         sync.Mutex
	recordings map[string]*recording // by file
}

// Open reads the queries and judgments of a dataset and hashes all its files; the corpus is not read into memory. Queries that
// contradict each other, and judgments that do, are errors; what merely looks odd becomes a warning.
func Open(ctx context.Context, fsys fs.FS, o Options) (*Dataset, error) {
	if o.QueryFile == "" {
		o.QueryFile = DefaultQueryFile
	}
	if o.QrelsFile == "" {
		o.QrelsFile = DefaultQrelsFile
	}
	d := &Dataset{fsys: fsys, options: o, recordings: map[string]*recording{}}
	hashes := make([]string, 3)
	g, ctx := errgroup.WithContext(ctx)
	for i, name := range []string{CorpusFile, o.QueryFile, o.QrelsFile} {
		g.Go(func() (err error) {
			hashes[i], err = d.hashFile(ctx, name)
			return err
		})
	}
	g.Go(func() (err error) {
		d.queries, d.warnings, err = d.readQueries()
		return err
	})
	g.Go(func() (err error) {
		d.qrels, err = d.readQrels()
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	d.corpusHash = hashes[0]
	d.hash = combine(hashes)
	d.texts = make(map[string]string, len(d.queries))
	for _, q := range d.queries {
		d.texts[q.ID] = q.Text
	}
	return d, d.match()
}

// combine makes one hash of the files' hashes.
func combine(hashes []string) string {
	all := sha256.Sum256([]byte(strings.Join(hashes, "\n")))
	return hex.EncodeToString(all[:])
}

// match sets queries and judgments side by side.
func (d *Dataset) match() error {
	var unjudged, textless []string
	for _, q := range d.queries {
		if _, ok := d.qrels[q.ID]; !ok {
			unjudged = append(unjudged, q.ID)
		}
	}
	for id := range d.qrels {
		if _, ok := d.texts[id]; !ok {
			textless = append(textless, id)
		}
	}
	slices.Sort(textless)
	if len(d.queries) > 0 && len(unjudged) == len(d.queries) {
		return fmt.Errorf("no query of %s has a judgment in %s: the ids look like %q there and like %q here; numbers and texts such as 7 and 007 are different ids",
			d.file(d.options.QueryFile), d.file(d.options.QrelsFile), textless[0], d.queries[0].ID)
	}
	if len(unjudged) > 0 {
		d.warnings = append(d.warnings, fmt.Sprintf("%s: queries without judgments, run but not averaged: %s", d.file(d.options.QueryFile), some(unjudged)))
	}
	if len(textless) > 0 {
		d.warnings = append(d.warnings, fmt.Sprintf("%s: judged queries that %s does not have, counted 0: %s",
			d.file(d.options.QrelsFile), d.options.QueryFile, some(textless)))
	}
	return nil
}

// some names up to five of the ids, with their number.
func some(ids []string) string {
	list := strings.Join(ids[:min(5, len(ids))], ", ")
	if len(ids) > 5 {
		list += ", ..."
	}
	return fmt.Sprintf("%d (%s)", len(ids), list)
}

// Name is the dataset's name in results.
func (d *Dataset) Name() string { return d.options.Name }

// Queries returns the queries in the order of their file. Do not change them.
func (d *Dataset) Queries() []Query { return d.queries }

// Qrels returns the judgments. Do not change them.
func (d *Dataset) Qrels() metric.Qrels { return d.qrels }

// Warnings says in plain words what is odd about queries and judgments.
func (d *Dataset) Warnings() []string { return d.warnings }

// Hash identifies the dataset: the SHA-256 of the SHA-256 hashes of corpus, queries and judgments, in hexadecimal, one a line.
func (d *Dataset) Hash() string { return d.hash }

// CorpusHash is the SHA-256 of the corpus file's bytes, in hexadecimal.
func (d *Dataset) CorpusHash() string { return d.corpusHash }

// file is a file's name as messages show it.
func (d *Dataset) file(name string) string { return path.Join(d.options.Path, name) }

func (d *Dataset) open(name string) (fs.File, error) {
	f, err := d.fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file; a dataset's folder holds %s, %s and %s", d.file(name), CorpusFile, d.options.QueryFile, d.options.QrelsFile)
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

func (d *Dataset) readQrels() (metric.Qrels, error) {
	f, err := d.open(d.options.QrelsFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	j, err := trec.ParseQrels(d.file(d.options.QrelsFile), f)
	if err != nil {
		return nil, err
	}
	return j.Qrels, nil
}

// readQueries reads the query file; a repeated id with the same text is a warning, with another text an error.
func (d *Dataset) readQueries() (queries []Query, warnings []string, err error) {
	name := d.options.QueryFile
	type place struct{ index, line int }
	seen := map[string]place{}
	repeats := 0
	err = d.eachLine(name, []string{"id", "text", "excluded_ids"}, func(r *jsonl.Reader) error {
		q, err := parseQuery(r)
		if err != nil {
			return err
		}
		if first, twice := seen[q.ID]; twice {
			if queries[first.index].Text != q.Text {
				return r.Errorf("query %q has another text here than in line %d", q.ID, first.line)
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

func parseQuery(r *jsonl.Reader) (Query, error) {
	id, err := r.ID(0)
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
			return Query{}, err
		}
	}
	return q, nil
}

// eachLine calls f for every line of a file.
func (d *Dataset) eachLine(name string, keys []string, f func(*jsonl.Reader) error) error {
	file, err := d.open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // nothing was written
	r, err := jsonl.NewReader(d.file(name), file, keys...)
	if err != nil {
		return err
	}
	for {
		if err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := f(r); err != nil {
			return err
		}
	}
}

// errStop ends eachLine early.
var errStop = errors.New("enough")

var documentKeys = []string{"id", "text", "title"}

func parseDocument(r *jsonl.Reader) (vectorstore.Document, error) {
	id, err := r.ID(0)
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

// Documents streams the corpus in the order of its file, one line in memory at a time. A document that stands there again with the same text
// comes once; with another text it is an error.
func (d *Dataset) Documents(ctx context.Context) iter.Seq2[vectorstore.Document, error] {
	return func(yield func(vectorstore.Document, error) bool) {
		type place struct {
			line int
			text uint64 // hash of title and text
		}
		seen := map[string]place{}
		seed := maphash.MakeSeed()
		n := 0
		err := d.eachLine(CorpusFile, documentKeys, func(r *jsonl.Reader) error {
			if n++; n%1024 == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			doc, err := parseDocument(r)
			if err != nil {
				return err
			}
			here := place{r.Line(), maphash.Comparable(seed, [2]string{doc.Title, doc.Text})}
			if first, twice := seen[doc.ID]; twice {
				if first.text != here.text {
					return r.Errorf("document %q has another text here than in line %d", doc.ID, first.line)
				}
				return nil
			}
			seen[doc.ID] = here
			if !yield(doc, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(vectorstore.Document{}, err)
		}
	}
}

// Lookup returns the documents with the given ids, as far as they exist, in one pass over the corpus.
func (d *Dataset) Lookup(ctx context.Context, ids []string) (map[string]vectorstore.Document, error) {
	found := make(map[string]vectorstore.Document, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	n := 0
	err := d.eachLine(CorpusFile, documentKeys, func(r *jsonl.Reader) error {
		if n++; n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		id, err := r.ID(0)
		if err != nil {
			return err
		}
		if !slices.Contains(ids, id) {
			return nil
		}
		doc, err := parseDocument(r)
		if err != nil {
			return err
		}
		if found[id] = doc; len(found) == len(ids) {
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, err
	}
	return found, nil
}
