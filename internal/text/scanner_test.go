package text_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/ddx-rag/ddx/internal/text"
)

func analysis(t testing.TB, name string) *text.Analysis {
	t.Helper()
	a, err := text.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestLookupNamesTheAnalysesThereAre(t *testing.T) {
	if _, err := text.Lookup("english"); err == nil || !strings.Contains(err.Error(), strings.Join(text.Names(), ", ")) {
		t.Errorf("error %v", err)
	}
	seen := map[string]bool{}
	for _, name := range text.Names() {
		a := analysis(t, name)
		if a.Name() != name || !strings.HasPrefix(a.Fingerprint(), name+"/") || seen[a.Fingerprint()] {
			t.Errorf("%q: name %q, fingerprint %q", name, a.Name(), a.Fingerprint())
		}
		seen[a.Fingerprint()] = true
	}
}

func TestSpansPointIntoTheTextAsWritten(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{text.LuceneEnglish, "Fever, then Crohn’s!", "Fever|Crohn’s"},
		{text.MedicalEnglish, "The ﬁbrosis of naïve 25-OH-D₃, 3.5mg.", "ﬁbrosis|naïve|25-OH-D₃|25|OH|D₃|3.5|mg"},
		{text.MedicalEnglish, "TNFα (I\u200bL-6)", "TNFα|TNF|α|I\u200bL-6|I\u200bL|6"},
	} {
		s := analysis(t, c.name).NewScanner()
		s.Reset(c.text)
		var got []string
		for s.Next() {
			start, end := s.Span()
			got = append(got, c.text[start:end])
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%q: -want +got\n%s", c.text, diff)
		}
	}
}

func TestLongTokensAreCutAsLuceneDoes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []int // characters of each token
	}{
		{"letters", strings.Repeat("a", 600), []int{255, 255, 90}},
		{"characters outside ASCII", strings.Repeat("é", 300), []int{255, 45}},
		{"characters of two UTF-16 units", strings.Repeat("𝐚", 200), []int{127, 73}},
		{"exactly the limit", strings.Repeat("x", 255) + " y", []int{255, 1}},
	} {
		var got []int
		s := analysis(t, text.LuceneEnglish).NewScanner()
		for s.Reset(c.text); s.Next(); {
			got = append(got, utf8.RuneCount(s.Word()))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}

func TestScriptsWithoutSpacesFollowLucene(t *testing.T) {
	for s, want := range map[string]string{
		"日本語の症例": "日 本 語 の 症 例", "カタカナ": "カタカナ", "발열 기침": "발열 기침", "ภาษาไทย": "ภาษาไทย", "Tylenol® 5™": "tylenol ® 5 ™",
		"👩‍⚕️ 🇺🇸 #️⃣": "👩‍⚕️ 🇺🇸 #️⃣", "x\xffb": "x b",
	} {
		if diff := cmp.Diff(strings.Fields(want), analysis(t, text.LuceneEnglish).Terms(s)); diff != "" {
			t.Errorf("%q: -want +got\n%s", s, diff)
		}
	}
}

func TestInvalidBytesPartTokens(t *testing.T) {
	for _, name := range text.Names() {
		for _, s := range []string{"fever\xffrash", "fever\xc3 rash", "\x80fever\xf0\x9f\x92rash\xe2\x80", "fever\xed\xa0\x80rash"} {
			if diff := cmp.Diff([]string{"fever", "rash"}, analysis(t, name).Terms(s)); diff != "" {
				t.Errorf("%s: %q: -want +got\n%s", name, s, diff)
			}
		}
	}
}

func TestScanningDoesNotAllocateOnceBuffersHaveGrown(t *testing.T) {
	for _, name := range text.Names() {
		s := analysis(t, name).NewScanner()
		for _, sample := range []string{"Fever and running noses: IL-6, 3.5mg of 5-FU.", "Sjögren’s naïve TNF-α ﬁbrosis, 25-OH-D₃.", "한글 日本語 カタカナが ภาษาไทย, 10µg/L", norm.NFD.String("한글 が é")} {
			scan := func() {
				s.Reset(sample)
				for s.Next() {
					_ = s.Term()
				}
			}
			scan()
			if n := testing.AllocsPerRun(100, scan); n != 0 {
				t.Errorf("%s: %v allocations for %q", name, n, sample)
			}
		}
	}
}
func ExampleAnalysis_Terms() {
	a, err := text.Lookup(text.LuceneEnglish)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Terms("The patient's running noses"))
	// Output: [patient run nose]
}

func ExampleScanner() {
	a, err := text.Lookup(text.MedicalEnglish)
	if err != nil {
		fmt.Println(err)
		return
	}
	passage := "Raised TNF‑α levels"
	s := a.NewScanner()
	for s.Reset(passage); s.Next(); {
		start, end := s.Span()
		fmt.Printf("%s (%s, %s)\n", s.Term(), s.Word(), passage[start:end])
	}
	// Output:
	// rais (raised, Raised)
	// tnfalpha (tnfalpha, TNF‑α)
	// tnf (tnf, TNF)
	// alpha (alpha, α)
	// level (levels, levels)
}
