// Package text turns texts into the terms that are searched: named analyses, each a fixed chain of tokenizing, normalizing, stop words
// and stemming, the same for documents and queries.
package text

import (
	"fmt"
	"strings"
)

// LuceneEnglish is the analysis of Apache Lucene's EnglishAnalyzer, token for token: word breaks of UAX #29, possessive 's removed,
// lower case, Lucene's 33 English stop words removed, Porter's stemmer.
const LuceneEnglish = "lucene-english"

// Analysis is one named chain. It is immutable and safe for concurrent use.
type Analysis struct {
	name    string
	version int // raised whenever any text's terms change
	medical bool
}

// Names lists the analyses.
func Names() []string { return []string{LuceneEnglish, MedicalEnglish} }

// Lookup returns an analysis by its name.
func Lookup(name string) (*Analysis, error) {
	switch name {
	case LuceneEnglish:
		return &Analysis{name: name, version: 1}, nil
	case MedicalEnglish:
		return &Analysis{name: name, version: 1, medical: true}, nil
	}
	return nil, fmt.Errorf("unknown text analysis %q; there are: %s", name, strings.Join(Names(), ", "))
}

// Name is the name by which pipelines choose the analysis.
func (a *Analysis) Name() string { return a.name }

// Fingerprint identifies the analysis and its version: equal fingerprints make equal terms of every text.
func (a *Analysis) Fingerprint() string { return fmt.Sprintf("%s/%d", a.name, a.version) }

// NewScanner returns a scanner for one goroutine at a time.
func (a *Analysis) NewScanner() *Scanner {
	s := &Scanner{}
	if a.medical {
		s.medical = &medical{}
	}
	return s
}

// Terms returns all terms of a text.
func (a *Analysis) Terms(text string) []string {
	var terms []string
	s := a.NewScanner()
	s.Reset(text)
	for s.Next() {
		terms = append(terms, string(s.Term()))
	}
	return terms
}
