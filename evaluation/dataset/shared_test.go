package dataset_test

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/internal/sharedtest"
)

func TestRealDataIsReadWhole(t *testing.T) {
	for name, want := range map[string][3]int{ // documents, queries, judgments
		"vignette-dx": {26443, 80, 503}, "medquad-liveqa": {17855, 96, 2141}, "r2med-biology-demo": {2, 2, 2},
	} {
		d, err := dataset.Open(t.Context(), os.DirFS(sharedtest.Path(t, "data/"+name)), dataset.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		docs, err := documents(d)
		if err != nil {
			t.Fatal(err)
		}
		judgments := 0
		for _, judged := range d.Qrels() {
			judgments += len(judged)
		}
		var warnings []string
		if name == "r2med-biology-demo" { // its second query has no judgments; the judged documents of the first are not in its corpus
			warnings = []string{"query.jsonl: queries without judgments, run but not averaged: 1 (1)"}
		}
		if diff := cmp.Diff(warnings, d.Warnings()); diff != "" {
			t.Errorf("%s: warnings: -want +got\n%s", name, diff)
		}
		if got := [3]int{len(docs), len(d.Queries()), judgments}; got != want {
			t.Errorf("%s: documents, queries, judgments %v, want %v", name, got, want)
		}
	}
}

func BenchmarkDocuments(b *testing.B) {
	d, err := dataset.Open(context.Background(), os.DirFS(sharedtest.Path(b, "data/vignette-dx")), dataset.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(24287404)
	for b.Loop() {
		if _, err := documents(d); err != nil {
			b.Fatal(err)
		}
	}
}
