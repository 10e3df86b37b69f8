package evaluation

import (
	"fmt"
	"slices"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/stats"
)

// compare fills in the gains over the baseline, with p-values adjusted over the pipelines of each dataset.
func (r *Results) compare(seed uint64) error {
	for _, group := range r.ByDataset() {
		b := slices.IndexFunc(group, func(res Result) bool { return res.Pipeline == r.Baseline })
		if b < 0 || group[b].PerQuery == nil {
			continue
		}
		for _, m := range r.Measures {
			var p []*float64
			var compared []int
			gains := make([]Gain, len(group))
			for i := range group {
				if i == b || group[i].PerQuery == nil {
					continue
				}
				differences, err := metric.Differences(group[i].PerQuery, group[b].PerQuery, m)
				if err != nil {
					return fmt.Errorf("gain of pipeline %s on dataset %s: %w", group[i].Pipeline, group[i].Dataset, err)
				}
				gains[i] = NewGain(differences, seed)
				p = append(p, gains[i].P)
				compared = append(compared, i)
			}
			for k, adjusted := range stats.Holm(p) {
				i := compared[k]
				gains[i].Holm = adjusted
				if group[i].Gain == nil {
					group[i].Gain = map[string]Gain{}
				}
				group[i].Gain[m.String()] = gains[i]
			}
		}
	}
	return nil
}

// ByDataset returns the results in groups of one dataset each, sharing their storage.
func (r *Results) ByDataset() [][]Result {
	var groups [][]Result
	for start := 0; start < len(r.Results); {
		end := start
		for end < len(r.Results) && r.Results[end].Dataset == r.Results[start].Dataset {
			end++
		}
		groups = append(groups, r.Results[start:end:end])
		start = end
	}
	return groups
}

// NewGain describes paired differences: their mean with its bootstrap interval, and the p-value of the randomisation test, not adjusted.
func NewGain(differences []float64, seed uint64) Gain {
	interval := stats.Bootstrap(differences, seed)
	test := stats.Randomization(differences, seed)
	g := Gain{Mean: interval.Mean, CI95: interval.CI95, P: test.P, Note: interval.Reason}
	if g.Note == "" {
		g.Note = test.Reason
	}
	g.Wins, g.Ties, g.Losses = stats.Count(differences)
	return g
}
