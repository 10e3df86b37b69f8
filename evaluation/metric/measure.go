// Package metric computes ranking measures as trec_eval 9 does with its option -c: hits are ordered by score (compared as float32) and
// equal scores by document id descending, gain is linear, and the mean is taken over all judged queries, those without results counting
// 0. It is pure: judgments and rankings come in as values, and nothing is read or written. Package trec reads and writes the files.
package metric

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Measure is a ranking measure, for example nDCG at depth 10. Measures are comparable; get one with Parse. The zero value is no measure.
type Measure struct {
	kind  kind
	depth int // how many hits count; 0: all
}

type kind uint8

const (
	none kind = iota
	ndcg
	ndcgExp
	recall
	precision
	averagePrecision
	reciprocalRank
	success
	numRet
	numRel
	numRelRet
)

// depthRule says whether a measure is cut off at a depth.
type depthRule uint8

const (
	depthOptional depthRule = iota
	depthRequired
	depthForbidden
)

// kinds describes each kind of measure, in the order in which they are listed.
var kinds = []struct {
	kind     kind
	name     string
	depth    depthRule
	trec     string   // trec_eval's name without a depth
	trecCut  string   // trec_eval's name up to the depth
	synonyms []string // further names that are read
	example  string
	note     string
}{
	{kind: ndcg, name: "ndcg", trec: "ndcg", trecCut: "ndcg_cut_", synonyms: []string{"ndcg_cut"}, example: "ndcg@10",
		note: "ndcg: linear gain"},
	{kind: ndcgExp, name: "ndcg_exp", example: "ndcg_exp@10", note: "ndcg_exp: exponential gain 2^grade-1, not in trec_eval"},
	{kind: recall, name: "recall", depth: depthRequired, trecCut: "recall_", example: "recall@100"},
	{kind: precision, name: "precision", depth: depthRequired, trecCut: "P_", synonyms: []string{"p"}, example: "precision@5"},
	{kind: averagePrecision, name: "map", trec: "map", trecCut: "map_cut_", synonyms: []string{"map_cut"}, example: "map@100"},
	{kind: reciprocalRank, name: "mrr", trec: "recip_rank", synonyms: []string{"recip_rank"}, example: "mrr"},
	{kind: success, name: "success", depth: depthRequired, trecCut: "success_", example: "success@10"},
	{kind: numRet, name: "num_ret", depth: depthForbidden, trec: "num_ret", example: "num_ret"},
	{kind: numRel, name: "num_rel", depth: depthForbidden, trec: "num_rel", example: "num_rel"},
	{kind: numRelRet, name: "num_rel_ret", depth: depthForbidden, trec: "num_rel_ret", example: "num_rel_ret"},
}

// Parse reads a measure:
//
//	ndcg@10, ndcg          normalised discounted cumulative gain, gain = grade (Järvelin and Kekäläinen, TOIS 2002)
//	ndcg_exp@10, ndcg_exp  the same with gain = 2^grade - 1 (Burges et al., ICML 2005); not a measure of trec_eval
//	recall@100             share of the relevant documents that are found
//	precision@5, p@5       share of the first 5 places that hold a relevant document
//	map, map@100           average precision; beyond the depth nothing counts as found
//	mrr, mrr@10            reciprocal rank of the first relevant document; 0 beyond the depth
//	success@10             1 if a relevant document is found, else 0
//	num_ret, num_rel, num_rel_ret
//	                       how many documents were retrieved, are relevant, are both; summed over queries, not averaged
//
// A document is relevant if its grade is 1 or more. The number after @ is the depth, 1 or more; without it all hits count. The names
// that trec_eval prints (ndcg_cut_10, P_5, map_cut_100, recip_rank, ...) are read too, and letter case does not count. An unknown
// name gives an error that lists the measures and the nearest name.
func Parse(text string) (Measure, error) {
	name, depthText, hasDepth := splitDepth(strings.ToLower(strings.TrimSpace(text)))
	for _, k := range kinds {
		if name != k.name && !slices.Contains(k.synonyms, name) {
			continue
		}
		switch {
		case !hasDepth && k.depth == depthRequired:
			return Measure{}, fmt.Errorf("measure %q lacks a depth; write for example %q", text, k.example)
		case !hasDepth:
			return Measure{kind: k.kind}, nil
		case k.depth == depthForbidden:
			return Measure{}, fmt.Errorf("measure %q has no depth; write %q", text, k.name)
		}
		depth, err := strconv.Atoi(depthText)
		if err != nil || depth < 1 || strings.HasPrefix(depthText, "+") {
			return Measure{}, fmt.Errorf("measure %q: depth %q is not a whole number of 1 or more", text, depthText)
		}
		return Measure{kind: k.kind, depth: depth}, nil
	}
	hint := ""
	if near, ok := nearest(name); ok {
		if hasDepth {
			near += "@" + depthText
		}
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	examples := make([]string, len(kinds))
	for i, k := range kinds {
		examples[i] = k.example
	}
	return Measure{}, fmt.Errorf("unknown measure %q; %smeasures are %s (any depth after @)", text, hint, strings.Join(examples, ", "))
}

// splitDepth cuts "name@10" (or trec_eval's "name_10" and "name.10") in two.
func splitDepth(text string) (name, depth string, ok bool) {
	if name, depth, ok = strings.Cut(text, "@"); ok {
		return name, depth, true
	}
	end := len(text)
	for end > 0 && '0' <= text[end-1] && text[end-1] <= '9' {
		end--
	}
	if end < len(text) && end > 1 && (text[end-1] == '_' || text[end-1] == '.') {
		return text[:end-1], text[end:], true
	}
	return text, "", false
}

// nearest finds the known name that differs least from name.
func nearest(name string) (string, bool) {
	best, bestDistance := "", 3
	if len(name) > 20 {
		return "", false // longer than any name by more than that
	}
	for _, k := range kinds {
		for _, candidate := range append([]string{k.name}, k.synonyms...) {
			if d := distance(name, candidate); d < bestDistance && 2*d <= len(candidate) { // more edits make another word
				best, bestDistance = k.name, d
			}
		}
	}
	return best, best != ""
}

// distance is the number of letters to insert, delete or replace in order to turn a into b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Defaults returns the measures that are shown when none are asked for, those of R2MED's tables: ndcg@10, recall@100, map@100 and mrr.
func Defaults() []Measure {
	return []Measure{{ndcg, 10}, {recall, 100}, {averagePrecision, 100}, {reciprocalRank, 0}}
}

// String returns the canonical name, which Parse reads back.
func (m Measure) String() string {
	if m.kind == none {
		return "no measure"
	}
	name := kinds[m.kind-1].name
	if m.depth > 0 {
		name += "@" + strconv.Itoa(m.depth)
	}
	return name
}

// TrecName returns the name under which trec_eval prints the measure, or "" if trec_eval does not have it.
func (m Measure) TrecName() string {
	switch {
	case m.kind == none:
		return ""
	case m.depth == 0:
		return kinds[m.kind-1].trec
	case kinds[m.kind-1].trecCut == "":
		return ""
	}
	return kinds[m.kind-1].trecCut + strconv.Itoa(m.depth)
}

// Note says what has to be known to compare the measure with published figures, for example which gain is used; "" if nothing.
func (m Measure) Note() string {
	switch {
	case m.kind == none:
		return ""
	case m.kind == reciprocalRank && m.depth == 0:
		return "mrr: not cut off"
	}
	return kinds[m.kind-1].note
}

// Summed tells whether values are added up over queries instead of averaged: true for the counts num_ret, num_rel and num_rel_ret.
func (m Measure) Summed() bool { return m.kind >= numRet }
