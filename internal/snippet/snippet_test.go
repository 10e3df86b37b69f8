package snippet_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/ddx-rag/ddx/internal/snippet"
	"github.com/ddx-rag/ddx/internal/text"
)

var stars = snippet.Mark{Open: "*", Close: "*"}

func analysis(t testing.TB, name string) *text.Analysis {
	t.Helper()
	a, err := text.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTheHeaviestStretchIsCutOutAndMarked(t *testing.T) {
	filler := strings.Repeat("nothing of interest stands here ", 20)
	for _, c := range []struct {
		name, passage string
		weights       map[string]float64
		width         int
		want          string
	}{
		{"a short passage stays whole", "Gout is an arthritis.", map[string]float64{"gout": 1}, 40, "*Gout* is an arthritis."},
		{"without a match it is the beginning", "Gout is an arthritis.", nil, 7, "Gout is …"},
		{"white space is folded", " Gout\n\tis  here ", map[string]float64{"gout": 1}, 40, "*Gout* is here"},
		{"stems match inflected words", "He runs and was running.", map[string]float64{"run": 1}, 40, "He *runs* and was *running*."},
		{"control characters never get through", "Gout\x1b[31m is\x00 red", map[string]float64{"gout": 1}, 40, "*Gout* [31m is red"},
		{"distinct terms outweigh repeated ones", "fever fever fever " + filler + "fever with rash " + filler, map[string]float64{"fever": 1, "rash": 1}, 40,
			"… *fever* with *rash* nothing of interest stands …"},
		{"a passage without spaces is bounded", strings.Repeat("x", 500), nil, 20, strings.Repeat("x", 40) + " …"},
		{"an empty passage", "", map[string]float64{"gout": 1}, 40, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := snippet.Best(analysis(t, text.LuceneEnglish), c.passage, c.weights, c.width, stars); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestOverlappingTermsOfACompoundAreMarkedOnce(t *testing.T) {
	got := snippet.Best(analysis(t, text.MedicalEnglish), "High IL-6 levels", map[string]float64{"il": 1, "6": 1, "il6": 2}, 40, stars)
	if strings.Count(got, "*")%2 != 0 || strings.ReplaceAll(got, "*", "") != "High IL-6 levels" {
		t.Errorf("got %q", got)
	}
}

// squeeze folds white space and control characters as a snippet does.
func squeeze(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

func FuzzBest(f *testing.F) {
	f.Add("Gout is an arthritis with fever and rash; the toe swells.", "gout rash", 10)
	f.Add("naïve Sjögren’s 25-OH-D₃ \xff\x1b[2J", "sjögren 25", 5)
	f.Add(strings.Repeat("ab ", 200)+"é", "ab é", 30)
	mark := snippet.Mark{Open: "\ue000", Close: "\ue001"}
	f.Fuzz(func(t *testing.T, passage, words string, width int) {
		if strings.ContainsAny(passage, "\ue000\ue001…") {
			return
		}
		width = max(1, min(width, 1000))
		for _, name := range text.Names() {
			a := analysis(t, name)
			weights := map[string]float64{}
			for i, term := range a.Terms(words) {
				weights[term] = float64(i + 1)
			}
			got := snippet.Best(a, passage, weights, width, mark)
			if strings.Count(got, mark.Open) != strings.Count(got, mark.Close) {
				t.Fatalf("marks do not pair in %q", got)
			}
			plain := strings.NewReplacer(mark.Open, "", mark.Close, "", "… ", "", " …", "").Replace(got)
			if !strings.Contains(squeeze(strings.ToValidUTF8(passage, "\ufffd")), strings.TrimSpace(strings.ToValidUTF8(plain, "\ufffd"))) && strings.ToValidUTF8(passage, "") == passage {
				t.Fatalf("%q is not a part of %q", plain, passage)
			}
			for _, r := range plain {
				if unicode.IsControl(r) {
					t.Fatalf("a control character in %q", plain)
				}
			}
		}
	})
}

func ExampleBest() {
	a, err := text.Lookup(text.LuceneEnglish)
	if err != nil {
		panic(err)
	}
	weights := map[string]float64{"uric": 2, "acid": 1}
	fmt.Println(snippet.Best(a, "Gout is caused by crystals of uric acid.", weights, 80, snippet.Mark{Open: "[", Close: "]"}))
	// Output: Gout is caused by crystals of [uric] [acid].
}
