package strictyaml_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/internal/strictyaml"
)

type step struct {
	Method string  `yaml:"method,required"`
	Depth  int     `yaml:"depth"`
	Weight float64 `yaml:"weight"`
	On     bool    `yaml:"on"`
}

type config struct {
	Name   string          `yaml:"name,required"`
	Seed   uint64          `yaml:"seed"`
	Repeat *int            `yaml:"repeat"`
	Tags   []string        `yaml:"tags"`
	Steps  map[string]step `yaml:"steps"`
	Level  level           `yaml:"level"`
	hidden string
}

// level takes its text itself.
type level int

func (l *level) UnmarshalText(text []byte) error {
	if string(text) != "high" {
		return fmt.Errorf("level %q is unknown", text)
	}
	*l = 2
	return nil
}

func decode(src string) (config, error) {
	c := config{Seed: 7, hidden: "kept"}
	n, err := strictyaml.Parse("f.yaml", []byte(src))
	if err != nil {
		return c, err
	}
	return c, n.Decode(&c)
}

func TestGoodFilesAreDecodedAndDefaultsKept(t *testing.T) {
	two := 2
	for _, c := range []struct {
		name, src string
		want      config
	}{
		{"defaults stay where nothing is written", "name: a", config{Name: "a", Seed: 7}},
		{"a string takes a number as it is written", "name: 1.10\ntags: [007, 1e3, true]", config{Name: "1.10", Seed: 7, Tags: []string{"007", "1e3", "true"}}},
		{"quoted and block strings", "name: \"a: b\"\ntags:\n  - |\n    two\n    lines\n  - 'it''s'\n",
			config{Name: "a: b", Seed: 7, Tags: []string{"two\nlines\n", "it's"}}},
		{"nested values", "name: a\nrepeat: 2\nseed: 0\nsteps:\n  one: {method: hyde, depth: -3, weight: 1e-2, on: true}\nlevel: high\n",
			config{Name: "a", Repeat: &two, Level: 2, Steps: map[string]step{"one": {Method: "hyde", Depth: -3, Weight: 0.01, On: true}}}},
		{"a byte order mark, CRLF and comments", "\ufeff# comment\r\nname: a # more\r\ntags: []\r\n", config{Name: "a", Seed: 7, Tags: []string{}}},
		{"tabs after a value, as an escape and in a text block", "name: a\t# c\ntags:\n - \"b\\tc\"\n - |\n  d\te\n",
			config{Name: "a", Seed: 7, Tags: []string{"b\tc", "d\te\n"}}},
		{"a document that starts with three dashes", "---\nname: a\n", config{Name: "a", Seed: 7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := decode(c.src)
			if err != nil {
				t.Fatal(err)
			}
			c.want.hidden = "kept"
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(config{})); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestBadFilesAreRefusedWithPlaceAndHint(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a misspelt key", "name: a\nsead: 1", `f.yaml:2:1: unknown key "sead"; did you mean "seed"?`},
		{"a strange key", "name: a\nzzzzzzzzz: 1", `f.yaml:2:1: unknown key "zzzzzzzzz"; known here: name, seed, repeat, tags, steps, level`},
		{"keys are case-sensitive", "Name: a", "f.yaml:1:1: unknown key \"Name\"; did you mean \"name\"?\nf.yaml:1:1: \"name\" is missing"},
		{"a column counts characters", "name: ünï\ntags: [ä, {b: c}]", `f.yaml:2:12: item 2 of "tags" must be text, not keys with values`},
		{"no value", "name:", `f.yaml:1:1: "name" has no value`},
		{"a written null", "name: null", `f.yaml:1:7: "name" has no value`},
		{"an empty list item before a comment and a key", "tags:\n-\n# c\nname: a", `f.yaml:2:1: this list item has no value`},
		{"an empty list item", "name: a\ntags:\n  -\n  - b", `f.yaml:3:3: item 1 of "tags" has no value`},
		{"a list for a string", "name: [a]", `f.yaml:1:7: "name" must be text, not a list`},
		{"a string for a list", "name: a\ntags: b", `f.yaml:2:7: "tags" must be a list, not "b"`},
		{"a negative number for an unsigned one", "name: a\nseed: -1", `f.yaml:2:7: "seed" must be a whole number, 0 or more, not "-1"`},
		{"a fraction for a whole number", "name: a\nrepeat: 2.0", `f.yaml:2:9: "repeat" must be a whole number, not "2.0"`},
		{"a number that is too large", "name: a\nrepeat: 99999999999999999999", `f.yaml:2:9: "repeat" must be a whole number from -9223372036854775808 to 9223372036854775807, not "99999999999999999999"`},
		{"hexadecimal", "name: a\nrepeat: 0x10", `f.yaml:2:9: "repeat" must be a whole number, not "0x10"`},
		{"a quoted number", "name: a\nrepeat: \"2\"", `f.yaml:2:9: "repeat" must be a whole number, not the quoted text "2"`},
		{"a text block for a number", "name: a\nrepeat: |\n  2\n", `f.yaml:2:9: "repeat" must be a whole number, not the quoted text "2\n"`},
		{"quoted true", "name: a\nsteps: {s: {method: m, on: 'true'}}", `f.yaml:2:28: "on" must be true or false, not the quoted text "true"`},
		{"a number for true", "name: a\nsteps: {s: {method: m, on: 1}}", `f.yaml:2:28: "on" must be true or false, not "1"`},
		{"a leading zero", "name: a\nrepeat: 010", `f.yaml:2:9: "repeat" must be a whole number without leading zeros, not "010"`},
		{"an octal number", "name: a\nrepeat: 0o10", `f.yaml:2:9: "repeat" must be a whole number, not "0o10"`},
		{"digits in groups", "name: a\nrepeat: 1_000", `f.yaml:2:9: "repeat" must be a whole number, not "1_000"`},
		{"an unsigned number that is too large", "name: a\nseed: 18446744073709551616",
			`f.yaml:2:7: "seed" must be a whole number from 0 to 18446744073709551615, not "18446744073709551616"`},
		{"a number beyond a float's range", "name: a\nsteps: {s: {method: m, weight: 1e400}}", `f.yaml:2:32: "weight" must be a number, not "1e400"`},
		{"a hexadecimal float", "name: a\nsteps: {s: {method: m, weight: 0x1p4}}", `f.yaml:2:32: "weight" must be a number, not "0x1p4"`},
		{"a list for a number", "name: a\nseed: [1]", `f.yaml:2:7: "seed" must be a whole number, 0 or more, not a list`},
		{"a list for keys", "name: a\nsteps: [1]", `f.yaml:2:8: "steps" must be keys with values, not a list`},
		{"a value for keys below a key", "name: a\nsteps: {s: 1}", `f.yaml:2:12: "s" must be keys with values, not "1"`},
		{"a list for a type that reads text", "name: a\nlevel: [high]", `f.yaml:2:8: "level" must be text, not a list`},
		{"not a number", "name: a\nsteps: {s: {method: m, weight: .nan}}", `f.yaml:2:32: "weight" must be a number, not ".nan"`},
		{"infinity", "name: a\nsteps: {s: {method: m, weight: .inf}}", `f.yaml:2:32: "weight" must be a number, not ".inf"`},
		{"yes for true", "name: a\nsteps: {s: {method: m, on: yes}}", `f.yaml:2:28: "on" must be true or false, not "yes"`},
		{"a missing key in a nested value", "name: a\nsteps:\n  s: {depth: 1}", `f.yaml:3:7: "method" is missing`},
		{"a type's own complaint", "name: a\nlevel: low", `f.yaml:2:8: level "low" is unknown`},
		{"all problems in the order of the file", "sead: 1\ntags: b\nrepeat: x",
			"f.yaml:1:1: unknown key \"sead\"; did you mean \"seed\"?\nf.yaml:1:1: \"name\" is missing\n" +
				"f.yaml:2:7: \"tags\" must be a list, not \"b\"\nf.yaml:3:9: \"repeat\" must be a whole number, not \"x\""},
		{"a key given twice", "name: a\nname: b", `f.yaml:2:1: the key "name" was given before, in line 1`},
		{"an anchor", "name: &n a", `f.yaml:1:7: anchors (&name) are not supported; write the value out, or put quotes around text that starts with &`},
		{"an alias", "name: a\ntags: [*n]", `f.yaml:2:8: aliases (*name) are not supported; write the value out, or put quotes around text that starts with *`},
		{"a merge key", "name: a\nsteps:\n  <<: {}", `f.yaml:3:3: merge keys (<<) are not supported; write the values out`},
		{"a tag", "name: !!str a", `f.yaml:1:7: tags (!name) are not supported; leave the tag out, or put quotes around text that starts with !`},
		{"two documents", "name: a\n---\nname: b", `f.yaml:3:1: a second document starts here; a file holds one`},
		{"nothing", " \n\n", `f.yaml:1:1: the file is empty`},
		{"a scalar", "hello", `f.yaml:1:1: the value must be keys with values, not "hello"`},
		{"a long value is shortened", "name: a\nrepeat: " + strings.Repeat("x", 80), `f.yaml:2:9: "repeat" must be a whole number, not "` + strings.Repeat("x", 39) + `…"`},
		{"too many brackets", "name: " + strings.Repeat("[", 1000), `f.yaml:1:56: values are nested deeper than 50 levels`},
		{"values nested too deeply", "name: " + strings.Repeat("[", 60) + strings.Repeat("]", 60), `f.yaml:1:56: values are nested deeper than 50 levels`},
		{"lists nested too deeply on one line", strings.Repeat("- ", 60000), `f.yaml:1:101: values are nested deeper than 50 levels`},
		{"keys nested too deeply", nested(51), `f.yaml:51:52: values are nested deeper than 50 levels`},
		{"a file that is too large", strings.Repeat("#", 1<<17+1), `f.yaml:1:1: the file has 131073 bytes; a configuration file may have 131072`},
		{"only comments", "# nothing\n", `f.yaml:1:1: the file is empty`},
		{"several keys given twice", "name: a\nname: b\nseed: 1\nseed: 2",
			"f.yaml:2:1: the key \"name\" was given before, in line 1\nf.yaml:4:1: the key \"seed\" was given before, in line 3"},
		{"a key given twice deep inside", "name: a\nsteps: {s: {method: m, method: n}}", `f.yaml:2:24: the key "method" was given before, in line 2`},
		{"a tag at the very end", "name: !!str", `f.yaml:1:7: tags (!name) are not supported; leave the tag out, or put quotes around text that starts with !`},
		{"a key with a question mark", "? name\n: a", "f.yaml:1:1: keys marked with ? are not supported; write `key: value`"},
		{"a key of null", "~: a", `f.yaml:1:1: a key must be a word, not nothing`},
		{"a directive", "%YAML 1.2\n---\nname: a", `f.yaml:1:1: directives (%NAME) are not supported; leave the line out`},
		{"a second document after dots", "name: a\n...\nname: b", `f.yaml:3:1: a second document starts here; a file holds one`},
		{"an empty document before another", "---\n---\nname: a", `f.yaml:3:1: a second document starts here; a file holds one`},
		{"bytes that are not UTF-8", "name: \xe4", `f.yaml:1:7: the byte 0xE4 is not UTF-8; save the file as UTF-8`},
		{"a control character", "name: ä\x00",
			`f.yaml:1:8: the control character U+0000 is not allowed; in double quotes it can be written as an escape, for example "\u0001"`},
		{"a very long key is shortened", "name: a\n" + strings.Repeat("k", 80) + ": 1",
			`f.yaml:2:1: unknown key "` + strings.Repeat("k", 39) + `…"; known here: name, seed, repeat, tags, steps, level`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode(c.src)
			if err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// nested is a mapping of so many levels, one a line.
func nested(levels int) string {
	var b strings.Builder
	for i := range levels {
		fmt.Fprintf(&b, "%sa:\n", strings.Repeat(" ", i))
	}
	return b.String() + strings.Repeat(" ", levels) + "b"
}

func TestSyntaxErrorsSayInPlainWordsWhatIsWrong(t *testing.T) {
	const misfit = "this does not fit what stands before it; check the indentation and the quotes, here and in the line above"
	const second = `this value holds a second "key: value"; put quotes around text with ": " in it, or align the next line's key with the keys above it`
	for _, c := range []struct{ name, src, want string }{
		{"a colon in a text", "name: a: b", "f.yaml:1:7: " + second},
		{"a key that is indented too far", "name: a\n seed: 1", "f.yaml:1:7: " + second},
		{"a key that is indented too little", "steps:\n    s: 1\n  t: 2", "f.yaml:3:3: " + misfit},
		{"text after a quoted text", "name: 'a' b", "f.yaml:1:11: " + misfit},
		{"text after a bracket", "tags: [a] b", "f.yaml:1:11: " + misfit},
		{"a key below a list", "- a\nb: c", "f.yaml:2:1: " + misfit},
		{"a line without a colon", "name: a\nseed", "f.yaml:2:1: `key: value` is expected here; check the indentation and the quotes, here and in the line above"},
		{"a key over two lines", "a\nb: c", "f.yaml:1:1: a key must be a word on one line, followed by a colon and a space"},
		{"a tab before a key", "steps:\n\ts: 1", "f.yaml:2:1: a tab is used for indentation; use spaces"},
		{"a tab inside a number", "name: a\nseed: 1\t0", `f.yaml:2:7: a tab stands here; use spaces, or write \t in double quotes`},
		{"a tab before a value", "name:\ta", `f.yaml:1:7: a tab stands here; use spaces, or write \t in double quotes`},
		{"a tab before a colon", "name\t: a", `f.yaml:1:1: a tab stands here; use spaces, or write \t in double quotes`},
		{"a tab inside quotes", "tags:\n  - \"a\tb\"\n  - c", `f.yaml:2:5: a tab stands here; use spaces, or write \t in double quotes`},
		{"an open single quote", "name: 'a", "f.yaml:1:7: the single quote that opens here is never closed; write '' for a single quote inside the text"},
		{"an open double quote", "name: \"a", `f.yaml:1:7: the double quote that opens here is never closed; write \" for a double quote inside the text`},
		{"an open [", "tags: [a", "f.yaml:1:7: the bracket [ that opens here is never closed"},
		{"an open {", "steps: {a: 1", "f.yaml:1:8: the bracket { that opens here is never closed"},
		{"a ] too many", "tags: ]", "f.yaml:1:7: this bracket closes nothing"},
		{"a } for a ]", "tags: [a, {b: [c}]", "f.yaml:1:17: a comma or ] is missing before this"},
		{"two commas", "tags: [a, , b]", "f.yaml:1:11: a value is missing before this"},
		{"a list item that is indented too far", "tags:\n - a\n  - b",
			"f.yaml:3:3: this list item would become part of the text above it; align its dash with the others, or put quotes around the text"},
		{"a list below a value", "name: a\ntags: b\n  - c",
			"f.yaml:3:3: this list item would become part of the text above it; align its dash with the others, or put quotes around the text"},
		{"a list on the line of its key", "tags: - a",
			`f.yaml:1:7: a list cannot start on the line of its key; put each "- item" on a line of its own, write [a, b], or put quotes around text that starts with -`},
		{"an unknown escape", `name: "\d"`, `f.yaml:1:9: \d is not an escape in double quotes; write \\ for a backslash, or use single quotes`},
		{"text that starts with @", "name: @a", "f.yaml:1:7: text cannot start with @; put quotes around it"},
		{"text that starts with a backtick", "name: `a`", "f.yaml:1:7: text cannot start with `; put quotes around it"},
		{"text that starts with %", "name: %a", "f.yaml:1:7: text cannot start with %; put quotes around it"},
		{"a text block's line with text", "name: |a\n  b",
			"f.yaml:1:7: the text block's first line is not readable; end that line with | or > alone, and indent the lines below it"},
		{"keys on the line of three dashes", "--- name: a", "f.yaml:1:5: keys cannot start on the line of ---; start them on the next line"},
		{"dashes inside quotes", "name: \"\n---\n\"", "f.yaml:2:1: a line that starts with --- or ... stands inside quotes; indent it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode(c.src)
			if err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestPlacesAreWhereTheValueStandsInTheFile(t *testing.T) {
	for _, c := range []struct {
		name, src string
		line, col int
	}{
		{"lines that end with CRLF", "k: [a]\r\n\r\nlevel: \"X\"\r\n", 3, 8},
		{"lines that end with CR", "k: [a]\r\rlevel: X\r", 3, 8},
		{"a byte order mark", "\ufefflevel: X", 1, 8},
		{"after comments and a text block", "# c\nk: |\n  a\n\n  b # no comment\nlevel: X # c", 6, 8},
		{"spaces after the value", "level: X   \nk: 1", 1, 8},
		{"spaces and a comment after it", "level: X   # X", 1, 8},
		{"after a quoted text over lines", "k: 'a\n  b'\nlevel: X", 3, 8},
		{"a value on two lines", "level: X\n  X", 1, 8},
		{"a value below its key", "level:\n  # X\n    X", 3, 5},
		{"a text block", "level: |\n  X", 1, 8},
		{"a value after many spaces", "level:     X  ", 1, 12},
		{"characters of several bytes before it", "{ü: 'é', 日本: ü, level: X}", 1, 24},
		{"a line with a dash that continues it", "level: X\n\n  - X", 1, 8},
		{"a number", "level:   12   ", 1, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := strictyaml.Parse("f.yaml", []byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			want := strictyaml.Pos{File: "f.yaml", Line: c.line, Col: c.col}
			if got := n.Child("level").Pos(); got != want {
				t.Errorf("at %v, want %v", got, want)
			}
		})
	}
	n, err := strictyaml.Parse("f.yaml", []byte("k: 1"))
	if err != nil {
		t.Fatal(err)
	}
	if n.Child("level") != n {
		t.Error("an absent key's place is not that of its mapping")
	}
}

func TestPointersKeepTheDefaultsThatTheyPointTo(t *testing.T) {
	shared := step{Method: "hyde", Depth: 100}
	c := struct {
		Step *step `yaml:"step"`
	}{Step: &shared}
	n, err := strictyaml.Parse("f.yaml", []byte("step: {method: cot}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Decode(&c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&step{Method: "cot", Depth: 100}, c.Step); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if shared.Method != "hyde" {
		t.Error("the default itself was changed")
	}
}

func TestJoinPutsProblemsInTheOrderOfTheFile(t *testing.T) {
	n, err := strictyaml.Parse("f.yaml", []byte("a: 1\nb: 2\nc: 3"))
	if err != nil {
		t.Fatal(err)
	}
	b, c := n.Child("b").Errorf("second"), n.Child("c").Errorf("third").WithHint("use %d", 4)
	got := strictyaml.Join(c, nil, strictyaml.Errors{n.Child("a").Errorf("first"), b})
	if want := "f.yaml:1:4: first\nf.yaml:2:4: second\nf.yaml:3:4: third; use 4"; got == nil || got.Error() != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if err := strictyaml.Join(nil, nil); err != nil {
		t.Errorf("nothing joined is %v", err)
	}
	if got := strictyaml.Join(b, errors.New("elsewhere")); got == nil || got.Error() != "elsewhere\nf.yaml:2:4: second" {
		t.Errorf("got %v", got)
	}
}

func TestDidYouMeanSuggestsOnlyWhatIsNear(t *testing.T) {
	names := []string{"retrieve", "expand", "fuse", "k"}
	for word, want := range map[string]string{
		"retreive": `did you mean "retrieve"?`,
		"EXPAND":   `did you mean "expand"?`,
		"fues":     `did you mean "fuse"?`,
		"rerank":   "",
		"":         "",
		"x":        "", // would be replaced altogether
	} {
		if got := strictyaml.DidYouMean(word, names); got != want {
			t.Errorf("DidYouMean(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestErrorsCarryTheirPlace(t *testing.T) {
	_, err := decode("name: a\nsead: 1")
	var problems strictyaml.Errors
	if !errors.As(err, &problems) || len(problems) != 1 {
		t.Fatalf("got %#v", err)
	}
	if want := (strictyaml.Pos{File: "f.yaml", Line: 2, Col: 1}); problems[0].Pos != want {
		t.Errorf("at %v, want %v", problems[0].Pos, want)
	}
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// checkPlaces reports values that do not stand where their place says. Those in quotes and blocks start with a sign of their own.
func checkPlaces(t *testing.T, n *strictyaml.Node, lines []string) {
	p := n.Pos()
	if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len([]rune(lines[p.Line-1])) {
		t.Fatalf("%v is outside of the file", p)
	}
	switch n.Kind() {
	case strictyaml.Scalar:
		var text string
		if err := n.Decode(&text); err != nil {
			t.Fatal(err)
		}
		at := string([]rune(lines[p.Line-1])[p.Col-1:])
		first := strings.FieldsFunc(text+" x", func(r rune) bool { return strings.ContainsRune(" \t\n", r) })[0] // a plain text is folded
		if !strings.HasPrefix(at, first) && !strings.ContainsAny(at[:1], "'\"|>") {
			t.Errorf("%v: %q does not stand there, but %q", p, text, at)
		}
	case strictyaml.Mapping:
		entries, err := n.Entries()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			checkPlaces(t, e.Value, lines)
		}
	case strictyaml.Sequence:
		var items []*strictyaml.Node
		if err := n.Decode(&items); err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			checkPlaces(t, item, lines)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"name: a\ntags: [b, 'c', \"d\"]\n", "steps:\n  s: {method: m, depth: 3}\n", "- a\n-\n  b: |\n    c\n", "? a\n: b\n", "a: &b [*b]\n", "%YAML 1.2\n---\n{a: b}\n",
		"name: \ufeffa\r\n\tb", "a: b: c", "[", "{a: {b: {c: [", "\"\\x\"", "!!binary aGk=", "<<: x", "a:\n - b\n  - c", "name: .nan", "a: b   ", "a:\tb", "ü: [é, b ]", "- - - a", "a: b\n  c\n\n  d",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		n, err := strictyaml.Parse("f.yaml", src)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.yaml:") {
				t.Errorf("no place in %q", err)
			}
			return
		}
		checkPlaces(t, n, strings.Split(lineBreaks.Replace(strings.TrimPrefix(string(src), "\ufeff")), "\n"))
		var c config
		if err := n.Decode(&c); err != nil && !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Errorf("no place in %q", err)
		}
	})
}

func ExampleNode_Decode() {
	n, err := strictyaml.Parse("pipeline.yaml", []byte("name: mine\ndepht: 10\n"))
	if err != nil {
		panic(err)
	}
	settings := struct {
		Name  string `yaml:"name,required"`
		Depth int    `yaml:"depth"`
	}{Depth: 100}
	fmt.Println(n.Decode(&settings))
	// Output: pipeline.yaml:2:1: unknown key "depht"; did you mean "depth"?
}
