package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"golang.org/x/sync/errgroup"

	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
)

// batchSize is how many documents a worker takes at once.
const batchSize = 512

// Build indexes documents and writes the index to path: whole or not at all. The file depends on the documents, their order, the analysis and
// the fingerprint alone, not on how many workers built it. A repeated id is an error.
func Build(ctx context.Context, path, fingerprint string, a *text.Analysis, docs iter.Seq2[vectorstore.Document, error], workers int) error {
	if err := checkByteOrder(); err != nil {
		return err
	}
	c, err := collect(ctx, a, docs, max(1, workers))
	if err != nil {
		return err
	}
	content, err := c.encode(fingerprint)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := renameio.WriteFile(path, content, 0o666, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

// batch is a run of documents with their terms, numbered as the worker that read them does.
type batch struct {
	worker  int
	docs    []vectorstore.Document // emptied once read
	ids     []string
	lengths []uint32
	ends    []int // where each document's terms end
	terms   []uint32
	tfs     []uint32
}

// worker numbers the terms that it meets in the order in which it meets them.
type worker struct {
	scanner *text.Scanner
	words   map[string]uint32 // unstemmed word -> term
	byTerm  map[string]uint32
	terms   []string
	stems   []wordTerm // what words holds
	counts  []uint32   // by term, zero between documents
	seen    []uint32   // terms of the current document
}

// wordTerm is a word before stemming and the term that it becomes.
type wordTerm struct {
	word string
	term uint32
}

func (w *worker) read(b *batch) {
	for _, d := range b.docs {
		tokens := uint32(0)
		tokens += w.count(d.Title)
		tokens += w.count(d.Text)
		for _, t := range w.seen {
			b.terms = append(b.terms, t)
			b.tfs = append(b.tfs, w.counts[t])
			w.counts[t] = 0
		}
		w.seen = w.seen[:0]
		b.ids = append(b.ids, d.ID)
		b.lengths = append(b.lengths, tokens)
		b.ends = append(b.ends, len(b.terms))
	}
	b.docs = nil
}

// count adds a text's terms to the current document and returns how many tokens it has.
func (w *worker) count(s string) uint32 {
	n := uint32(0)
	w.scanner.Reset(s)
	for w.scanner.Next() {
		t, ok := w.words[string(w.scanner.Word())]
		if !ok {
			t = w.add(string(w.scanner.Word()), w.scanner.Term())
		}
		if w.counts[t] == 0 {
			w.seen = append(w.seen, t)
		}
		w.counts[t]++
		n++
	}
	return n
}

func (w *worker) add(word string, stem []byte) uint32 {
	t, ok := w.byTerm[string(stem)]
	if !ok {
		t = uint32(len(w.terms))
		w.terms = append(w.terms, string(stem))
		w.byTerm[w.terms[t]] = t
		w.counts = append(w.counts, 0)
	}
	w.words[word] = t
	w.stems = append(w.stems, wordTerm{word, t})
	return t
}

// collection is what the workers found, put together.
type collection struct {
	ids     []string
	lengths []uint32
	terms   []string   // sorted
	words   []wordTerm // sorted
	batches []*batch   // in the order of the documents; terms numbered as in terms
}

func collect(ctx context.Context, a *text.Analysis, docs iter.Seq2[vectorstore.Document, error], n int) (*collection, error) {
	g, ctx := errgroup.WithContext(ctx)
	todo := make(chan *batch, n)
	workers := make([]*worker, n)
	for i := range workers {
		w := &worker{scanner: a.NewScanner(), words: map[string]uint32{}, byTerm: map[string]uint32{}}
		workers[i] = w
		g.Go(func() error {
			for b := range todo {
				b.worker = i
				w.read(b)
			}
			return nil
		})
	}
	c := &collection{}
	g.Go(func() error {
		defer close(todo)
		current := &batch{}
		send := func() error {
			c.batches = append(c.batches, current)
			select {
			case todo <- current:
			case <-ctx.Done():
				return ctx.Err()
			}
			current = &batch{}
			return nil
		}
		for d, err := range docs {
			if err != nil {
				return err
			}
			if current.docs = append(current.docs, d); len(current.docs) == batchSize {
				if err := send(); err != nil {
					return err
				}
			}
		}
		return send()
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	c.number(workers)
	for _, b := range c.batches {
		c.ids = append(c.ids, b.ids...)
		c.lengths = append(c.lengths, b.lengths...)
	}
	if len(c.ids) > math.MaxInt32 {
		return nil, fmt.Errorf("index: %d documents are more than an index can hold", len(c.ids))
	}
	return c, nil
}

// number gives all terms their place in sorted order.
func (c *collection) number(workers []*worker) {
	for _, w := range workers {
		c.terms = append(c.terms, w.terms...)
	}
	slices.Sort(c.terms)
	c.terms = slices.Compact(c.terms)
	places := make(map[string]uint32, len(c.terms))
	for i, t := range c.terms {
		places[t] = uint32(i)
	}
	renumber := make([][]uint32, len(workers))
	for i, w := range workers {
		renumber[i] = make([]uint32, len(w.terms))
		for k, t := range w.terms {
			renumber[i][k] = places[t]
		}
		for _, s := range w.stems {
			c.words = append(c.words, wordTerm{s.word, renumber[i][s.term]})
		}
	}
	slices.SortFunc(c.words, func(a, b wordTerm) int { return strings.Compare(a.word, b.word) })
	c.words = slices.Compact(c.words) // a word has the same stem everywhere
	for _, b := range c.batches {
		for i, t := range b.terms {
			b.terms[i] = renumber[b.worker][t]
		}
	}
}

// encode lays the index out as format.go describes it.
func (c *collection) encode(fingerprint string) ([]byte, error) {
	idOffsets, ids, err := joined(c.ids)
	if err != nil {
		return nil, fmt.Errorf("index: document ids: %w", err)
	}
	termOffsets, termBytes, err := joined(c.terms)
	if err != nil {
		return nil, fmt.Errorf("index: terms: %w", err)
	}
	idTable, err := newTable(c.ids)
	if err != nil {
		return nil, fmt.Errorf("index: document id %w", err)
	}
	termTable, err := newTable(c.terms)
	if err != nil {
		return nil, fmt.Errorf("index: term %w", err)
	}
	words, wordTerms := make([]string, len(c.words)), make([]uint32, len(c.words))
	for i, w := range c.words {
		words[i], wordTerms[i] = w.word, w.term
	}
	wordOffsets, wordBytes, err := joined(words)
	if err != nil {
		return nil, fmt.Errorf("index: words: %w", err)
	}
	wordTable, err := newTable(words)
	if err != nil {
		return nil, fmt.Errorf("index: word %w", err)
	}

	blocks := (len(c.ids) + blockSize - 1) / blockSize
	postings := make([]uint64, blocks*len(c.terms)+1)
	c.each(func(list int, _ uint16, _ uint32) { postings[list+1]++ })
	for i := range postings[1:] {
		postings[i+1] += postings[i]
	}
	total := postings[len(postings)-1]
	docs, tfs := make([]uint16, total), make([]uint32, total)
	next := slices.Clone(postings)
	c.each(func(list int, doc uint16, tf uint32) {
		at := next[list]
		docs[at], tfs[at] = doc, tf
		next[list]++
	})
	tokens, withTerms := uint64(0), uint64(0)
	for _, l := range c.lengths {
		tokens += uint64(l)
		if l > 0 {
			withTerms++
		}
	}

	w := newWriter([]uint64{uint64(len(c.ids)), withTerms, tokens, uint64(len(c.terms)), 0, 0})
	w.bytes(secFingerprint, []byte(fingerprint))
	w.uint32s(secIDOffsets, idOffsets)
	w.bytes(secIDs, ids)
	w.uint32s(secIDTable, idTable)
	w.uint32s(secLengths, c.lengths)
	w.uint32s(secTermOffsets, termOffsets)
	w.bytes(secTerms, termBytes)
	w.uint32s(secTermTable, termTable)
	w.uint32s(secWordOffsets, wordOffsets)
	w.bytes(secWords, wordBytes)
	w.uint32s(secWordTerms, wordTerms)
	w.uint32s(secWordTable, wordTable)
	w.uint64s(secPostings, postings)
	w.bytes(secPostingDocs, asBytes(docs))
	w.uint32s(secPostingTFs, tfs)
	return w.finish(), nil
}

// each calls do for every posting in the order of the documents; list is the number of its block's term.
func (c *collection) each(do func(list int, doc uint16, tf uint32)) {
	d := 0
	for _, b := range c.batches {
		start := 0
		for _, end := range b.ends {
			first := d / blockSize * len(c.terms)
			for i := start; i < end; i++ {
				do(first+int(b.terms[i]), uint16(d%blockSize), b.tfs[i])
			}
			start = end
			d++
		}
	}
}

// joined puts strings one after the other.
func joined(all []string) (offsets []uint32, content []byte, err error) {
	offsets = make([]uint32, 1, len(all)+1)
	for _, s := range all {
		content = append(content, s...)
		if len(content) > math.MaxUint32 {
			return nil, nil, errors.New("they take more than 4 GiB")
		}
		offsets = append(offsets, uint32(len(content)))
	}
	return offsets, content, nil
}

// newTable makes a hash table of the keys; a key that stands twice is an error.
func newTable(keys []string) ([]uint32, error) {
	size := 8
	for size < 2*len(keys) {
		size *= 2
	}
	slots := make([]uint32, size)
	mask := uint64(size - 1)
	for k, key := range keys {
		i := hash([]byte(key)) & mask
		for ; slots[i] != 0; i = (i + 1) & mask {
			if keys[slots[i]-1] == key {
				return nil, fmt.Errorf("%q stands twice (documents %d and %d)", key, slots[i], k+1)
			}
		}
		slots[i] = uint32(k + 1)
	}
	return slots, nil
}

// writer lays sections one after the other.
type writer struct{ buf bytes.Buffer }

func newWriter(counts []uint64) *writer {
	w := &writer{}
	w.buf.WriteString(magic)
	w.buf.Write(binary.LittleEndian.AppendUint32(nil, version))
	w.buf.Write(make([]byte, 4)) // the checksum
	for _, c := range counts {
		w.buf.Write(binary.LittleEndian.AppendUint64(nil, c))
	}
	w.buf.Write(make([]byte, 16*sectionCount))
	return w
}

func (w *writer) bytes(section int, content []byte) {
	for w.buf.Len()%8 != 0 {
		w.buf.WriteByte(0)
	}
	at := headerBytes + countBytes + 16*section
	binary.LittleEndian.PutUint64(w.buf.Bytes()[at:], uint64(w.buf.Len()))
	binary.LittleEndian.PutUint64(w.buf.Bytes()[at+8:], uint64(len(content)))
	w.buf.Write(content)
}

func (w *writer) uint32s(section int, values []uint32) { w.bytes(section, asBytes(values)) }
func (w *writer) uint64s(section int, values []uint64) { w.bytes(section, asBytes(values)) }

func (w *writer) finish() []byte {
	b := w.buf.Bytes()
	binary.LittleEndian.PutUint32(b[12:], crc32.Checksum(b[headerBytes:], castagnoli))
	return b
}
