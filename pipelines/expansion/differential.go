package expansion

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ddx-rag/ddx/internal/tolerantjson"
)

// Differential is a differential diagnosis: what a patient may have, the most probable first.
type Differential struct {
	Hypotheses []Hypothesis // at least one
}

// Hypothesis is one diagnosis of a differential.
type Hypothesis struct {
	Name        string
	Synonyms    []string
	Probability float64 // above 0, up to 1; the probabilities of a differential need not add up to 1
	KeyFindings []string
}

// Text joins the name and the synonyms by single spaces.
func (h Hypothesis) Text() string {
	return strings.Join(append([]string{h.Name}, h.Synonyms...), " ")
}

const (
	// leastProbability is what a probability stated as 0 counts as: a hypothesis that was written down is searched with.
	leastProbability = 0.001
	// smallestProbability keeps the halves of halves above zero in long lists without probabilities.
	smallestProbability = 1e-9
)

// ParseDifferential reads a differential from an answer that holds it as JSON, with prose and code fences around it or not: an object
// {"diagnoses": [...]} or, if there is no such object, a list; each diagnosis an object {"name", "synonyms", "probability",
// "key_findings"} or just a name. If there are several, the first one counts. The warnings say what was repaired or guessed. The error
// wraps ErrCutOff where the text ends inside the JSON; no part of it is then used.
//
// A probability is a number or a string with one, from 0 to 1 or in percent: with a "%", or, for all numbers of the list without one,
// if any of them is above 1. Others (missing, NaN, negative, above 100 percent, words) are not used. Such a hypothesis counts
// as probable as the next one in the list that states a probability, at the end of the list as the last one that does, and so keeps
// its place. If none does, or all are 0, the first one gets 1/2 and each further one half of the one before it, since models name the
// most likely one first. A probability of 0 among others counts as 0.001.
//
// Hypotheses are ordered by probability, and equally probable ones as they are listed. If a name comes again (in any case), the
// hypotheses become one, in the place of the first and with the higher probability.
func ParseDifferential(text string) (d Differential, warnings []string, err error) {
	items, repairs, err := findDiagnoses(text)
	if err != nil {
		return Differential{}, nil, err
	}
	if len(repairs) > 0 {
		warnings = append(warnings, "the JSON was repaired: "+strings.Join(repairs, ", "))
	}
	stated := make([]statedProbability, 0, len(items))
	unnamed := 0
	for _, item := range items {
		h, p := readHypothesis(item)
		if h.Name == "" {
			unnamed++
			continue
		}
		d.Hypotheses = append(d.Hypotheses, h)
		stated = append(stated, p)
	}
	if len(d.Hypotheses) == 0 {
		return Differential{}, nil, errors.New("the answer names no diagnosis")
	}
	if unnamed > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d hypotheses have no name and are left out", unnamed, len(items)))
	}
	warnings = append(warnings, d.setProbabilities(stated)...)
	if n := d.merge(); n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d hypotheses name a diagnosis again and are joined with the first that does", n))
	}
	slices.SortStableFunc(d.Hypotheses, func(a, b Hypothesis) int { return cmp.Compare(b.Probability, a.Probability) })
	return d, warnings, nil
}

// findDiagnoses finds the list of diagnoses in a text.
func findDiagnoses(text string) (items []any, repairs []string, err error) {
	values, err := tolerantjson.Find(text)
	if errors.Is(err, tolerantjson.ErrCutOff) {
		err = fmt.Errorf("%w inside its JSON; nothing of it is used", ErrCutOff)
	}
	for _, v := range values {
		if items, ok := listOfDiagnoses(v.Data); ok {
			return items, v.Repairs, nil
		}
	}
	// A list alone is believed only if nothing is broken around it, as it could be a part of that.
	if err != nil {
		return nil, nil, err
	}
	named := func(item any) bool {
		h, _ := readHypothesis(item)
		return h.Name != ""
	}
	for _, v := range values {
		if list, ok := v.Data.([]any); ok && slices.ContainsFunc(list, named) {
			return list, v.Repairs, nil
		}
	}
	if len(values) > 0 {
		return nil, nil, errors.New(`the JSON in the answer holds no list "diagnoses"`)
	}
	return nil, nil, errors.New("the answer holds no JSON with diagnoses")
}

// listOfDiagnoses returns the list in an object, which may be wrapped in objects or lists that hold nothing else.
func listOfDiagnoses(v any) ([]any, bool) {
	for {
		switch outer := v.(type) {
		case []any:
			if len(outer) != 1 {
				return nil, false
			}
			v = outer[0]
		case map[string]any:
			if items, ok := field(outer, "diagnoses", "differential", "differential_diagnosis", "diagnosis", "hypotheses").([]any); ok {
				return items, true
			}
			if len(outer) != 1 {
				return nil, false
			}
			for _, v = range outer {
			}
		default:
			return nil, false
		}
	}
}

// field returns the member with the first of the names that the object has, in the given case or, failing that, in any.
func field(object map[string]any, names ...string) any {
	for _, name := range names {
		if v, ok := object[name]; ok {
			return v
		}
		match := ""
		for key := range object {
			if strings.EqualFold(key, name) && (match == "" || key < match) {
				match = key
			}
		}
		if match != "" {
			return object[match]
		}
	}
	return nil
}

func readHypothesis(item any) (Hypothesis, statedProbability) {
	if object, ok := item.(map[string]any); ok {
		h := Hypothesis{Name: clean(field(object, "name", "diagnosis", "disease", "condition"))}
		h.Synonyms = distinct(texts(field(object, "synonyms", "aliases")), h.Name)
		h.KeyFindings = texts(field(object, "key_findings", "findings"))
		return h, readProbability(field(object, "probability", "confidence", "likelihood"))
	}
	return Hypothesis{Name: clean(item)}, statedProbability{}
}

// texts reads a list of strings, or a single one.
func texts(v any) []string {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var out []string
	for _, e := range list {
		if s := clean(e); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// clean returns a string on one line without white space around it, and "" for what is not a string.
func clean(v any) string {
	s, _ := v.(string)
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return blank(r) || unicode.IsControl(r) }), " ")
}

// statedProbability is what a model wrote as probability.
type statedProbability struct {
	value   float64
	percent bool // written with a percent sign
	usable  bool
}

func readProbability(v any) statedProbability {
	var s string
	switch v := v.(type) {
	case tolerantjson.Number:
		s = string(v)
	case string:
		s = trim(v)
	default:
		return statedProbability{}
	}
	s, percent := strings.CutSuffix(s, "%")
	value, err := strconv.ParseFloat(trim(s), 64)
	return statedProbability{value, percent, err == nil && value >= 0 && value <= 100}
}

// setProbabilities gives each hypothesis its probability and says what had to be guessed.
func (d Differential) setProbabilities(stated []statedProbability) (warnings []string) {
	percent := slices.ContainsFunc(stated, func(p statedProbability) bool { return p.usable && !p.percent && p.value > 1 })
	unusable, zeros := 0, 0
	for i := range stated {
		p := &stated[i]
		switch {
		case !p.usable:
			unusable++
			continue
		case p.percent || percent:
			p.value /= 100
		}
		if p.value == 0 {
			zeros++
		}
	}
	if unusable+zeros == len(stated) {
		for i := range d.Hypotheses {
			d.Hypotheses[i].Probability = max(math.Pow(0.5, float64(i+1)), smallestProbability)
		}
		return []string{"no hypothesis states a usable probability; each counts half of the one before it"}
	}
	next := 0.0 // the probability that comes next in the list
	for i := len(stated) - 1; i >= 0; i-- {
		p := &d.Hypotheses[i].Probability
		switch {
		case !stated[i].usable:
			*p = next
		default:
			*p = max(stated[i].value, smallestProbability)
			if stated[i].value == 0 {
				*p = leastProbability
			}
			next = *p
		}
	}
	last := 0.0
	for i := range stated {
		if p := &d.Hypotheses[i].Probability; *p == 0 {
			*p = last
		} else {
			last = *p
		}
	}
	if unusable > 0 {
		warnings = append(warnings,
			fmt.Sprintf("%d of %d hypotheses state no usable probability; each counts as the next one that does", unusable, len(stated)))
	}
	if zeros > 0 {
		warnings = append(warnings,
			fmt.Sprintf("%d of %d hypotheses have probability 0, which counts as %v", zeros, len(stated), leastProbability))
	}
	return warnings
}

// merge joins hypotheses with the same name and returns how many went into earlier ones.
func (d *Differential) merge() int {
	index := make(map[string]int, len(d.Hypotheses))
	joined := map[int]bool{}
	kept := d.Hypotheses[:0]
	for _, h := range d.Hypotheses {
		key := strings.ToLower(h.Name)
		i, again := index[key]
		if !again {
			index[key] = len(kept)
			kept = append(kept, h)
			continue
		}
		first := &kept[i]
		first.Probability = max(first.Probability, h.Probability)
		first.Synonyms = append(first.Synonyms, h.Synonyms...)
		first.KeyFindings = append(first.KeyFindings, h.KeyFindings...)
		joined[i] = true
	}
	for i := range joined {
		kept[i].Synonyms = distinct(kept[i].Synonyms, kept[i].Name)
		kept[i].KeyFindings = distinct(kept[i].KeyFindings)
	}
	n := len(d.Hypotheses) - len(kept)
	d.Hypotheses = kept
	return n
}

// distinct returns the texts without those that come again, in any case, or are among the others.
func distinct(texts []string, others ...string) []string {
	seen := make(map[string]bool, len(texts)+len(others))
	for _, s := range others {
		seen[strings.ToLower(s)] = true
	}
	var kept []string
	for _, s := range texts {
		if key := strings.ToLower(s); !seen[key] {
			seen[key] = true
			kept = append(kept, s)
		}
	}
	return kept
}
