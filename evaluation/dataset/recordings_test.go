package dataset_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/pipelines/expansion"
)

func TestRecordedAnswersAreFoundByMethodModelAndQuery(t *testing.T) {
	d, err := open(t, map[string]string{
		"cot/m/query_with_hydoc.jsonl":    `{"id": "q1", "text": "first", "hy_doc": null}`,
		"cot/bad/query_with_hydoc.jsonl":  `{"id": "q1", "hy_doc": "a"}` + "\n" + `{"id": "q1", "hy_doc": "b"}`,
		"cot/half/query_with_hydoc.jsonl": `{"id": "q1", "hy_doc": "a"}` + "\n" + `{"id": "q1", "hy_doc": null}`,
		"cot/num/query_with_hydoc.jsonl":  `{"id": "q1", "hy_doc": 5}`,
		"cot/page/query_with_hydoc.jsonl": `<html>`,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []dataset.Recording{
		{Method: "cot", Model: "bad", File: "cot/bad/query_with_hydoc.jsonl"},
		{Method: "cot", Model: "half", File: "cot/half/query_with_hydoc.jsonl"},
		{Method: "cot", Model: "m", File: "cot/m/query_with_hydoc.jsonl"},
		{Method: "cot", Model: "num", File: "cot/num/query_with_hydoc.jsonl"},
		{Method: "cot", Model: "page", File: "cot/page/query_with_hydoc.jsonl"},
		{Method: "hyde", Model: "m", File: "hyde/m/query_with_hydoc.jsonl"},
	}
	if diff := cmp.Diff(want, d.Recorded()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	source, err := d.Source("m")
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			c, err := source.Complete(context.Background(), expansion.Request{Method: "hyde", QueryID: "q1"})
			if err != nil || c.Text != "answer one" || c.Model != "m" {
				t.Errorf("got %+v, %v", c, err)
			}
		})
	}
	wait.Wait()
	for _, c := range []struct {
		model, method, query, want string
		missing                    bool
	}{
		{"m", "hyde", "q9", `dir/hyde/m/query_with_hydoc.jsonl, query "q9": no recorded answer`, true},
		{"m", "cot", "q1", `dir/cot/m/query_with_hydoc.jsonl:1: query "q1": no recorded answer: hy_doc is null or missing`, true},
		{"gpt9", "hyde", "q1", `dir/hyde/gpt9/query_with_hydoc.jsonl: no recorded answer; hyde answers are recorded for m`, true},
		{"m", "lamer", "q1", `dir/lamer/m/query_with_hydoc.jsonl: no recorded answer; no lamer answers are recorded with this dataset`, true},
		{"bad", "cot", "q1", `dir/cot/bad/query_with_hydoc.jsonl:2: query "q1" has another answer here than in line 1; keep one of them`, false},
		{"half", "cot", "q1", `dir/cot/half/query_with_hydoc.jsonl:2: query "q1" has another answer here than in line 1; keep one of them`, false},
		{"num", "cot", "q1", `dir/cot/num/query_with_hydoc.jsonl:1: "hy_doc" is 5; use a string (query "q1")`, false},
		{"page", "cot", "q1", `dir/cot/page/query_with_hydoc.jsonl: this is a web page, not data; the download went wrong`, false},
		{"m", "../hyde", "q1", `method "../hyde" cannot be the name of a folder of recorded answers`, false},
	} {
		source, err := d.Source(c.model)
		if err != nil {
			t.Fatal(err)
		}
		_, err = source.Complete(t.Context(), expansion.Request{Method: c.method, QueryID: c.query})
		if err == nil || err.Error() != c.want || errors.Is(err, expansion.ErrMissing) != c.missing {
			t.Errorf("got %v (missing: %v), want %s", err, errors.Is(err, expansion.ErrMissing), c.want)
		}
	}
	if got := d.RecordingWarnings(); len(got) != 1 || got[0] != "dir/hyde/m/query_with_hydoc.jsonl: answers to another wording of the query: 1 (q2)" {
		t.Errorf("warnings %q", got)
	}
	for _, name := range []string{"../m", "a/b", `a\b`, "", "."} {
		if _, err := d.Source(name); err == nil {
			t.Errorf("model %q was accepted", name)
		}
	}
}
