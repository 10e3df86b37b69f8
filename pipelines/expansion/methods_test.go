package expansion

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/internal/sharedtest"
)

func TestMethodsAreComplete(t *testing.T) {
	var names []string
	for _, m := range Methods() {
		names = append(names, m.Name)
		if m.Summary == "" || m.Source == "" || m.Read == nil || strings.Contains(m.Summary, "\n") {
			t.Errorf("%s lacks something: %+v", m.Name, m)
		}
	}
	if diff := cmp.Diff([]string{"hyde", "query2doc", "diagnosis", "cot"}, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReadPassage(t *testing.T) {
	for _, read := range []func(string) (Answer, error){hyde().Read, query2doc().Read} {
		t.Run("the whole answer is one text", func(t *testing.T) {
			const text = "Certainly! Here is a passage:\n\n---\n\nGout is an arthritis.\n\n---\n\nThis should help."
			got, err := read("<think>x</think>\n" + text + "\n")
			want := Answer{Searches: []Search{{Text: text, Weight: 1}}, Reasoning: "x"}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("error %v, (-want +got)\n%s", err, diff)
			}
		})
		t.Run("blank answers are errors", func(t *testing.T) {
			for text, want := range map[string]string{"": "is empty", " \n\u00a0": "is empty", "<think>x</think>\n": "reasoning only"} {
				if got, err := read(text); err == nil || !strings.Contains(err.Error(), want) || len(got.Searches) > 0 {
					t.Errorf("%q: got %v and error %v", text, got, err)
				}
			}
		})
	}
}

func TestReadCoT(t *testing.T) {
	const query = "gout podagra urate"
	tests := []struct{ name, text, reasoning string }{
		{"a line of its own", "One joint.\n\nSearch query: " + query, "One joint."},
		{"upper case", "SEARCH QUERY: " + query, ""},
		{"no space behind the colon", "x\nSearch query:" + query, "x"},
		{"full-width colon", "x\nSearch query：" + query, "x"},
		{"space before the colon", "x\nSearch query : " + query, "x"},
		{"no-break spaces", "x\nSearch\u00a0query:\u00a0" + query, "x"},
		{"underscore", "x\nsearch_query: " + query, "x"},
		{"a dash", "x\nSearch query – " + query, "x"},
		{"bold", "x\n\n**Search query:** " + query, "x"},
		{"bold with the colon outside", "x\n\n**Search query**: " + query, "x"},
		{"all in bold", "x\n\n**Search query: " + query + "**", "x"},
		{"a heading", "x\n\n### Search Query\n\n" + query, "x"},
		{"a heading with a colon", "x\n\n### Search Query:\n" + query, "x"},
		{"words before it", "x\nFinal search query: " + query, "x\nFinal"},
		{"on the next line", "x\nSearch query:\n" + query, "x"},
		{"after a blank line", "x\nSearch query:\n\n" + query, "x"},
		{"in quotation marks", "x\nSearch query: \"" + query + "\"", "x"},
		{"in curly quotation marks", "x\nSearch query: “" + query + "”", "x"},
		{"in backticks", "x\nSearch query: `" + query + "`", "x"},
		{"in bold quotation marks", "x\nSearch query: **\"" + query + "\"**", "x"},
		{"in a fence", "x\nSearch query:\n```text\n" + query + "\n```\nDone.", "x"},
		{"in a fence on its line", "x\nSearch query: ```" + query + "```", "x"},
		{"a list item", "x\nSearch query:\n- " + query, "x"},
		{"over two lines", "x\nSearch query: gout podagra\nurate", "x"},
		{"followed by a remark", "x\nSearch query: " + query + "\n\nThis query names the crystal.", "x"},
		{"windows line ends", "x\r\n\r\nSearch query: " + query + "\r\n\r\nDone.\r\n", "x"},
		{"the last one", "x\nSearch query: first\ny\nSearch query: " + query, "x\nSearch query: first\ny"},
		{"behind think tags with a label", "<think>Search query: no</think>x\nSearch query: " + query, "Search query: no\n\nx"},
		{"in a section that no heading ends", "## Thinking\nx\n\nSearch query: " + query, "x"},
		{"behind a final heading", "## Thinking\nx\n## Final Response\nSearch query: " + query, "x"},
		{"plural", "x\nSearch queries: " + query, "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readCoT(tt.text)
			want := Answer{Searches: []Search{{Text: query, Weight: 1}}, Reasoning: tt.reasoning}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("error %v, (-want +got)\n%s", err, diff)
			}
		})
	}
	t.Run("quotation marks inside a query stay", func(t *testing.T) {
		got, err := readCoT(`Search query: "gout" AND "tophi"`)
		if err != nil || got.Searches[0].Text != `"gout" AND "tophi"` {
			t.Errorf("got %v and error %v", got, err)
		}
	})
	t.Run("without a label all is searched, with a warning", func(t *testing.T) {
		const text = "Think of gout. A search query would name it. Research queries differ."
		got, err := readCoT("<think>a</think>" + text)
		if err != nil || len(got.Searches) != 1 || got.Searches[0].Text != text || got.Reasoning != "a" || len(got.Warnings) != 1 {
			t.Errorf("got %+v and error %v", got, err)
		}
	})
	t.Run("a label with nothing behind it was cut off", func(t *testing.T) {
		for _, text := range []string{"Gout.\n\nSearch query:", "Search query: first\n**Search query:** \n", "Search query: \"\""} {
			if got, err := readCoT(text); !errors.Is(err, ErrCutOff) || len(got.Searches) > 0 {
				t.Errorf("%q: got %v and error %v", text, got, err)
			}
		}
	})
	t.Run("blank answers are errors", func(t *testing.T) {
		for _, text := range []string{"", "<think>Search query: x</think>"} {
			if got, err := readCoT(text); err == nil {
				t.Errorf("%q: got %v", text, got)
			}
		}
	})
}

// recorded reads the completions of a file in R2MED's layout.
func recorded(t *testing.T, file string, want int) []string {
	t.Helper()
	f, err := os.Open(sharedtest.Path(t, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var texts []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct {
			Text string `json:"hy_doc"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, row.Text)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(texts) != want {
		t.Fatalf("%d completions, want %d", len(texts), want)
	}
	return texts
}

func read(t *testing.T, m Method, text string) Answer {
	t.Helper()
	a, err := m.Read(text)
	if err != nil || len(a.Warnings) > 0 {
		t.Fatalf("error %v, warnings %v, in %s", err, a.Warnings, text)
	}
	return a
}

func TestRecordedAnswers(t *testing.T) {
	t.Run("hyde passages are searched as they are", func(t *testing.T) {
		for _, text := range recorded(t, "data/vignette-dx/hyde/reference-llm/query_with_hydoc.jsonl", 80) {
			if diff := cmp.Diff(Answer{Searches: []Search{{Text: text, Weight: 1}}}, read(t, hyde(), text)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		}
	})
	t.Run("talk around a passage stays in it", func(t *testing.T) {
		for _, text := range recorded(t, "data/r2med-biology-demo/hyde/qwen-7b/query_with_hydoc.jsonl", 2) {
			if a := read(t, hyde(), text); a.Searches[0].Text != text {
				t.Errorf("%q was read as %q", text, a.Searches[0].Text)
			}
		}
	})
	t.Run("chains of thought end in a search query", func(t *testing.T) {
		for _, text := range recorded(t, "data/vignette-dx/cot/reference-llm/query_with_hydoc.jsonl", 80) {
			i := strings.LastIndex(text, "Search query:")
			want := Answer{Searches: []Search{{Text: strings.TrimSpace(text[i+len("Search query:"):]), Weight: 1}}, Reasoning: strings.TrimSpace(text[:i])}
			if diff := cmp.Diff(want, read(t, cot(), text)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		}
	})
	t.Run("differentials are read as encoding/json reads them", func(t *testing.T) {
		hypotheses := 0
		for _, text := range recorded(t, "data/vignette-dx/diagnosis/reference-llm/query_with_hydoc.jsonl", 80) {
			var want struct {
				Diagnoses []struct {
					Name        string
					Synonyms    []string
					Probability float64
				}
			}
			if err := json.Unmarshal([]byte(text), &want); err != nil {
				t.Fatal(err)
			}
			weights := map[string]float64{}
			for _, d := range want.Diagnoses {
				weights[strings.Join(append([]string{d.Name}, d.Synonyms...), " ")] = d.Probability
			}
			a := read(t, diagnosis(), text)
			last := 1.0
			for _, s := range a.Searches {
				if weights[s.Text] != s.Weight || s.Weight > last {
					t.Errorf("search %+v after weight %v is not in %s", s, last, text)
				}
				last = s.Weight
			}
			if len(a.Searches) != len(want.Diagnoses) || a.Searches[0].Text != strings.Join(append([]string{want.Diagnoses[0].Name}, want.Diagnoses[0].Synonyms...), " ") {
				t.Errorf("%d searches, first %q, in %s", len(a.Searches), a.Searches[0].Text, text)
			}
			hypotheses += len(a.Searches)
		}
		if hypotheses != 44*5+35*4+3 {
			t.Errorf("%d hypotheses", hypotheses)
		}
	})
}

func FuzzRead(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range Methods() {
			a, err := m.Read(text)
			if (err == nil) != (len(a.Searches) > 0) {
				t.Fatalf("%s: %d searches and error %v", m.Name, len(a.Searches), err)
			}
			if len(a.Searches) > 1 && !m.Several {
				t.Fatalf("%s: %d searches of a method that yields one", m.Name, len(a.Searches))
			}
			for i, s := range a.Searches {
				if trim(s.Text) != s.Text || s.Text == "" || !(s.Weight > 0 && s.Weight <= 1) || i > 0 && s.Weight > a.Searches[i-1].Weight {
					t.Fatalf("%s: search %+v of %+v", m.Name, s, a.Searches)
				}
				if utf8.ValidString(text) && !utf8.ValidString(s.Text) {
					t.Fatalf("%s: %q is not valid UTF-8, the text was", m.Name, s.Text)
				}
			}
			if utf8.ValidString(text) && !utf8.ValidString(a.Reasoning) {
				t.Fatalf("%s: reasoning %q is not valid UTF-8, the text was", m.Name, a.Reasoning)
			}
		}
	})
}
