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
// Both variants score a document by the sum over the query's terms t of weight(t) x impact(t, document), in the order of the terms:
//
//	lucene  weight = query count; impact = idf x tf / (tf + norm), in Lucene's float32 arithmetic (BM25Similarity of Lucene 9)
//	r2med   weight = qtf / (qtf + norm(query)) x idf; impact = idf x tf / (tf + norm) (LuceneBM25Model of gensim 4, on both sides)
//
// with idf = ln(1 + (N - df + 0.5) / (df + 0.5)) and norm = k1 x (1 - b + b x length / average length). Impacts are float32, as in Lucene's
// scores and gensim's matrices; sums are float64.
type formula struct {
	params  vectorstore.BM25
	lucene  bool
	average float64 // document length
	n       float64 // documents that count: for lucene those with terms, for r2med all
	// norms by document: for r2med the norm; for lucene 1/norm, as Lucene caches it.
	norms []float64
	// impacts by term, computed when a term is first searched for.
	impacts []atomic.Pointer[impacts]
}

// impacts are those of a term's postings, block after block.
type impacts struct {
	idf    float64
	factor int // see impact
	values []float32
	next   *impacts // the same with other factors
}

// keptFactor is the largest factor for which impacts are kept.
const keptFactor = 15

// keptFormulas is how many formulas are kept with their impacts, so that trying out parameters does not fill the memory.
const keptFormulas = 8

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
	f := &formula{params: p, lucene: p.Variant == vectorstore.Lucene, impacts: make([]atomic.Pointer[impacts], x.terms), norms: make([]float64, x.documents)}
	if f.lucene {
		f.n = float64(x.withTerms)
		f.average = float64(float32(float64(x.tokens) / max(1, f.n)))
		var cache [256]float32
		k1, b, average := float32(p.K1), float32(p.B), float32(f.average)
		for i := range cache {
			cache[i] = 1 / (k1 * ((1 - b) + b*float32(byteToLength(byte(i)))/average))
		}
		for d, l := range x.lengths {
			f.norms[d] = float64(cache[lengthToByte(l)])
		}
	} else {
		f.n = float64(x.documents)
		f.average = float64(x.tokens) / max(1, f.n)
		for d, l := range x.lengths {
			f.norms[d] = p.K1 * (1 - p.B + p.B*float64(l)/f.average)
		}
	}
	if len(x.formulas) == keptFormulas {
		clear(x.formulas) // searches that use one keep it as long as they need it
	}
	x.formulas[p] = f
	return f
}

// idf of a term that df documents have.
func (f *formula) idf(df int) float64 {
	return math.Log(1 + (f.n-float64(df)+0.5)/(float64(df)+0.5))
}

// termIDF is the idf of a term, kept with its impacts.
func (x *Index) termIDF(f *formula, t uint32) float64 {
	if i := f.impacts[t].Load(); i != nil {
		return i.idf
	}
	return f.idf(x.frequency(t))
}

// weight is what a term's impacts are multiplied with, and the factor that the impacts must have been computed with; count is how often the
// query has the term, length how many known terms it has.
//
// Lucene multiplies the idf with the count before it rounds. Powers of two do not change how something is rounded, so the odd part of the count
// has to be in the impacts, and the rest can be the weight.
func (f *formula) weight(idf float64, count, length int) (weight float64, factor int) {
	if f.lucene {
		even := count & -count
		return float64(even), count / even
	}
	norm := f.params.K1 * (1 - f.params.B + f.params.B*float64(length)/f.average)
	return idf * saturation(float64(count), norm), 1
}

// impact is a term's share in a document's score for a weight of 1.
func (f *formula) impact(idf float64, factor int, tf, doc uint32) float32 {
	if f.lucene {
		w := float32(factor) * float32(idf)
		return w - w/(1+float32(float32(tf)*float32(f.norms[doc])))
	}
	return float32(idf * saturation(float64(tf), f.norms[doc]))
}

// saturation is tf / (tf + norm); with k1 = 0 the norm is 0 and every term that occurs counts fully.
func saturation(tf, norm float64) float64 { return tf / (tf + norm) }

// termImpacts returns a term's impacts for a factor, computing them when they are first asked for.
func (x *Index) termImpacts(f *formula, t uint32, factor int) *impacts {
	first := f.impacts[t].Load()
	for i := first; i != nil; i = i.next {
		if i.factor == factor {
			return i
		}
	}
	df := x.frequency(t)
	made := &impacts{idf: f.idf(df), factor: factor, values: make([]float32, 0, df), next: first}
	for b := range x.blocks() {
		start, end := x.list(b, t)
		for i, d := range x.docs[start:end] {
			made.values = append(made.values, f.impact(made.idf, factor, x.tfs[start+uint64(i)], uint32(b*blockSize)+uint32(d)))
		}
	}
	if factor <= keptFactor {
		f.impacts[t].CompareAndSwap(first, made) // if another goroutine was faster, the next search computes them once more
	}
	return made
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
