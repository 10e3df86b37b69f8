package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/evaluation/report"
	"github.com/ddx-rag/ddx/internal/snippet"
	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/pipelines"
	"github.com/ddx-rag/ddx/pipelines/expansion"
	"github.com/ddx-rag/ddx/vectorstore/embedded"
)

type searchFlags struct {
	dataset, pipeline, queryID, queries, qrels string
	models                                     []string
	top                                        int
	json                                       bool
}

func newSearch() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   `search --dataset NAME|DIR --pipeline NAME|FILE ("TEXT" | --query-id ID)`,
		Short: "Take one query through a pipeline and show each stage",
		Long: `Take one query through a pipeline and show each stage: what was searched with, the top passages with the matched words marked and,
for a query of the dataset that has judgments, where its relevant passages went.

Pipelines that expand the query with recorded answers need --query-id: the answers are recorded by query.`,
		Example: `  ddx search --dataset demo --pipeline diagnosis-each --query-id demo-001
  ddx search --dataset demo --pipeline bm25 "fever, rash and conjunctivitis in a child"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runSearch(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.dataset, "dataset", demoName, "dataset by `NAME|DIR`")
	flags.StringVar(&f.pipeline, "pipeline", "bm25", "pipeline by `NAME|FILE`")
	flags.StringVar(&f.queryID, "query-id", "", "take the query with this `ID` from the dataset")
	flags.StringArrayVar(&f.models, "model", nil, "model for a role, as `ROLE=PROVIDER:NAME`; repeat for several")
	flags.StringVar(&f.queries, "queries", "", "other query `FILE` of the dataset's folder")
	flags.StringVar(&f.qrels, "qrels", "", "other judgment `FILE` of the dataset's folder")
	flags.IntVar(&f.top, "top", 10, "show the first `N` passages")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func runSearch(cmd *cobra.Command, args []string, f searchFlags) error {
	if (len(args) == 1) == (f.queryID != "") {
		return usage(errors.New("name one query: either its text or --query-id"))
	}
	if f.top < 0 {
		return usage(fmt.Errorf("--top is %d; use 0 or more", f.top))
	}
	ctx, w := cmd.Context(), newWorkspace(cmd)
	models, err := w.parseModels(f.models)
	if err != nil {
		return usage(err)
	}
	spec, err := w.registry.Load(f.pipeline)
	if err != nil {
		return usage(err)
	}
	d, err := w.openDataset(ctx, f.dataset, dataset.Options{QueryFile: f.queries, QrelsFile: f.qrels})
	if err != nil {
		return err
	}
	query, err := chooseQuery(d, args, f.queryID)
	if err != nil {
		return usage(err)
	}
	binding, release, err := w.bind(ctx, d)
	if err != nil {
		return err
	}
	defer func() { _ = release() }() // the index was only read
	p, err := w.registry.Bind(spec.WithModels(models), binding)
	if err != nil {
		return err
	}
	state, err := p.Run(ctx, query)
	if errors.Is(err, expansion.ErrMissing) && query.ID == "" {
		return usage(fmt.Errorf("%w; pipeline %s needs recorded answers, which exist only for the dataset's own queries: use --query-id", err, p.Name()))
	}
	if err != nil {
		return err
	}
	index, err := w.openIndex(ctx, d, spec.Analyses()[0])
	if err != nil {
		return err
	}
	defer func() { _ = index.Close() }() // it was only read
	view, err := queryView(ctx, d, index, spec, state, f.top)
	if err != nil {
		return err
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), report.QueryJSON(view))
	}
	if isTerminal(cmd.OutOrStdout()) && os.Getenv("NO_COLOR") == "" {
		view.Mark = snippet.Mark{Open: "\x1b[1m", Close: "\x1b[0m"}
	}
	return report.Query(cmd.OutOrStdout(), view)
}

// chooseQuery takes the query from the command line or from the dataset.
func chooseQuery(d *dataset.Dataset, args []string, id string) (pipelines.Query, error) {
	if len(args) == 1 {
		if strings.TrimSpace(args[0]) == "" {
			return pipelines.Query{}, errors.New("the query is empty")
		}
		return pipelines.Query{Text: args[0]}, nil
	}
	queries := d.Queries()
	i := slices.IndexFunc(queries, func(q dataset.Query) bool { return q.ID == id })
	if i < 0 {
		if len(queries) == 0 {
			return pipelines.Query{}, fmt.Errorf("dataset %s has no queries", d.Name())
		}
		return pipelines.Query{}, fmt.Errorf("dataset %s has no query %q; its ids look like %q", d.Name(), id, queries[0].ID)
	}
	q := queries[i]
	return pipelines.Query{ID: q.ID, Text: q.Text, Exclude: q.Exclude}, nil
}

// queryView gathers what the display needs beside the state: the top passages' texts and which words matched in them.
func queryView(ctx context.Context, d *dataset.Dataset, index *embedded.Index, spec *pipelines.Spec, state *pipelines.State, top int) (report.QueryView, error) {
	analysis := spec.Analyses()[0]
	a, err := text.Lookup(analysis)
	if err != nil {
		return report.QueryView{}, err
	}
	ids := make([]string, 0, top)
	for _, h := range state.Ranking[:min(top, len(state.Ranking))] {
		ids = append(ids, h.ID)
	}
	documents, err := d.Lookup(ctx, ids)
	if err != nil {
		return report.QueryView{}, err
	}
	return report.QueryView{
		Dataset: d.Name(), Pipeline: spec.Name, State: state, Judged: d.Qrels()[state.Query.ID], Top: top,
		Documents: documents, Analysis: a, InCorpus: index.Has,
		Terms: func(id string) map[string]float64 { return matchedTerms(index, state, id) },
		Mark:  snippet.Mark{Open: "*", Close: "*"},
	}, nil
}

// matchedTerms sums over all searches what each term gave to a document's score.
func matchedTerms(index *embedded.Index, state *pipelines.State, id string) map[string]float64 {
	terms := map[string]float64{}
	for _, l := range state.Lists {
		if l.Text == "" {
			continue // a fused list
		}
		for _, t := range index.Explain(l.BM25, l.Text, id) {
			terms[t.Term] += t.Score * l.Weight
		}
	}
	return terms
}
