package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ddx-rag/ddx/evaluation"
	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/report"
)

type compareFlags struct {
	qrels, dataset      string
	pipelines, measures []string
	top                 int
	seed                uint64
	json                bool
}

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare RESULTS|RUN RESULTS|RUN",
		Short: "Compare two results folders or two TREC runs query by query",
		Long: `Compare two runs query by query: each measure with its paired difference, interval and p-value, then the queries with the largest wins
and losses in the first measure.

Two TREC runs need --qrels. Of two results folders, every pipeline and dataset that both have is compared; --pipeline chooses one, and given
twice it names the pipeline of the first and that of the second folder, so that two pipelines of one experiment can be compared.`,
		Example: `  ddx compare results/monday results/tuesday --pipeline hyde
  ddx compare results/monday results/monday --pipeline hyde --pipeline diagnosis
  ddx compare a.trec b.trec --qrels qrels.jsonl -m ndcg@10`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			comparisons, err := f.compare(newWorkspace(cmd), args[0], args[1])
			if err != nil {
				return err
			}
			if f.json {
				return writeJSON(cmd.OutOrStdout(), comparisons)
			}
			for i, c := range comparisons {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				if err := report.Comparison(cmd.OutOrStdout(), c, f.top); err != nil {
					return err
				}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.qrels, "qrels", "", "judgments `FILE` for TREC runs (TREC or JSONL, plain or gzip)")
	flags.StringArrayVar(&f.pipelines, "pipeline", nil, "only this pipeline, by `NAME`; twice: of the first and of the second folder")
	flags.StringVar(&f.dataset, "dataset", "", "only this dataset, by `NAME`")
	flags.StringArrayVarP(&f.measures, "measure", "m", nil, "`MEASURE`; repeat for several")
	flags.IntVar(&f.top, "top", 10, "show the `N` largest wins and losses")
	flags.Uint64Var(&f.seed, "seed", evaluation.DefaultSeed, "`SEED` of the statistics")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func (f compareFlags) compare(w *workspace, a, b string) ([]*evaluation.Comparison, error) {
	var isDir [2]bool
	for i, path := range []string{a, b} {
		info, err := os.Stat(path)
		if err != nil {
			return nil, usage(err)
		}
		isDir[i] = info.IsDir()
	}
	if len(f.pipelines) > 2 {
		return nil, usage(fmt.Errorf("--pipeline was given %d times; name one, or one for each folder", len(f.pipelines)))
	}
	if f.top < 0 {
		return nil, usage(fmt.Errorf("--top is %d; use 0 or more", f.top))
	}
	measures, err := parseMeasures(f.measures)
	if err != nil {
		return nil, usage(err)
	}
	switch {
	case isDir[0] != isDir[1]:
		return nil, usage(fmt.Errorf("compare two results folders or two run files, not one of each"))
	case isDir[0] && f.qrels != "":
		return nil, usage(fmt.Errorf("--qrels is for run files; a results folder holds its measures"))
	case isDir[0]:
		return f.folders(a, b, measures)
	case f.qrels == "":
		return nil, usage(fmt.Errorf("two run files need --qrels FILE"))
	case len(f.pipelines) > 0 || f.dataset != "":
		return nil, usage(fmt.Errorf("--pipeline and --dataset are for results folders"))
	}
	if len(measures) == 0 {
		measures = metric.Defaults()
	}
	reportA, err := evaluateFiles(f.qrels, a, measures, w)
	if err != nil {
		return nil, err
	}
	reportB, err := evaluateFiles(f.qrels, b, measures, w)
	if err != nil {
		return nil, err
	}
	c, err := evaluation.Compare(a, b, reportA, reportB, f.seed)
	return []*evaluation.Comparison{c}, err
}

// folders compares the runs that both folders have.
func (f compareFlags) folders(a, b string, measures []metric.Measure) ([]*evaluation.Comparison, error) {
	resultsA, err := evaluation.ReadFolder(a)
	if err != nil {
		return nil, err
	}
	resultsB, err := evaluation.ReadFolder(b)
	if err != nil {
		return nil, err
	}
	if err := evaluation.CheckComparable(a, b); err != nil {
		return nil, err
	}
	if len(measures) == 0 {
		if measures, err = evaluation.CommonMeasures(a, b); err != nil {
			return nil, err
		}
	}
	var comparisons []*evaluation.Comparison
	for _, ra := range resultsA.Results {
		if f.dataset != "" && ra.Dataset != f.dataset || len(f.pipelines) > 0 && ra.Pipeline != f.pipelines[0] {
			continue
		}
		other := ra.Pipeline
		if len(f.pipelines) == 2 {
			other = f.pipelines[1]
		}
		if !slices.ContainsFunc(resultsB.Results, func(rb evaluation.Result) bool { return rb.Pipeline == other && rb.Dataset == ra.Dataset }) {
			continue
		}
		reportA, err := evaluation.RunReport(a, ra.Pipeline, ra.Dataset, measures)
		if err != nil {
			return nil, err
		}
		reportB, err := evaluation.RunReport(b, other, ra.Dataset, measures)
		if err != nil {
			return nil, err
		}
		c, err := evaluation.Compare(a+": "+ra.Pipeline, b+": "+other, reportA, reportB, f.seed)
		if err != nil {
			return nil, err
		}
		c.Dataset = ra.Dataset
		comparisons = append(comparisons, c)
	}
	if len(comparisons) == 0 {
		return nil, usage(fmt.Errorf("the folders have no run of the same pipeline and dataset; name two pipelines with --pipeline A --pipeline B"))
	}
	return comparisons, nil
}
