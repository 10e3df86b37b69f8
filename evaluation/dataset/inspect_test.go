package dataset_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/internal/sharedtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Six query lines with five ids, queries without judgments, a judged query without text, judged documents that are unknown, documents
// repeated with one text and with another, duplicate texts, a shared id, white space in ids, an empty text, incomplete recordings.
func badFolder() map[string]string {
	return map[string]string{
		"query.jsonl": `{"id": "q1", "text": "first case"}` + "\n" + `{"id": "q2", "text": "second case"}` + "\n" + `{"id": "q3", "text": "third"}` + "\n" +
			`{"id": "q4", "text": "fourth"}` + "\n" + `{"id": "d1", "text": "fifth", "excluded_ids": ["d2", "nowhere"]}` + "\n" +
			`{"id": "q1", "text": "another first"}` + "\n",
		"qrels.jsonl": `{"q_id": "q1", "p_id": "d1", "score": 1}` + "\n" + `{"q_id": "q1", "p_id": "gone1", "score": 2}` + "\n" +
			`{"q_id": "q2", "p_id": "gone2", "score": 1}` + "\n" + `{"q_id": "q2", "p_id": "gone3", "score": 0}` + "\n" +
			`{"q_id": "q9", "p_id": "d2", "score": 1}` + "\n" + `{"q_id": "q4", "p_id": "d2", "score": 0}` + "\n" + `{"q_id": "q4", "p_id": "d2", "score": 0}` + "\n",
		"corpus.jsonl": `{"id": "d1", "text": "same words here"}` + "\n" + `{"id": "d2", "text": "same words here"}` + "\n" + `{"id": "d3", "text": "once"}` + "\n" +
			`{"id": "d3", "text": "once"}` + "\n" + `{"id": "d4", "text": "four"}` + "\n" + `{"id": "d4", "text": "four"}` + "\n" +
			`{"id": "d5", "text": "five"}` + "\n" + `{"id": "d5", "text": "not five"}` + "\n" + `{"id": "d 6", "text": " \n"}` + "\n",
		"hyde/m/query_with_hydoc.jsonl": `{"id": "q1", "text": "first case", "hy_doc": "a"}` + "\n" + `{"id": "q2", "text": "reworded", "hy_doc": " "}` + "\n",
	}
}

func TestInspectionListsAllOffenders(t *testing.T) {
	r, err := dataset.Inspect(t.Context(), folder(badFolder()), dataset.Options{Name: "bad", Path: "dir"})
	if err != nil {
		t.Fatal(err)
	}
	type finding struct {
		conflict bool
		items    []string
	}
	got := map[string]finding{}
	for _, f := range r.Findings {
		got[f.What] = finding{f.Conflict, f.Items}
	}
	want := map[string]finding{
		"queries that stand twice with different texts":               {true, []string{"q1 (lines 1 and 6)"}},
		"documents that stand twice with different texts":             {true, []string{"d5 (lines 7 and 8)"}},
		"documents that stand twice with one text":                    {false, []string{"d3 (lines 3 and 4)", "d4 (lines 5 and 6)"}},
		"documents without text":                                      {false, []string{"d 6"}},
		"document ids with white space, which a TREC run cannot hold": {false, []string{`"d 6"`}},
		"excluded documents that are not in the corpus":               {false, []string{"d1: nowhere"}},
		"ids that a query and a document share":                       {false, []string{"d1"}},
		"judged documents that are not in the corpus":                 {false, []string{"gone1", "gone2", "gone3"}},
		"judged queries without a relevant document":                  {false, []string{"q4"}},
		"judged queries without text":                                 {false, []string{"q9"}},
		"judgments that repeat an earlier one":                        {false, []string{}},
		"queries without judgments":                                   {false, []string{"q3", "d1"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(finding{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if r.Conflicts() != 2 {
		t.Errorf("%d conflicts, want 2", r.Conflicts())
	}
	if r.Queries.Lines != 6 || r.Queries.Queries != 5 || r.Queries.Judged != 3 || r.Corpus.Lines != 9 || r.Corpus.Documents != 6 || r.Judgments.Judgments != 6 {
		t.Errorf("counts %+v %+v %+v", r.Queries, r.Corpus, r.Judgments)
	}
	if r.Corpus.DuplicateGroups != 1 || r.Corpus.DuplicateDocuments != 1 || r.Corpus.DuplicatesJudged != 1 {
		t.Errorf("duplicates %+v", r.Corpus)
	}
	wantRecorded := []dataset.RecordingReport{{Method: "hyde", Model: "m", Answers: 2, Missing: 3, Empty: 1, Changed: 1}}
	if diff := cmp.Diff(wantRecorded, r.Recorded); diff != "" {
		t.Errorf("recordings: -want +got\n%s", diff)
	}

	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	const file = "testdata/inspect.golden"
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(golden), text.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

func TestInspectionOfRealDataCountsFromTheFiles(t *testing.T) {
	dir := sharedtest.Path(t, "data/vignette-dx")
	r, err := dataset.Inspect(t.Context(), os.DirFS(dir), dataset.Options{Name: "all", QueryFile: "query-all.jsonl", QrelsFile: "qrels-all.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Queries.Queries != 455 || r.Judgments.Judgments != 2125 || r.Corpus.Documents != 26443 || len(r.Recorded) != 3 || r.Recorded[0].Missing != 375 {
		t.Errorf("counts %+v %+v %+v %+v", r.Queries, r.Judgments, r.Corpus, r.Recorded)
	}
	if r.Conflicts() != 0 {
		t.Errorf("findings %+v", r.Findings)
	}
}
