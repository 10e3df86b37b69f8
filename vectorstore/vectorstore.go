// Package vectorstore says what a store of documents is: the documents that go in, the queries that it answers and the hits that
// come out. Implementations live in packages below it; pipelines see only the interfaces here.
package vectorstore

import (
	"context"
	"fmt"
	"strings"
)

// Document is one passage of a corpus.
type Document struct {
	ID    string
	Title string // optional
	Text  string
}

// SearchableText is what a store indexes of the document: the title, if there is one, and the text, joined by one space, as BEIR does.
func (d Document) SearchableText() string {
	if d.Title == "" {
		return d.Text
	}
	return d.Title + " " + d.Text
}

// Hit is one document of a ranking, with the score that put it there.
type Hit struct {
	ID    string
	Score float64
}

// CompareHits orders hits as every ranking in ddx is ordered: the higher score first, equal scores by id in descending byte order.
// This is the order in which trec_eval reads a run, so what is shown, what is cut and what is measured agree.
func CompareHits(a, b Hit) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return strings.Compare(b.ID, a.ID)
}

// Variant names a BM25 formula.
type Variant string

const (
	// Lucene is BM25 as Apache Lucene computes it: idf = ln(1 + (N-df+0.5)/(df+0.5)), document-side saturation with document
	// lengths rounded to one byte, and query term counts as weights.
	Lucene Variant = "lucene"
	// R2MED is query-side BM25 as in the code of R2MED and BRIGHT (gensim's LuceneBM25Model on both sides): the query is weighted
	// by the same formula as a document, over its in-vocabulary terms only, document lengths are exact, and the score is the inner product.
	R2MED Variant = "r2med"
)

// BM25 selects a formula and its parameters.
type BM25 struct {
	Variant Variant
	K1      float64 // term frequency saturation, >= 0
	B       float64 // length normalisation, 0 to 1
}

// DefaultBM25 is the formula of R2MED's published figures: query-side weighting with k1 0.9 and b 0.4.
func DefaultBM25() BM25 { return BM25{Variant: R2MED, K1: 0.9, B: 0.4} }

// Validate reports a parameter outside its range.
func (p BM25) Validate() error {
	switch {
	case p.Variant != Lucene && p.Variant != R2MED:
		return fmt.Errorf("BM25 variant %q is unknown; use %q or %q", p.Variant, R2MED, Lucene)
	case !(p.K1 >= 0 && p.K1 <= 1000): // also refuses NaN
		return fmt.Errorf("BM25 k1 is %v; use a number from 0 to 1000", p.K1)
	case !(p.B >= 0 && p.B <= 1):
		return fmt.Errorf("BM25 b is %v; use a number from 0 to 1", p.B)
	}
	return nil
}

// TextQuery asks a Lexical store for the documents that share words with a text.
type TextQuery struct {
	Text    string
	Depth   int // how many hits at most, > 0
	BM25    BM25
	Exclude []string // ids that must not be returned; unknown ones are ignored
}

// Lexical ranks documents by the words they share with a text. Hits are in CompareHits order, have scores above zero and are at
// most Depth; a text without a known word gives none and no error. Where equal scores straddle Depth, the documents that stand first
// in the corpus are the ones that are returned, as in Lucene and in R2MED's code. Safe for concurrent use.
type Lexical interface {
	SearchText(ctx context.Context, q TextQuery) ([]Hit, error)
}
