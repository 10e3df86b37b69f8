package evaluation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ddx-rag/ddx/evaluation"
	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/pipelines"
	"github.com/ddx-rag/ddx/pipelines/expansion"
	"github.com/ddx-rag/ddx/vectorstore"
)

// keywordStore finds the documents whose id a text names, in the order of the text.
type keywordStore struct {
	ids    []string
	before func(text string) error // called for every search; nil for nothing
}

func (s keywordStore) SearchText(_ context.Context, q vectorstore.TextQuery) ([]vectorstore.Hit, error) {
	if s.before != nil {
		if err := s.before(q.Text); err != nil {
			return nil, err
		}
	}
	var hits []vectorstore.Hit
	for i, word := range strings.Fields(q.Text) {
		for _, id := range s.ids {
			if word == id && len(hits) < q.Depth {
				hits = append(hits, vectorstore.Hit{ID: id, Score: float64(100 - i)})
			}
		}
	}
	return hits, nil
}

// testDataset has three judged queries; the recorded hyde answers name the right document for two of them.
func testDataset(t testing.TB, name string, changes map[string]string) *dataset.Dataset {
	t.Helper()
	files := map[string]string{
		"corpus.jsonl": `{"id": "d1", "text": "a"}` + "\n" + `{"id": "d2", "text": "b"}` + "\n" + `{"id": "d3", "text": "c"}` + "\n",
		"query.jsonl":  `{"id": "q1", "text": "d2 d1"}` + "\n" + `{"id": "q2", "text": "d1"}` + "\n" + `{"id": "q3", "text": "d3"}` + "\n",
		"qrels.jsonl": `{"q_id": "q1", "p_id": "d1", "score": 1}` + "\n" + `{"q_id": "q2", "p_id": "d2", "score": 1}` + "\n" +
			`{"q_id": "q3", "p_id": "d3", "score": 1}` + "\n",
		"hyde/reference-llm/query_with_hydoc.jsonl": `{"id": "q1", "text": "d2 d1", "hy_doc": "d1"}` + "\n" +
			`{"id": "q2", "text": "d1", "hy_doc": "d2"}` + "\n" + `{"id": "q3", "text": "d3", "hy_doc": " "}` + "\n",
		"cot/reference-llm/query_with_hydoc.jsonl": `{"id": "q1", "text": "d2 d1", "hy_doc": "Search query: d1"}` + "\n",
	}
	for file, content := range changes {
		files[file] = content
	}
	fsys := fstest.MapFS{}
	for file, content := range files {
		fsys[file] = &fstest.MapFile{Data: []byte(content)}
	}
	d, err := dataset.Open(context.Background(), fsys, dataset.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func specs(t testing.TB, names ...string) []*pipelines.Spec {
	t.Helper()
	var all []*pipelines.Spec
	for _, name := range names {
		spec, err := pipelines.NewRegistry().Load(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, spec)
	}
	return all
}

func environment(store keywordStore) evaluation.Environment {
	return evaluation.Environment{
		Registry: pipelines.NewRegistry(),
		Bind: func(_ context.Context, d *dataset.Dataset) (pipelines.Binding, func() error, error) {
			return pipelines.Binding{
				Lexical: func(string) (vectorstore.Lexical, error) { return store, nil },
				Source:  func(m pipelines.Model) (expansion.Source, error) { return d.Source(m.Name) },
			}, func() error { return nil }, nil
		},
	}
}

func experiment(t testing.TB, names ...string) evaluation.Experiment {
	measures := []metric.Measure{}
	for _, name := range []string{"ndcg@10", "mrr"} {
		m, err := metric.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		measures = append(measures, m)
	}
	return evaluation.Experiment{
		Name: "test", Datasets: []*dataset.Dataset{testDataset(t, "small", nil)}, Pipelines: specs(t, names...),
		Baseline: "bm25", Measures: measures, Seed: 1,
	}
}

var allDocuments = keywordStore{ids: []string{"d1", "d2", "d3"}}

func TestGainsArePairedAndFallbacksCounted(t *testing.T) {
	r, err := evaluation.Run(t.Context(), experiment(t, "bm25", "hyde"), environment(allDocuments))
	if err != nil {
		t.Fatal(err)
	}
	bm25, hyde := r.Results[0], r.Results[1]
	// Reciprocal ranks: bm25 1/2, 0, 1; hyde 1, 1, and 1 by falling back to the query.
	if diff := cmp.Diff(0.5, bm25.Metrics["mrr"], cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("bm25: %s", diff)
	}
	if hyde.Metrics["mrr"] != 1 || hyde.Fallback != 1 || !hyde.Complete() || hyde.Calls.Replayed != 3 || bm25.Calls.Replayed != 0 {
		t.Errorf("hyde: %+v", hyde)
	}
	g := hyde.Gain["mrr"]
	if diff := cmp.Diff(0.5, g.Mean, cmpopts.EquateApprox(0, 1e-12)); diff != "" || g.Wins != 2 || g.Ties != 1 || g.Losses != 0 {
		t.Errorf("gain %+v %s", g, diff)
	}
	// Signs of 1/2 and 1: one of four assignments, and its mirror, is as far from zero.
	if g.P == nil || *g.P != 0.5 || g.Holm == nil || *g.Holm != 0.5 {
		t.Errorf("p %v, adjusted %v", g.P, g.Holm)
	}
	if bm25.Gain != nil {
		t.Error("the baseline has a gain over itself")
	}
	if r.Incomplete() {
		t.Error("nothing is missing, but the results are incomplete")
	}
}

func TestMissingAnswersMakeAPipelineIncompleteNeverZero(t *testing.T) {
	r, err := evaluation.Run(t.Context(), experiment(t, "bm25", "cot", "hyde"), environment(allDocuments))
	if err != nil {
		t.Fatal(err)
	}
	cot := r.Results[1]
	if cot.Missing != 2 || cot.Complete() || cot.Metrics != nil || cot.Gain != nil || !r.Incomplete() {
		t.Errorf("cot: %+v", cot)
	}
	if r.Results[2].Gain == nil {
		t.Error("another pipeline lost its gain")
	}
	out, err := json.Marshal(cot)
	if err != nil || !strings.Contains(string(out), `"missing":2`) || !strings.Contains(string(out), `"metrics":null`) {
		t.Errorf("%s, %v", out, err)
	}
}

func TestAnIncompleteBaselineGivesNoGains(t *testing.T) {
	e := experiment(t, "cot", "bm25")
	e.Baseline = "cot"
	r, err := evaluation.Run(t.Context(), e, environment(allDocuments))
	if err != nil {
		t.Fatal(err)
	}
	if r.Results[1].Gain != nil || r.Results[1].Metrics == nil {
		t.Errorf("bm25: %+v", r.Results[1])
	}
}

func TestAFailingSearchIsCountedAndOthersGoOn(t *testing.T) {
	store := allDocuments
	store.before = func(text string) error {
		if text == "d3" {
			return errors.New("disk on fire")
		}
		return nil
	}
	env := environment(store)
	dir := filepath.Join(t.TempDir(), "out")
	folder, err := evaluation.CreateFolder(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	env.Folder = folder
	r, err := evaluation.Run(t.Context(), experiment(t, "bm25"), env)
	if err != nil {
		t.Fatal(err)
	}
	if r.Results[0].Failed != 1 || r.Results[0].Complete() {
		t.Errorf("%+v", r.Results[0])
	}
	lines, err := evaluation.ReadQueries(dir, "bm25", "small")
	if err != nil {
		t.Fatal(err)
	}
	if lines[2].Status != evaluation.StatusFailed || !strings.Contains(lines[2].Error, "disk on fire") || lines[0].Status != evaluation.StatusDone {
		t.Errorf("%+v", lines)
	}
}

func TestAQueryWithoutTextCountsZeroUnlessTheLimitLeavesItOut(t *testing.T) {
	e := experiment(t, "bm25")
	e.Datasets = []*dataset.Dataset{testDataset(t, "small", map[string]string{
		"qrels.jsonl": `{"q_id": "q1", "p_id": "d2", "score": 1}` + "\n" + `{"q_id": "q9", "p_id": "d1", "score": 1}` + "\n",
	})}
	r, err := evaluation.Run(t.Context(), e, environment(allDocuments))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Results[0]; got.Queries != 2 || got.Metrics["mrr"] != 0.5 {
		t.Errorf("%+v", got)
	}
	e.Limit = 1
	if r, err = evaluation.Run(t.Context(), e, environment(allDocuments)); err != nil {
		t.Fatal(err)
	}
	if got := r.Results[0]; got.Queries != 1 || got.Metrics["mrr"] != 1 {
		t.Errorf("limited: %+v", got)
	}
}

func TestALimitWithoutJudgedQueriesIsExplained(t *testing.T) {
	e := experiment(t, "bm25")
	e.Datasets = []*dataset.Dataset{testDataset(t, "small", map[string]string{"qrels.jsonl": `{"q_id": "q2", "p_id": "d2", "score": 1}`})}
	e.Limit = 1
	_, err := evaluation.Run(t.Context(), e, environment(allDocuments))
	want := "dataset small: none of the first 1 queries has a judgment, so nothing can be measured; raise the limit"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAnInterruptedExperimentLeavesAReadableFolder(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var searches atomic.Int32
	store := allDocuments
	store.before = func(string) error {
		if searches.Add(1) == 4 { // the first query of the second pipeline
			cancel()
		}
		return nil
	}
	env := environment(store)
	env.Parallel = 1
	dir := filepath.Join(t.TempDir(), "out")
	folder, err := evaluation.CreateFolder(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	env.Folder = folder
	r, err := evaluation.Run(ctx, experiment(t, "bm25", "hyde", "bm25-lucene"), env)
	if !errors.Is(err, context.Canceled) || r == nil || !r.Interrupted {
		t.Fatalf("results %+v, error %v", r, err)
	}
	kept, err := evaluation.ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept.Results) != 2 || !kept.Interrupted || !kept.Results[0].Complete() || kept.Results[1].NotRun == 0 || kept.Results[1].Metrics != nil {
		t.Errorf("%+v", kept)
	}
	if _, err := evaluation.ReadQueries(dir, "hyde", "small"); err != nil {
		t.Error(err)
	}
}

func TestRunFilesDoNotDependOnParallelism(t *testing.T) {
	var first string
	for _, parallel := range []int{1, 2, 8} {
		dir := filepath.Join(t.TempDir(), "out")
		folder, err := evaluation.CreateFolder(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		env := environment(allDocuments)
		env.Folder, env.Parallel = folder, parallel
		if _, err := evaluation.Run(t.Context(), experiment(t, "bm25", "hyde"), env); err != nil {
			t.Fatal(err)
		}
		run, err := os.ReadFile(filepath.Join(dir, "runs", "hyde", "small", "run.trec"))
		if err != nil {
			t.Fatal(err)
		}
		queries, err := os.ReadFile(filepath.Join(dir, "runs", "hyde", "small", "queries.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if both := string(run) + string(queries); first == "" {
			first = both
		} else if both != first {
			t.Errorf("with %d at once:\n%s\ninstead of\n%s", parallel, both, first)
		}
	}
	if want := "q1 Q0 d1 1 100 hyde\n"; !strings.HasPrefix(first, want) {
		t.Errorf("run file starts with %q, want %q", first[:min(len(first), 40)], want)
	}
}

func TestFoldersWithOtherThingsAreNotTouched(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, overwrite := range []bool{false, true} {
		if _, err := evaluation.CreateFolder(dir, overwrite); err == nil || !strings.Contains(err.Error(), "is not empty and holds no results of ddx") {
			t.Errorf("overwrite %v: %v", overwrite, err)
		}
	}
	results := filepath.Join(t.TempDir(), "results")
	folder, err := evaluation.CreateFolder(results, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.WriteManifest(evaluation.Manifest{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(results, "notes.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := evaluation.CreateFolder(results, false); err == nil || !strings.Contains(err.Error(), "say --overwrite") {
		t.Errorf("got %v", err)
	}
	if _, err := evaluation.CreateFolder(results, true); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(results, "notes.txt")); err != nil {
		t.Error("overwriting removed a file that is not ddx's")
	}
}

func TestAmbiguousExperimentsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*evaluation.Experiment)
		want   string
	}{
		{"two pipelines of one name", func(e *evaluation.Experiment) { e.Pipelines = append(e.Pipelines, e.Pipelines[0]) },
			`two pipelines are named "bm25"; give one of them another name`},
		{"two datasets of one name", func(e *evaluation.Experiment) { e.Datasets = append(e.Datasets, e.Datasets[0]) },
			`two datasets are named "small"; rename the folder of one of them`},
		{"a baseline that is not there", func(e *evaluation.Experiment) { e.Baseline = "hyde" }, `the baseline "hyde" is not among the pipelines (bm25)`},
		{"nothing to measure", func(e *evaluation.Experiment) { e.Measures = nil }, "an experiment needs at least one dataset, one pipeline and one measure"},
		{"a negative limit", func(e *evaluation.Experiment) { e.Limit = -1 }, "the limit is -1; use 1 or more, or 0 for all queries"},
	} {
		e := experiment(t, "bm25")
		c.change(&e)
		if _, err := evaluation.Run(t.Context(), e, environment(allDocuments)); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

func TestExperimentFilesAreStrict(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a misspelt key", "name: a\ndatasets: [demo]\npiplines: [bm25]", "e.yaml:1:1: \"pipelines\" is missing\ne.yaml:3:1: unknown key \"piplines\"; did you mean \"pipelines\"?"},
		{"no dataset", "name: a\ndatasets: []\npipelines: [bm25]", "e.yaml:2:11: name at least one dataset"},
		{"no pipeline", "name: a\ndatasets: [demo]\npipelines: []", "e.yaml:3:12: name at least one pipeline"},
		{"an unknown measure", "name: a\ndatasets: [demo]\npipelines: [bm25]\nmeasures: [mrr, ndgc@10]", "e.yaml:4:17: "},
		{"a negative limit", "name: a\ndatasets: [demo]\npipelines: [bm25]\nlimit: -3", `e.yaml:4:8: "limit" is -3; use 1 or more, or leave it out for all queries`},
		{"a model without a name", "name: a\ndatasets: [demo]\npipelines: [bm25]\nmodels: {reasoner: {provider: dataset}}", `e.yaml:4:21: "model" is missing`},
	} {
		_, err := evaluation.ParseFile("e.yaml", []byte(c.src))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	f, err := evaluation.ParseFile("e.yaml", []byte("name: a\ndatasets: [demo, ./d]\npipelines: [bm25, hyde]\nmodels: {reasoner: {provider: dataset, model: x}}\nseed: 5\n"))
	if err != nil {
		t.Fatal(err)
	}
	if f.Baseline != "bm25" || f.Seed != 5 || len(f.Measures) != 4 || f.Models["reasoner"].Name != "x" {
		t.Errorf("%+v", f)
	}
}

func TestPathsInAnExperimentFileAreRelativeToIt(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "e.yaml")
	if err := os.WriteFile(file, []byte("name: a\ndatasets: [demo, ./data]\npipelines: [bm25, ../mine.yaml]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := evaluation.LoadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"demo", filepath.Join(dir, "data")}, f.Datasets); diff != "" {
		t.Errorf("datasets: %s", diff)
	}
	if diff := cmp.Diff([]string{"bm25", filepath.Join(filepath.Dir(dir), "mine.yaml")}, f.Pipelines); diff != "" {
		t.Errorf("pipelines: %s", diff)
	}
}

func TestComparisonOfFoldersEqualsThatOfReports(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	folder, err := evaluation.CreateFolder(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	e := experiment(t, "bm25", "hyde")
	manifest, err := evaluation.NewManifest(e, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.WriteManifest(manifest); err != nil {
		t.Fatal(err)
	}
	env := environment(allDocuments)
	env.Folder = folder
	r, err := evaluation.Run(t.Context(), e, env)
	if err != nil {
		t.Fatal(err)
	}
	var reports []*metric.Report
	for _, name := range []string{"bm25", "hyde"} {
		report, err := evaluation.RunReport(dir, name, "small", e.Measures)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, report)
	}
	fromFolder, err := evaluation.Compare("a", "b", reports[0], reports[1], 1)
	if err != nil {
		t.Fatal(err)
	}
	direct, err := evaluation.Compare("a", "b", r.Results[0].PerQuery, r.Results[1].PerQuery, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(direct, fromFolder); diff != "" {
		t.Errorf("-direct +from folder\n%s", diff)
	}
	if first, last := direct.PerQuery[0], direct.PerQuery[2]; first.ID != "q3" || first.Difference != 0 || last.ID != "q2" || last.Difference != 1 {
		t.Errorf("per query %+v", direct.PerQuery)
	}
	if err := evaluation.CheckComparable(dir, dir); err != nil {
		t.Error(err)
	}
}

func ExampleRun() {
	t := &testing.T{}
	results, err := evaluation.Run(context.Background(), experiment(t, "bm25", "hyde"), environment(allDocuments))
	if err != nil {
		panic(err)
	}
	for _, r := range results.Results {
		fmt.Printf("%s %.3f %+.3f\n", r.Pipeline, r.Metrics["mrr"], r.Gain["mrr"].Mean)
	}
	// Output:
	// bm25 0.500 +0.000
	// hyde 1.000 +0.500
}
