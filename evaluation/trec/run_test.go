package trec_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/trec"
	"github.com/ddx-rag/ddx/internal/sharedtest"
	"github.com/ddx-rag/ddx/vectorstore"
)

func TestRunsAreReadByScoreWhateverTheRank(t *testing.T) {
	const text = "q2 Q0 b 1 1.5 tag\nq1 Q0 x 7 -3e2 other\nq2 Q0 a 2 1.5 tag\nq2\tQ0\tc\t3\t2\ttag\n"
	want := &trec.Run{
		Rankings: []trec.Ranking{
			{QueryID: "q2", Hits: []vectorstore.Hit{{ID: "c", Score: 2}, {ID: "b", Score: 1.5}, {ID: "a", Score: 1.5}}},
			{QueryID: "q1", Hits: []vectorstore.Hit{{ID: "x", Score: -300}}},
		},
		Tag: "tag",
	}
	for _, c := range []struct{ name, text string }{
		{"plain", text},
		{"with a byte order mark", "\ufeff" + text},
		{"with CRLF", strings.ReplaceAll(text, "\n", "\r\n")},
		{"with blank lines", "\n" + strings.ReplaceAll(text, "\n", "\n\n\t\n")},
		{"without a final newline", strings.TrimSuffix(text, "\n")},
		{"compressed", zipped(t, text)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := trec.ParseRun("run", strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(metric.Run{"q1": want.Rankings[1].Hits, "q2": want.Rankings[0].Hits}, got.ByQuery()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnreadableRunsAreExplained(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "f: there is no hit in it"},
		{"judgments", "q 0 d 1\n", "f:1: 4 columns are judgments; a run has 6 (query, Q0, document, rank, score, tag)"},
		{"five columns", "q Q0 d 1 2\n", "f:1: found 5 columns where a run has 6 (query, Q0, document, rank, score, tag)"},
		{"seven columns", "q Q0 d 1 2 t\n\nq Q0 d 1 2 my tag\n", "f:3: found 7 columns"},
		{"a word as score", "q Q0 d 1 x t\n", `f:1: query "q", document "d": score "x" is not a number`},
		{"a score that is no number", "q Q0 d 1 nan t\n", `score "nan" is not a finite number`},
		{"an infinite score", "q Q0 d 1 -Infinity t\n", `score "-Infinity" is not a finite number`},
		{"a score beyond float64", "q Q0 d 1 1e999 t\n", `score "1e999" is not a finite number`},
		{"a hexadecimal score", "q Q0 d 1 0x10p0 t\n", `score "0x10p0" is not a number`},
		{"a document that appears twice", "q Q0 d 1 3 t\nr Q0 d 1 3 t\nq Q0 e 2 2 t\nq Q0 d 3 1 t\n",
			`f:4: query "q": document "d" stands on line 1 already; keep one of them`},
		{"UTF-16", "\xfe\xff\x00q", "f: the text is UTF-16; save it as UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := trec.ParseRun("f", strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, run %v; want %q", err, got, c.want)
			}
		})
	}
}

func TestWhatIsWrittenIsReadBackToTheLastBit(t *testing.T) {
	want := []trec.Ranking{
		{QueryID: "q2", Hits: []vectorstore.Hit{
			{ID: "huge", Score: math.MaxFloat64}, {ID: "a/b_3.txt", Score: 1.0000000000000002}, {ID: "b", Score: 1}, {ID: "a", Score: 1},
			{ID: "Ünï", Score: 0.30000000000000004}, {ID: "tiny", Score: math.SmallestNonzeroFloat64}, {ID: "0", Score: 0}, {ID: "-", Score: -123456789.125},
		}},
		{QueryID: "q1", Hits: []vectorstore.Hit{{ID: "a", Score: 7}}},
	}
	var b bytes.Buffer
	if err := trec.WriteRun(&b, append(want, trec.Ranking{QueryID: "q0"}), "bm25"); err != nil {
		t.Fatal(err)
	}
	const text = `q2 Q0 huge 1 1.7976931348623157e+308 bm25
q2 Q0 a/b_3.txt 2 1.0000000000000002 bm25
q2 Q0 b 3 1 bm25
q2 Q0 a 4 1 bm25
q2 Q0 Ünï 5 0.30000000000000004 bm25
q2 Q0 tiny 6 5e-324 bm25
q2 Q0 0 7 0 bm25
q2 Q0 - 8 -1.23456789125e+08 bm25
q1 Q0 a 1 7 bm25
`
	if diff := cmp.Diff(text, b.String()); diff != "" {
		t.Error(diff)
	}
	got, err := trec.ParseRun("run", &b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&trec.Run{Rankings: want, Tag: "bm25"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCouldNotBeReadBackIsNotWritten(t *testing.T) {
	ranking := func(query string, hits ...vectorstore.Hit) []trec.Ranking {
		return []trec.Ranking{{QueryID: query, Hits: hits}}
	}
	d := vectorstore.Hit{ID: "d", Score: 1}
	for _, c := range []struct {
		name     string
		rankings []trec.Ranking
		tag      string
		want     string
	}{
		{"white space in a document id", ranking("q", vectorstore.Hit{ID: "Ünï 1"}), "t", `query "q": document id "Ünï 1" contains white space`},
		{"a tab in a query id", ranking("q\t1", d), "t", `query id "q\t1" contains white space`},
		{"an empty document id", ranking("q", vectorstore.Hit{}), "t", `document id "" is empty`},
		{"an empty query id", ranking("", d), "t", `query id "" is empty`},
		{"a control character", ranking("q", vectorstore.Hit{ID: "d\x00"}), "t", `document id "d\x00" contains a control character`},
		{"a byte order mark", ranking("\ufeffq", d), "t", `begins with a byte order mark`},
		{"a tag of two words", ranking("q", d), "my run", `the run's tag "my run" contains white space`},
		{"no tag", ranking("q", d), "", `the run's tag "" is empty`},
		{"a query with two rankings", append(ranking("q", d), ranking("q", d)...), "t", `query "q": there are two rankings for it`},
		{"a document that is ranked twice", ranking("q", vectorstore.Hit{ID: "d", Score: 2}, d), "t", `query "q": document "d" is ranked twice`},
		{"a score that is no number", ranking("q", vectorstore.Hit{ID: "d", Score: math.NaN()}), "t", `score NaN is not a finite number`},
		{"an infinite score", ranking("q", vectorstore.Hit{ID: "d", Score: math.Inf(1)}), "t", `score +Inf is not a finite number`},
		{"hits whose scores rise", ranking("q", d, vectorstore.Hit{ID: "e", Score: 2}), "t",
			`query "q": document "d" (score 1) is ranked above "e" (score 2); a run is ordered by score, equal scores by id descending`},
		{"equal scores in another order", ranking("q", d, vectorstore.Hit{ID: "e", Score: 1}), "t", `document "d" (score 1) is ranked above "e" (score 1)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := trec.WriteRun(&bytes.Buffer{}, c.rankings, c.tag)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAFailedWriteIsReported(t *testing.T) {
	few := []trec.Ranking{{QueryID: "q", Hits: []vectorstore.Hit{{ID: "d"}}}}
	many := []trec.Ranking{{QueryID: "q"}}
	for i := range 5000 {
		many[0].Hits = append(many[0].Hits, vectorstore.Hit{ID: strings.Repeat("d", 9) + string(rune('a'+i%26)) + strings.Repeat("x", i/26), Score: float64(-i)})
	}
	for _, rankings := range [][]trec.Ranking{few, many} {
		if err := trec.WriteRun(fullDisk{}, rankings, "t"); err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("error %v", err)
		}
	}
}

func TestRealRunsSurviveReadingAndWriting(t *testing.T) {
	for _, c := range []struct {
		path          string
		queries, hits int
	}{
		{"data/r2med-runs/Biology.e5-mistral.top100.trec", 103, 10300},
		{"qa/bm25/vignette-dx.query.r2med.trec", 80, 8000},
		{"qa/trec_eval/ties.run", 12, 720},
	} {
		run, err := trec.ReadRun(sharedtest.Path(t, c.path))
		if err != nil {
			t.Error(err)
			continue
		}
		hits := 0
		for _, r := range run.Rankings {
			hits += len(r.Hits)
		}
		if len(run.Rankings) != c.queries || hits != c.hits {
			t.Errorf("%s: %d queries, %d hits; want %d, %d", c.path, len(run.Rankings), hits, c.queries, c.hits)
		}
		var b bytes.Buffer
		if err := trec.WriteRun(&b, run.Rankings, run.Tag); err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		again, err := trec.ParseRun("again", &b)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		if diff := cmp.Diff(run, again); diff != "" {
			t.Errorf("%s: %s", c.path, diff)
		}
	}
}

// Whatever can be read can be written, unless an id or the tag holds what WriteRun refuses, and is then read back unchanged.
func FuzzParseRun(f *testing.F) {
	for _, text := range []string{
		"q Q0 d 1 2.5 t\nq Q0 e 2 2.5 t\nr Q0 d 1 -1e-7 t", "\ufeffq\tQ0\td\t1\t0x1\tt\r\n", "q Q0 d 1 1_0 t", "q Q0 d 1 nan t", zipped(f, "q Q0 d 1 2 t"),
		"q Q0 d 1 -0 t\nq Q0 e 1 0 t", "q Q0 d 1 1e308 t\nq Q0 e 1 1.7976931348623159e308 t", "\x00 Q0 d 1 1 t",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := trec.ParseRun("f", bytes.NewReader(text))
		if err != nil {
			if run != nil || !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("run %v comes with the error %v", run, err)
			}
			return
		}
		var b bytes.Buffer
		if err := trec.WriteRun(&b, run.Rankings, run.Tag); err != nil {
			if !strings.Contains(err.Error(), "control character") && !strings.Contains(err.Error(), "byte order mark") {
				t.Errorf("%v was read but cannot be written: %v", run, err)
			}
			return
		}
		again, err := trec.ParseRun("f", &b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(run, again); diff != "" {
			t.Error(diff)
		}
	})
}

// Whatever is written can be read back.
func FuzzWriteRun(f *testing.F) {
	f.Add("q", "d", 1.5, "e", 1.5, "t")
	f.Add("\ufeffq", "d", math.SmallestNonzeroFloat64, "e", math.Copysign(0, -1), "t\u0085")
	f.Add("\x1f\x8b", "\xff\xfe", math.Inf(1), "", math.NaN(), " ")
	f.Add("q\u00a0", "\u2028", 1e22, "{", 1e-7, "#")
	f.Fuzz(func(t *testing.T, query, id1 string, score1 float64, id2 string, score2 float64, tag string) {
		rankings := []trec.Ranking{{QueryID: query, Hits: []vectorstore.Hit{{ID: id1, Score: score1}, {ID: id2, Score: score2}}}}
		var b bytes.Buffer
		if err := trec.WriteRun(&b, rankings, tag); err != nil {
			return
		}
		got, err := trec.ParseRun("f", &b)
		if err != nil {
			t.Fatalf("%+v: %v", rankings, err)
		}
		if diff := cmp.Diff(&trec.Run{Rankings: rankings, Tag: tag}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func ExampleWriteRun() {
	rankings := []trec.Ranking{{QueryID: "fever-and-rash", Hits: []vectorstore.Hit{{ID: "kawasaki", Score: 7.25}, {ID: "measles", Score: 3.5}}}}
	if err := trec.WriteRun(os.Stdout, rankings, "bm25"); err != nil {
		os.Stderr.WriteString(err.Error())
	}
	// Output:
	// fever-and-rash Q0 kawasaki 1 7.25 bm25
	// fever-and-rash Q0 measles 2 3.5 bm25
}

func BenchmarkParseRun(b *testing.B) {
	var text bytes.Buffer
	for q := range 100 {
		for d := range 1000 {
			text.WriteString("query" + string(rune('a'+q%26)) + strings.Repeat("q", q/26) + " Q0 document" + strings.Repeat("d", d%7) + string(rune(0x4e00+d)) + " 1 12.345678 run\n")
		}
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := trec.ParseRun("run", bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
