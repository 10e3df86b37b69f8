package storetest

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
)

// Reference answers queries straight from BM25's formulas, document by document: slow, and plain enough to be checked by eye. Sums are taken over
// the terms in byte order.
type Reference struct {
	analysis  *text.Analysis
	ids       []string
	counts    []map[string]int // of terms, by document
	lengths   []int
	frequency map[string]int // documents that have a term
	tokens    int
	withTerms int // documents that have any
}

// NewReference reads the documents.
func NewReference(a *text.Analysis, docs []vectorstore.Document) *Reference {
	r := &Reference{analysis: a, frequency: map[string]int{}}
	for _, d := range docs {
		counts, length := r.count(d.SearchableText())
		for t := range counts {
			r.frequency[t]++
		}
		r.ids = append(r.ids, d.ID)
		r.counts = append(r.counts, counts)
		r.lengths = append(r.lengths, length)
		r.tokens += length
		if length > 0 {
			r.withTerms++
		}
	}
	return r
}

func (r *Reference) count(s string) (counts map[string]int, length int) {
	counts = map[string]int{}
	for _, t := range r.analysis.Terms(s) {
		counts[t]++
		length++
	}
	return counts, length
}

// Search returns what the contract of vectorstore.Lexical demands for a valid query.
func (r *Reference) Search(q vectorstore.TextQuery) []vectorstore.Hit {
	counts, _ := r.count(q.Text)
	length := 0 // of the query, in known terms
	for t, n := range counts {
		if r.frequency[t] == 0 {
			delete(counts, t)
			continue
		}
		length += n
	}
	terms := slices.Sorted(maps.Keys(counts))
	var hits []vectorstore.Hit
	for d, id := range r.ids {
		score := 0.0
		for _, t := range terms {
			switch tf := r.counts[d][t]; {
			case tf == 0:
			case q.BM25.Variant == vectorstore.Lucene:
				score += r.lucene(q.BM25, t, counts[t], tf, r.lengths[d])
			default:
				score += r.r2med(q.BM25, t, counts[t], length, tf, r.lengths[d])
			}
		}
		if score > 0 && !slices.Contains(q.Exclude, id) {
			hits = append(hits, vectorstore.Hit{ID: id, Score: score})
		}
	}
	slices.SortStableFunc(hits, func(a, b vectorstore.Hit) int { return cmp.Compare(b.Score, a.Score) })
	hits = hits[:min(q.Depth, len(hits))]
	slices.SortFunc(hits, vectorstore.CompareHits)
	return hits
}

// r2med is a term's share in the score of a document: its weight in the query times its weight in the document, which are both
// idf x tf / (tf + k1 x (1 - b + b x length / average length)), as in LuceneBM25Model of gensim 4. Weights in documents are float32.
func (r *Reference) r2med(p vectorstore.BM25, term string, count, queryLength, tf, length int) float64 {
	average := float64(r.tokens) / float64(len(r.ids))
	weight := func(tf, length int) float64 {
		return r.idf(term, float64(len(r.ids))) * (float64(tf) / (float64(tf) + p.K1*(1-p.B+p.B*float64(length)/average)))
	}
	return float64(weight(count, queryLength) * float64(float32(weight(tf, length))))
}

// idf is ln(1 + (N - df + 0.5) / (df + 0.5)) for N documents of which df have the term.
func (r *Reference) idf(term string, n float64) float64 {
	df := float64(r.frequency[term])
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}

// lucene is a term's share in the score of a document, as BM25Similarity of Lucene 9 computes it: in float32, with rounded lengths, and
// over the documents that have any term.
func (r *Reference) lucene(p vectorstore.BM25, term string, count, tf, length int) float64 {
	n := float64(r.withTerms)
	average := float32(float64(r.tokens) / n)
	k1, b := float32(p.K1), float32(p.B)
	inverse := 1 / (k1 * ((1 - b) + b*float32(roundedLength(length))/average))
	weight := float32(count) * float32(r.idf(term, n))
	return float64(weight - weight/(1+float32(float32(tf)*inverse)))
}

// roundedLength is what is left of a length when it has been stored in one byte (SmallFloat.intToByte4): all of it below 24, and of what
// goes beyond the four highest bits.
func roundedLength(length int) int {
	if length < 24 {
		return length
	}
	beyond := uint(length - 24)
	drop := max(0, bits.Len(beyond)-4)
	return 24 + int(beyond>>drop<<drop)
}
