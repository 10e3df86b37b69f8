package trec_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/trec"
	"github.com/ddx-rag/ddx/internal/sharedtest"
)

func zipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJudgmentsAreReadInEachFormat(t *testing.T) {
	want := &trec.Judgments{
		Qrels:   metric.Qrels{"q2": {"a/b_3.txt": 2, "d1": 0}, "q1": {"d1": -1}},
		Queries: []string{"q2", "q1"},
	}
	const (
		tr   = "q2 0 a/b_3.txt 2\nq2 0 d1 0\nq1 0 d1 -1\n"
		js   = `{"q_id": "q2", "p_id": "a/b_3.txt", "score": 2}` + "\n" + `{"p_id":"d1","score":0,"q_id":"q2"}` + "\n" + `{"q_id":"q1","p_id":"d1","score":-1}` + "\n"
		beir = "query-id\tcorpus-id\tscore\nq2\ta/b_3.txt\t2\nq2\td1\t0\nq1\td1\t-1\n"
	)
	for _, c := range []struct{ name, text string }{
		{"TREC", tr},
		{"TREC with tabs and runs of spaces", "q2\t0\ta/b_3.txt\t2\n  q2  Q0   d1 0 \nq1 \t 0 d1 -1\n"},
		{"TREC with grades as a data frame writes them", "q2 0 a/b_3.txt 2.0\nq2 0 d1 0.0\nq1 0 d1 -1.0\n"},
		{"JSON lines", js},
		{"JSON lines with keys that are passed over", strings.ReplaceAll(js, `{"`, `{"answer": {"q_id": [1, null]}, "Q_ID": "x", "Score": 9, "`)},
		{"BEIR", beir},
		{"BEIR with capitals", strings.Replace(beir, "query-id\tcorpus-id\tscore", "Query-ID\tCorpus-ID\tScore", 1)},
	} {
		for _, form := range []struct{ name, text string }{
			{"", c.text},
			{", with a byte order mark", "\ufeff" + c.text},
			{", with CRLF", strings.ReplaceAll(c.text, "\n", "\r\n")},
			{", with blank lines", "\n" + strings.ReplaceAll(c.text, "\n", "\n \t\n") + "\n\n"},
			{", without a final newline", strings.TrimSuffix(c.text, "\n")},
			{", compressed", zipped(t, c.text)},
			{", compressed in two parts with a byte order mark", zipped(t, "\ufeff"+c.text[:9]) + zipped(t, c.text[9:])},
		} {
			t.Run(c.name+form.name, func(t *testing.T) {
				got, err := trec.ParseQrels("qrels", strings.NewReader(form.text))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestIDsStayAsTheyAreWritten(t *testing.T) {
	text := `{"q_id": 0, "p_id": 9007199254740993, "score": 1}
{"q_id": "007", "p_id": "7", "score": 1}
{"q_id": 7, "p_id": -5, "score": 1}
{"q_id": "7", "p_id": 1e3, "score": 1}
{"q_id": "7", "p_id": "1000", "score": 1}
{"q_id": 7, "p_id": 104230171086686139, "score": 1.0}
{"q_id": "Ünï 1", "p_id": "a\u002fb\tc", "score": 1}
`
	got, err := trec.ParseQrels("qrels", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := metric.Qrels{
		"0": {"9007199254740993": 1}, "007": {"7": 1}, "7": {"-5": 1, "1e3": 1, "1000": 1, "104230171086686139": 1}, "Ünï 1": {"a/b\tc": 1},
	}
	if diff := cmp.Diff(want, got.Qrels); diff != "" {
		t.Error(diff)
	}
	if got, err := trec.ParseQrels("qrels", strings.NewReader("q\u00a01 0 d\u3000 1\n")); err != nil || got.Qrels["q\u00a01"]["d\u3000"] != 1 {
		t.Errorf("a no-break space is part of an id: %v, %v", got, err)
	}
}

func TestLinesMayBeLong(t *testing.T) {
	long := strings.Repeat("long ", 1<<20)
	text := `{"q_id": "q", "p_id": "d", "text": "` + long + `", "score": 2}` + "\n" + `{"q_id": "q", "p_id": "e", "score": 1}` + "\n"
	got, err := trec.ParseQrels("qrels", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(metric.Qrels{"q": {"d": 2, "e": 1}}, got.Qrels); diff != "" {
		t.Error(diff)
	}
}

func TestEqualRepeatsCountOnceAndContradictionsAreRefused(t *testing.T) {
	got, err := trec.ParseQrels("qrels", strings.NewReader("q 0 d 1\nq 0 e 0\nq 0 d 1\nq 1 d 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&trec.Judgments{Qrels: metric.Qrels{"q": {"d": 1, "e": 0}}, Queries: []string{"q"}, Repeats: 2}, got); diff != "" {
		t.Error(diff)
	}
	_, err = trec.ParseQrels("dir/qrels.txt", strings.NewReader("q 0 d 1\n\nq 0 e 0\nq 0 d 0\n"))
	const want = `dir/qrels.txt:4: query "q", document "d": grade 0 here, but 1 on line 1; keep one of them`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestUnreadableJudgmentsAreExplained(t *testing.T) {
	const good = `{"q_id":"q","p_id":"d","score":1}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "f: there is no judgment in it"},
		{"blank lines", "\n \r\n\ufeff", "f:3: found 1 columns"},
		{"a byte order mark alone", "\ufeff\n", "f: there is no judgment in it"},
		{"a header alone", "query-id\tcorpus-id\tscore\n", "f: there is no judgment in it"},
		{"a run", "q Q0 d 1 2.5 tag\n", "f:1: 6 columns are a run; judgments have 4 (query, 0, document, grade)"},
		{"three columns", "q 0 d 1\nq d 1\n", "f:2: found 3 columns where TREC judgments have 4 (query, 0, document, grade)"},
		{"a grade that is a word", "q 0 d high\n", `f:1: grade "high" is not a whole number`},
		{"a grade between grades", "q 0 d 0.5\n", `f:1: grade "0.5" is not a whole number`},
		{"a grade beyond 32 bits", "q 0 d 1e10\n", `f:1: grade "1e10" is not a whole number`},
		{"a grade in hexadecimal", "q 0 d 0x1p2\n", `f:1: grade "0x1p2" is not a whole number`},
		{"a grade that is no number", "q 0 d NaN\n", `f:1: grade "NaN" is not a whole number`},
		{"JSON that is cut off", good + "\n" + `{"q_id":"q","p_id":"e"`, "f:3: the object is cut off"},
		{"JSON with a trailing comma", `{"q_id":"q","p_id":"d","score":1,}`, "f:1: broken JSON at byte 3"},
		{"two objects on a line", `{"q_id":"q","p_id":"d","score":1}{"q_id":"q","p_id":"e","score":1}`, "f:1: there is more after the object (byte 34): write one object a line"},
		{"a line that is no object", good + "[1]\n", "f:2: the line is not a JSON object; JSON Lines files have one object a line"},
		{"TREC among JSON", good + "q 0 d 1\n", "f:2: the line is not a JSON object; JSON Lines files have one object a line"},
		{"a key that is missing", `{"q_id":"q","P_ID":"d","score":1}`, `f:1: "p_id" is missing; judgments have the keys ["q_id" "p_id" "score"]`},
		{"a key that appears twice", `{"q_id":"q","p_id":"d","score":1,"q_id":"r"}`, `f:1: the field "q_id" stands twice`},
		{"a null id", `{"q_id":null,"p_id":"d","score":1}`, `f:1: "q_id" is null; use a string or a number`},
		{"a list as id", `{"q_id":"q","p_id":["d"],"score":1}`, `f:1: "p_id" is ["d"]; use a string or a number`},
		{"an empty id", `{"q_id":"q","p_id":"","score":1}`, `f:1: "p_id" is empty`},
		{"a null grade", `{"q_id":"q","p_id":"d","score":null}`, `f:1: grade "null" is not a whole number`},
		{"bytes that are not UTF-8", "{\"q_id\":\"\xff\",\"p_id\":\"d\",\"score\":1}", "f:1: the line is not valid UTF-8"},
		{"BEIR with spaces", "query-id\tcorpus-id\tscore\nq d 1\n", "f:2: found 1 columns where BEIR judgments have 3, separated by tabs"},
		{"BEIR with an empty column", "query-id\tcorpus-id\tscore\nq\t\t1\n", "f:2: column 2 is empty"},
		{"BEIR with a bad grade", "query-id\tcorpus-id\tscore\nq\td\tx\n", `f:2: grade "x" is not a whole number`},
		{"UTF-16", "\xff\xfeq\x00 \x00", "f: the text is UTF-16; save it as UTF-8"},
		{"a broken gzip header", "\x1f\x8bxxxxxxxxxxxxxxxxxx", "f: it begins like a gzip file, but: gzip: invalid header"},
		{"a gzip file that is cut off", zipped(t, strings.Repeat(good, 3))[:30], "unexpected EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := trec.ParseQrels("f", strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, judgments %v; want %q", err, got, c.want)
			}
		})
	}
}

func TestFilesAreOpenedAndNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "qrels.txt")
	if err := os.WriteFile(path, []byte("q 0 d 1\nq 0 d\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := trec.ReadQrels(path); err == nil || !strings.HasPrefix(err.Error(), path+":2: ") {
		t.Errorf("error %v", err)
	}
	for _, path := range []string{filepath.Join(dir, "absent"), dir} {
		if _, err := trec.ReadQrels(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v", err)
		}
		if _, err := trec.ReadRun(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v", err)
		}
	}
}

func TestRealJudgmentsAreRead(t *testing.T) {
	for _, c := range []struct {
		path               string
		queries, judgments int
	}{
		{"data/vignette-dx/qrels.jsonl", 80, 503},
		{"data/medquad-liveqa/qrels.jsonl", 96, 2141},
		{"data/r2med-biology-demo/qrels.jsonl", 1, 2},
		{"qa/trec_eval/negative-grades.qrels", 8, 104},
	} {
		got, err := trec.ReadQrels(sharedtest.Path(t, c.path))
		if err != nil {
			t.Error(err)
			continue
		}
		n := got.Repeats
		for _, documents := range got.Qrels {
			n += len(documents)
		}
		if len(got.Queries) != c.queries || n != c.judgments {
			t.Errorf("%s: %d queries and %d judgments, want %d and %d", c.path, len(got.Queries), n, c.queries, c.judgments)
		}
	}
}

// Whatever can be read can be written as JSON lines and read back.
func FuzzParseQrels(f *testing.F) {
	for _, text := range []string{
		"q 0 d 1\nq\t0\te\t-2\n", "\ufeffq 0 d 1.0\r\n\r\n", `{"q_id": 1e3, "p_id": "d\ud800", "score": 2}`, "query-id\tcorpus-id\tscore\nq\td e\t1",
		"\x1f\x8b", zipped(f, "q 0 d 1"), "\xff\xfe", `{"q_id":"q","p_id":"d","score":1,"x":{"y":[]}}` + "\n{}", "q 0 d 0x1", "\xda 0 \x86 0", "{\"a\":]}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := trec.ParseQrels("f", bytes.NewReader(text))
		if err != nil {
			if got != nil || !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("judgments %v come with the error %v", got, err)
			}
			return
		}
		var again bytes.Buffer
		for _, query := range got.Queries {
			for document, grade := range got.Qrels[query] {
				if !utf8.ValidString(query) || !utf8.ValidString(document) {
					return // JSON cannot hold it
				}
				line, err := json.Marshal(map[string]any{"q_id": query, "p_id": document, "score": grade})
				if err != nil {
					t.Fatal(err)
				}
				again.Write(append(line, '\n'))
			}
		}
		back, err := trec.ParseQrels("f", &again)
		if err != nil {
			t.Fatalf("%v; written as JSON: %v", got, err)
		}
		if diff := cmp.Diff(got.Qrels, back.Qrels); diff != "" {
			t.Error(diff)
		}
	})
}
