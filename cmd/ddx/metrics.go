package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/trec"
	"github.com/ddx-rag/ddx/internal/table"
)

func newMetrics() *cobra.Command {
	var names []string
	var perQuery, asJSON bool
	cmd := &cobra.Command{
		Use:   "metrics QRELS RUN",
		Short: "Measure a TREC run against judgments, as trec_eval -c does",
		Long: `Measure a TREC run against judgments, as trec_eval -c does: equal scores are ordered by document id descending, and judged queries
without results count 0. Judgments are TREC qrels or JSONL (q_id, p_id, score); both files may be gzip.

Measures: ndcg@10, ndcg_exp@10 (exponential gain), recall@100, precision@5, map@100, map, mrr, mrr@10, success@10; trec_eval's own names
(ndcg_cut_10, recip_rank, P_5, ...) are understood as well.`,
		Example: `  ddx metrics qrels.jsonl run.trec
  ddx metrics qrels.txt.gz run.trec.gz -m ndcg@10 -m success@1 --per-query`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			measures := metric.Defaults()
			if names != nil {
				var err error
				if measures, err = parseMeasures(names); err != nil {
					return usage(err)
				}
			}
			report, err := evaluateFiles(args[0], args[1], measures, newWorkspace(cmd))
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), metricsJSON(report, perQuery))
			}
			t := table.New("", table.Column{}, table.Column{}, table.Column{Align: table.Right})
			if perQuery {
				for _, q := range report.Queries {
					for i, m := range measures {
						t.Row(m.String(), q.ID, formatMeasure(m, q.Values[i]))
					}
				}
			}
			t.Row("queries", "all", strconv.Itoa(len(report.Queries)))
			for i, m := range measures {
				t.Row(m.String(), "all", formatMeasure(m, report.Means[i]))
			}
			_, err = t.WriteTo(cmd.OutOrStdout())
			return err
		},
	}
	cmd.Flags().StringArrayVarP(&names, "measure", "m", nil, "`MEASURE`; repeat for several (default ndcg@10, recall@100, map@100, mrr)")
	cmd.Flags().BoolVar(&perQuery, "per-query", false, "print each query's values before the means")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func formatMeasure(m metric.Measure, v float64) string {
	if m.Summed() {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// metricsOutput is the form of `ddx metrics --json`.
type metricsOutput struct {
	Queries    int                           `json:"queries"`
	Metrics    map[string]float64            `json:"metrics"`
	PerQuery   map[string]map[string]float64 `json:"per_query,omitempty"`
	Missing    []string                      `json:"missing,omitempty"`
	Unjudged   []string                      `json:"unjudged,omitempty"`
	NoRelevant []string                      `json:"no_relevant,omitempty"`
}

func metricsJSON(r *metric.Report, perQuery bool) metricsOutput {
	out := metricsOutput{
		Queries: len(r.Queries), Metrics: map[string]float64{},
		Missing: r.Missing, Unjudged: r.Unjudged, NoRelevant: r.NoRelevant,
	}
	for i, m := range r.Measures {
		out.Metrics[m.String()] = r.Means[i]
	}
	if perQuery {
		out.PerQuery = map[string]map[string]float64{}
		for _, q := range r.Queries {
			values := map[string]float64{}
			for i, m := range r.Measures {
				values[m.String()] = q.Values[i]
			}
			out.PerQuery[q.ID] = values
		}
	}
	return out
}

// evaluateFiles measures a run file against a judgment file. What is odd about them is warned of.
func evaluateFiles(qrelsPath, runPath string, measures []metric.Measure, w *workspace) (*metric.Report, error) {
	qrels, err := trec.ReadQrels(qrelsPath)
	if err != nil {
		return nil, err
	}
	run, err := trec.ReadRun(runPath)
	if err != nil {
		return nil, err
	}
	report, err := metric.Evaluate(qrels.Qrels, run.ByQuery(), measures)
	if err != nil {
		return nil, fmt.Errorf("%s against %s: %w", runPath, qrelsPath, err)
	}
	if qrels.Repeats > 0 {
		w.warn("%s: lines that repeat an earlier judgment, counted once: %d", qrelsPath, qrels.Repeats)
	}
	w.warnIDs(runPath+": judged queries without results, counted 0", report.Missing)
	w.warnIDs(runPath+": queries without judgments, left out", report.Unjudged)
	if report.JudgedHits == 0 {
		w.warn("%s: none of the documents is judged; are document ids written the same way as in %s?", runPath, qrelsPath)
	}
	return report, nil
}
