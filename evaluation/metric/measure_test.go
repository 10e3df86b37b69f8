package metric_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/evaluation/metric"
)

func TestMeasuresAreReadUnderTheirOwnNamesAndTrecEvals(t *testing.T) {
	for _, c := range []struct{ text, canonical, trec string }{
		{"ndcg@10", "ndcg@10", "ndcg_cut_10"},
		{"nDCG@10", "ndcg@10", "ndcg_cut_10"},
		{" ndcg_cut_10 ", "ndcg@10", "ndcg_cut_10"},
		{"ndcg_cut.10", "ndcg@10", "ndcg_cut_10"},
		{"ndcg@010", "ndcg@10", "ndcg_cut_10"},
		{"ndcg", "ndcg", "ndcg"},
		{"ndcg_exp@10", "ndcg_exp@10", ""},
		{"ndcg_exp", "ndcg_exp", ""},
		{"recall@100", "recall@100", "recall_100"},
		{"recall_100", "recall@100", "recall_100"},
		{"precision@5", "precision@5", "P_5"},
		{"p@5", "precision@5", "P_5"},
		{"P_5", "precision@5", "P_5"},
		{"map", "map", "map"},
		{"map_cut_100", "map@100", "map_cut_100"},
		{"mrr", "mrr", "recip_rank"},
		{"recip_rank", "mrr", "recip_rank"},
		{"mrr@10", "mrr@10", ""},
		{"success_10", "success@10", "success_10"},
		{"num_ret", "num_ret", "num_ret"},
		{"num_rel", "num_rel", "num_rel"},
		{"num_rel_ret", "num_rel_ret", "num_rel_ret"},
	} {
		m, err := metric.Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if m.String() != c.canonical || m.TrecName() != c.trec {
			t.Errorf("%q is %q, for trec_eval %q; want %q and %q", c.text, m, m.TrecName(), c.canonical, c.trec)
		}
	}
}

func TestUnusableMeasuresAreExplained(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ndgc@10", `unknown measure "ndgc@10"; did you mean "ndcg@10"? measures are ndcg@10, ndcg_exp@10, recall@100, precision@5, map@100, ` +
			`mrr, success@10, num_ret, num_rel, num_rel_ret (any depth after @)`},
		{"recal@5", `did you mean "recall@5"?`},
		{"recip_rnk", `did you mean "mrr"?`},
		{"rbp", "unknown measure \"rbp\"; "},
		{"", `unknown measure ""`},
		{"10", `unknown measure "10"`},
		{"_10", `unknown measure "_10"`},
		{"@", `unknown measure "@"`},
		{"recall", `measure "recall" lacks a depth; write for example "recall@100"`},
		{"P", `measure "P" lacks a depth`},
		{"num_ret@5", `measure "num_ret@5" has no depth; write "num_ret"`},
		{"ndcg@0", `depth "0" is not a whole number of 1 or more`},
		{"ndcg@-1", `depth "-1" is not a whole number`},
		{"ndcg@+1", `depth "+1" is not a whole number`},
		{"ndcg@1.5", `depth "1.5" is not a whole number`},
		{"ndcg@", `depth "" is not a whole number`},
		{"ndcg@99999999999999999999", "is not a whole number"},
		{"ndcg@10@20", `depth "10@20" is not a whole number`},
	} {
		m, err := metric.Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: measure %q, error %v; want %q", c.text, m, err, c.want)
		}
		if m != (metric.Measure{}) {
			t.Errorf("%q: measure %v comes with an error", c.text, m)
		}
	}
	for _, name := range []string{"bpref", "rbp", "x", ""} {
		if _, err := metric.Parse(name); err == nil || strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%q is like no measure, but gets a guess: %v", name, err)
		}
	}
}

func TestNotesNameGainAndCutoff(t *testing.T) {
	got := map[string]string{}
	for _, text := range []string{"ndcg@10", "ndcg_exp@10", "mrr", "mrr@10", "recall@100"} {
		m, err := metric.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got[text] = m.Note()
	}
	want := map[string]string{
		"ndcg@10":     "ndcg: linear gain",
		"ndcg_exp@10": "ndcg_exp: exponential gain 2^grade-1, not in trec_eval",
		"mrr":         "mrr: not cut off",
		"mrr@10":      "",
		"recall@100":  "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"ndcg@10", "P_5", "map", "ndcg_cut.10", "mrr@", "@5", "recall_\x00", "İ@1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := metric.Parse(text)
		if err != nil {
			return
		}
		for _, name := range []string{m.String(), m.TrecName()} {
			if name == "" {
				continue
			}
			if again, err := metric.Parse(name); err != nil || again != m {
				t.Errorf("%q is %q, which is read as %q (%v)", text, name, again, err)
			}
		}
	})
}
