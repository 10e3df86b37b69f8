package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// folder writes a dataset of two queries.
func folder(t *testing.T, hyde bool) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"corpus.jsonl": `{"id":"a","text":"fever and cough"}` + "\n" + `{"id":"b","text":"rash"}` + "\n",
		"query.jsonl":  `{"id":"1","text":"why the fever?"}` + "\n" + `{"id":"2","text":"a rash"}` + "\n",
		"qrels.jsonl":  `{"q_id":"1","p_id":"a","score":1}` + "\n" + `{"q_id":"2","p_id":"b","score":1}` + "\n",
	}
	if hyde {
		files["hyde/m/query_with_hydoc.jsonl"] = `{"id":"1","text":"why the fever?","hy_doc":"cough"}` + "\n"
	}
	for name, content := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestEveryRowIsMeasured(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, []string{"--dataset", folder(t, true), "--rounds", "1"}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		// Postings: "fever" and "rash" in one document each; "cough" in one more for the first query; of two queries four joined are both, twice.
		`r2med, query +\d+\.\d{3} +1 `, `r2med, query\+hyde +\d+\.\d{3} +2 `, `r2med, four joined +\d+\.\d{3} +3 `,
		`lucene, query +\d+\.\d{3} +1 `, `lucene, query\+hyde +\d+\.\d{3} +2 `, `lucene, four joined +\d+\.\d{3} +3 `,
		`index of 2 documents`, `one thread +\d+\.\d\d s`, `two threads +\d+\.\d\d s`, `open, checksum included +\d+\.\d ms`, `size +0\.\d MB`,
	} {
		if !regexp.MustCompile(row).Match(out.Bytes()) {
			t.Errorf("no row like %s in\n%s", row, &out)
		}
	}
}

func TestWhatCannotBeMeasuredIsAnError(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "use --dataset DIR"},
		{[]string{"--dataset", "x", "--rounds", "0"}, "rounds 1 or more"},
		{[]string{"--dataset", filepath.Join(t.TempDir(), "absent")}, "absent"},
		{[]string{"--dataset", folder(t, false)}, "no recorded hyde answers"},
	} {
		err := run(t.Context(), &bytes.Buffer{}, c.args)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.args, err, c.want)
		}
	}
}
