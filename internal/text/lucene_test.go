package text_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/internal/sharedtest"
	"github.com/ddx-rag/ddx/internal/text"
)

func TestTokensAreThoseOfLucenesEnglishAnalyzer(t *testing.T) {
	a, err := text.Lookup(text.LuceneEnglish)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(sharedtest.Path(t, "qa/analysis/lucene-english.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	n := 0
	for lines.Scan() {
		n++
		var want struct {
			Text   string
			Tokens []string
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		got := a.Terms(want.Text)
		if got == nil {
			got = []string{}
		}
		if diff := cmp.Diff(want.Tokens, got); diff != "" {
			t.Errorf("line %d: -Lucene +ddx\n%s", n, diff)
		}
	}
	if err := lines.Err(); err != nil || n < 300 {
		t.Errorf("%d lines read, %v", n, err)
	}
}
