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
		{"a column counts characters", "name: ünï\ntags: [ä, {b: c}]", `f.yaml:2:12: the value must be text, not keys with values`},
		{"no value", "name:", `f.yaml:1:1: "name" has no value`},
		{"a written null", "name: null", `f.yaml:1:1: "name" has no value`},
		{"a list for a string", "name: [a]", `f.yaml:1:7: "name" must be text, not a list`},
		{"a string for a list", "name: a\ntags: b", `f.yaml:2:7: "tags" must be a list, not "b"`},
		{"a negative number for an unsigned one", "name: a\nseed: -1", `f.yaml:2:7: "seed" must be a whole number, 0 or more, not "-1"`},
		{"a fraction for a whole number", "name: a\nrepeat: 2.0", `f.yaml:2:9: "repeat" must be a whole number, not "2.0"`},
		{"a number that is too large", "name: a\nrepeat: 99999999999999999999", `f.yaml:2:9: "repeat" must be a smaller number, not "99999999999999999999"`},
		{"hexadecimal", "name: a\nrepeat: 0x10", `f.yaml:2:9: "repeat" must be a whole number, not "0x10"`},
		{"a quoted number", "name: a\nrepeat: \"2\"", `f.yaml:2:9: "repeat" must be written without quotes, not "2"`},
		{"not a number", "name: a\nsteps: {s: {method: m, weight: .nan}}", `f.yaml:2:32: "weight" must be a number, not ".nan"`},
		{"infinity", "name: a\nsteps: {s: {method: m, weight: .inf}}", `f.yaml:2:32: "weight" must be a number, not ".inf"`},
		{"yes for true", "name: a\nsteps: {s: {method: m, on: yes}}", `f.yaml:2:28: "on" must be true or false, not "yes"`},
		{"a missing key in a nested value", "name: a\nsteps:\n  s: {depth: 1}", `f.yaml:3:7: "method" is missing`},
		{"a type's own complaint", "name: a\nlevel: low", `f.yaml:2:8: level "low" is unknown`},
		{"all problems in the order of the file", "sead: 1\ntags: b\nrepeat: x",
			"f.yaml:1:1: unknown key \"sead\"; did you mean \"seed\"?\nf.yaml:1:1: \"name\" is missing\n" +
				"f.yaml:2:7: \"tags\" must be a list, not \"b\"\nf.yaml:3:9: \"repeat\" must be a whole number, not \"x\""},
		{"a key given twice", "name: a\nname: b", `f.yaml:2:1: the key "name" was given before, in line 1`},
		{"an anchor", "name: &n a", `f.yaml:1:7: anchors (&name) are not supported; write the value out`},
		{"an alias", "name: a\ntags: [*n]", `f.yaml:2:8: aliases (*name) are not supported; write the value out`},
		{"a merge key", "name: a\nsteps:\n  <<: {}", `f.yaml:3:3: merge keys (<<) are not supported; write the values out`},
		{"a tag", "name: !!str a", `f.yaml:1:7: tags (!name) are not supported; leave the tag out`},
		{"two documents", "name: a\n---\nname: b", `f.yaml:3:1: a second document starts here; a file holds one`},
		{"nothing", " \n\n", `f.yaml:1:1: the file is empty`},
		{"a scalar", "hello", `f.yaml:1:1: the value must be keys with values, not "hello"`},
		{"a long value is shortened", "name: a\nrepeat: " + strings.Repeat("x", 80), `f.yaml:2:9: "repeat" must be a whole number, not "` + strings.Repeat("x", 39) + `…"`},
		{"too many brackets", "name: " + strings.Repeat("[", 1000), `f.yaml:1:207: brackets are nested deeper than 50 levels`},
		{"values nested too deeply", "name: " + strings.Repeat("[", 60) + strings.Repeat("]", 60), `f.yaml:1:57: values are nested deeper than 50 levels`},
		{"a file that is too large", strings.Repeat("#", 1<<20+1), `f.yaml:1:1: the file has 1048577 bytes; a configuration file may have 1048576`},
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

func TestDidYouMeanSuggestsOnlyWhatIsNear(t *testing.T) {
	names := []string{"retrieve", "expand", "fuse"}
	for word, want := range map[string]string{
		"retreive": `did you mean "retrieve"?`,
		"EXPAND":   `did you mean "expand"?`,
		"fues":     `did you mean "fuse"?`,
		"rerank":   "",
		"":         "",
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

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"name: a\ntags: [b, 'c', \"d\"]\n", "steps:\n  s: {method: m, depth: 3}\n", "- a\n-\n  b: |\n    c\n", "? a\n: b\n", "a: &b [*b]\n", "%YAML 1.2\n---\n{a: b}\n",
		"name: \ufeffa\r\n\tb", "a: b: c", "[", "{a: {b: {c: [", "\"\\x\"", "!!binary aGk=", "<<: x", "a:\n - b\n  - c", "name: .nan",
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
