package text_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/ddx-rag/ddx/internal/text"
)

// The table stands in the documentation of MedicalEnglish: spellings, then the terms of each of them.
func TestTheDocumentedTableOfTermsHolds(t *testing.T) {
	source, err := os.ReadFile("analysis.go")
	if err != nil {
		t.Fatal(err)
	}
	a := analysis(t, text.MedicalEnglish)
	rows := regexp.MustCompile(`(?m)^//\t(.+?)  +(.+)$`).FindAllStringSubmatch(string(source), -1)
	if len(rows) < 20 {
		t.Fatalf("%d rows found", len(rows))
	}
	for _, row := range rows {
		for _, spelling := range strings.Split(row[1], ", ") {
			if diff := cmp.Diff(strings.Fields(row[2]), a.Terms(spelling)); diff != "" {
				t.Errorf("%s: -documented +got\n%s", spelling, diff)
			}
		}
	}
}

func TestMedicalAnalysisMakesOneOfWhatIsTypedInManyWays(t *testing.T) {
	for _, c := range []struct {
		terms    string
		spelling []string
	}{
		{"il6 il 6", []string{"IL-6", "IL‑6", "IL‐6", "il-6", "I\u200bL-6", "IL–6", "IL−6", "ＩＬ－６", "IL-₆", "\ufeffIL-6"}},
		{"il6", []string{"IL6", "il6", "IL₆", "IL⁶", "IL\u00ad6"}},
		{"tnfalpha tnf alpha", []string{"TNF-α", "TNF‑α", "TNF‐α", "TNF-alpha", "TNFα", "TNF-Α", "TNF-𝛼", "TNF-ά", "TNF-α’s"}},
		{"tnf alpha", []string{"TNF alpha", "TNF α", "TNF (α)"}},
		{"il1beta il 1 beta", []string{"IL-1β", "IL-1-beta", "IL-1-β"}},
		{"nfkappab nf kappa b", []string{"NF-κB", "NF-kappa-B", "NFκB", "NF‑κ‑B"}},
		{"nfkappab nf kappab", []string{"NF-kappaB"}},
		{"ifngamma ifn gamma", []string{"IFN-γ", "IFNγ", "IFN-gamma"}},
		{"gammadelta gamma delta", []string{"γδ", "gamma-delta", "γ-δ"}},
		{"5fu 5 fu", []string{"5-FU", "5‑FU", "5-fu"}},
		{"5fu", []string{"5FU", "5fu"}},
		{"beta blocker", []string{"β-blocker", "beta-blocker", "β‑blockers", "Beta-Blockers", "ϐ-blocker"}},
		{"beta2 agonist", []string{"β2-agonist", "beta2-agonist", "β₂-agonist"}},
		{"alpha1 antitrypsin", []string{"α1-antitrypsin", "alpha1-antitrypsin"}},
		{"5 alpha reductas", []string{"5α-reductase", "5-α-reductase", "5-alpha-reductase"}},
		{"25ohd3 25 oh d3", []string{"25-OH-D₃", "25-OH-D3", "25‑OH‑D₃", "25(OH)D3", "25(OH)D₃", "25-(OH)-D3"}},
		{"hba1c", []string{"HbA1c", "HBA1C", "HbA₁c"}},
		{"covid19 covid 19", []string{"COVID-19", "COVID‑19", "covid-19"}},
		{"covid 19", []string{"COVID 19"}},
		{"sarscov2 sar cov 2", []string{"SARS-CoV-2"}},
		{"tcell t cell", []string{"T-cell", "t‐cells", "T-Cell's"}},
		{"type2 type 2", []string{"type-2", "Type-2"}},
		{"deltaf508 delta f508", []string{"ΔF508", "Δ-F508", "delta-F508"}},
		{"ca2", []string{"Ca²⁺", "Ca2+"}},
		{"co2", []string{"CO₂", "CO2"}},
		{"kg m2", []string{"kg/m²", "kg/m2", "kg·m²"}},
		{"10 9 l", []string{"10⁹/L", "10^9/L"}},
		{"10 12 l", []string{"10¹²/L", "10^12/L"}},
		{"min 1", []string{"min⁻¹", "min^-1"}},
		{"surviv 12", []string{"survival¹²", "survival 12"}},
		{"1 1 2 tablet", []string{"1½ tablets", "1 1/2 tablets"}},
		{"crohn", []string{"Crohn’s", "Crohn's", "CROHN'S", "Crohn′s", "Crohn´s", "Crohnʼs"}},
		{"naiv", []string{"naïve", "nai\u0308ve", "naive"}},
		{"sjogren", []string{"Sjögren", "Sjo\u0308gren's", "Sjøgren"}},
		{"fetal oesophagu", []string{"fetal œsophagus", "fetal oesophagus"}},
		{"fibrosi", []string{"ﬁbrosis", "fibrosis", "fibro\u00adsis"}},
		{"lipitor", []string{"Lipitor", "Lipitor™", "Lipitor®"}},
		{"3.5 mg", []string{"3.5mg", "3.5 mg", "3.5-mg", "3.5㎎"}},
		{"100 μg", []string{"100µg", "100 μg", "100 µg", "100μg", "100mcg", "100 mcg", "100-µg", "100㎍"}},
		{"200 mg dl", []string{"200mg/dL", "200 mg/dl"}},
		{"5 μmol l", []string{"5μmol/L", "5 µmol/l"}},
		{"mu opioid", []string{"μ-opioid", "mu-opioid", "µ-opioids"}},
		{"10 c", []string{"10 ℃", "10 °C"}},
		{"45 year old", []string{"45-year-old", "45‑year‑old", "45 year old"}},
		{"1.2 3.4", []string{"1.2–3.4", "1.2-3.4"}},
		{"2020 12 31", []string{"2020-12-31"}},
		{"anti inflammatori", []string{"anti-inflammatory", "anti‐inflammatory"}},
		{"long term", []string{"long-term", "long‐term"}},
		{"gene s", []string{"gene(s)"}},
		{"1 st", []string{"1 st"}},
		{"1st", []string{"1st"}},
		{"καρδια", []string{"καρδιά", "ΚΑΡΔΙΑ", "καρδια\u0301"}},
		{"한글 が カタカナ", []string{"한글 が カタカナ", norm.NFD.String("한글 が カタカナ")}},
		{"vegfa vegf", []string{"VEGF-A"}},
		{"a1 a2 a3 a4 a5 a6 a7", []string{"A1-A2-A3-A4-A5-A6-A7"}},
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

// Names of several parts, and whatever is not ASCII, are analysed by whole stretches; other words come straight from the tokenizer. Words
// must come out the same in a stretch that something else makes a matter of the former.
func TestWordsOfRealPassagesAreTheSameInAStretch(t *testing.T) {
	a := analysis(t, text.MedicalEnglish)
	for _, passage := range passages(t, 300) {
		for _, field := range strings.Fields(passage) {
			alone, stretch := a.Terms(field), a.Terms("α/"+field)
			if len(stretch) == 0 || stretch[0] != "alpha" || !slices.Equal(alone, stretch[1:]) {
				t.Fatalf("%q alone %q, in a stretch %q", field, alone, stretch)
			}
		}
	}
}
