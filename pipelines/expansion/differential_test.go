package expansion

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseDifferential(t *testing.T) {
	h := func(name string, p float64) Hypothesis { return Hypothesis{Name: name, Probability: p} }
	halves := []Hypothesis{h("gout", .5), h("pseudogout", .25)}
	const noProbability = "no hypothesis states a usable probability; each counts half of the one before it"
	tests := []struct {
		name, text string
		want       []Hypothesis
		warnings   []string
	}{
		{"all fields", `{"diagnoses":[{"name":"gout","synonyms":["podagra","urate arthritis"],"probability":0.8,"key_findings":["one joint"]}]}`,
			[]Hypothesis{{"gout", []string{"podagra", "urate arthritis"}, .8, []string{"one joint"}}}, nil},
		{"a fence and a citation behind it", "Here:\n```json\n{\"diagnoses\":[{\"name\":\"gout\",\"probability\":1}]}\n```\nSee [1].", []Hypothesis{h("gout", 1)}, nil},
		{"trailing commas", `{"diagnoses":["gout","pseudogout",],}`, halves, []string{"the JSON was repaired: comma before a closing bracket", noProbability}},
		{"braces in prose before", `For {patient}: {"diagnoses":["gout"]}`, halves[:1], []string{noProbability}},
		{"backticks in a value", "{\"note\":\"use ```x``` here\",\"diagnoses\":[\"gout\"]}", halves[:1], []string{noProbability}},
		{"a list alone", `Likely: ["gout", "pseudogout"].`, halves, []string{noProbability}},
		{"a list of objects alone", `[{"diagnosis":"gout","confidence":0.5}]`, []Hypothesis{h("gout", .5)}, nil},
		{"a list of something else before the object", `Findings ["fever"]: {"diagnoses":[{"name":"gout","probability":0.5}]}`, []Hypothesis{h("gout", .5)}, nil},
		{"the first of two objects", `{"diagnoses":[{"name":"gout","probability":0.5}]} If young: {"diagnoses":[{"name":"SLE","probability":0.5}]}`, []Hypothesis{h("gout", .5)}, nil},
		{"a wrapped object", `{"result":[{"Differential":[{"Name":"gout","Probability":0.5}]}]}`, []Hypothesis{h("gout", .5)}, nil},
		{"something unfinished behind the object", `{"diagnoses":[{"name":"gout","probability":0.5}]} See [1`, []Hypothesis{h("gout", .5)}, nil},
		{"numbers as strings", `{"diagnoses":[{"name":"gout","probability":"0.9"},{"name":"rash","probability":" 0.05 "}]}`, []Hypothesis{h("gout", .9), h("rash", .05)}, nil},
		{"percentages", `{"diagnoses":[{"name":"gout","probability":"80%"},{"name":"rash","probability":"5 %"},{"name":"SLE","probability":1%}]}`,
			[]Hypothesis{h("gout", .8), h("rash", .05), h("SLE", .01)}, nil},
		{"plain percentages", `{"diagnoses":[{"name":"gout","probability":80},{"name":"rash","probability":1},{"name":"SLE","probability":0.5}]}`,
			[]Hypothesis{h("gout", .8), h("rash", .01), h("SLE", .005)}, nil},
		{"percent signs beside fractions", `{"diagnoses":[{"name":"gout","probability":"80%"},{"name":"rash","probability":0.1}]}`, []Hypothesis{h("gout", .8), h("rash", .1)}, nil},
		{"order by probability, equal ones as listed", `{"diagnoses":[{"name":"a","probability":0.1},{"name":"b","probability":0.5},{"name":"c","probability":0.1}]}`,
			[]Hypothesis{h("b", .5), h("a", .1), h("c", .1)}, nil},
		{"probabilities that cannot be used keep the place",
			`{"diagnoses":[{"name":"a"},{"name":"b","probability":0.5},{"name":"c","probability":NaN},{"name":"d","probability":"likely"},{"name":"e","probability":0.2},
			{"name":"f","probability":-1},{"name":"g","probability":1e9},{"name":"h","probability":null},{"name":"i","probability":"Infinity"},"j"]}`,
			[]Hypothesis{h("a", .5), h("b", .5), h("c", .2), h("d", .2), h("e", .2), h("f", .2), h("g", .2), h("h", .2), h("i", .2), h("j", .2)},
			[]string{"8 of 10 hypotheses state no usable probability; each counts as the next one that does"}},
		{"zero", `{"diagnoses":[{"name":"a","probability":0},{"name":"b","probability":0.5}]}`, []Hypothesis{h("b", .5), h("a", .001)},
			[]string{"1 of 2 hypotheses have probability 0, which counts as 0.001"}},
		{"only zeros", `{"diagnoses":[{"name":"gout","probability":0},{"name":"pseudogout","probability":"0%"}]}`, halves, []string{noProbability}},
		{"a name again", `{"diagnoses":[{"name":"gout","synonyms":["podagra"],"probability":0.3},{"name":"rash","probability":0.4},{"name":"Gout ","synonyms":["Podagra","x","gout"],"probability":0.5}]}`,
			[]Hypothesis{{"gout", []string{"podagra", "x"}, .5, nil}, h("rash", .4)}, []string{"1 hypotheses name a diagnosis again and are joined with the first that does"}},
		{"hypotheses without a name", `{"diagnoses":[{"name":" ","probability":0.9},{"synonyms":["x"]},{"name":7},3,null,{"name":"gout","probability":0.5}]}`, []Hypothesis{h("gout", .5)},
			[]string{"5 of 6 hypotheses have no name and are left out"}},
		{"synonyms that are no list, blank, or the name again", `{"diagnoses":[{"name":"gout","synonyms":"podagra","probability":0.5},{"name":"rash","synonyms":["", null, "RASH", 4, "eruption", "Eruption"],"probability":0.1}]}`,
			[]Hypothesis{{"gout", []string{"podagra"}, .5, nil}, {"rash", []string{"eruption"}, .1, nil}}, nil},
		{"white space and control characters in names", `{"diagnoses":[{"name":" acute\n\tgout\u0000 attack ","probability":0.5}]}`, []Hypothesis{h("acute gout attack", .5)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, warnings, err := ParseDifferential(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, d.Hypotheses, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.warnings, warnings); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseDifferentialErrors(t *testing.T) {
	tests := []struct {
		name, text, want string
		cutOff           bool
	}{
		{"prose", "It is gout.", "holds no JSON", false},
		{"empty text", "", "holds no JSON", false},
		{"JSON about something else", `{"answer":"gout","why":"joint"}`, `no list "diagnoses"`, false},
		{"a list of numbers", `[1, 2]`, `no list "diagnoses"`, false},
		{"an empty list", `{"diagnoses":[]}`, "names no diagnosis", false},
		{"no names", `{"diagnoses":[{"probability":1}]}`, "names no diagnosis", false},
		{"cut off in a string", `{"diagnoses":[{"name":"gout","synonyms":["podagra"]},{"name":"pseu`, "cut off inside its JSON", true},
		{"cut off behind a list that is complete", `Findings ["fever"]. {"diagnoses":["go`, "cut off inside its JSON", true},
		{"cut off and then fenced", "```json\n{\"diagnoses\":[{\"name\":\"gout\",\"synonyms\":[\"podagra\"]},\n```", "broken in line 3", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _, err := ParseDifferential(tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, ErrCutOff) != tt.cutOff {
				t.Errorf("error is %v, want %s", err, tt.want)
			}
			if len(d.Hypotheses) > 0 {
				t.Errorf("part of it was used: %v", d)
			}
		})
	}
}

func TestReadDiagnosis(t *testing.T) {
	got, err := readDiagnosis("<think>[\"no\"]</think>```json\n" +
		`{"diagnoses":[{"name":"gout","synonyms":["podagra"],"probability":"80%"},{"name":"pseudogout","probability":0.1}]}` + "\n```")
	want := Answer{Searches: []Search{{"gout podagra", .8}, {"pseudogout", .1}}, Reasoning: `["no"]`}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, (-want +got)\n%s", err, diff)
	}
	for text, want := range map[string]string{"": "is empty", "<think>x</think>": "reasoning only", "gout": "no JSON"} {
		if got, err := readDiagnosis(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v and error %v", text, got, err)
		}
	}
}
