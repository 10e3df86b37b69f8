package metric_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/vectorstore"
)

func parse(t testing.TB, names ...string) []metric.Measure {
	t.Helper()
	var measures []metric.Measure
	for _, name := range names {
		m, err := metric.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		measures = append(measures, m)
	}
	return measures
}

func evaluate(t testing.TB, qrels metric.Qrels, run metric.Run, names ...string) *metric.Report {
	t.Helper()
	report, err := metric.Evaluate(qrels, run, parse(t, names...))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// descending makes a ranking of the ids in the order given.
func descending(ids ...string) []vectorstore.Hit {
	hits := make([]vectorstore.Hit, len(ids))
	for i, id := range ids {
		hits[i] = vectorstore.Hit{ID: id, Score: float64(len(ids) - i)}
	}
	return hits
}

func TestEqualScoresGoByDocumentIDDescending(t *testing.T) {
	qrels := metric.Qrels{"q": {"b": 1, "a": 0, "c": 0}}
	for _, c := range []struct {
		name string
		hits []vectorstore.Hit
		want string
	}{
		{"a larger id stands above the relevant one", []vectorstore.Hit{{ID: "b", Score: 1}, {ID: "c", Score: 1}}, "[0.6309 0.5000 0.5000]"},
		{"whatever the order of hits", []vectorstore.Hit{{ID: "c", Score: 1}, {ID: "b", Score: 1}}, "[0.6309 0.5000 0.5000]"},
		{"a smaller id stands below", []vectorstore.Hit{{ID: "b", Score: 1}, {ID: "a", Score: 1}}, "[1.0000 1.0000 1.0000]"},
		{"scores that differ beyond float32 are equal", []vectorstore.Hit{{ID: "b", Score: 1.00000000002}, {ID: "c", Score: 1.00000000001}}, "[0.6309 0.5000 0.5000]"},
		{"scores beyond the range of float32 are equal", []vectorstore.Hit{{ID: "b", Score: 2e300}, {ID: "c", Score: 1e300}}, "[0.6309 0.5000 0.5000]"},
		{"minus zero is zero", []vectorstore.Hit{{ID: "b", Score: 0}, {ID: "c", Score: math.Copysign(0, -1)}}, "[0.6309 0.5000 0.5000]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := evaluate(t, qrels, metric.Run{"q": c.hits}, "ndcg@10", "mrr", "map")
			if got := fmt.Sprintf("%.4f", report.Means); got != c.want {
				t.Errorf("ndcg@10, mrr, map = %s, want %s", got, c.want)
			}
		})
	}
}

func TestGainIsLinearAndExponentialOnlyByName(t *testing.T) {
	for _, c := range []struct {
		grades map[string]int
		hits   []vectorstore.Hit
		want   string
	}{
		{map[string]int{"d1": 2, "d2": 1, "d3": 0}, descending("d2", "d1", "d3"), "[0.8597 0.7967]"},
		{map[string]int{"a": 3, "b": 2, "c": 1}, descending("c", "a", "b"), "[0.8175 0.7364]"},
		{map[string]int{"a": 5000, "b": 4999}, descending("b", "a"), "[1.0000 0.8597]"}, // 2^5000 is beyond float64; gains are as 2:1
		{map[string]int{"a": math.MaxInt, "b": 1}, descending("a", "b"), "[1.0000 1.0000]"},
		{map[string]int{"a": 0, "b": -1}, descending("a", "b"), "[0.0000 0.0000]"},
	} {
		report := evaluate(t, metric.Qrels{"q": c.grades}, metric.Run{"q": c.hits}, "ndcg@10", "ndcg_exp@10")
		if got := fmt.Sprintf("%.4f", report.Means); got != c.want {
			t.Errorf("grades %v: linear and exponential nDCG = %s, want %s", c.grades, got, c.want)
		}
	}
}

func TestEveryJudgedQueryCounts(t *testing.T) {
	t.Run("a query that the run lacks counts zero and one without judgments is left out", func(t *testing.T) {
		report := evaluate(t, metric.Qrels{"q1": {"d1": 1}, "q2": {"d2": 1}},
			metric.Run{"q1": descending("d1"), "q9": descending("d9"), "q3": nil}, "ndcg@10", "num_ret")
		want := &metric.Report{
			Measures: report.Measures,
			Queries:  []metric.QueryValues{{ID: "q1", Values: []float64{1, 1}}, {ID: "q2", Values: []float64{0, 0}}},
			Means:    []float64{0.5, 1}, Missing: []string{"q2"}, Unjudged: []string{"q3", "q9"}, JudgedHits: 1,
		}
		if diff := cmp.Diff(want, report, cmp.Comparer(func(a, b metric.Measure) bool { return a == b })); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a relevant document that cannot be found stays in the ideal ranking", func(t *testing.T) {
		report := evaluate(t, metric.Qrels{"q": {"d1": 1, "gone": 1}}, metric.Run{"q": descending("d1")}, "ndcg@10", "recall@100")
		if got := fmt.Sprintf("%.4f", report.Means); got != "[0.6131 0.5000]" {
			t.Errorf("ndcg@10 and recall@100 = %s", got)
		}
	})
	t.Run("a query with only zero grades counts zero", func(t *testing.T) {
		names := []string{"ndcg", "ndcg@10", "ndcg_exp", "recall@10", "precision@10", "map", "map@10", "mrr", "mrr@10", "success@10"}
		report := evaluate(t, metric.Qrels{"q": {"d1": 0}}, metric.Run{"q": descending("d1")}, names...)
		if diff := cmp.Diff(make([]float64, len(names)), report.Means); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"q"}, report.NoRelevant); diff != "" || report.JudgedHits != 1 {
			t.Errorf("%d judged hits; %s", report.JudgedHits, diff)
		}
	})
	t.Run("hits that nobody judged are counted as such", func(t *testing.T) {
		report := evaluate(t, metric.Qrels{"q": {"d1.txt": 1}}, metric.Run{"q": descending("d1", "d2")}, "mrr")
		if report.JudgedHits != 0 || report.Missing != nil || report.Means[0] != 0 {
			t.Errorf("%+v", report)
		}
	})
	t.Run("a run without any query counts zero throughout", func(t *testing.T) {
		report := evaluate(t, metric.Qrels{"q": {"d1": 1}}, metric.Run{}, "mrr")
		if report.Means[0] != 0 || len(report.Missing) != 1 {
			t.Errorf("%+v", report)
		}
	})
}

func TestDepthsCutTheRanking(t *testing.T) {
	// Relevant: ranks 2 and 4, and one that is not found.
	report := evaluate(t, metric.Qrels{"q": {"b": 1, "d": 1, "x": 1}}, metric.Run{"q": descending("a", "b", "c", "d")},
		"map", "map@2", "map@3", "map@4", "mrr@1", "mrr@2", "recall@1", "recall@2", "recall@9", "precision@3", "precision@10", "success@1", "success@2",
		"num_ret", "num_rel", "num_rel_ret")
	want := []float64{(0.5 + 0.5) / 3, 0.5 / 3, 0.5 / 3, (0.5 + 0.5) / 3, 0, 0.5, 0, 1. / 3, 2. / 3, 1. / 3, 0.2, 0, 1, 4, 3, 2}
	if diff := cmp.Diff(want, report.Means); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCannotBeMeasuredIsAnError(t *testing.T) {
	qrels := metric.Qrels{"0": {"d1": 1}, "1": {"d1": 1}}
	for _, c := range []struct {
		name  string
		qrels metric.Qrels
		run   metric.Run
		want  string
	}{
		{"ids that are written in two ways", qrels, metric.Run{"q0": descending("d1"), "q1": descending("d1")},
			`run and judgments have no query in common: the run has ["q0" "q1"], the judgments have ["0" "1"]; ids are compared as text, letter for letter`},
		{"leading zeros", qrels, metric.Run{"00": descending("d1"), "01": nil, "02": nil, "03": nil},
			`the run has 4 queries (["00" "01" "02"], ...)`},
		{"no judgments", metric.Qrels{}, metric.Run{"q": descending("d1")}, "there are no judgments"},
		{"a document that is ranked twice", qrels, metric.Run{"0": {{ID: "d1", Score: 3}, {ID: "d2", Score: 2.5}, {ID: "d1", Score: 2}}},
			`query "0": document "d1" is ranked more than once`},
		{"an unjudged document that is ranked twice", qrels, metric.Run{"0": descending("x", "x")}, `query "0": document "x" is ranked more than once`},
		{"a score that is no number", qrels, metric.Run{"0": {{ID: "d1", Score: math.NaN()}}}, `query "0", document "d1": score NaN is not a finite number`},
		{"an infinite score", qrels, metric.Run{"0": {{ID: "d1", Score: math.Inf(-1)}}}, `score -Inf is not a finite number`},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := metric.Evaluate(c.qrels, c.run, metric.Defaults())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, report %v; want %q", err, report, c.want)
			}
		})
	}
	t.Run("a repeated document is a DuplicateError", func(t *testing.T) {
		_, err := metric.Evaluate(qrels, metric.Run{"0": descending("d1", "d1")}, metric.Defaults())
		var duplicate *metric.DuplicateError
		if !errors.As(err, &duplicate) || *duplicate != (metric.DuplicateError{Query: "0", Document: "d1"}) {
			t.Errorf("error %#v", err)
		}
	})
	t.Run("an empty measure", func(t *testing.T) {
		if _, err := metric.Evaluate(qrels, metric.Run{}, []metric.Measure{{}}); err == nil {
			t.Error("no error")
		}
	})
}

func TestIDsAreText(t *testing.T) {
	qrels := metric.Qrels{"007": {"7": 1}, "7": {"007": 1}}
	report := evaluate(t, qrels, metric.Run{"007": descending("7", "007"), "7": descending("7", "007")}, "mrr")
	want := []metric.QueryValues{{ID: "007", Values: []float64{1}}, {ID: "7", Values: []float64{0.5}}}
	if diff := cmp.Diff(want, report.Queries); diff != "" {
		t.Error(diff)
	}
}

func TestDifferencesArePairedByQuery(t *testing.T) {
	qrels := metric.Qrels{"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
	system := evaluate(t, qrels, metric.Run{"q1": descending("a"), "q2": descending("b", "a")}, "map", "mrr")
	baseline := evaluate(t, qrels, metric.Run{"q2": descending("a"), "q1": descending("b", "a")}, "mrr")
	got, err := metric.Differences(system, baseline, parse(t, "mrr")[0])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{0.5, -0.5, 0}, got); diff != "" {
		t.Error(diff)
	}

	if _, err := metric.Differences(system, baseline, parse(t, "map")[0]); err == nil || !strings.Contains(err.Error(), "map was not computed for both") {
		t.Errorf("a measure that one report lacks: error %v", err)
	}
	fewer := evaluate(t, metric.Qrels{"q1": {"a": 1}}, metric.Run{"q1": descending("a")}, "mrr")
	if _, err := metric.Differences(system, fewer, parse(t, "mrr")[0]); err == nil || !strings.Contains(err.Error(), "over 3 and 1 queries") {
		t.Errorf("other numbers of queries: error %v", err)
	}
	other := evaluate(t, metric.Qrels{"q1": {"a": 1}, "q2": {"a": 1}, "q4": {"a": 1}}, metric.Run{"q1": descending("a")}, "mrr")
	if _, err := metric.Differences(system, other, parse(t, "mrr")[0]); err == nil || !strings.Contains(err.Error(), `"q3" and "q4"`) {
		t.Errorf("other queries: error %v", err)
	}
}

// One evaluator serves all queries of a run; its buffers must not carry anything over. Queries of very different sizes are measured
// together and one by one.
func TestQueriesDoNotInfluenceEachOther(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	qrels, run := randomRun(random, 40, 300)
	names := []string{"ndcg@10", "ndcg", "ndcg_exp", "map", "mrr", "recall@100", "precision@10", "num_rel_ret"}
	together := evaluate(t, qrels, run, names...)
	for _, q := range together.Queries {
		alone := evaluate(t, metric.Qrels{q.ID: qrels[q.ID]}, metric.Run{q.ID: run[q.ID]}, names...)
		if diff := cmp.Diff(q, alone.Queries[0]); diff != "" {
			t.Error(diff)
		}
	}
	for _, hits := range run {
		random.Shuffle(len(hits), func(i, j int) { hits[i], hits[j] = hits[j], hits[i] })
	}
	if diff := cmp.Diff(together.Queries, evaluate(t, qrels, run, names...).Queries); diff != "" {
		t.Errorf("values depend on the order of hits: %s", diff)
	}
}

// randomRun makes queries with up to depth hits, of which many have equal scores, and graded judgments for some documents.
func randomRun(random *rand.Rand, queries, depth int) (metric.Qrels, metric.Run) {
	qrels, run := metric.Qrels{}, metric.Run{}
	for q := range queries {
		query := fmt.Sprintf("q%d", q)
		qrels[query] = map[string]int{}
		for range random.IntN(30) + 1 {
			qrels[query][fmt.Sprintf("document-%d", random.IntN(2*depth))] = random.IntN(4)
		}
		for _, d := range random.Perm(2 * depth)[:random.IntN(depth+1)] {
			run[query] = append(run[query], vectorstore.Hit{ID: fmt.Sprintf("document-%d", d), Score: float64(random.IntN(depth)) / 7})
		}
	}
	return qrels, run
}

func BenchmarkEvaluate(b *testing.B) {
	const queries, depth = 10_000, 1_000
	random := rand.New(rand.NewPCG(1, 2))
	qrels, run := metric.Qrels{}, metric.Run{}
	for q := range queries {
		query := fmt.Sprintf("q%d", q)
		qrels[query] = map[string]int{}
		for range 10 {
			qrels[query][fmt.Sprintf("document-%d", random.IntN(2*depth))] = 1 + random.IntN(2)
		}
		for i := range depth {
			run[query] = append(run[query], vectorstore.Hit{ID: fmt.Sprintf("document-%d", i*7%(2*depth)), Score: float64(depth - i)})
		}
	}
	b.Run("10000 queries of 1000 hits", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := metric.Evaluate(qrels, run, metric.Defaults()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
