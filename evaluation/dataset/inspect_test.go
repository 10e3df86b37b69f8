package dataset_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/internal/sharedtest"
	"github.com/ddx-rag/ddx/pipelines/expansion"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Seven query lines with five ids, queries without judgments, a judged query without text, judged documents that are unknown, documents
// repeated with one text and with another, duplicate texts, a shared id, white space in ids, an empty text, incomplete recordings.
func badFolder() map[string]string {
	return map[string]string{
		"query.jsonl": `{"id": "q1", "text": "first case"}` + "\n" + `{"id": "q2", "text": "second case"}` + "\n" + `{"id": "q3", "text": "third"}` + "\n" +
			`{"id": "q4", "text": "fourth"}` + "\n" + `{"id": "d1", "text": "fifth", "excluded_ids": ["d2", "nowhere"]}` + "\n" +
			`{"id": "q1", "text": "another first"}` + "\n" + `{"id": "q2", "text": "second case", "excluded_ids": ["d1"]}` + "\n",
		"qrels.jsonl": `{"q_id": "q1", "p_id": "d1", "score": 1}` + "\n" + `{"q_id": "q1", "p_id": "gone1", "score": 2}` + "\n" +
			`{"q_id": "q2", "p_id": "gone2", "score": 1}` + "\n" + `{"q_id": "q2", "p_id": "gone3", "score": 0}` + "\n" +
			`{"q_id": "q9", "p_id": "d2", "score": 1}` + "\n" + `{"q_id": "q4", "p_id": "d2", "score": 0}` + "\n" + `{"q_id": "q4", "p_id": "d2", "score": 0}` + "\n",
		"corpus.jsonl": `{"id": "d1", "text": "same words here"}` + "\n" + `{"id": "d2", "text": "same words here"}` + "\n" + `{"id": "d3", "text": "once"}` + "\n" +
			`{"id": "d3", "text": "once"}` + "\n" + `{"id": "d4", "text": "four"}` + "\n" + `{"id": "d4", "text": "four"}` + "\n" +
			`{"id": "d5", "text": "five"}` + "\n" + `{"id": "d5", "text": "not five"}` + "\n" + `{"id": "d6", "text": " \n"}` + "\n" +
			`{"id": "d 7", "text": "seven"}` + "\n" + `{"id": "d8", "text": null}` + "\n" + "not JSON\n",
		"hyde/m/query_with_hydoc.jsonl": `{"id": "q1", "text": "first case", "hy_doc": "a"}` + "\n" + `{"id": "q2", "text": "reworded", "hy_doc": " "}` + "\n" +
			`{"id": "q7", "text": "unknown", "hy_doc": "x"}` + "\n" + `{"id": "q3", "text": "third", "hy_doc": null}` + "\n",
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
		"queries that stand twice with different texts":              {true, []string{"q1 (lines 1 and 6)"}},
		"queries that stand twice with different excluded documents": {true, []string{"q2 (lines 2 and 7)"}},
		"documents that stand twice with different texts":            {true, []string{"d5 (lines 7 and 8)"}},
		"documents that stand twice with one text":                   {false, []string{"d3 (lines 3 and 4)", "d4 (lines 5 and 6)"}},
		"documents without text":                                     {false, []string{"d6"}},
		"lines that cannot be read": {true, []string{
			`dir/corpus.jsonl:10: the id "d 7" contains white space, which separates columns in a TREC run; replace it here and in the judgments`,
			`dir/corpus.jsonl:11: "text" is null; use a string (document "d8")`,
			`dir/corpus.jsonl:12: the line is not a JSON object; JSON Lines files have one object a line`,
		}},
		"queries without a recorded answer":                {false, []string{"hyde/m: q3", "hyde/m: q4", "hyde/m: d1"}},
		"recorded answers that are blank":                  {false, []string{"hyde/m: q2"}},
		"recorded answers to another wording of the query": {false, []string{"hyde/m: q2"}},
		"texts that stand under several ids":               {false, []string{"d1 (judged), d2 (judged)"}},
		"excluded documents that are not in the corpus":    {false, []string{"d1: nowhere"}},
		"ids that a query and a document share":            {false, []string{"d1"}},
		"judged documents that are not in the corpus":      {false, []string{"gone1", "gone2", "gone3"}},
		"judged queries without a relevant document":       {false, []string{"q4"}},
		"judged queries without text":                      {false, []string{"q9"}},
		"judgments that repeat an earlier one":             {false, []string{}},
		"queries without judgments":                        {false, []string{"q3", "d1"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(finding{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if r.Conflicts() != 4 {
		t.Errorf("%d conflicts, want 4", r.Conflicts())
	}
	if r.Queries.Lines != 7 || r.Queries.Queries != 5 || r.Queries.Judged != 3 || r.Corpus.Lines != 12 || r.Corpus.Documents != 6 || r.Judgments.Judgments != 6 {
		t.Errorf("counts %+v %+v %+v", r.Queries, r.Corpus, r.Judgments)
	}
	if r.Corpus.DuplicateGroups != 1 || r.Corpus.DuplicateDocuments != 1 || r.Corpus.DuplicatesJudged != 1 {
		t.Errorf("duplicates %+v", r.Corpus)
	}
	wantRecorded := []dataset.RecordingReport{{Method: "hyde", Model: "m", Lines: 4, Answers: 3, Missing: 3, Empty: 1, Changed: 1, Unknown: 1}}
	if diff := cmp.Diff(wantRecorded, r.Recorded); diff != "" {
		t.Errorf("recordings: -want +got\n%s", diff)
	}

	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/inspect.golden", text.String())
	packed, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/inspect.json", string(packed)+"\n")
}

// golden compares with a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
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
		t.Errorf("-want +got\n%s", diff)
	}
}

// conflicts are the findings of a folder that contradict each other.
func conflicts(t *testing.T, changes map[string]string) map[string][]string {
	t.Helper()
	r, err := dataset.Inspect(t.Context(), folder(changes), dataset.Options{Path: "dir"})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, f := range r.Findings {
		if f.Conflict {
			found[f.What] = f.Items
		}
	}
	return found
}

func TestOneWrongJudgmentDoesNotHideTheOthers(t *testing.T) {
	const contradict, unreadable, unusable = "judgments that contradict each other", "lines that cannot be read", "judgments that cannot be used"
	for _, c := range []struct {
		name, qrels string
		want        map[string][]string
	}{
		{"JSON", "\ufeff" + `{"q_id": "q1", "p_id": "d1", "score": 1}` + "\r\n\r\n" + `{"q_id": "q1", "p_id": "d1", "score": 0}` + "\n" +
			`{"q_id": "q2", "p_id": "d2"}` + "\n" + `{"q_id": "q2", "p_id": "d2", "score": 1}` + "\n" + `{"q_id": "q2", "p_id": "d2", "score": 3}` + "\n",
			map[string][]string{
				contradict: {`query "q1", document "d1": grade 1 in line 1, grade 0 in line 3`, `query "q2", document "d2": grade 1 in line 5, grade 3 in line 6`},
				unreadable: {`dir/qrels.jsonl:4: "score" is missing; judgments have the keys ["q_id" "p_id" "score"]`},
			}},
		{"BEIR", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t2\nq2\td2\n", map[string][]string{
			contradict: {`query "q1", document "d1": grade 1 in line 2, grade 2 in line 3`},
			unreadable: {`dir/qrels.jsonl:4: found 2 columns where BEIR judgments have 3, separated by tabs (query-id, corpus-id, score)`},
		}},
		{"TREC", "q1 0 d1 x\nq2 0 d2 1\nq2 0 d2 1\n", map[string][]string{unreadable: {`dir/qrels.jsonl:1: grade "x" is not a whole number`}}},
		{"two formats in one file", "q1 0 d1 1\n" + `{"q_id": "q2", "p_id": "d2", "score": 1}` + "\n", map[string][]string{
			unusable: {`dir/qrels.jsonl:2: 6 columns are a run; judgments have 4 (query, 0, document, grade)`},
		}},
		{"no judgment at all", "\n", map[string][]string{unusable: {"dir/qrels.jsonl: there is no judgment in it"}}},
		{"other names for the queries", "0 0 d1 1\n", map[string][]string{
			"no query has a judgment: the two files name queries differently": {`"q1" in dir/query.jsonl, "0" in dir/qrels.jsonl`},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := conflicts(t, map[string]string{"qrels.jsonl": c.qrels})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestEachWrongRecordingIsListed(t *testing.T) {
	got := conflicts(t, map[string]string{
		"cot/a/query_with_hydoc.jsonl": `{"id": "q1", "hy_doc": "a"}` + "\n" + `{"id": "q1", "hy_doc": "b"}` + "\n" + "x\n",
		"cot/b/query_with_hydoc.jsonl": "version https://git-lfs.github.com/spec/v1\n",
	})
	want := map[string][]string{
		"lines that cannot be read": {
			`dir/cot/a/query_with_hydoc.jsonl:2: query "q1" has another answer here than in line 1; keep one of them`,
			"dir/cot/a/query_with_hydoc.jsonl:3: the line is not a JSON object; JSON Lines files have one object a line",
		},
		"recorded answers that cannot be read": {
			"dir/cot/b/query_with_hydoc.jsonl: this is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestRelevantDocumentsThatAreExcludedAreListed(t *testing.T) {
	r, err := dataset.Inspect(t.Context(), folder(map[string]string{
		"query.jsonl": `{"id": "q1", "text": "first", "excluded_ids": ["d2", "d1"]}` + "\n" + `{"id": "q2", "text": "second", "excluded_ids": ["d1"]}` + "\n",
	}), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Findings, func(f dataset.Finding) bool {
		return f.What == "relevant documents that are excluded for their query" && slices.Equal(f.Items, []string{"q1: d1"}) && !f.Conflict
	}) {
		t.Errorf("findings %+v", r.Findings)
	}
}

func TestEmptyFilesAreConflicts(t *testing.T) {
	got := conflicts(t, map[string]string{"corpus.jsonl": "", "query.jsonl": "\n"})
	if diff := cmp.Diff(map[string][]string{"files without any entry": {"dir/query.jsonl", "dir/corpus.jsonl"}}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDataDoesNotSteerTheTerminal(t *testing.T) {
	r, err := dataset.Inspect(t.Context(), folder(map[string]string{
		"qrels.jsonl": `{"q_id": "q1", "p_id": "\u001b[31mred", "score": 1}` + "\n" + `{"q_id": "q2", "p_id": "` + strings.Repeat("x", 1000) + `", "score": 1}` + "\n",
	}), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "\x1b") || !strings.Contains(text.String(), `"\x1b[31mred"`) || strings.Contains(text.String(), strings.Repeat("x", 201)) {
		t.Errorf("got %s", text.String())
	}
}

func TestACancelledInspectionStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dataset.Inspect(ctx, folder(nil), dataset.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A folder in which Inspect finds no conflict can be opened, its corpus read and its answers looked up; and the other way round.
func FuzzInspectAgreesWithOpen(f *testing.F) {
	sound, bad := folder(nil), folder(badFolder())
	for _, fsys := range []fs.FS{sound, bad} {
		var parts [4]string
		for i, name := range []string{"corpus.jsonl", "query.jsonl", "qrels.jsonl", "hyde/m/query_with_hydoc.jsonl"} {
			content, err := fs.ReadFile(fsys, name)
			if err != nil {
				f.Fatal(err)
			}
			parts[i] = string(content)
		}
		f.Add(parts[0], parts[1], parts[2], parts[3])
		f.Add(parts[0], parts[1], "q1 0 d1 1\nq1 0 d1 1\nq2 0 d2 1\nq1 0 d1 0\n", "")
		f.Add(parts[0], parts[1], "query-id\tcorpus-id\tscore\nq1\td1\t1\n", "<html>")
	}
	f.Fuzz(func(t *testing.T, corpus, queries, qrels, answers string) {
		changes := map[string]string{"corpus.jsonl": corpus, "query.jsonl": queries, "qrels.jsonl": qrels, "hyde/m/query_with_hydoc.jsonl": answers}
		r, inspectErr := dataset.Inspect(t.Context(), folder(changes), dataset.Options{Path: "dir"})
		usable := func() error {
			d, err := open(t, changes)
			if err != nil {
				return err
			}
			docs, err := documents(d)
			if err != nil {
				return err
			}
			if len(docs) == 0 {
				t.Fatal("a corpus without documents was accepted")
			}
			source, err := d.Source("m")
			if err != nil {
				return err
			}
			if _, err := source.Complete(t.Context(), expansion.Request{Method: "hyde", QueryID: d.Queries()[0].ID}); !errors.Is(err, expansion.ErrMissing) {
				return err
			}
			return nil
		}()
		if inspectErr == nil {
			if err := r.WriteText(io.Discard); err != nil {
				t.Fatal(err)
			}
		}
		if sound := inspectErr == nil && r.Conflicts() == 0; sound != (usable == nil) {
			t.Fatalf("using the dataset: %v; inspection: %v, %+v", usable, inspectErr, r)
		}
	})
}

func ExampleInspect() {
	r, err := dataset.Inspect(context.Background(), folder(nil), dataset.Options{Name: "small"})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Corpus.Documents, "documents,", r.Queries.Judged, "judged queries,", r.Conflicts(), "conflicts")
	for _, f := range r.Findings {
		fmt.Println(f.What, f.Items)
	}
	// Output:
	// 2 documents, 2 judged queries, 0 conflicts
	// excluded documents that are not in the corpus [q2: 7]
	// recorded answers that are blank [hyde/m: q2]
	// recorded answers to another wording of the query [hyde/m: q2]
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
