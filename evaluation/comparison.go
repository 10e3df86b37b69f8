package evaluation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ddx-rag/ddx/evaluation/metric"
)

// Comparison sets two runs over the same judged queries side by side. Differences are B minus A.
type Comparison struct {
	Dataset  string              `json:"dataset,omitempty"`
	A        string              `json:"a"`
	B        string              `json:"b"`
	Queries  int                 `json:"queries"`
	Measures []MeasureComparison `json:"measures"`
	PerQuery []QueryComparison   `json:"per_query"` // of the first measure; largest loss first, equal differences by id
}

// MeasureComparison is one measure's mean in both runs and the paired difference. Gain.Holm is null: one comparison needs no adjustment.
type MeasureComparison struct {
	Measure string  `json:"measure"`
	A       float64 `json:"a"`
	B       float64 `json:"b"`
	Gain    Gain    `json:"gain"`
}

// QueryComparison is one query's value in both runs.
type QueryComparison struct {
	ID         string  `json:"id"`
	A          float64 `json:"a"`
	B          float64 `json:"b"`
	Difference float64 `json:"difference"`
}

// Compare compares two reports over the same judgments, measure by measure.
func Compare(nameA, nameB string, a, b *metric.Report, seed uint64) (*Comparison, error) {
	c := &Comparison{A: nameA, B: nameB, Queries: len(a.Queries)}
	for i, m := range a.Measures {
		differences, err := metric.Differences(b, a, m)
		if err != nil {
			return nil, err
		}
		c.Measures = append(c.Measures, MeasureComparison{Measure: m.String(), A: a.Means[i], B: b.Means[i], Gain: NewGain(differences, seed)})
		if i > 0 {
			continue
		}
		for k, q := range a.Queries {
			c.PerQuery = append(c.PerQuery, QueryComparison{ID: q.ID, A: q.Values[0], B: b.Queries[k].Values[0], Difference: differences[k]})
		}
	}
	slices.SortStableFunc(c.PerQuery, func(x, y QueryComparison) int {
		return cmp.Or(cmp.Compare(x.Difference, y.Difference), cmp.Compare(x.ID, y.ID))
	})
	return c, nil
}

// RunReport rebuilds the report of one run of a results folder from its queries.jsonl.
func RunReport(dir, pipeline, dataset string, measures []metric.Measure) (*metric.Report, error) {
	lines, err := ReadQueries(dir, pipeline, dataset)
	if err != nil {
		return nil, err
	}
	report := &metric.Report{Measures: measures}
	for _, line := range lines {
		if line.Status != StatusDone {
			return nil, fmt.Errorf("%s: the run of pipeline %s on dataset %s is incomplete (query %s: %s)", dir, pipeline, dataset, line.ID, line.Status)
		}
		if line.Metrics == nil {
			continue // not judged
		}
		values := make([]float64, len(report.Measures))
		for i, m := range report.Measures {
			v, ok := line.Metrics[m.String()]
			if !ok {
				return nil, fmt.Errorf("%s: %s was not computed for query %s", dir, m, line.ID)
			}
			values[i] = v
		}
		report.Queries = append(report.Queries, metric.QueryValues{ID: line.ID, Values: values})
	}
	slices.SortFunc(report.Queries, func(a, b metric.QueryValues) int { return cmp.Compare(a.ID, b.ID) })
	report.Means = make([]float64, len(report.Measures))
	for i, m := range report.Measures {
		for _, q := range report.Queries {
			report.Means[i] += q.Values[i]
		}
		if n := len(report.Queries); n > 0 && !m.Summed() {
			report.Means[i] /= float64(n)
		}
	}
	return report, nil
}
