package evaluation_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ddx-rag/ddx/evaluation"
	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/internal/sharedtest"
	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/pipelines"
	"github.com/ddx-rag/ddx/pipelines/expansion"
	"github.com/ddx-rag/ddx/vectorstore"
	"github.com/ddx-rag/ddx/vectorstore/embedded"
)

// What Lucene 9.12 and gensim 4.4 find on real data with each combination rule, measured by trec_eval -c: the whole way from recorded answers to
// measures has to give the same to four decimals.
func TestCombinationRulesAgreeWithLuceneGensimAndTrecEval(t *testing.T) {
	d, err := dataset.Open(t.Context(), os.DirFS(sharedtest.Path(t, "data/vignette-dx")), dataset.Options{Name: "vignette-dx"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := text.Lookup(text.LuceneEnglish)
	if err != nil {
		t.Fatal(err)
	}
	index, err := embedded.OpenOrBuild(t.Context(), t.TempDir(), d.CorpusHash(), a, d.Documents, embedded.CacheOptions{})
	if err != nil {
		t.Fatal(err)
	}
	env := evaluation.Environment{
		Registry: pipelines.NewRegistry(),
		Bind: func(context.Context, *dataset.Dataset) (pipelines.Binding, func() error, error) {
			return pipelines.Binding{
				Lexical: func(string) (vectorstore.Lexical, error) { return index, nil },
				Source:  func(m pipelines.Model) (expansion.Source, error) { return d.Source(m.Name) },
			}, index.Close, nil
		},
	}
	const (
		hyde       = "  - expand: {method: hyde, model: reasoner}\n"
		first      = "  - expand: {method: diagnosis, model: reasoner, hypotheses: 1}\n"
		diagnoses  = "  - expand: {method: diagnosis, model: reasoner}\n"
		cot        = "  - expand: {method: cot, model: reasoner}\n"
		expansions = "  - retrieve: {search: expansions, variant: VARIANT}\n"
	)
	rows := []struct {
		name, steps   string
		lucene, r2med string // ndcg@10 / recall@100, or all four measures
	}{
		{"query", "  - retrieve: {search: query, variant: VARIANT}\n", "0.0288 / 0.0981 / 0.0164 / 0.0793", "0.0536 / 0.1359 / 0.0321 / 0.1295"},
		{"query-and-hyde", hyde + "  - retrieve: {search: concat, variant: VARIANT}\n",
			"0.3093 / 0.5212 / 0.2139 / 0.4942", "0.4080 / 0.6752 / 0.3364 / 0.6052"},
		{"hyde", hyde + expansions, "0.4396 / 0.6954", "0.4569 / 0.7737"},
		{"query-query-hyde", hyde + "  - retrieve: {search: concat, repeat: 2, variant: VARIANT}\n", "0.2044 / 0.3739", "0.3754 / 0.6364"},
		{"first-diagnosis", first + expansions, "0.5330 / 0.8670", "0.5203 / 0.8922"},
		{"all-diagnoses", diagnoses + expansions, "0.2785 / 0.8247", "0.2893 / 0.8476"},
		{"cot", cot + expansions, "0.4887 / 0.8263", "0.4928 / 0.8790"},
		{"hyde-and-first-diagnosis-thrice", hyde + first + "  - retrieve: {search: expansions, of: [hyde, diagnosis, diagnosis, diagnosis], variant: VARIANT}\n",
			"0.5541 / 0.8726", "0.5019 / 0.8547"},
	}
	e := evaluation.Experiment{Name: "reference", Datasets: []*dataset.Dataset{d}, Measures: metric.Defaults(), Baseline: "query-lucene", Seed: 1}
	want := map[string]string{}
	for _, row := range rows {
		for variant, figures := range map[string]string{"lucene": row.lucene, "r2med": row.r2med} {
			name := row.name + "-" + variant
			models := "models: {reasoner: {provider: dataset, model: reference-llm}}\n"
			if !strings.Contains(row.steps, "expand") {
				models = ""
			}
			spec, err := env.Registry.Parse(name, []byte("name: "+name+"\n"+models+"steps:\n"+strings.ReplaceAll(row.steps, "VARIANT", variant)))
			if err != nil {
				t.Fatal(err)
			}
			e.Pipelines = append(e.Pipelines, spec)
			want[name] = figures
		}
	}
	r, err := evaluation.Run(t.Context(), e, env)
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range r.Results {
		var got []string
		for _, m := range e.Measures[:strings.Count(want[res.Pipeline], "/")+1] {
			got = append(got, fmt.Sprintf("%.4f", res.Metrics[m.String()]))
		}
		if g := strings.Join(got, " / "); g != want[res.Pipeline] || res.Fallback != 0 {
			t.Errorf("%s: %s (fallbacks: %d), want %s", res.Pipeline, g, res.Fallback, want[res.Pipeline])
		}
	}
}
