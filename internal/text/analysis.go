// Package text turns texts into the terms that are searched: named analyses, each a fixed chain of tokenizing, normalizing, stop words
// and stemming, the same for documents and queries.
package text

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// LuceneEnglish is the analysis of Apache Lucene's EnglishAnalyzer, token for token: word breaks of UAX #29, possessive 's removed,
// lower case, Lucene's 33 English stop words removed, Porter's stemmer.
const LuceneEnglish = "lucene-english"

// MedicalEnglish is LuceneEnglish for texts with names of drugs, genes and units, which are typed in many ways. It goes by the same steps,
// with two more around the word breaks.
//
// Before them, characters become those in which the same thing is most often typed:
//
//   - accents are dropped and compatibility characters replaced (Unicode's NFKD): naïve is naive, composed or not; ﬁbrosis is fibrosis,
//     D₃ is D3, m² is m2, ㎎ is mg. A superscript number after a number or a longer word is an exponent or a footnote and stands alone;
//     ø, ł, đ, þ, ß, æ, œ become o, l, d, th, ss, ae, oe;
//   - every hyphen, en dash and minus sign is a hyphen, every apostrophe and prime is ', the middle dot parts words;
//   - one or two Greek letters are spelled out, parted by a hyphen from what they are written together with, save digits behind them:
//     TNFα is TNF-alpha, γδ is gamma-delta, β2 is beta2. Greek words stay. μ, in either of its two code points, stays before a unit; mcg
//     is μg;
//   - soft hyphens, zero-width characters and marks of direction are dropped, as are ™ and ®.
//
// After them:
//
//   - a number with a unit behind it becomes two tokens;
//   - a name whose parts are joined by hyphens, or by parentheses as in 25(OH)D, gives its parts and also, before them, the whole without
//     the hyphens, if all its parts are short (five letters, or a Greek letter) and at least one is a number, a single letter, a Greek
//     letter or has a digit. Times, ages and doses (45-year-old) are no names.
//
// Parts and whole are both needed in a bag of words: with the parts alone, IL-6 is found by any 6 and IL6 is missed; with the whole alone,
// TNF alpha and type 2 diabetes are missed. Long words (anti-inflammatory) stay apart, since a rare whole would outweigh its parts.
//
//	IL-6, IL‑6, il‐6, IL–6         il6 il 6
//	IL6, IL₆                       il6
//	TNF-α, TNFα, TNF‑alpha         tnfalpha tnf alpha
//	TNF alpha, TNF α               tnf alpha
//	IL-1β, IL-1-beta               il1beta il 1 beta
//	NF-κB, NFκB                    nfkappab nf kappa b
//	5-FU                           5fu 5 fu
//	25-OH-D₃, 25(OH)D3             25ohd3 25 oh d3
//	5α-reductase                   5 alpha reductas
//	β-blocker, beta-blocker        beta blocker
//	HbA1c, HbA₁c                   hba1c
//	COVID-19                       covid19 covid 19
//	T-cell                         tcell t cell
//	45-year-old                    45 year old
//	1.2–3.4                        1.2 3.4
//	anti-inflammatory              anti inflammatori
//	Crohn’s, Crohn's               crohn
//	naïve, naïve                  naiv
//	Sjögren, Sjogren               sjogren
//	3.5mg, 3.5 mg, 3.5-mg          3.5 mg
//	10µg, 10 μg, 10 mcg            10 μg
//	μ-opioid, mu-opioid            mu opioid
//	10⁹/L, 10^9/L                  10 9 l
//	ﬁbrosis, fibrosis              fibrosi
//	Ca²⁺, Ca2+                     ca2
const MedicalEnglish = "medical-english"

// The versions are raised whenever any text's terms change. Those of the medical analysis also depend on the normalization tables.
const (
	luceneVersion  = "2"
	medicalVersion = "3"
)

// Analysis is one named chain. It is immutable and safe for concurrent use.
type Analysis struct {
	name        string
	fingerprint string
	medical     bool
}

// Names lists the analyses.
func Names() []string { return []string{LuceneEnglish, MedicalEnglish} }

// Lookup returns an analysis by its name.
func Lookup(name string) (*Analysis, error) {
	switch name {
	case LuceneEnglish:
		return &Analysis{name: name, fingerprint: name + "/" + luceneVersion}, nil
	case MedicalEnglish:
		return &Analysis{name: name, fingerprint: name + "/" + medicalVersion + "+unicode" + norm.Version, medical: true}, nil
	}
	return nil, fmt.Errorf("unknown text analysis %q; there are: %s", name, strings.Join(Names(), ", "))
}

// Name is the name by which pipelines choose the analysis.
func (a *Analysis) Name() string { return a.name }

// Fingerprint identifies the analysis and its version, for example "lucene-english/2": equal fingerprints make equal terms of every text.
func (a *Analysis) Fingerprint() string { return a.fingerprint }

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
