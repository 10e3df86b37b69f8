package evaluation

import (
	"github.com/ddx-rag/ddx/evaluation/metric"
)

// Results is the outcome of an experiment, in the form of results.json.
type Results struct {
	Experiment  string   `json:"experiment"`
	Baseline    string   `json:"baseline"`
	Interrupted bool     `json:"interrupted,omitempty"` // stopped before all queries were run
	Results     []Result `json:"results"`               // in the order of datasets, then of pipelines

	Measures []metric.Measure `json:"-"`
}

// Result is the outcome of one pipeline over one dataset.
type Result struct {
	Pipeline string `json:"pipeline"`
	Dataset  string `json:"dataset"`
	Queries  int    `json:"queries"`  // judged queries: those over which the measures are averaged
	Failed   int    `json:"failed"`   // queries that ended with an error
	Missing  int    `json:"missing"`  // queries without a recorded answer of a model
	NotRun   int    `json:"not_run"`  // queries that were not reached before the experiment was stopped
	Fallback int    `json:"fallback"` // queries of which an expansion could not be used and that were searched without it
	// Metrics are means over Queries by measure; nil while the run is incomplete.
	Metrics map[string]float64 `json:"metrics"`
	// Gain is the paired difference to the baseline by measure; nil for the baseline itself and where either run is incomplete.
	Gain    map[string]Gain `json:"gain,omitempty"`
	Calls   Calls           `json:"calls"`
	Seconds float64         `json:"seconds"` // wall time of the run over all queries

	PerQuery *metric.Report `json:"-"` // nil while the run is incomplete
}

// Complete tells whether every query got its ranking.
func (r Result) Complete() bool { return r.Failed == 0 && r.Missing == 0 && r.NotRun == 0 }

// Gain is the paired difference of one measure to the baseline, over the judged queries.
type Gain struct {
	Mean float64     `json:"mean"`
	CI95 *[2]float64 `json:"ci95"`   // BCa bootstrap interval of the mean; null where it cannot be had
	P    *float64    `json:"p"`      // two-sided paired randomisation test; null where it cannot be had
	Holm *float64    `json:"p_holm"` // P adjusted for all pipelines that are compared on this dataset by this measure

	Wins   int `json:"wins"`
	Ties   int `json:"ties"`
	Losses int `json:"losses"`
	// Note says in plain words why there is no interval or no p.
	Note string `json:"note,omitempty"`
}

// Calls counts the model calls behind a run. What is not known is null, never 0.
type Calls struct {
	Fresh           int      `json:"fresh"`
	Replayed        int      `json:"replayed"`
	InputTokens     *int     `json:"input_tokens"`
	OutputTokens    *int     `json:"output_tokens"`
	ReasoningTokens *int     `json:"reasoning_tokens"`
	CostUSD         *float64 `json:"cost_usd"`
}

// Incomplete tells whether any run lacks queries.
func (r *Results) Incomplete() bool {
	for _, res := range r.Results {
		if !res.Complete() {
			return true
		}
	}
	return r.Interrupted
}
