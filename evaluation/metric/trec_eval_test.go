package metric_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/trec"
	"github.com/ddx-rag/ddx/internal/sharedtest"
)

// Each recorded case has judgments, a run, and what trec_eval 9 printed for them with -q -c.
func TestEveryRecordedValueOfTrecEvalIsMet(t *testing.T) {
	dir := sharedtest.Path(t, "qa/trec_eval")
	cases, err := filepath.Glob(filepath.Join(dir, "*.expected"))
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 10 {
		t.Fatalf("found %d recorded cases in %s, expected 10 at least", len(cases), dir)
	}
	for _, expected := range cases {
		base := strings.TrimSuffix(expected, ".expected")
		t.Run(filepath.Base(base), func(t *testing.T) {
			judgments, err := trec.ReadQrels(base + ".qrels")
			if err != nil {
				t.Fatal(err)
			}
			run, err := trec.ReadRun(base + ".run")
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(expected)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]map[string]string{} // by query or "all", and by measure
			var measures []metric.Measure
			for line := range strings.Lines(string(text)) {
				f := strings.Fields(line)
				if len(f) != 3 {
					t.Fatalf("unexpected line %q", line)
				}
				if want[f[1]] == nil {
					want[f[1]] = map[string]string{}
				}
				want[f[1]][f[0]] = f[2]
				if f[1] != "all" || f[0] == "num_q" {
					continue
				}
				m, err := metric.Parse(f[0])
				if err != nil {
					t.Fatal(err)
				}
				measures = append(measures, m)
			}
			report, err := metric.Evaluate(judgments.Qrels, run.ByQuery(), measures)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]map[string]string{"all": printed(measures, report.Means)}
			got["all"]["num_q"] = fmt.Sprint(len(report.Queries))
			for _, q := range report.Queries {
				got[q.ID] = printed(measures, q.Values)
			}
			if len(got) != len(want) {
				t.Errorf("%d queries, want %d", len(got)-1, len(want)-1)
			}
			for query, values := range want {
				for name, value := range values {
					if got[query][name] != value {
						t.Errorf("%s of %s = %s, trec_eval says %s", name, query, got[query][name], value)
					}
				}
			}
		})
	}
}

// printed gives values as trec_eval prints them.
func printed(measures []metric.Measure, values []float64) map[string]string {
	out := map[string]string{}
	for i, m := range measures {
		out[m.TrecName()] = fmt.Sprintf("%.4f", values[i])
		if m.Summed() {
			out[m.TrecName()] = fmt.Sprintf("%.0f", values[i])
		}
	}
	return out
}

// The folder's README gives the means of four BM25 runs over real judgments.
func TestMeansOfRealRunsAreMet(t *testing.T) {
	judgments, err := trec.ReadQrels(sharedtest.Path(t, "data/vignette-dx/qrels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"query.lucene":      "[0.0288 0.0981 0.0164 0.0793]",
		"query+hyde.lucene": "[0.3093 0.5212 0.2139 0.4942]",
		"query.r2med":       "[0.0536 0.1359 0.0321 0.1295]",
		"query+hyde.r2med":  "[0.4080 0.6752 0.3364 0.6052]",
	} {
		run, err := trec.ReadRun(sharedtest.Path(t, "qa/bm25/vignette-dx."+name+".trec"))
		if err != nil {
			t.Fatal(err)
		}
		report, err := metric.Evaluate(judgments.Qrels, run.ByQuery(), metric.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%.4f", report.Means); got != want {
			t.Errorf("%s: ndcg@10, recall@100, map@100, mrr = %s, want %s", name, got, want)
		}
	}
}
