// Package dataset reads benchmarks in R2MED's layout: a folder with corpus.jsonl (id, text, optional title), query.jsonl (id, text),
// qrels.jsonl (q_id, p_id, score), and model answers recorded as <method>/<model>/query_with_hydoc.jsonl (id, text, hy_doc). The first three
// may be gzip-compressed, with .gz behind their name or without.
package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ddx-rag/ddx/evaluation/metric"
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
	corpus  string // name of the corpus file

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
	d := newDataset(fsys, o)
	hashes := make([]string, 3)
	g, ctx := errgroup.WithContext(ctx)
	for i, name := range d.files() {
		g.Go(func() (err error) {
			hashes[i], err = d.hashFile(ctx, name)
			return err
		})
	}
	g.Go(func() (err error) {
		d.queries, d.warnings, err = d.readQueries(ctx)
		return err
	})
	repeats := 0
	g.Go(func() (err error) {
		d.qrels, repeats, err = d.readQrels()
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if repeats > 0 {
		d.warnings = append(d.warnings, fmt.Sprintf("%s: lines that repeat a judgment, counted once: %d", d.file(d.options.QrelsFile), repeats))
	}
	d.corpusHash = hashes[0]
	d.hash = combine(hashes)
	for _, q := range d.queries {
		d.texts[q.ID] = q.Text
	}
	return d, d.match()
}

func newDataset(fsys fs.FS, o Options) *Dataset {
	o.QueryFile = packed(fsys, cmp.Or(o.QueryFile, DefaultQueryFile))
	o.QrelsFile = packed(fsys, cmp.Or(o.QrelsFile, DefaultQrelsFile))
	return &Dataset{fsys: fsys, options: o, corpus: packed(fsys, CorpusFile), texts: map[string]string{}, recordings: map[string]*recording{}}
}

// packed returns the file's name, with .gz behind it if the folder has only that.
func packed(fsys fs.FS, name string) string {
	if _, err := fs.Stat(fsys, name); errors.Is(err, fs.ErrNotExist) {
		if _, err := fs.Stat(fsys, name+".gz"); err == nil {
			return name + ".gz"
		}
	}
	return name
}

// files are the names of corpus, queries and judgments.
func (d *Dataset) files() []string {
	return []string{d.corpus, d.options.QueryFile, d.options.QrelsFile}
}

// combine makes one hash of the files' hashes.
func combine(hashes []string) string {
	all := sha256.Sum256([]byte(strings.Join(hashes, "\n")))
	return hex.EncodeToString(all[:])
}

// match sets queries and judgments side by side.
func (d *Dataset) match() error {
	var blank, unjudged, textless []string
	for _, q := range d.queries {
		if strings.TrimSpace(q.Text) == "" {
			blank = append(blank, q.ID)
		}
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
	if len(blank) > 0 {
		d.warnings = append(d.warnings, fmt.Sprintf("%s: queries without text, which find nothing: %s", d.file(d.options.QueryFile), some(blank)))
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

// CorpusHash is the SHA-256 of the corpus file's bytes, as they lie on disk, in hexadecimal.
func (d *Dataset) CorpusHash() string { return d.corpusHash }

// Documents streams the corpus in the order of its file, one line in memory at a time. A document that stands there again with the same text
// comes once; with another text it is an error, as is a corpus without any document.
func (d *Dataset) Documents(ctx context.Context) iter.Seq2[vectorstore.Document, error] {
	return func(yield func(vectorstore.Document, error) bool) {
		type place struct {
			line int
			text uint64 // hash of title and text
		}
		seen := map[string]place{}
		seed := maphash.MakeSeed()
		err := d.eachLine(ctx, d.corpus, documentKeys, func(r *jsonl.Reader) error {
			doc, err := parseDocument(r)
			if err != nil {
				return err
			}
			here := place{r.Line(), maphash.Comparable(seed, [2]string{doc.Title, doc.Text})}
			if first, twice := seen[doc.ID]; twice {
				if first.text != here.text {
					return r.Errorf("document %q has another text here than in line %d; keep one of them", doc.ID, first.line)
				}
				return nil
			}
			seen[doc.ID] = here
			if !yield(doc, nil) {
				return errStop
			}
			return nil
		})
		if err == nil && len(seen) == 0 {
			err = fmt.Errorf("%s: there is no document in it", d.file(d.corpus))
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(vectorstore.Document{}, err)
		}
	}
}

// Lookup returns the documents with the given ids, as far as they exist, in one pass over the corpus.
func (d *Dataset) Lookup(ctx context.Context, ids []string) (map[string]vectorstore.Document, error) {
	found := make(map[string]vectorstore.Document, len(ids))
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	if len(wanted) == 0 {
		return found, nil
	}
	err := d.eachLine(ctx, d.corpus, documentKeys, func(r *jsonl.Reader) error {
		id, err := r.ID(0)
		if err != nil {
			return err
		}
		if !wanted[id] {
			return nil
		}
		doc, err := parseDocument(r)
		if err != nil {
			return err
		}
		if found[id] = doc; len(found) == len(wanted) {
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, err
	}
	return found, nil
}
