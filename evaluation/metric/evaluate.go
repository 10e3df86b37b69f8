package metric

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ddx-rag/ddx/vectorstore"
)

// Qrels are relevance judgments: the grade of a document for a query, by query id and document id. A grade of 1 or more is relevant;
// grades below 0 count as 0, as in trec_eval. A document without a grade counts as not relevant.
type Qrels map[string]map[string]int

// Run is what a pipeline found for each query id. The order of hits does not matter: measures go by score.
type Run map[string][]vectorstore.Hit

// Report holds the values of measures over a run.
type Report struct {
	Measures []Measure
	Queries  []QueryValues // every judged query, sorted by id
	// Means are the means over Queries, in the order of Measures. Counts (see Measure.Summed) are added up instead.
	Means []float64

	Missing    []string // judged queries without a hit in the run; they count 0
	Unjudged   []string // queries of the run without judgments; they are left out
	NoRelevant []string // judged queries without any relevant document; they count 0
	JudgedHits int      // hits that have a grade; 0 in spite of hits suggests that document ids are written in two ways
}

// QueryValues are the values of one query, in the order of the report's measures.
type QueryValues struct {
	ID     string
	Values []float64
}

// DuplicateError reports a document that stands twice in one query's ranking; trec_eval refuses such a run too.
type DuplicateError struct{ Query, Document string }

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("query %q: document %q is ranked more than once; keep one hit for each document", e.Query, e.Document)
}

// Evaluate computes measures over a run. The result does not depend on the order of hits. Errors: no judgments at all, no query in
// common between run and judgments, a document ranked twice for a query (*DuplicateError), a score that is not a finite number.
func Evaluate(qrels Qrels, run Run, measures []Measure) (*Report, error) {
	if slices.Contains(measures, Measure{}) {
		return nil, errors.New("a measure is empty; get measures with Parse")
	}
	if len(qrels) == 0 {
		return nil, errors.New("there are no judgments, so nothing can be measured")
	}
	queries := slices.Sorted(maps.Keys(qrels))
	r := &Report{
		Measures: slices.Clone(measures), Queries: make([]QueryValues, len(queries)), Means: make([]float64, len(measures)),
	}
	for query := range run {
		if _, ok := qrels[query]; !ok {
			r.Unjudged = append(r.Unjudged, query)
		}
	}
	slices.Sort(r.Unjudged)
	if len(run) > 0 && len(r.Unjudged) == len(run) {
		return nil, fmt.Errorf("run and judgments have no query in common: the run has %s, the judgments have %s; "+
			"ids are compared as text, letter for letter", sample(r.Unjudged), sample(queries))
	}
	var e evaluator
	values := make([]float64, len(queries)*len(measures)) // one allocation for all queries
	for i, query := range queries {
		r.Queries[i] = QueryValues{ID: query, Values: values[:len(measures):len(measures)]}
		values = values[len(measures):]
		if err := e.rank(query, qrels[query], run[query]); err != nil {
			return nil, err
		}
		for j, m := range measures {
			v := e.value(m)
			r.Queries[i].Values[j] = v
			r.Means[j] += v
		}
		if e.retrieved == 0 {
			r.Missing = append(r.Missing, query)
		}
		if e.relevant == 0 {
			r.NoRelevant = append(r.NoRelevant, query)
		}
		r.JudgedHits += e.judged
	}
	for j, m := range measures {
		if !m.Summed() {
			r.Means[j] /= float64(len(queries))
		}
	}
	return r, nil
}

// sample shows how many ids there are and the first of them.
func sample(ids []string) string {
	if len(ids) <= 3 {
		return fmt.Sprintf("%q", ids)
	}
	return fmt.Sprintf("%d queries (%q, ...)", len(ids), ids[:3])
}

// Differences pairs two reports by query id and returns system minus baseline for one measure, in the order of query ids. Both must
// hold the measure and cover the same judged queries.
func Differences(system, baseline *Report, m Measure) ([]float64, error) {
	i, j := slices.Index(system.Measures, m), slices.Index(baseline.Measures, m)
	if i < 0 || j < 0 {
		return nil, fmt.Errorf("%s was not computed for both runs", m)
	}
	if len(system.Queries) != len(baseline.Queries) {
		return nil, fmt.Errorf("the runs are measured over %d and %d queries; use the same judgments for both",
			len(system.Queries), len(baseline.Queries))
	}
	differences := make([]float64, len(system.Queries))
	for k, s := range system.Queries {
		b := baseline.Queries[k]
		if s.ID != b.ID {
			return nil, fmt.Errorf("the runs are measured over different queries: %q and %q; use the same judgments for both", s.ID, b.ID)
		}
		differences[k] = s.Values[i] - b.Values[j]
	}
	return differences, nil
}
