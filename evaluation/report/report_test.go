package report_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/evaluation"
	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/report"
	"github.com/ddx-rag/ddx/internal/snippet"
	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/pipelines"
	"github.com/ddx-rag/ddx/pipelines/expansion"
	"github.com/ddx-rag/ddx/vectorstore"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, file, got string) {
	t.Helper()
	file = "testdata/" + file
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: -want +got\n%s", file, diff)
	}
}

func measures(t testing.TB, names ...string) []metric.Measure {
	t.Helper()
	var all []metric.Measure
	for _, name := range names {
		m, err := metric.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

func float(v float64) *float64 { return &v }

func results(t testing.TB) *evaluation.Results {
	m := measures(t, "ndcg@10", "mrr")
	judged := &metric.Report{Measures: m, JudgedHits: 5}
	unjudged := &metric.Report{Measures: m, JudgedHits: 5, Unjudged: []string{"q7"}}
	return &evaluation.Results{
		Experiment: "test", Baseline: "bm25", Measures: m,
		Results: []evaluation.Result{
			{Pipeline: "bm25", Dataset: "one", Queries: 80, Metrics: map[string]float64{"ndcg@10": 0.05361, "mrr": 0.1295}, PerQuery: judged, Seconds: 0.021},
			{Pipeline: "hyde-with-a-long-name", Dataset: "one", Queries: 80, Fallback: 1, Metrics: map[string]float64{"ndcg@10": 0.4569, "mrr": 0.6194}, PerQuery: judged,
				Gain: map[string]evaluation.Gain{"ndcg@10": {Mean: 0.40329, CI95: &[2]float64{0.3369, 0.467}, P: float(1e-5), Holm: float(2e-5), Wins: 63, Ties: 17}}, Seconds: 12.3},
			{Pipeline: "same", Dataset: "one", Queries: 80, Metrics: map[string]float64{"ndcg@10": 0.0536, "mrr": 0.1295}, PerQuery: judged,
				Gain: map[string]evaluation.Gain{"ndcg@10": {Mean: -0.00001, Ties: 80, Note: "not testable: no query differs"}}},
			{Pipeline: "cot", Dataset: "one", Queries: 80, Missing: 3, Failed: 1, NotRun: 40},
			{Pipeline: "bm25", Dataset: "two", Queries: 1, Metrics: map[string]float64{"ndcg@10": 1, "mrr": 1}, PerQuery: unjudged},
			{Pipeline: "hyde-with-a-long-name", Dataset: "two", Queries: 1, Metrics: map[string]float64{"ndcg@10": 0.5, "mrr": 0.5}, PerQuery: unjudged,
				Gain: map[string]evaluation.Gain{"ndcg@10": {Mean: -0.5, Losses: 1, Note: "not testable: fewer than two queries"}}},
			{Pipeline: "same", Dataset: "two", Queries: 1, Metrics: map[string]float64{"ndcg@10": 1, "mrr": 1}, PerQuery: unjudged,
				Gain: map[string]evaluation.Gain{"ndcg@10": {Ties: 1, Note: "not testable: fewer than two queries"}}},
			{Pipeline: "cot", Dataset: "two", Queries: 1, Metrics: map[string]float64{"ndcg@10": 1, "mrr": 1}, PerQuery: unjudged,
				Gain: map[string]evaluation.Gain{"ndcg@10": {Ties: 1}}},
		},
	}
}

func TestTheTableOfGains(t *testing.T) {
	var b strings.Builder
	if err := report.Text(&b, results(t)); err != nil {
		t.Fatal(err)
	}
	golden(t, "gains.golden", b.String())
}

func TestAnEmptyExperimentSaysSo(t *testing.T) {
	var b strings.Builder
	if err := report.Text(&b, &evaluation.Results{}); err != nil || b.String() != "no results\n" {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

func TestTheComparisonOfTwoRuns(t *testing.T) {
	c := &evaluation.Comparison{
		A: "a.trec", B: "b.trec", Dataset: "one", Queries: 4,
		Measures: []evaluation.MeasureComparison{
			{Measure: "ndcg@10", A: 0.25, B: 0.5, Gain: evaluation.Gain{Mean: 0.25, CI95: &[2]float64{-0.1, 0.6}, P: float(0.25), Wins: 2, Ties: 1, Losses: 1}},
			{Measure: "mrr", A: 1, B: 1, Gain: evaluation.Gain{Ties: 4}},
		},
		PerQuery: []evaluation.QueryComparison{
			{ID: "q3", A: 0.5, B: 0, Difference: -0.5}, {ID: "q4"}, {ID: "q1", A: 0.5, B: 1, Difference: 0.5}, {ID: "q2", A: 0, B: 1, Difference: 1},
		},
	}
	var b strings.Builder
	if err := report.Comparison(&b, c, 10); err != nil {
		t.Fatal(err)
	}
	golden(t, "comparison.golden", b.String())
}

func view(t testing.TB) report.QueryView {
	a, err := text.Lookup(text.LuceneEnglish)
	if err != nil {
		t.Fatal(err)
	}
	hits := []vectorstore.Hit{{ID: "d2", Score: 2}, {ID: "d1", Score: 1}}
	list := pipelines.RankedList{Store: "bm25", Origin: "hyde", Text: "uric acid \x1b[31mcrystals", Weight: 1, Hits: hits}
	other := pipelines.RankedList{Store: "bm25", Origin: "query", Text: "red toe", Weight: 0.5, Hits: hits[1:]}
	fused := pipelines.RankedList{Store: "fuse rrf", Origin: "fused", Hits: hits}
	e := pipelines.Expansion{Method: "hyde", Model: "m", Text: "uric acid crystals", Answer: expansion.Answer{Searches: []expansion.Search{{Text: "uric acid crystals", Weight: 1}}}}
	return report.QueryView{
		Dataset: "one", Pipeline: "both", Top: 2, Analysis: a, Mark: snippet.Mark{Open: "*", Close: "*"},
		State: &pipelines.State{
			Query: pipelines.Query{ID: "q1", Text: "A man with a red toe."}, Expansions: []pipelines.Expansion{e},
			Lists: []pipelines.RankedList{list, other, fused}, Ranking: hits,
			Stages: []pipelines.Stage{
				{Name: "expand hyde", Duration: 1500 * time.Microsecond, Expansions: []pipelines.Expansion{e}, Warnings: []string{"hyde: something\nodd"}},
				{Name: "retrieve bm25 (search: each)", Lists: []pipelines.RankedList{list, other}},
				{Name: "fuse rrf", Lists: []pipelines.RankedList{fused}, Ranking: hits},
			},
		},
		Judged: map[string]int{"d1": 2, "gone": 1, "d3": 1, "d2": 0},
		Documents: map[string]vectorstore.Document{
			"d1": {ID: "d1", Title: "Gout", Text: "Crystals of uric acid swell the toe.\x1b[2J"}, "d2": {ID: "d2", Text: "Blisters."},
		},
		Terms:    func(string) map[string]float64 { return map[string]float64{"uric": 3, "acid": 2, "toe": 0.01} },
		InCorpus: func(id string) bool { return id != "gone" },
	}
}

func TestTheWayOfAQuery(t *testing.T) {
	var b strings.Builder
	if err := report.Query(&b, view(t)); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(b.String(), '\x1b') {
		t.Error("an escape sequence of a text reached the screen")
	}
	golden(t, "query.golden", b.String())
	out, err := json.MarshalIndent(report.QueryJSON(view(t)), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "query.json.golden", string(out)+"\n")
}
