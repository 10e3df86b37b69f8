// Package report prints the results of experiments for people.
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ddx-rag/ddx/evaluation"
	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/internal/table"
)

// Text writes one table for each dataset: a pipeline's measures, its gain over the baseline in the first measure with interval and p,
// and the seconds it took. With several datasets a table of unweighted means over the datasets follows.
func Text(w io.Writer, r *evaluation.Results) error {
	if len(r.Measures) == 0 || len(r.Results) == 0 {
		_, err := fmt.Fprintln(w, "no results")
		return err
	}
	var b strings.Builder
	datasets := r.ByDataset()
	for _, d := range datasets {
		fmt.Fprintf(&b, "%s: %s\n\n", d[0].Dataset, count(d[0].Queries, "judged query", "judged queries"))
		datasetTable(r, d, &b)
		b.WriteByte('\n')
	}
	if len(datasets) > 1 {
		fmt.Fprintf(&b, "mean over %d datasets, each counting alike\n\n", len(datasets))
		meanTable(r, datasets, &b)
		b.WriteByte('\n')
	}
	notes(r, &b)
	_, err := io.WriteString(w, b.String())
	return err
}

func measureColumns(measures []metric.Measure) []table.Column {
	columns := []table.Column{{Title: "pipeline"}}
	for _, m := range measures {
		columns = append(columns, table.Column{Title: m.String(), Align: table.Right})
	}
	return columns
}

func datasetTable(r *evaluation.Results, results []evaluation.Result, b *strings.Builder) {
	first := r.Measures[0].String()
	t := table.New("", append(measureColumns(r.Measures),
		table.Column{Title: "gain in " + first, Align: table.Right}, table.Column{Title: "95 % interval"},
		table.Column{Title: "p", Align: table.Right}, table.Column{Title: "won/tied/lost", Align: table.Right},
		table.Column{Title: "seconds", Align: table.Right})...)
	for _, res := range results {
		row := []string{res.Pipeline}
		for _, m := range r.Measures {
			if res.Metrics == nil {
				row = append(row, "-")
			} else {
				row = append(row, strconv.FormatFloat(res.Metrics[m.String()], 'f', 4, 64))
			}
		}
		gain, ok := res.Gain[first]
		switch {
		case !res.Complete():
			row = append(row, "incomplete", "", "", "")
		case res.Pipeline == r.Baseline:
			row = append(row, "baseline", "", "", "")
		case !ok:
			row = append(row, "-", "baseline incomplete", "", "")
		default:
			row = append(row, signed(gain.Mean), interval(gain), pValue(gain.Holm),
				fmt.Sprintf("%d/%d/%d", gain.Wins, gain.Ties, gain.Losses))
		}
		t.Row(append(row, strconv.FormatFloat(res.Seconds, 'f', 2, 64))...)
	}
	_, _ = t.WriteTo(b) // a strings.Builder never fails
}

func signed(v float64) string {
	return strings.Replace(fmt.Sprintf("%+.4f", v), "-0.0000", "+0.0000", 1)
}

func interval(g evaluation.Gain) string {
	if g.CI95 == nil {
		return "not testable"
	}
	return fmt.Sprintf("%s to %s", signed(g.CI95[0]), signed(g.CI95[1]))
}

func pValue(p *float64) string {
	switch {
	case p == nil:
		return "-"
	case *p < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(*p, 'f', 4, 64)
}

// meanTable averages over datasets what is complete in all of them.
func meanTable(r *evaluation.Results, datasets [][]evaluation.Result, b *strings.Builder) {
	t := table.New("", measureColumns(r.Measures)...)
	for i, res := range datasets[0] {
		row := []string{res.Pipeline}
		complete := true
		for _, d := range datasets {
			complete = complete && i < len(d) && d[i].Complete()
		}
		for _, m := range r.Measures {
			if !complete {
				row = append(row, "-")
				continue
			}
			sum := 0.0
			for _, d := range datasets {
				sum += d[i].Metrics[m.String()]
			}
			row = append(row, strconv.FormatFloat(sum/float64(len(datasets)), 'f', 4, 64))
		}
		t.Row(row...)
	}
	_, _ = t.WriteTo(b)
}

// notes says what the table does not: how the figures were computed, and what is lacking.
func notes(r *evaluation.Results, b *strings.Builder) {
	compared := 0
	for _, d := range r.ByDataset() {
		n := 0
		for _, res := range d {
			if res.Gain != nil {
				n++
			}
		}
		compared = max(compared, n)
	}
	if compared > 0 {
		fmt.Fprintf(b, "gain: mean paired difference to %s; %s.\n", r.Baseline, evaluation.StatisticsNote(compared))
	}
	fmt.Fprintf(b, "measures: as trec_eval -c computes them%s.\n", measureNotes(r.Measures))
	for _, res := range r.Results {
		name := res.Pipeline
		if len(r.ByDataset()) > 1 {
			name += " on " + res.Dataset
		}
		if res.Fallback > 0 {
			fmt.Fprintf(b, "%s: %s searched without an expansion that could not be used.\n", name, count(res.Fallback, "query", "queries"))
		}
		for _, lack := range []struct {
			n    int
			what string
		}{
			{res.Missing, "without a recorded answer of the model"},
			{res.Failed, "failed"},
			{res.NotRun, "not run before the experiment was stopped"},
		} {
			if lack.n > 0 {
				fmt.Fprintf(b, "%s is incomplete: %s %s.\n", name, count(lack.n, "query", "queries"), lack.what)
			}
		}
	}
	for _, d := range r.ByDataset() {
		if slices.ContainsFunc(d, func(res evaluation.Result) bool { return res.PerQuery != nil && res.PerQuery.JudgedHits > 0 }) ||
			!slices.ContainsFunc(d, func(res evaluation.Result) bool { return res.PerQuery != nil }) {
			continue
		}
		fmt.Fprintf(b, "%s: none of the passages found is judged; `ddx data inspect` shows whether the judgments fit the corpus.\n", d[0].Dataset)
	}
	var unjudged []string
	for _, d := range r.ByDataset() {
		if i := slices.IndexFunc(d, func(res evaluation.Result) bool { return res.PerQuery != nil && len(res.PerQuery.Unjudged) > 0 }); i >= 0 {
			unjudged = append(unjudged, fmt.Sprintf("%s: %s without judgments not averaged.", d[i].Dataset,
				count(len(d[i].PerQuery.Unjudged), "query", "queries")))
		}
	}
	slices.SortFunc(unjudged, cmp.Compare[string])
	for _, line := range unjudged {
		b.WriteString(line + "\n")
	}
}

func measureNotes(measures []metric.Measure) string {
	var notes []string
	for _, m := range measures {
		if n := m.Note(); n != "" && !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
