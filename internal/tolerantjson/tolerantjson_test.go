package tolerantjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

type object = map[string]any
type array = []any

func TestFind(t *testing.T) {
	gout := object{"diagnoses": array{"gout"}}
	both := object{"diagnoses": array{"gout", "pseudogout"}}
	tests := []struct {
		name, text string
		want       []any
		repairs    []string // of all values
	}{
		{"plain", `{"diagnoses":["gout"]}`, []any{gout}, nil},
		{"fence and a bracket in prose behind it", "```json\n{\"diagnoses\":[\"gout\"]}\n```\nSee [1].", []any{gout, array{Number("1")}}, nil},
		{"fence without a name", "```\n{\"diagnoses\":[\"gout\"]}```", []any{gout}, nil},
		{"trailing commas", `{"diagnoses":["gout","pseudogout",],}`, []any{both}, []string{"comma before a closing bracket"}},
		{"missing comma between members", "{\"a\":1\n\"b\":2}", []any{object{"a": Number("1"), "b": Number("2")}}, []string{"missing comma"}},
		{"missing comma between objects", `[{"a":1} {"a":2}]`, []any{array{object{"a": Number("1")}, object{"a": Number("2")}}}, []string{"missing comma"}},
		{"braces in prose before", `For {patient}: {"diagnoses":["gout"]}`, []any{gout}, nil},
		{"an opening brace alone before", `Set { of: {"diagnoses":["gout"]}`, []any{gout}, nil},
		{"brackets in prose", `[see below] as {x} [a, b] {"diagnoses":["gout"]}`, []any{gout}, nil},
		{"a key in prose without its colon", `For {"patient: {"diagnoses":["gout"]}`, []any{gout}, nil},
		{"backticks in a value", "{\"note\":\"use ```x``` here\",\"diagnoses\":[\"gout\"]}", []any{object{"note": "use ```x``` here", "diagnoses": array{"gout"}}}, nil},
		{"braces in a value", `{"note":"a } and ] and {","diagnoses":["gout"]}`, []any{object{"note": "a } and ] and {", "diagnoses": array{"gout"}}}, nil},
		{"raw line break and tab in a value", "{\"a\":\"x\n\ty\"}", []any{object{"a": "x\n\ty"}}, []string{"control character in a string"}},
		{"comments", "{ // first\n\"a\": 1, /* second */ \"b\": 2 }", []any{object{"a": Number("1"), "b": Number("2")}}, []string{"comment"}},
		{"slashes in a value are no comment", `{"a":"http://x /* y"}`, []any{object{"a": "http://x /* y"}}, nil},
		{"words", `[null, true, false]`, []any{array{nil, true, false}}, nil},
		{"Python's words", `[None, True, False]`, []any{array{nil, true, false}}, []string{"Python's None", "Python's True", "Python's False"}},
		{"numbers as written", `[0.90, -1e-3, 80%, +.5, 5., NaN, -Infinity, 007]`,
			[]any{array{Number("0.90"), Number("-1e-3"), Number("80%"), Number("+.5"), Number("5."), Number("NaN"), Number("-Infinity"), Number("007")}}, nil},
		{"escapes", `["\"\\\/\n\t\u00e9\ud83d\ude00"]`, []any{array{"\"\\/\n\té😀"}}, nil},
		{"half a surrogate pair", `["\ud83d!"]`, []any{array{"\ufffd!"}}, nil},
		{"unknown escapes stay", `["a\_b\u00zz"]`, []any{array{`a\_b\u00zz`}}, []string{"unknown escape in a string"}},
		{"no-break spaces and byte order mark between tokens", "\ufeff{\u00a0\"a\"\u00a0:\u00a01\u00a0}", []any{object{"a": Number("1")}}, nil},
		{"empty ones", `{} []`, []any{object{}, array{}}, nil},
		{"of equal keys the last", `{"a":1,"a":2}`, []any{object{"a": Number("2")}}, nil},
		{"no brackets", `gout and pseudogout`, nil, nil},
		{"empty text", ``, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			values, err := Find(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []any
			var repairs []string
			for _, v := range values {
				got = append(got, v.Data)
				repairs = append(repairs, v.Repairs...)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("values (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.repairs, repairs); diff != "" {
				t.Errorf("repairs (-want +got)\n%s", diff)
			}
		})
	}
}

func TestNesting(t *testing.T) {
	text := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	values, err := Find(text(maxDepth))
	if err != nil || len(values) != 1 || depth(values[0].Data) != maxDepth {
		t.Errorf("up to the limit: got %d values and error %v", len(values), err)
	}
	values, err = Find(text(maxDepth+1) + `{"a":1}`)
	if err != nil || depth(values[len(values)-1].Data) != 1 {
		t.Errorf("beyond the limit, what follows is still found: got %d values and error %v", len(values), err)
	}
}

func TestCutOff(t *testing.T) {
	const whole = `{"note": "\u00e9\\", "diagnoses": [{"name": "gout", "probability": 0.5, "rare": false} /* c */, "x"]}`
	if _, err := Find(whole); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(whole); i++ {
		values, err := Find("Here it is:\n" + whole[:i])
		if !errors.Is(err, ErrCutOff) || len(values) > 0 {
			t.Errorf("cut after %d bytes: got %v and error %v", i, values, err)
		}
	}
	t.Run("complete values before it are kept", func(t *testing.T) {
		values, err := Find(`{"a":1} and [2, 3`)
		if !errors.Is(err, ErrCutOff) || len(values) != 1 {
			t.Errorf("got %v and error %v", values, err)
		}
	})
}

func TestBroken(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a fence that closes a value cut short", "{\"diagnoses\":[{\"name\":\"gout\",\"synonyms\":[\"podagra\"]},\n```",
			"the JSON is broken in line 2 at \"```\": expected a value"},
		{"an unquoted value", `{"a": yes}`, `the JSON is broken in line 1 at "yes}": expected a value`},
		{"two numbers without a comma", `{"a": [1 2]}`, `the JSON is broken in line 1 at "2]}": expected a comma or "]"`},
		{"a bracket of the wrong kind", `{"a": [1}`, `the JSON is broken in line 1 at "}": expected a comma or "]"`},
		{"a long rest is shortened", `{"a": éèéèéèéèéèéèéèéèéèéèéèéèéèéèéèéè}`, `the JSON is broken in line 1 at "éèéèéèéèéèéèéèéèéèéè": expected a value`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			values, err := Find(tt.text)
			if err == nil || err.Error() != tt.want || errors.Is(err, ErrCutOff) {
				t.Errorf("got error %v\nwant      %s", err, tt.want)
			}
			if len(values) > 0 {
				t.Errorf("part of a broken value was returned: %v", values)
			}
		})
	}
	t.Run("a whole value behind it is returned too", func(t *testing.T) {
		values, err := Find(`{"a": yes} then {"a": 1}`)
		if err == nil || len(values) != 1 {
			t.Errorf("got %v and error %v", values, err)
		}
	})
}

// hostile texts make a careless reader quadratic, or overflow its stack.
func hostile(n int) map[string]string {
	return map[string]string{
		"opening brackets":          strings.Repeat("[", n),
		"opening braces":            strings.Repeat("{", n),
		"nested keys":               strings.Repeat(`{"a":`, n/5),
		"quoted brackets":           strings.Repeat(`["`, n/2),
		"brackets in strings":       strings.Repeat(`["[",`, n/5),
		"brackets with words":       strings.Repeat("[x ", n/3),
		"brackets with numbers":     strings.Repeat("[1,", n/3),
		"closed pairs in an array":  "[" + strings.Repeat("[],", n/3) + "x",
		"deep, then long":           strings.Repeat("[", 60) + strings.Repeat("1,", n/2) + "x",
		"deep again and again":      strings.Repeat(strings.Repeat("[", 60)+strings.Repeat("1,", 500)+"x", n/1061),
		"open comments":             strings.Repeat("[/*", n/3),
		"escaped quotation marks":   `["` + strings.Repeat(`\"`, n/2),
		"brackets behind backslash": strings.Repeat(`["\`, n/3),
	}
}

func TestHostileTextsGiveNoValueThatMattersAndEnd(t *testing.T) {
	for name, text := range hostile(1 << 18) {
		t.Run(name, func(t *testing.T) {
			values, err := Find(text)
			for _, v := range values {
				if _, ok := v.Data.(object); ok {
					t.Errorf("an object was found: %v", v.Data)
				}
			}
			if err == nil && len(values) > 0 && name != "closed pairs in an array" {
				t.Errorf("found %d values and no error", len(values))
			}
		})
	}
}

func FuzzFind(f *testing.F) {
	for _, text := range hostile(200) {
		f.Add(text)
	}
	f.Add("```json\n{\"diagnoses\":[{\"name\":\"gout\",\"probability\":0.5,},]}\n```\nSee [1].")
	f.Add(`{"a": "\ud83d\ude00\_", /* c */ "b": [None, NaN, 80%]}`)
	f.Fuzz(func(t *testing.T, text string) {
		values, err := Find(text)
		for _, v := range values {
			check(t, v.Data, utf8.ValidString(text), 1)
		}
		// What is JSON is read as encoding/json reads it.
		var want any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		trimmed := strings.TrimSpace(text)
		if json.Valid([]byte(text)) && utf8.ValidString(text) && trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') && d.Decode(&want) == nil && depth(want) <= maxDepth {
			if err != nil || len(values) != 1 {
				t.Fatalf("valid JSON gave %d values and error %v", len(values), err)
			}
			if diff := cmp.Diff(want, jsonNumbers(values[0].Data)); diff != "" {
				t.Fatalf("(-want +got)\n%s", diff)
			}
			if len(values[0].Repairs) > 0 {
				t.Fatalf("valid JSON was repaired: %v", values[0].Repairs)
			}
		}
	})
}

func check(t *testing.T, v any, valid bool, level int) {
	if level > maxDepth+1 {
		t.Fatal("deeper than the limit")
	}
	text := func(s string) {
		if valid && !utf8.ValidString(s) {
			t.Fatalf("%q is not valid UTF-8, the text was", s)
		}
	}
	switch v := v.(type) {
	case string:
		text(v)
	case array:
		for _, e := range v {
			check(t, e, valid, level+1)
		}
	case object:
		for k, e := range v {
			text(k)
			check(t, e, valid, level+1)
		}
	}
}

func depth(v any) int {
	d := 0
	switch v := v.(type) {
	case array:
		for _, e := range v {
			d = max(d, depth(e))
		}
	case object:
		for _, e := range v {
			d = max(d, depth(e))
		}
	default:
		return 0
	}
	return d + 1
}

func jsonNumbers(v any) any {
	switch v := v.(type) {
	case Number:
		return json.Number(v)
	case array:
		for i := range v {
			v[i] = jsonNumbers(v[i])
		}
	case object:
		for k := range v {
			v[k] = jsonNumbers(v[k])
		}
	}
	return v
}

func BenchmarkFind(b *testing.B) {
	for name, text := range hostile(1 << 20) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Find(text)
			}
		})
	}
}
