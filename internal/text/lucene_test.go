package text_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
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

// The recorded texts are random strings of characters that the rules treat unlike each other; see testdata/EnglishTokens.java.
func TestTokensAndSpansOfRandomTextsAreThoseRecordedFromLucene(t *testing.T) {
	f, err := os.Open("testdata/lucene.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	s := analysis(t, text.LuceneEnglish).NewScanner()
	lines := bufio.NewScanner(f)
	n := 0
	for lines.Scan() {
		n++
		digits, want, _ := strings.Cut(lines.Text(), "\t")
		sample, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		var got []string
		for s.Reset(string(sample)); s.Next(); {
			start, end := s.Span()
			got = append(got, fmt.Sprintf("%x %d %d", s.Term(), start, end))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("line %d: %+q\nLucene %s\nddx    %s", n, sample, want, got)
		}
	}
	if err := lines.Err(); err != nil || n < 700 {
		t.Errorf("%d lines read, %v", n, err)
	}
}
