package dataset_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/vectorstore"
)

// folder is a small sound dataset; changes replace or add files.
func folder(changes map[string]string) fs.FS {
	files := map[string]string{
		"corpus.jsonl": `{"id": "d1", "text": "one"}` + "\n" + `{"id": "d2", "title": "Two", "text": "two"}` + "\n",
		"query.jsonl":  `{"id": "q1", "text": "first"}` + "\n" + `{"id": "q2", "text": "second", "excluded_ids": ["d1", 7]}` + "\n",
		"qrels.jsonl":  `{"q_id": "q1", "p_id": "d1", "score": 1}` + "\n" + `{"q_id": "q2", "p_id": "d2", "score": 2}` + "\n",
		"hyde/m/query_with_hydoc.jsonl": `{"id": "q1", "text": "first", "hy_doc": "answer one"}` + "\n" +
			`{"id": "q2", "text": "another wording", "hy_doc": ""}` + "\n",
	}
	for name, content := range changes {
		files[name] = content
	}
	fsys := fstest.MapFS{}
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return fsys
}

func open(t *testing.T, changes map[string]string) (*dataset.Dataset, error) {
	t.Helper()
	return dataset.Open(t.Context(), folder(changes), dataset.Options{Name: "test", Path: "dir"})
}

func documents(d *dataset.Dataset) (docs []vectorstore.Document, err error) {
	for doc, err := range d.Documents(context.Background()) {
		if err != nil {
			return docs, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

func TestASoundFolderIsReadWhole(t *testing.T) {
	d, err := open(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]dataset.Query{{ID: "q1", Text: "first"}, {ID: "q2", Text: "second", Exclude: []string{"d1", "7"}}}, d.Queries()); diff != "" {
		t.Errorf("queries: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(metric.Qrels{"q1": {"d1": 1}, "q2": {"d2": 2}}, d.Qrels()); diff != "" {
		t.Errorf("judgments: -want +got\n%s", diff)
	}
	docs, err := documents(d)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]vectorstore.Document{{ID: "d1", Text: "one"}, {ID: "d2", Title: "Two", Text: "two"}}, docs); diff != "" {
		t.Errorf("documents: -want +got\n%s", diff)
	}
	found, err := d.Lookup(t.Context(), []string{"d2", "nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]vectorstore.Document{"d2": docs[1]}, found); diff != "" {
		t.Errorf("look-up: -want +got\n%s", diff)
	}
	if len(d.Warnings()) != 0 {
		t.Errorf("warnings %q", d.Warnings())
	}
}

func TestHowLinesAreWrittenDoesNotMatter(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	longer := strings.Repeat("y", 5<<20)
	for name, corpus := range map[string]string{
		"byte order mark":                 "\ufeff{\"id\": \"d1\", \"text\": \"one\"}\n{\"id\": \"d2\", \"text\": \"two\"}\n",
		"CRLF":                            "{\"id\": \"d1\", \"text\": \"one\"}\r\n{\"id\": \"d2\", \"text\": \"two\"}\r\n",
		"blank lines and no final end":    "\n{\"id\": \"d1\", \"text\": \"one\"}\n \n{\"id\": \"d2\", \"text\": \"two\"}\n\n\n{\"id\": \"d3\", \"text\": \"three\"}",
		"long lines":                      `{"id": "d1", "text": "` + long + "\"}\n" + `{"id": "d2", "text": "` + longer + `"}`,
		"unknown fields of every kind":    `{"doc_id": ["a", {"b": null}], "id": "d1", "answer": "x \" }", "n": -1.5e3, "text": "one", "t": true}` + "\n" + `{"text":"two","id":"d2"}`,
		"equal repeats count once":        `{"id": "d1", "text": "one"}` + "\n" + `{"id": "d1", "text": "one"}` + "\n" + `{"id": "d2", "text": "two"}`,
		"a field that differs in case":    `{"id": "d1", "text": "one", "Text": "wrong"}` + "\n" + `{"id": "d2", "text": "two"}`,
		"escapes and characters":          `{"id": "d1", "text": "o\u006ee \ud83d\ude37 \n"}` + "\n" + `{"id": "d2", "text": "zwö"}`,
		"ids that are numbers or slashed": `{"id": 1, "text": "one"}` + "\n" + `{"id": "a/b_3.txt", "text": "two"}`,
	} {
		t.Run(name, func(t *testing.T) {
			d, err := open(t, map[string]string{"corpus.jsonl": corpus})
			if err != nil {
				t.Fatal(err)
			}
			docs, err := documents(d)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Count(corpus, `"text"`) - strings.Count(name, "repeats"); len(docs) != want {
				t.Errorf("%d documents, want %d", len(docs), want)
			}
			if strings.Contains(docs[0].Text, "wrong") {
				t.Error("a field of another case was taken")
			}
		})
	}
}

func TestNumbersAsIDsKeepTheirDigits(t *testing.T) {
	ids := []string{"0", "-5", "1e3", "9007199254740993", "104230171086686139"}
	var queries, qrels strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&queries, "{\"id\": %s, \"text\": \"t\"}\n", id)
		fmt.Fprintf(&qrels, "{\"q_id\": %q, \"p_id\": 7, \"score\": 1}\n", id)
	}
	queries.WriteString(`{"id": "007", "text": "t"}` + "\n" + `{"id": "7", "text": "other"}` + "\n")
	d, err := open(t, map[string]string{"query.jsonl": queries.String(), "qrels.jsonl": qrels.String()})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, q := range d.Queries() {
		got = append(got, q.ID)
	}
	if diff := cmp.Diff(append(ids, "007", "7"), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, id := range ids {
		if d.Qrels()[id]["7"] != 1 {
			t.Errorf("query %s is not judged", id)
		}
	}
}

func TestWrongFilesAreRefusedWithFileAndLine(t *testing.T) {
	first := `{"id": "q1", "text": "first"}` + "\n"
	for _, c := range []struct{ name, file, content, want string }{
		{"two objects on a line", "query.jsonl", first + `{"id": "q2", "text": "b"} {"id": "q3", "text": "c"}`,
			"dir/query.jsonl:2: there is more after the object (byte 27): write one object a line"},
		{"a trailing comma", "query.jsonl", `{"id": "q1", "text": "first",}`, "dir/query.jsonl:1: broken JSON at byte 30: the object ends after a comma; remove the comma"},
		{"a list", "query.jsonl", `[1, 2]`, "dir/query.jsonl:1: the line is not a JSON object; JSON Lines files have one object a line, without a list around them"},
		{"a cut object", "query.jsonl", first + `{"id": "q2", "text": "se`, "dir/query.jsonl:2: the object is cut off inside a string; it has to stand whole on one line, with line breaks written as \\n"},
		{"text null", "query.jsonl", `{"id": "q1", "text": null}`, `dir/query.jsonl:1: "text" is null; use a string (query "q1")`},
		{"no text", "query.jsonl", `{"id": "q1", "Text": "x"}`, `dir/query.jsonl:1: "text" is missing; the object has "id", "Text" (query "q1")`},
		{"no id", "query.jsonl", `{"text": "x"}`, `dir/query.jsonl:1: "id" is missing; the object has "text"`},
		{"an empty id", "query.jsonl", `{"id": "", "text": "x"}`, `dir/query.jsonl:1: "id" is empty`},
		{"an id of another kind", "query.jsonl", `{"id": true, "text": "x"}`, `dir/query.jsonl:1: "id" is true; use a string or a number`},
		{"a field twice", "query.jsonl", `{"id": "q1", "text": "x", "text": "y"}`, `dir/query.jsonl:1: the field "text" stands twice; keep one`},
		{"a field twice, once escaped", "query.jsonl", `{"id": "q1", "text": "x", "te\u0078t": "y"}`, `dir/query.jsonl:1: the field "text" stands twice; keep one`},
		{"broken UTF-8", "query.jsonl", "{\"id\": \"q1\", \"text\": \"\xff\"}", "dir/query.jsonl:1: the line is not valid UTF-8 from byte 23 on; save the file as UTF-8"},
		{"a query with two texts", "query.jsonl", first + `{"id": "q1", "text": "else"}`, `dir/query.jsonl:2: query "q1" has another text here than in line 1; keep one of them`},
		{"a query with two lists of excluded documents", "query.jsonl", `{"id": "q1", "text": "x", "excluded_ids": ["d1"]}` + "\n" + `{"id": "q1", "text": "x"}`,
			`dir/query.jsonl:2: query "q1" has other excluded_ids here than in line 1; keep one of them`},
		{"a bad list of excluded ids", "query.jsonl", `{"id": "q1", "text": "x", "excluded_ids": "d1"}`, `dir/query.jsonl:1: "excluded_ids" is "d1"; use a list of ids (query "q1")`},
		{"an id with a space", "query.jsonl", `{"id": "q 1", "text": "x"}`,
			`dir/query.jsonl:1: the id "q 1" contains white space, which separates columns in a TREC run; replace it here and in the judgments`},
		{"an id with a control character", "query.jsonl", `{"id": "q\u0000", "text": "x"}`,
			`dir/query.jsonl:1: the id "q\x00" contains a control character, which a TREC run cannot hold; remove it here and in the judgments`},
		{"an id that begins with a byte order mark", "query.jsonl", `{"id": "\ufeffq", "text": "x"}`,
			`dir/query.jsonl:1: the id "\ufeffq" begins with a byte order mark; remove it here and in the judgments`},
		{"UTF-16", "query.jsonl", "\xff\xfe{\x00", "dir/query.jsonl: the text is UTF-16; save it as UTF-8"},
		{"numbers and texts that look alike", "qrels.jsonl", `{"q_id": "01", "p_id": "d1", "score": 1}`,
			`no query of dir/query.jsonl has a judgment in dir/qrels.jsonl: the ids look like "01" there and like "q1" here; numbers and texts such as 7 and 007 are different ids`},
		{"no judgment", "qrels.jsonl", "\n", "dir/qrels.jsonl: there is no judgment in it"},
		{"an empty query file", "query.jsonl", "\n", "dir/query.jsonl: there is no query in it"},
		{"a Git LFS pointer", "query.jsonl", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
			"dir/query.jsonl: this is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`"},
		{"a web page", "query.jsonl", "<!DOCTYPE html>\n<html>", "dir/query.jsonl: this is a web page, not data; the download went wrong"},
		{"judgments that contradict each other", "qrels.jsonl", `{"q_id": "q1", "p_id": "d1", "score": 1}` + "\n" + `{"q_id": "q1", "p_id": "d1", "score": 0}`,
			`dir/qrels.jsonl:2: query "q1", document "d1": grade 0 here, but 1 on line 1; keep one of them`},
		{"no id in common", "qrels.jsonl", `{"q_id": "Q1", "p_id": "d1", "score": 1}`,
			`no query of dir/query.jsonl has a judgment in dir/qrels.jsonl: the ids look like "Q1" there and like "q1" here; numbers and texts such as 7 and 007 are different ids`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := open(t, map[string]string{c.file: c.content})
			if err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestWrongDocumentsAreRefusedWhenTheyAreRead(t *testing.T) {
	for _, c := range []struct{ name, corpus, want string }{
		{"two texts under one id", `{"id": "d1", "text": "a"}` + "\n" + `{"id": "d1", "text": "b"}`, `dir/corpus.jsonl:2: document "d1" has another text here than in line 1; keep one of them`},
		{"text null", `{"id": "d1", "text": null}`, `dir/corpus.jsonl:1: "text" is null; use a string (document "d1")`},
		{"fields with BEIR's names", `{"_id": "d1", "title": "", "text": "a"}`, `dir/corpus.jsonl:1: "id" is missing; the object has "_id", "title", "text"`},
		{"an object over several lines", "{\n\"id\": \"d1\"\n}", `dir/corpus.jsonl:1: the object is cut off; it has to stand whole on one line`},
		{"nothing in the file", "\n", `dir/corpus.jsonl: there is no document in it`},
		{"an id with a tab", `{"id": "d\t1", "text": "a"}`,
			`dir/corpus.jsonl:1: the id "d\t1" contains white space, which separates columns in a TREC run; replace it here and in the judgments`},
		{"a title that is a number", `{"id": "d1", "text": "a", "title": 5}`, `dir/corpus.jsonl:1: "title" is 5; use a string (document "d1")`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := open(t, map[string]string{"corpus.jsonl": c.corpus})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := documents(d); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestAMissingFileIsNamed(t *testing.T) {
	_, err := dataset.Open(t.Context(), folder(nil), dataset.Options{Path: "dir", QueryFile: "query-all.jsonl"})
	want := "dir/query-all.jsonl: there is no such file; a dataset's folder holds corpus.jsonl, query-all.jsonl and qrels.jsonl"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestFilesOutsideTheFolderAreRefused(t *testing.T) {
	for _, name := range []string{"../query.jsonl", "/etc/hosts", "a/../../b"} {
		_, err := dataset.Open(t.Context(), folder(nil), dataset.Options{Path: "dir", QueryFile: name})
		want := fmt.Sprintf("%q is not the name of a file inside the dataset's folder; write it without a leading slash and without \"..\"", name)
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestLookingUpAnIDTwiceFindsItOnce(t *testing.T) {
	d, err := open(t, map[string]string{"corpus.jsonl": `{"id": "d1", "text": "one"}` + "\n" + `{"id": "d2", "text": "two"}` + "\n" + "broken"})
	if err != nil {
		t.Fatal(err)
	}
	// Both are found before the broken line, which is therefore not read.
	found, err := d.Lookup(t.Context(), []string{"d2", "d1", "d2"})
	if err != nil || len(found) != 2 {
		t.Errorf("got %v, %v", found, err)
	}
	if _, err := d.Lookup(t.Context(), []string{"d3"}); err == nil {
		t.Error("the broken line was passed over")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Lookup(ctx, []string{"d1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestPackedFilesAreFound(t *testing.T) {
	plain, err := open(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range []string{"corpus.jsonl", "query.jsonl", "qrels.jsonl"} {
		content, err := fs.ReadFile(folder(nil), name)
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		files[name+".gz"] = &fstest.MapFile{Data: packed.Bytes()}
	}
	d, err := dataset.Open(t.Context(), files, dataset.Options{Path: "dir"})
	if err != nil {
		t.Fatal(err)
	}
	want, err := documents(plain)
	if err != nil {
		t.Fatal(err)
	}
	got, err := documents(d)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("documents: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(plain.Queries(), d.Queries()); diff != "" {
		t.Errorf("queries: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(plain.Qrels(), d.Qrels()); diff != "" {
		t.Errorf("judgments: -want +got\n%s", diff)
	}
	if r, err := dataset.Inspect(t.Context(), files, dataset.Options{}); err != nil || r.Conflicts() != 0 || r.Hash != d.Hash() {
		t.Errorf("inspection: %+v, %v", r, err)
	}
	files["query.jsonl"] = &fstest.MapFile{Data: []byte("broken")} // goes before the packed one, and is named as it is
	if _, err := dataset.Open(t.Context(), files, dataset.Options{Path: "dir"}); err == nil || !strings.HasPrefix(err.Error(), "dir/query.jsonl:1: ") {
		t.Errorf("got %v", err)
	}
	files["corpus.jsonl.gz"] = &fstest.MapFile{Data: []byte("broken")}
	delete(files, "query.jsonl")
	if d, err = dataset.Open(t.Context(), files, dataset.Options{Path: "dir"}); err != nil {
		t.Fatal(err)
	}
	if _, err := documents(d); err == nil || !strings.HasPrefix(err.Error(), "dir/corpus.jsonl.gz:1: ") {
		t.Errorf("got %v", err)
	}
}

func TestRepeatedQueriesMayListExcludedDocumentsInAnyOrder(t *testing.T) {
	d, err := open(t, map[string]string{"query.jsonl": `{"id": "q1", "text": "x", "excluded_ids": ["d1", "d2"]}` + "\n" + `{"id": "q1", "text": "x", "excluded_ids": ["d2", "d1"]}`})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]dataset.Query{{ID: "q1", Text: "x", Exclude: []string{"d1", "d2"}}}, d.Queries()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestOdditiesAreWarnings(t *testing.T) {
	d, err := open(t, map[string]string{
		"query.jsonl": `{"id": "q1", "text": "first"}` + "\n" + `{"id": "q1", "text": "first"}` + "\n" + `{"id": "q3", "text": " \n\u00a0"}` + "\n",
		"qrels.jsonl": strings.Repeat(`{"q_id": "q1", "p_id": "d1", "score": 1}`+"\n", 3) + `{"q_id": "q2", "p_id": "d2", "score": 2}` + "\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"dir/query.jsonl: lines that repeat a query, counted once: 1",
		"dir/qrels.jsonl: lines that repeat a judgment, counted once: 2",
		"dir/query.jsonl: queries without text, which find nothing: 1 (q3)",
		"dir/query.jsonl: queries without judgments, run but not averaged: 1 (q3)",
		"dir/qrels.jsonl: judged queries that query.jsonl does not have, counted 0: 1 (q2)",
	}
	if diff := cmp.Diff(want, d.Warnings()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTheHashDependsOnContentAlone(t *testing.T) {
	hash := func(changes map[string]string) (string, string) {
		d, err := open(t, changes)
		if err != nil {
			t.Fatal(err)
		}
		return d.Hash(), d.CorpusHash()
	}
	all, corpus := hash(nil)
	if len(all) != 64 || len(corpus) != 64 {
		t.Fatalf("hashes %q and %q", all, corpus)
	}
	if a, c := hash(map[string]string{"other.txt": "x"}); a != all || c != corpus {
		t.Error("another file in the folder changes the hash")
	}
	if a, c := hash(map[string]string{"query.jsonl": `{"id": "q1", "text": "changed"}`}); a == all || c != corpus {
		t.Error("a changed query must change the dataset's hash and not the corpus'")
	}
	if a, c := hash(map[string]string{"corpus.jsonl": `{"id": "d1", "text": "changed"}`}); a == all || c == corpus {
		t.Error("a changed document must change both hashes")
	}
}

func TestACancelledReadingStops(t *testing.T) {
	d, err := open(t, map[string]string{"corpus.jsonl": strings.Repeat(`{"id": "x", "text": "y"}`+"\n", 3000)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range d.Documents(ctx) {
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if err != nil {
			return
		}
	}
	t.Error("the corpus was read to its end")
}

func ExampleOpen() {
	d, err := dataset.Open(context.Background(), folder(nil), dataset.Options{Name: "small"})
	if err != nil {
		panic(err)
	}
	for _, q := range d.Queries() {
		fmt.Println(q.ID, q.Text, d.Qrels()[q.ID])
	}
	// Output:
	// q1 first map[d1:1]
	// q2 second map[d2:2]
}
