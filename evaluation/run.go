package evaluation

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/pipelines"
	"github.com/ddx-rag/ddx/pipelines/expansion"
)

// Environment is what an experiment runs in.
type Environment struct {
	Registry pipelines.Registry
	// Bind opens what pipelines run on for one dataset; it is asked once per dataset. release is called when the dataset is done.
	Bind func(ctx context.Context, d *dataset.Dataset) (b pipelines.Binding, release func() error, err error)
	// Folder keeps the results as they come; nil keeps nothing.
	Folder *Folder
	// Parallel is how many queries run at once; 0 stands for the number of processors that Go uses.
	Parallel int
	// Progress is told about every finished query; nil for nobody. It is called from several goroutines.
	Progress func(Progress)
}

// Progress is how far one run has come.
type Progress struct {
	Pipeline, Dataset string
	Done, Total       int
}

// QueryStatus says how a query of a run ended.
type QueryStatus string

// The ways in which a query can end.
const (
	StatusDone    QueryStatus = "done"
	StatusMissing QueryStatus = "missing" // a model's answer is not recorded
	StatusFailed  QueryStatus = "failed"
	StatusNotRun  QueryStatus = "not run" // the experiment was stopped before
	StatusNoText  QueryStatus = "no text" // judged, but not among the dataset's queries: it cannot be run and counts 0
)

// outcome is one query of a run.
type outcome struct {
	query  dataset.Query
	status QueryStatus
	err    error
	state  *pipelines.State
}

// Run runs the experiment. When ctx is cancelled it returns what is there, marked as interrupted, together with the context's error;
// a folder is then readable all the same. Failed and missing queries are no error: they are counted in the results.
func Run(ctx context.Context, e Experiment, env Environment) (*Results, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	results := &Results{Experiment: e.Name, Baseline: e.Baseline, Measures: e.Measures}
	var failure error
	for _, d := range e.Datasets {
		part, err := runDataset(ctx, e, env, d)
		results.Results = append(results.Results, part...)
		if err != nil {
			failure = err
			break
		}
	}
	if failure != nil && ctx.Err() == nil {
		return nil, failure
	}
	results.Interrupted = failure != nil
	if err := results.compare(e.Seed); err != nil {
		return nil, err
	}
	if env.Folder != nil {
		if err := env.Folder.finish(results); err != nil {
			return results, err
		}
	}
	return results, failure
}

// runDataset runs all pipelines over one dataset.
func runDataset(ctx context.Context, e Experiment, env Environment, d *dataset.Dataset) (results []Result, err error) {
	binding, release, err := env.Bind(ctx, d)
	if err != nil {
		return nil, err
	}
	defer func() {
		if rerr := release(); rerr != nil && err == nil {
			err = rerr
		}
	}()
	bound := make([]*pipelines.Pipeline, len(e.Pipelines))
	for i, spec := range e.Pipelines {
		if bound[i], err = env.Registry.Bind(spec, binding); err != nil {
			return nil, err
		}
	}
	queries, qrels := selection(d, e.Limit)
	if len(qrels) == 0 {
		return nil, fmt.Errorf("dataset %s: none of the first %d queries has a judgment, so nothing can be measured; raise the limit", d.Name(), e.Limit)
	}
	for i, p := range bound {
		start := time.Now()
		outcomes := runQueries(ctx, env, p, d.Name(), queries)
		r, err := measure(e, d, p, qrels, outcomes)
		if err != nil {
			return results, err
		}
		r.Seconds = time.Since(start).Seconds()
		r.Calls.Replayed = replayed(e.Pipelines[i], outcomes)
		if env.Folder != nil {
			if err := env.Folder.writeRun(r, e.Measures, outcomes); err != nil {
				return results, err
			}
		}
		results = append(results, r)
		if err := ctx.Err(); err != nil {
			return results, err
		}
	}
	return results, nil
}

// selection returns the first limit queries of a dataset (0: all) and the judgments that count for them. Judged queries that the dataset
// has no text for count only when no limit is set: they cannot be run and score zero, as in trec_eval -c.
func selection(d *dataset.Dataset, limit int) ([]dataset.Query, metric.Qrels) {
	queries, qrels := d.Queries(), d.Qrels()
	if limit == 0 || limit >= len(queries) {
		return queries, qrels
	}
	queries = queries[:limit]
	selected := metric.Qrels{}
	for _, q := range queries {
		if judged, ok := qrels[q.ID]; ok {
			selected[q.ID] = judged
		}
	}
	return queries, selected
}

// runQueries takes all queries through a pipeline, some at once, and returns their outcomes in the order of the queries.
func runQueries(ctx context.Context, env Environment, p *pipelines.Pipeline, datasetName string, queries []dataset.Query) []outcome {
	outcomes := make([]outcome, len(queries))
	parallel := env.Parallel
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	var g errgroup.Group
	g.SetLimit(parallel)
	var done atomic.Int64
	for i, q := range queries {
		outcomes[i] = outcome{query: q, status: StatusNotRun}
		if ctx.Err() != nil {
			continue
		}
		g.Go(func() error {
			outcomes[i] = runQuery(ctx, p, q)
			if env.Progress != nil {
				env.Progress(Progress{Pipeline: p.Name(), Dataset: datasetName, Done: int(done.Add(1)), Total: len(queries)})
			}
			return nil
		})
	}
	_ = g.Wait() // no query returns an error: a failure is an outcome
	return outcomes
}

func runQuery(ctx context.Context, p *pipelines.Pipeline, q dataset.Query) outcome {
	state, err := p.Run(ctx, pipelines.Query{ID: q.ID, Text: q.Text, Exclude: q.Exclude})
	o := outcome{query: q, status: StatusDone, err: err, state: state}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		o.status, o.err = StatusNotRun, nil
	case errors.Is(err, expansion.ErrMissing):
		o.status = StatusMissing
	default:
		o.status = StatusFailed
	}
	return o
}

// replayed counts the recorded answers that a run used.
func replayed(spec *pipelines.Spec, outcomes []outcome) int {
	if len(spec.Uses()) == 0 {
		return 0
	}
	n := 0
	for _, o := range outcomes {
		if o.state != nil {
			n += len(o.state.Expansions)
		}
	}
	return n
}

// measure counts the outcomes and, when none is lacking, computes the measures.
func measure(e Experiment, d *dataset.Dataset, p *pipelines.Pipeline, qrels metric.Qrels, outcomes []outcome) (Result, error) {
	r := Result{Pipeline: p.Name(), Dataset: d.Name(), Queries: len(qrels)}
	run := metric.Run{}
	for _, o := range outcomes {
		switch o.status {
		case StatusMissing:
			r.Missing++
		case StatusFailed:
			r.Failed++
		case StatusNotRun:
			r.NotRun++
		default:
			run[o.query.ID] = o.state.Ranking
			if o.state.FellBack() {
				r.Fallback++
			}
		}
	}
	if !r.Complete() {
		return r, nil
	}
	report, err := metric.Evaluate(qrels, run, e.Measures)
	if err != nil {
		return r, fmt.Errorf("measures of pipeline %s on dataset %s: %w", p.Name(), d.Name(), err)
	}
	r.PerQuery = report
	r.Metrics = map[string]float64{}
	for i, m := range e.Measures {
		r.Metrics[m.String()] = report.Means[i]
	}
	return r, nil
}
