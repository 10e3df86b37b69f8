package text_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/ddx-rag/ddx/internal/sharedtest"
	"github.com/ddx-rag/ddx/internal/text"
)

// passages returns the first n texts of real data.
func passages(t testing.TB, n int) []string {
	t.Helper()
	f, err := os.Open(sharedtest.Path(t, "data/vignette-dx/corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var texts []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for len(texts) < n && lines.Scan() {
		var d struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, d.Text)
	}
	if lines.Err() != nil || len(texts) < n {
		t.Fatalf("%d texts, %v", len(texts), lines.Err())
	}
	return texts
}

func BenchmarkScanner(b *testing.B) {
	texts := passages(b, 1000)
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	for _, name := range text.Names() {
		a, err := text.Lookup(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range []struct {
			what string
			stem bool
		}{{"words", false}, {"terms", true}} {
			b.Run(name+"/"+c.what, func(b *testing.B) {
				s := a.NewScanner()
				tokens := 0
				b.ReportAllocs()
				b.SetBytes(int64(size))
				for b.Loop() {
					for _, t := range texts {
						for s.Reset(t); s.Next(); tokens++ {
							if c.stem {
								s.Term()
							}
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(tokens), "ns/token")
			})
		}
	}
}
