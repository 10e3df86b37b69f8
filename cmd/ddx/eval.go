package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddx-rag/ddx/evaluation"
	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/report"
	"github.com/ddx-rag/ddx/pipelines"
)

type evalFlags struct {
	datasets, pipelines, models, measures []string
	queries, qrels, baseline, out         string
	limit, parallel                       int
	seed                                  uint64
	json, overwrite                       bool
}

func newEval() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval [EXPERIMENT.yaml]",
		Short: "Run pipelines over datasets and print each one's gain over the baseline",
		Long: `Run an experiment: pipelines over datasets, one of the pipelines being the baseline, and print for each pipeline its measures and its
paired gain over the baseline with a confidence interval and a p-value.

Without arguments the built-in demo experiment runs. With --dataset and no --pipeline, the built-in pipelines run for which the dataset
has recorded model answers. Datasets are a built-in name (demo) or a folder in R2MED's layout; pipelines a built-in name
(ddx pipelines list) or a YAML file. Flags replace what the experiment file says.

A pipeline that lacks model answers or has failed queries is shown as incomplete, never as zero, and the exit code is 3.`,
		Example: `  ddx eval
  ddx eval --dataset path/to/folder --out results/first
  ddx eval --dataset path/to/folder --pipeline hyde --pipeline my.yaml --model reasoner=dataset:o3-mini
  ddx eval experiment.yaml --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runEval(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.datasets, "dataset", nil, "dataset by `NAME|DIR`; repeat for several")
	flags.StringArrayVar(&f.pipelines, "pipeline", nil, "pipeline by `NAME|FILE`; repeat for several")
	flags.StringVar(&f.baseline, "baseline", "", "pipeline by `NAME|FILE` that the others are compared with (default bm25)")
	flags.StringArrayVar(&f.models, "model", nil, "model for a role, as `ROLE=PROVIDER:NAME`, e.g. reasoner=dataset:o3-mini; repeat for several")
	flags.StringArrayVarP(&f.measures, "measure", "m", nil, "`MEASURE`, e.g. ndcg@10, recall@100, map@100, mrr; repeat for several")
	flags.StringVar(&f.queries, "queries", "", "other query `FILE` of the dataset's folder, e.g. query-all.jsonl")
	flags.StringVar(&f.qrels, "qrels", "", "other judgment `FILE` of the dataset's folder, e.g. qrels-all.jsonl")
	flags.IntVar(&f.limit, "limit", 0, "only the first `N` queries of each dataset")
	flags.Uint64Var(&f.seed, "seed", evaluation.DefaultSeed, "`SEED` of the statistics")
	flags.StringVar(&f.out, "out", "", "keep run files and results in `DIR`")
	flags.BoolVar(&f.overwrite, "overwrite", false, "let --out replace an earlier experiment's results")
	flags.IntVar(&f.parallel, "parallel", 0, "run `N` queries at once (default: the number of processors)")
	flags.BoolVar(&f.json, "json", false, "print results.json instead of a table")
	return cmd
}

func runEval(cmd *cobra.Command, args []string, f evalFlags) error {
	if f.parallel < 0 {
		return usage(fmt.Errorf("--parallel is %d; use 1 or more", f.parallel))
	}
	ctx, w := cmd.Context(), newWorkspace(cmd)
	e, err := w.experiment(ctx, cmd, args, f)
	if err != nil {
		return err
	}
	env := evaluation.Environment{Registry: w.registry, Bind: w.bind, Parallel: f.parallel}
	if f.out != "" {
		if env.Folder, err = evaluation.CreateFolder(f.out, f.overwrite); err != nil {
			return usage(err)
		}
		manifest, err := evaluation.NewManifest(e, version())
		if err != nil {
			return err
		}
		if err := env.Folder.WriteManifest(manifest); err != nil {
			return err
		}
	}
	progress := newProgress(w.stderr)
	env.Progress = progress.update
	results, err := evaluation.Run(ctx, e, env)
	progress.clear()
	for _, d := range e.Datasets {
		for _, warning := range d.RecordingWarnings() {
			w.warn("%s", warning)
		}
	}
	if results == nil || (err != nil && !errors.Is(err, context.Canceled)) {
		return err
	}
	if f.json {
		err = errors.Join(err, writeJSON(cmd.OutOrStdout(), results))
	} else {
		err = errors.Join(err, report.Text(cmd.OutOrStdout(), results))
	}
	if f.out != "" {
		fmt.Fprintf(w.stderr, "results kept in %s\n", f.out)
	}
	if err == nil && results.Incomplete() {
		return errIncomplete
	}
	return err
}

// experiment puts together what the file and the flags say. Whatever is wrong with it is wrong usage or configuration.
func (w *workspace) experiment(ctx context.Context, cmd *cobra.Command, args []string, f evalFlags) (evaluation.Experiment, error) {
	var e evaluation.Experiment
	file, err := evaluation.DemoFile()
	if len(args) == 1 {
		file, err = evaluation.LoadFile(args[0])
	}
	if err != nil {
		return e, usage(err)
	}
	e = evaluation.Experiment{Name: file.Name, Baseline: file.Baseline, Measures: file.Measures, Limit: file.Limit, Seed: file.Seed}
	if f.datasets != nil {
		file.Datasets = f.datasets
	}
	for _, name := range file.Datasets {
		d, err := w.openDataset(ctx, name, dataset.Options{QueryFile: f.queries, QrelsFile: f.qrels})
		if err != nil {
			return e, err
		}
		e.Datasets = append(e.Datasets, d)
	}
	if len(args) == 0 && f.datasets != nil {
		e.Name = e.Datasets[0].Name()
	}
	if cmd.Flags().Changed("limit") {
		e.Limit = f.limit
	}
	if cmd.Flags().Changed("seed") {
		e.Seed = f.seed
	}
	if f.measures != nil {
		if e.Measures, err = parseMeasures(f.measures); err != nil {
			return e, usage(err)
		}
	}
	models, err := w.parseModels(f.models)
	if err != nil {
		return e, usage(err)
	}
	if err := w.choosePipelines(&e, file, f, models, len(args) == 0); err != nil {
		return e, usage(err)
	}
	return e, usage(e.Validate())
}

// choosePipelines loads the pipelines of the file or the flags, puts the models into their roles and makes sure of the baseline. When
// nobody named the pipelines (byDefault), those without any recorded answer in any of the datasets are left out, and that is said.
func (w *workspace) choosePipelines(e *evaluation.Experiment, file *evaluation.File, f evalFlags, flagModels map[string]pipelines.Model, byDefault bool) error {
	names := file.Pipelines
	if f.pipelines != nil {
		names, byDefault = f.pipelines, false
	}
	models := map[string]pipelines.Model{}
	for _, m := range []map[string]pipelines.Model{file.Models, flagModels} {
		for role, model := range m {
			models[role] = model
		}
	}
	roles := map[string]bool{}
	var leftOut []string
	for _, name := range names {
		spec, err := w.registry.Load(name)
		if err != nil {
			return err
		}
		for role := range spec.Models {
			roles[role] = true
		}
		spec = spec.WithModels(models)
		if byDefault && !recordedSomewhere(spec, e.Datasets) {
			leftOut = append(leftOut, spec.Name)
			continue
		}
		e.Pipelines = append(e.Pipelines, spec)
	}
	if len(leftOut) > 0 {
		w.warn("left out, because their model's answers are not recorded with the dataset: %s%s", strings.Join(leftOut, ", "), recordedModels(e.Datasets))
	}
	for role := range flagModels {
		if !roles[role] {
			return fmt.Errorf("--model names the role %q, which no pipeline has", role)
		}
	}
	baseline := e.Baseline
	if f.baseline != "" {
		baseline = f.baseline
	}
	if slices.ContainsFunc(e.Pipelines, func(p *pipelines.Spec) bool { return p.Name == baseline }) {
		e.Baseline = baseline
		return nil
	}
	spec, err := w.registry.Load(baseline)
	if err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	spec = spec.WithModels(models)
	e.Baseline = spec.Name
	if !slices.ContainsFunc(e.Pipelines, func(p *pipelines.Spec) bool { return p.Name == spec.Name }) {
		e.Pipelines = append([]*pipelines.Spec{spec}, e.Pipelines...)
	}
	return nil
}

// recordedSomewhere tells whether every answer that a pipeline asks for is recorded with at least one of the datasets.
func recordedSomewhere(spec *pipelines.Spec, datasets []*dataset.Dataset) bool {
	for _, use := range spec.Uses() {
		if !slices.ContainsFunc(datasets, func(d *dataset.Dataset) bool {
			return slices.ContainsFunc(d.Recorded(), func(r dataset.Recording) bool {
				return r.Method == use.Method && r.Model == use.Model.Name
			})
		}) {
			return false
		}
	}
	return true
}

// recordedModels says what is recorded, to be appended to a sentence.
func recordedModels(datasets []*dataset.Dataset) string {
	var recorded []string
	for _, d := range datasets {
		for _, r := range d.Recorded() {
			if name := r.Method + "/" + r.Model; !slices.Contains(recorded, name) {
				recorded = append(recorded, name)
			}
		}
	}
	if len(recorded) == 0 {
		return ""
	}
	return " (recorded: " + strings.Join(recorded, ", ") + "; choose a model with --model reasoner=dataset:NAME)"
}

// parseModels reads --model flags.
func (w *workspace) parseModels(flags []string) (map[string]pipelines.Model, error) {
	models := map[string]pipelines.Model{}
	for _, flag := range flags {
		role, rest, ok := strings.Cut(flag, "=")
		provider, name, ok2 := strings.Cut(rest, ":")
		if !ok || !ok2 || role == "" || name == "" {
			return nil, fmt.Errorf("--model %q is not of the form ROLE=PROVIDER:NAME, e.g. reasoner=dataset:o3-mini", flag)
		}
		if !slices.Contains(w.registry.Providers, provider) {
			return nil, fmt.Errorf("--model %q: unknown provider %q; known: %s", flag, provider, strings.Join(w.registry.Providers, ", "))
		}
		if _, twice := models[role]; twice {
			return nil, fmt.Errorf("--model names the role %q twice", role)
		}
		models[role] = pipelines.Model{Provider: provider, Name: name}
	}
	return models, nil
}

func parseMeasures(names []string) ([]metric.Measure, error) {
	var measures []metric.Measure
	for _, name := range names {
		m, err := metric.Parse(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(measures, m) {
			measures = append(measures, m)
		}
	}
	return measures, nil
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
