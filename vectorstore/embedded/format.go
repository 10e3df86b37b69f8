package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"unsafe"

	"github.com/edsrzf/mmap-go"

	"github.com/ddx-rag/ddx/internal/text"
)

// An index is one file, little-endian:
//
//	magic      8 bytes "ddxbm25\n"
//	version    uint32
//	checksum   uint32   CRC-32C of everything after it
//	counts     6 x uint64: documents, documents with terms, tokens, terms, slots of the term table, bytes of the fingerprint
//	sections   sectionCount x (offset uint64, length uint64), in the order of the constants below; offsets are multiples of 8
//	...        the sections
//
// Sections are arrays that are used where they lie in the mapped file: nothing is parsed at opening, only checked. Terms and words are
// sorted, so that the file depends on the documents and the analysis alone. Postings are kept in blocks of blockSize documents, so that a posting
// names its document in two bytes and the scores of a block stay in a processor's cache: first by block, then by term, then by document.
const (
	magic       = "ddxbm25\n"
	version     = 2
	headerBytes = 8 + 4 + 4
	countBytes  = 6 * 8
	blockSize   = 1 << 16 // documents
)

const (
	secFingerprint = iota // bytes: of the corpus and the analysis
	secIDOffsets          // uint32 x (documents+1), into secIDs
	secIDs                // bytes
	secIDTable            // uint32 x slots: document + 1 by the hash of its id, 0 for an empty slot
	secLengths            // uint32 x documents: number of tokens
	secTermOffsets        // uint32 x (terms+1), into secTerms
	secTerms              // bytes
	secTermTable          // uint32 x slots: term + 1 by the hash of its bytes, 0 for an empty slot
	secWordOffsets        // uint32 x (words+1), into secWords
	secWords              // bytes: the words of the documents as they stand before stemming, sorted
	secWordTerms          // uint32 x words: the term that a word becomes
	secWordTable          // uint32 x slots: word + 1 by the hash of its bytes, 0 for an empty slot
	secPostings           // uint64 x (blocks x terms + 1): where the postings of a block's term start
	secPostingDocs        // uint16 x postings: the document, counted from the start of its block
	secPostingTFs         // uint32 x postings: how often the document has the term, above 0
	sectionCount
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged is wrapped by Open for a file that is not an index of this version or whose content does not fit its checksum. Building the
// index anew mends it.
var ErrDamaged = errors.New("the index file is damaged or of another version")

// Index is an opened index of one corpus. Safe for concurrent use.
type Index struct {
	mapped mmap.MMap
	path   string

	documents int
	withTerms int // documents that have at least one term
	tokens    uint64
	terms     int
	idOffsets []uint32
	ids       []byte
	idTable   []uint32
	lengths   []uint32
	termOff   []uint32
	termBytes []byte
	termTable []uint32
	wordOff   []uint32
	wordBytes []byte
	wordTerms []uint32
	wordTable []uint32
	postings  []uint64
	docs      []uint16
	tfs       []uint32

	fingerprint string
	analysis    *text.Analysis

	scoring
}

// Open maps an index file and checks it whole: version, checksum and the bounds of every reference in it. The analysis must be the one that
// the index was built with; queries go through it.
func Open(path string, a *text.Analysis) (*Index, error) {
	if err := checkByteOrder(); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	defer func() { _ = f.Close() }() // only read, and the mapping outlives it
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if info.Size() < headerBytes+countBytes+sectionCount*16 {
		return nil, fmt.Errorf("index %s: %w: %d bytes are too few", path, ErrDamaged, info.Size())
	}
	m, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("index %s: cannot be mapped: %w", path, err)
	}
	x := &Index{mapped: m, path: path, analysis: a}
	if err := x.parse(m); err != nil {
		_ = m.Unmap() // the first error is the one that counts
		return nil, fmt.Errorf("index %s: %w: %w", path, ErrDamaged, err)
	}
	x.prepare()
	return x, nil
}

// Close unmaps the file. The index must not be used afterwards.
func (x *Index) Close() error {
	if err := x.mapped.Unmap(); err != nil {
		return fmt.Errorf("index %s: %w", x.path, err)
	}
	return nil
}

// parse takes the sections out of the file's bytes and checks them.
func (x *Index) parse(b []byte) error {
	if string(b[:8]) != magic {
		return errors.New("it does not start like an index")
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != version {
		return fmt.Errorf("version %d, this program reads %d", v, version)
	}
	if sum := crc32.Checksum(b[headerBytes:], castagnoli); sum != binary.LittleEndian.Uint32(b[12:]) {
		return errors.New("the checksum does not fit")
	}
	var counts [6]uint64
	for i := range counts {
		counts[i] = binary.LittleEndian.Uint64(b[headerBytes+8*i:])
	}
	if counts[0] > math.MaxInt32 || counts[3] > math.MaxInt32 {
		return errors.New("more documents or terms than an index can hold")
	}
	x.documents, x.withTerms, x.tokens, x.terms = int(counts[0]), int(counts[1]), counts[2], int(counts[3])
	s := sections{b: b}
	n, t := x.documents, x.terms
	x.fingerprint = string(s.bytes(secFingerprint))
	x.idOffsets = view[uint32](&s, secIDOffsets, n+1)
	x.ids = s.bytes(secIDs)
	x.idTable = view[uint32](&s, secIDTable, -1)
	x.lengths = view[uint32](&s, secLengths, n)
	x.termOff = view[uint32](&s, secTermOffsets, t+1)
	x.termBytes = s.bytes(secTerms)
	x.termTable = view[uint32](&s, secTermTable, -1)
	x.wordTerms = view[uint32](&s, secWordTerms, -1)
	x.wordOff = view[uint32](&s, secWordOffsets, len(x.wordTerms)+1)
	x.wordBytes = s.bytes(secWords)
	x.wordTable = view[uint32](&s, secWordTable, -1)
	x.postings = view[uint64](&s, secPostings, x.blocks()*t+1)
	x.docs = view[uint16](&s, secPostingDocs, -1)
	x.tfs = view[uint32](&s, secPostingTFs, len(x.docs))
	if s.err != nil {
		return s.err
	}
	if err := errors.Join(
		ascending("id offsets", x.idOffsets, uint32(len(x.ids))),
		ascending("term offsets", x.termOff, uint32(len(x.termBytes))),
		ascending("word offsets", x.wordOff, uint32(len(x.wordBytes))),
		ascending("posting offsets", x.postings, uint64(len(x.docs))),
		table("id table", x.idTable, n), table("term table", x.termTable, t),
		table("word table", x.wordTable, len(x.wordTerms)), below("word's term", x.wordTerms, t),
	); err != nil {
		return err
	}
	if x.blocks() == 0 {
		return nil
	}
	last := x.blocks() - 1 // in all others every number is a document
	return below("posting", x.docs[x.postings[last*t]:], n-last*blockSize)
}

// sections finds the sections of a file; the first problem is kept.
type sections struct {
	b   []byte
	err error
}

func (s *sections) bytes(i int) []byte {
	at := headerBytes + countBytes + 16*i
	offset, length := binary.LittleEndian.Uint64(s.b[at:]), binary.LittleEndian.Uint64(s.b[at+8:])
	size := uint64(len(s.b))
	if offset > size || length > size-offset || offset%8 != 0 {
		s.err = errors.Join(s.err, fmt.Errorf("section %d lies outside the file", i))
		return nil
	}
	return s.b[offset : offset+length : offset+length]
}

// view reads a section as numbers in place; want is how many there must be, negative for any number.
func view[T uint16 | uint32 | uint64](s *sections, i, want int) []T {
	raw := s.bytes(i)
	size := int(unsafe.Sizeof(T(0)))
	n := len(raw) / size
	if len(raw)%size != 0 || want >= 0 && n != want {
		s.err = errors.Join(s.err, fmt.Errorf("section %d has %d bytes", i, len(raw)))
		return nil
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&raw[0])), n) // sections are aligned, and Open checks the byte order
}

func ascending[T uint32 | uint64](what string, offsets []T, end T) error {
	last := T(0)
	for _, o := range offsets {
		if o < last {
			return fmt.Errorf("%s go backwards", what)
		}
		last = o
	}
	if len(offsets) == 0 || offsets[0] != 0 || last != end {
		return fmt.Errorf("%s do not span their section", what)
	}
	return nil
}

func below[T uint16 | uint32](what string, values []T, limit int) error {
	highest := T(0)
	for _, v := range values {
		highest = max(highest, v)
	}
	if len(values) > 0 && int(highest) >= limit {
		return fmt.Errorf("a %s refers to nothing", what)
	}
	return nil
}

func table(what string, slots []uint32, entries int) error {
	if len(slots) == 0 || len(slots)&(len(slots)-1) != 0 || len(slots) <= entries {
		return fmt.Errorf("the %s has %d slots for %d entries", what, len(slots), entries)
	}
	filled := 0
	for _, v := range slots {
		if int(v) > entries {
			return fmt.Errorf("the %s refers to nothing", what)
		}
		if v != 0 {
			filled++
		}
	}
	if filled > entries {
		return fmt.Errorf("the %s is overfull", what)
	}
	return nil
}

// hash is FNV-1a, folded; it is part of the file format.
func hash(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h ^ h>>29
}

// find looks a key up in a table; bytes returns an entry's key.
func find(slots []uint32, key []byte, bytes func(i uint32) []byte) (uint32, bool) {
	mask := uint64(len(slots) - 1)
	for i := hash(key) & mask; ; i = (i + 1) & mask {
		switch v := slots[i]; {
		case v == 0:
			return 0, false
		case string(bytes(v-1)) == string(key):
			return v - 1, true
		}
	}
}

// blocks is how many blocks the documents fill.
func (x *Index) blocks() int { return (x.documents + blockSize - 1) / blockSize }

// list returns where the postings of a term in a block lie.
func (x *Index) list(block int, t uint32) (start, end uint64) {
	i := block*x.terms + int(t)
	return x.postings[i], x.postings[i+1]
}

// frequency is how many documents have a term.
func (x *Index) frequency(t uint32) int {
	n := uint64(0)
	for b := range x.blocks() {
		start, end := x.list(b, t)
		n += end - start
	}
	return int(n)
}

func (x *Index) idBytes(d uint32) []byte      { return x.ids[x.idOffsets[d]:x.idOffsets[d+1]] }
func (x *Index) termAt(t uint32) []byte       { return x.termBytes[x.termOff[t]:x.termOff[t+1]] }
func (x *Index) wordAt(w uint32) []byte       { return x.wordBytes[x.wordOff[w]:x.wordOff[w+1]] }
func (x *Index) term(b []byte) (uint32, bool) { return find(x.termTable, b, x.termAt) }

// scanned finds the term of a scanner's current token. Words of the documents are found as they stand; only others have to be stemmed.
func (x *Index) scanned(s *text.Scanner) (uint32, bool) {
	if w, ok := find(x.wordTable, s.Word(), x.wordAt); ok {
		return x.wordTerms[w], true
	}
	return x.term(s.Term())
}

// document finds a document by its id.
func (x *Index) document(id string) (uint32, bool) { return find(x.idTable, []byte(id), x.idBytes) }

// Len is the number of documents.
func (x *Index) Len() int { return x.documents }

// Has tells whether a document is in the index.
func (x *Index) Has(id string) bool {
	_, ok := x.document(id)
	return ok
}
