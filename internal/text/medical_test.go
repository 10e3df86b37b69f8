package text_test

import (
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

func TestMedicalAnalysisMakesOneOfWhatIsTypedInManyWays(t *testing.T) {
	for _, c := range []struct {
		terms    string
		spelling []string
	}{
		{"il 6 il6", []string{"IL-6", "IL‑6", "IL‐6", "il-6", "I\u200bL-6"}},
		{"il6", []string{"IL6", "il6", "IL₆"}},
		{"tnf alpha", []string{"TNF-α", "TNF‑α", "TNF‐α", "TNF alpha", "TNF-alpha", "TNFα", "TNF-Α"}},
		{"5 fu 5fu", []string{"5-FU", "5‑FU", "5-fu"}},
		{"beta blocker", []string{"β-blocker", "beta-blocker", "β‑blockers", "Beta-Blockers"}},
		{"25 oh d3 25ohd3", []string{"25-OH-D₃", "25-OH-D3", "25‑OH‑D₃"}},
		{"hba1c", []string{"HbA1c", "HBA1C", "HbA₁c"}},
		{"crohn", []string{"Crohn’s", "Crohn's", "Crohn`s"[:5], "CROHN'S"}},
		{"naiv", []string{"naïve", "nai\u0308ve", "naive"}},
		{"sjogren", []string{"Sjögren", "Sjo\u0308gren's", "Sjøgren"}},
		{"3.5 mg", []string{"3.5mg", "3.5 mg"}},
		{"100 μg", []string{"100µg", "100 μg", "100 µg"}},
		{"fibrosi", []string{"ﬁbrosis", "fibrosis", "fibro\u00adsis"}},
		{"co2", []string{"CO₂", "CO2"}},
		{"covid 19 covid19", []string{"COVID-19", "COVID‑19"}},
		{"covid 19", []string{"Covid-19", "covid-19", "Covid 19"}},
		{"sar cov 2 sarscov2", []string{"SARS-CoV-2"}},
		{"12 year old", []string{"12-year-old", "12‑year‑old", "12 year old"}},
		{"type 2", []string{"Type-2", "type 2"}},
		{"long term", []string{"long-term", "long‐term"}},
		{"200 mg dl", []string{"200mg/dL", "200 mg/dl"}},
		{"10 c", []string{"10 ℃", "10 °C"}},
		{"beta2 agonist", []string{"β2-agonist", "beta2-agonist"}},
	} {
		for _, s := range c.spelling {
			if diff := cmp.Diff(strings.Fields(c.terms), analysis(t, text.MedicalEnglish).Terms(s)); diff != "" {
				t.Errorf("%q: -want +got\n%s", s, diff)
			}
		}
	}
}

func TestLuceneAnalysisKeepsLucenesOwnBehaviourWithNames(t *testing.T) {
	for s, want := range map[string]string{
		"IL-6 TNF-α 5-FU": "il 6 tnf α 5 fu", "25-OH-D₃": "25 oh d", "naïve": "naïv", "3.5mg µg μg": "3.5mg µg μg", "ﬁbrosis": "ﬁbrosi",
	} {
		if diff := cmp.Diff(strings.Fields(want), analysis(t, text.LuceneEnglish).Terms(s)); diff != "" {
			t.Errorf("%q: -want +got\n%s", s, diff)
		}
	}
}

func TestSpansPointIntoTheTextAsWritten(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{text.LuceneEnglish, "Fever, then Crohn’s!", "Fever|Crohn’s"},
		{text.MedicalEnglish, "The ﬁbrosis of naïve 25-OH-D₃, 3.5mg.", "ﬁbrosis|naïve|25|OH|D₃|25-OH-D₃|3.5|mg"},
		{text.MedicalEnglish, "TNFα", "TNF|α"},
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

func FuzzAnalyses(f *testing.F) {
	for _, seed := range []string{
		"IL-6 and TNF-α", "25-OH-D₃ 3.5mg Crohn’s", "naïve nai\u0308ve", "日本語の症例 발열 ภาษาไทย", "👩‍⚕️ 🇺🇸 ®", "a.b.c 1,2 x_y 'q's", "\xff\xfe\x00", "ﬁ ½ ℃ µ",
		strings.Repeat("a", 600), strings.Repeat("é", 600), "__ _a_ -1-", "IL-6-", "TNFαβ-5", "5-5-5-5-5-5-5-5-5-5-5-5-5-5-5",
	} {
		f.Add(seed)
	}
	analyses := []*text.Analysis{}
	for _, name := range text.Names() {
		analyses = append(analyses, analysis(f, name))
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, a := range analyses {
			scanner := a.NewScanner()
			var first []string
			for range 2 {
				scanner.Reset(s)
				var terms []string
				lastStart := 0
				for scanner.Next() {
					start, end := scanner.Span()
					if start < 0 || end > len(s) || start > end {
						t.Fatalf("%s: span %d-%d of %d bytes", a.Name(), start, end, len(s))
					}
					if a.Name() == text.LuceneEnglish && start < lastStart {
						t.Fatalf("%s: spans go backwards", a.Name())
					}
					if utf8.ValidString(s) && !(utf8.ValidString(s[:start]) && utf8.ValidString(s[start:end])) {
						t.Fatalf("%s: span %d-%d cuts a character of %q", a.Name(), start, end, s)
					}
					lastStart = start
					if len(scanner.Term()) == 0 {
						t.Fatalf("%s: an empty term of %q", a.Name(), s)
					}
					terms = append(terms, string(scanner.Term()))
				}
				if first == nil {
					first = terms
				} else if diff := cmp.Diff(first, terms); diff != "" {
					t.Fatalf("%s: scanning twice differs: %s", a.Name(), diff)
				}
			}
			if a.Name() == text.MedicalEnglish && utf8.ValidString(s) {
				if diff := cmp.Diff(a.Terms(norm.NFC.String(s)), a.Terms(norm.NFD.String(s))); diff != "" {
					t.Fatalf("composed and decomposed forms of %q differ: %s", s, diff)
				}
			}
		}
	})
}

func TestScanningDoesNotAllocateOnceBuffersHaveGrown(t *testing.T) {
	for _, name := range text.Names() {
		s := analysis(t, name).NewScanner()
		for _, sample := range []string{"Fever and running noses: IL-6, 3.5mg of 5-FU.", "Sjögren’s naïve TNF-α ﬁbrosis, 25-OH-D₃."} {
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
