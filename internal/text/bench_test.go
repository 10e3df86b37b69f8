package text_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/ddx-rag/ddx/internal/sharedtest"
	"github.com/ddx-rag/ddx/internal/text"
)

// corpus returns the texts of the first thousand passages of real data.
func corpus(b *testing.B) []string {
	f, err := os.Open(sharedtest.Path(b, "data/vignette-dx/corpus.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var texts []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() && len(texts) < 1000 {
		var d struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			b.Fatal(err)
		}
		texts = append(texts, d.Text)
	}
	if lines.Err() != nil || len(texts) == 0 {
		b.Fatalf("%d texts, %v", len(texts), lines.Err())
	}
	return texts
}

func BenchmarkScanner(b *testing.B) {
	texts := corpus(b)
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
