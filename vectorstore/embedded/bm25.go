package embedded

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/ddx-rag/ddx/vectorstore"
)

// formula is BM25 with parameters over one index: what of it depends on documents alone, computed once.
//
// Both variants score a document by the sum over the query's terms t of weight(t) x impact(t, document):
//
//	lucene  weight = query count; impact = idf x tf / (tf + norm), in Lucene's float32 arithmetic (BM25Similarity of Lucene 9)
//	r2med   weight = idf x qtf / (qtf + norm(query)); impact = idf x tf / (tf + norm) (LuceneBM25Model of gensim 4, on both sides)
//
// with idf = ln(1 + (N - df + 0.5) / (df + 0.5)) and norm = k1 x (1 - b + b x length / average length).
type formula struct {
	params  vectorstore.BM25
	average float64 // document length
	n       float64 // documents that count: for lucene those with terms, for r2med all
	// norms by document: for r2med the norm; for lucene 1/norm in float32, as Lucene caches it.
	norms []float64
	// rounding is how many units in the last place of a float32 an exact share of Lucene's arithmetic may be off, because it subtracts two
	// numbers that lie close together where a document is very long.
	rounding float64
	// impacts by term, computed when a term is first searched for; float32 is enough to find candidates, which are then scored exactly.
	impacts []atomic.Pointer[termImpacts]
}

// termImpacts are the impacts of a term's postings, for a weight of 1.
type termImpacts struct {
	values  []float32
	highest float32
}

// scoring holds the formulas that were asked for.
type scoring struct {
	mu       sync.Mutex
	formulas map[vectorstore.BM25]*formula
	pool     sync.Pool // of *scratch
}

func (x *Index) prepare() {
	x.formulas = map[vectorstore.BM25]*formula{}
	x.pool.New = func() any { return newScratch(x) }
}

func (x *Index) formula(p vectorstore.BM25) *formula {
	x.mu.Lock()
	defer x.mu.Unlock()
	if f, ok := x.formulas[p]; ok {
		return f
	}
	f := &formula{params: p, impacts: make([]atomic.Pointer[termImpacts], x.terms), norms: make([]float64, x.documents)}
	if p.Variant == vectorstore.Lucene {
		f.n = float64(x.withTerms)
		f.average = float64(float32(float64(x.tokens) / max(1, f.n)))
		var cache [256]float32
		k1, b, average := float32(p.K1), float32(p.B), float32(f.average)
		for i := range cache {
			cache[i] = 1 / (k1 * ((1 - b) + b*float32(byteToLength(byte(i)))/average))
		}
		for d, l := range x.lengths {
			f.norms[d] = float64(cache[lengthToByte(l)])
			f.rounding = max(f.rounding, 4/f.norms[d])
		}
	} else {
		f.n = float64(x.documents)
		f.average = float64(x.tokens) / max(1, f.n)
		for d, l := range x.lengths {
			f.norms[d] = p.K1 * (1 - p.B + p.B*float64(l)/f.average)
		}
	}
	x.formulas[p] = f
	return f
}

// errorBound is the relative error, generously, of an approximate score of n terms against the exact one: each share has the rounding of its
// impact, its weight and their product, and each addition rounds once; 2^-24 is half a unit in the last place of a float32.
func (f *formula) errorBound(n int) float64 { return (float64(n+8) + f.rounding) / (1 << 23) }

// idf of a term that df documents have.
func (f *formula) idf(df int) float64 {
	return math.Log(1 + (f.n-float64(df)+0.5)/(float64(df)+0.5))
}

// queryWeight is what a term's impacts are multiplied with; count is how often the query has the term, length how many known terms it has.
func (f *formula) queryWeight(df, count, length int) float64 {
	if f.params.Variant == vectorstore.Lucene {
		return float64(count)
	}
	norm := f.params.K1 * (1 - f.params.B + f.params.B*float64(length)/f.average)
	return f.idf(df) * saturation(float64(count), norm)
}

// score is a term's exact share in a document's score; base is exactBase of the term's query weight.
func (f *formula) score(base float64, tf uint32, doc uint32) float64 {
	if f.params.Variant == vectorstore.Lucene {
		w := float32(base)
		return float64(w - w/(1+float32(tf)*float32(f.norms[doc])))
	}
	return base * saturation(float64(tf), f.norms[doc])
}

// exactBase joins the query weight and the idf: what score needs of a term.
func (f *formula) exactBase(weight float64, df int) float64 {
	if f.params.Variant == vectorstore.Lucene {
		return float64(float32(weight) * float32(f.idf(df)))
	}
	return weight * f.idf(df)
}

// saturation is tf / (tf + norm); with k1 = 0 the norm is 0 and every term that occurs counts fully.
func saturation(tf, norm float64) float64 { return tf / (tf + norm) }

// termImpacts returns a term's impacts, computing them when they are first asked for.
func (x *Index) termImpacts(f *formula, t uint32) *termImpacts {
	if ti := f.impacts[t].Load(); ti != nil {
		return ti
	}
	start, end := x.postings[t], x.postings[t+1]
	ti := &termImpacts{values: make([]float32, end-start)}
	base := f.exactBase(1, int(end-start))
	for i, d := range x.docs[start:end] {
		v := float32(f.score(base, x.tfs[start+uint64(i)], d))
		ti.values[i] = v
		ti.highest = max(ti.highest, v)
	}
	f.impacts[t].Store(ti) // two goroutines may compute the same; either result is right
	return ti
}

// freeLengths is how many of the 256 bytes are left when the largest length is encoded; they stand for themselves.
const freeLengths = 24

// lengthToByte and byteToLength are Lucene's SmallFloat.intToByte4 and byte4ToInt: lengths up to 39 are exact, longer ones keep the four
// highest bits.
func lengthToByte(l uint32) byte {
	if l < freeLengths {
		return byte(l)
	}
	return byte(freeLengths + longToInt4(uint64(l-freeLengths)))
}

func byteToLength(b byte) uint32 {
	if b < freeLengths {
		return uint32(b)
	}
	return freeLengths + uint32(int4ToLong(int(b)-freeLengths))
}

func longToInt4(i uint64) int {
	n := bits.Len64(i)
	if n < 4 {
		return int(i)
	}
	shift := n - 4
	encoded := int(i>>shift) & 0x07
	return encoded | (shift+1)<<3
}

func int4ToLong(i int) uint64 {
	mantissa := uint64(i & 0x07)
	shift := (i >> 3) - 1
	if shift < 0 {
		return mantissa
	}
	return (mantissa | 0x08) << shift
}
