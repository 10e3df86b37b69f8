package jsonl_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ddx-rag/ddx/internal/jsonl"
	"github.com/ddx-rag/ddx/internal/lines"
)

func TestReadingGoesOnAfterABadLine(t *testing.T) {
	r, err := jsonl.NewReader("f.jsonl", strings.NewReader("{\"a\": 1}\nbad\n{\"a\": \"two\"}\n"), "a")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		id, err := r.ID(0)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d=%s", r.Line(), id))
	}
	want := "1=1|f.jsonl:2: the line is not a JSON object; JSON Lines files have one object a line|3=two"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
}

func TestGzipIsRecognised(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("{\"a\": \"x\"}\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := jsonl.NewReader("f.jsonl.gz", &packed, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if s, err := r.String(0); err != nil || s != "x" {
		t.Errorf("got %q, %v", s, err)
	}
}

func TestWrongLinesAreRefusedWithTheirPlace(t *testing.T) {
	many := make([]string, 200)
	for i := range many {
		many[i] = fmt.Sprintf("\"k%d\": %d", i, i)
	}
	wide := "{" + strings.Join(many, ", ")
	for _, c := range []struct{ name, line, want string }{
		{"an unknown escape", `{"a": "xy\q"}`, "f:1: broken JSON at byte 10: an escape that JSON does not know"},
		{"a short code point", `{"a": "\u12g4"}`, "f:1: broken JSON at byte 8: an escape that JSON does not know"},
		{"a line that ends in an escape", `{"a": "x\`, "f:1: the object is cut off inside a string; it has to stand whole on one line, with line breaks written as \\n"},
		{"a line that ends in a code point", `{"a": "x\u00`, "f:1: the object is cut off inside a string; it has to stand whole on one line, with line breaks written as \\n"},
		{"a raw tab in a string", "{\"a\": \"x\ty\"}", "f:1: broken JSON at byte 9: a control character in a string"},
		{"a name without quotes", `{a: 1}`, "f:1: broken JSON at byte 2: expected a field name in quotes"},
		{"no colon", `{"a" 1}`, "f:1: broken JSON at byte 6: expected a colon"},
		{"no comma", `{"a": 1 "b": 2}`, "f:1: broken JSON at byte 9: expected a comma or the end of the object"},
		{"a trailing comma", `{"a": 1,}`, "f:1: broken JSON at byte 9: the object ends after a comma; remove the comma"},
		{"a comma and a space at the end", `{"a": 1, }`, "f:1: broken JSON at byte 10: the object ends after a comma; remove the comma"},
		{"two commas", `{"a": 1,,}`, "f:1: broken JSON at byte 9: expected a field name in quotes"},
		{"a comma at the start", `{,"a": 1}`, "f:1: broken JSON at byte 2: expected a field name in quotes"},
		{"no value", `{"a": }`, "f:1: broken JSON at byte 7: expected a value"},
		{"a word that is no value", `{"b": NaN}`, "f:1: broken JSON at byte 7: expected a value"},
		{"brackets that do not match", `{"b": [1}}`, "f:1: broken JSON at byte 7: expected a value"},
		{"a cut list", `{"b": [1, 2`, "f:1: the object is cut off; it has to stand whole on one line"},
		{"two objects", `{"a": 1}{"a": 2}`, "f:1: there is more after the object (byte 9): write one object a line"},
		{"an object that goes on in the next line", `{`, "f:1: the object is cut off; it has to stand whole on one line"},
		{"a comma between objects", `{"a": 1},`, "f:1: there is more after the object (byte 9): write one object a line, without a comma after it"},
		{"a list", `[{"a": 1}]`, "f:1: the line is not a JSON object; JSON Lines files have one object a line, without a list around them"},
		{"an error message of a server", `<?xml version="1.0"?><Error/>`,
			"f:1: the line is a tag, as of a web page or of a server's error message, and not a JSON object; get the file again"},
		{"null", `null`, "f:1: the line is not a JSON object; JSON Lines files have one object a line"},
		{"a field twice that is not wanted", `{"b": 1, "b": 1}`, `f:1: the field "b" stands twice; keep one`},
		{"a field twice, once escaped", `{"b": 1, "\u0062": 1}`, `f:1: the field "b" stands twice; keep one`},
		{"the first of many fields twice", wide + `, "k0": 1}`, `f:1: the field "k0" stands twice; keep one`},
		{"the last of many fields twice", wide + `, "k199": 1}`, `f:1: the field "k199" stands twice; keep one`},
		{"broken UTF-8", "{\"a\": \"\xff\"}", "f:1: the line is not valid UTF-8 from byte 8 on; save the file as UTF-8"},
		{"Latin-1 behind whole characters", "{\"a\": \"\ufffdé\xe9\"}", "f:1: the line is not valid UTF-8 from byte 13 on; save the file as UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := jsonl.NewReader("f", strings.NewReader(c.line), "a")
			if err != nil {
				t.Fatal(err)
			}
			err = r.Next()
			var atLine *jsonl.LineError
			if err == nil || err.Error() != c.want || !errors.As(err, &atLine) {
				t.Errorf("got %v, want a LineError %s", err, c.want)
			}
			if err := r.Next(); err != io.EOF {
				t.Errorf("after the last line: got %v, want EOF", err)
			}
		})
	}
}

func TestStringsEndAtTheirQuoteAtEveryPlace(t *testing.T) {
	for before := range 20 {
		for _, after := range []string{"", "x", "\u007f\u0080\u00a2\u00dc\u2022", `\"`, `\\`, "!#[]", "éééé"} {
			want := strings.Repeat("é", before%3) + strings.Repeat("a", before) + strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(after)
			text := strings.Repeat("é", before%3) + strings.Repeat("a", before) + after
			r, err := jsonl.NewReader("f", strings.NewReader(`{"b": "`+text+`", "a": "`+text+`", "c": "`+text+`"}`), "a")
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Next(); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if got, err := r.String(0); got != want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		}
	}
}

func TestWideObjectsAreRead(t *testing.T) {
	var fields strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&fields, "\"k%d\":%d,", i, i)
	}
	line := "{" + fields.String() + "\"a\": \"x\"}\n"
	r, err := jsonl.NewReader("f", strings.NewReader(line+line), "a")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // names of one line are not held against the next
		if err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if s, err := r.String(0); s != "x" || err != nil {
			t.Errorf("got %q, %v", s, err)
		}
	}
}

func TestListsOfIDs(t *testing.T) {
	for _, c := range []struct {
		line, want string
		ids        []string
	}{
		{line: `{"a": []}`, ids: []string{}},
		{line: `{"a": ["x", 7, -1, "\u00e9", "007", 104230171086686139]}`, ids: []string{"x", "7", "-1", "é", "007", "104230171086686139"}},
		{line: `{"a": "x"}`, want: `f:1: "a" is "x"; use a list of ids`},
		{line: `{"a": null}`, want: `f:1: "a" is null; use a list of ids`},
		{line: `{"a": ["x", null]}`, want: `f:1: id 2 of "a" is null; use a string or a number`},
		{line: `{"a": [["x"]]}`, want: `f:1: id 1 of "a" is ["x"]; use a string or a number`},
		{line: `{"a": [""]}`, want: `f:1: id 1 of "a" is empty`},
		{line: `{}`, want: `f:1: "a" is missing; the object has no field`},
	} {
		r, err := jsonl.NewReader("f", strings.NewReader(c.line), "a")
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Next(); err != nil {
			t.Fatal(err)
		}
		ids, err := r.IDs(0)
		if c.want != "" {
			if err == nil || err.Error() != c.want {
				t.Errorf("%s: got %v, want %s", c.line, err, c.want)
			}
			continue
		}
		if err != nil || !slices.Equal(ids, c.ids) {
			t.Errorf("%s: got %q, %v, want %q", c.line, ids, err, c.ids)
		}
	}
}

func TestWrongFieldsAreRefusedByName(t *testing.T) {
	text := func(r *jsonl.Reader) error { _, err := r.String(0); return err }
	id := func(r *jsonl.Reader) error { _, err := r.ID(0); return err }
	for _, c := range []struct {
		name, line, want string
		read             func(*jsonl.Reader) error
	}{
		{"a text that is null", `{"a": null}`, `f:1: "a" is null; use a string`, text},
		{"a text that is a number", `{"a": 5}`, `f:1: "a" is 5; use a string`, text},
		{"a text that is a long list", `{"a": ["éééééééééééééééééééé"]}`, `f:1: "a" is ["éééééééééééééé...; use a string`, text},
		{"a field in capitals", `{"A": "x", "b": 1}`, `f:1: "a" is missing; the object has "A", "b"`, text},
		{"other names", `{"_id": "x"}`, `f:1: "a" is missing; the object has "_id"`, id},
		{"many other names", `{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1}`, `f:1: "a" is missing; the object has "1", "2", "3", "4", "5", "6", "7", "8", ...`, id},
		{"names that would steer a terminal", `{"\u001b[31m": 1}`, `f:1: "a" is missing; the object has "\x1b[31m"`, id},
		{"an id that is null", `{"a": null}`, `f:1: "a" is null; use a string or a number`, id},
		{"an id that is empty", `{"a": ""}`, `f:1: "a" is empty`, id},
		{"an id with half a surrogate pair", `{"a": "x\ud83d"}`, `f:1: "a" is "x\ud83d", with half a surrogate pair: write the whole character`, id},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := jsonl.NewReader("f", strings.NewReader(c.line), "a")
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Next(); err != nil {
				t.Fatal(err)
			}
			if err := c.read(r); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestEscapesStandForTheirCharacters(t *testing.T) {
	for escaped, want := range map[string]string{
		`\"\\\/\b\f\n\r\t`: "\"\\/\b\f\n\r\t", `\u00e9\u00E9\u0041\u0000`: "ééA\x00", `a\ud83d\ude37b`: "a😷b", `\\u0041`: `\u0041`,
		`\ud83d`: "\ufffd", `\ude37\ud83d`: "\ufffd\ufffd", `\ud83d\u0041`: "\ufffdA", `\ud83dx\ude37`: "\ufffdx\ufffd", `\ud83d\ud83d\ude37`: "\ufffd😷",
		`\ufffd`: "\ufffd",
	} {
		r, err := jsonl.NewReader("f", strings.NewReader(`{"a": "`+escaped+`"}`), "a")
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if got, err := r.String(0); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", escaped, got, err, want)
		}
	}
}

func TestALineOfNoBytesIsNoObject(t *testing.T) {
	if err := jsonl.NewObject("a").Parse(nil); err == nil || err.Error() != "the line is not a JSON object; JSON Lines files have one object a line" {
		t.Errorf("got %v", err)
	}
}

func TestNumbersEndWhereTheyEnd(t *testing.T) {
	for _, line := range []string{"{\"a\":-5\r}", "{\"a\":-5\t}", `{"a":-5 }`, `{"a":-5,"b":[]}`, `{"b":[{}],"a":-5}`} {
		r, err := jsonl.NewReader("f", strings.NewReader(line), "a")
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if id, err := r.ID(0); id != "-5" || err != nil {
			t.Errorf("%q: got %q, %v", line, id, err)
		}
	}
}

func TestADamagedFileEndsTheReading(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for i := range 2000 {
		if _, err := fmt.Fprintf(z, "{\"a\": \"%x\"}\n", sha256.Sum256([]byte{byte(i), byte(i >> 8)})); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := jsonl.NewReader("f", bytes.NewReader(packed.Bytes()[:packed.Len()/2]), "a")
	for err == nil {
		err = r.Next()
	}
	var atLine *jsonl.LineError
	if !errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &atLine) || !strings.HasPrefix(err.Error(), "f:") {
		t.Errorf("got %v, want an unexpected end that is not about the content of a line", err)
	}
}

// encoding/json is the oracle: what it refuses as one object is refused, and the other way round except for repeated fields; values agree.
func FuzzNext(f *testing.F) {
	for _, seed := range []string{
		`{"a": "x", "b": [1, {"c": "}"}], "d": null}`, `{}`, `{"a":1}`, `{"a":-0.5e+3}`, `{"a": "\u00e9\n\ud83d\ude37"}`, `{"a": "x",}`, `{"a" "x"}`,
		`{"a": tru}`, `{"a": 01}`, `{"a": "x"} {"a": "y"}`, `[{"a": 1}]`, `{"a": "\x"}`, "{\"a\": \"\t\"}", `{"a": {"a": [[[`, `{"\u0061": 1}`, `{"a": 1 2}`,
		`{"a": "\ud83d\ud83d\ude37\ude37\u0041\"\\\/\b\f\r\t"}`, `{"\ud800": 1, "\ud801": 2}`, `{"a": ["x", 1, "\ud800"]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\n") || len(bytes.TrimSpace(line)) == 0 || !utf8.Valid(line) || bytes.HasPrefix(line, []byte("\x1f\x8b")) ||
			bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
			return
		}
		line = bytes.Trim(line, lines.Space)
		r, err := jsonl.NewReader("f", bytes.NewReader(line), "a")
		if err != nil {
			return
		}
		err = r.Next()
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(line, &want)
		if wantErr == nil && want == nil {
			wantErr = io.EOF // null is no object
		}
		switch {
		case err == nil && wantErr != nil:
			t.Fatalf("%q was accepted; encoding/json says %v", line, wantErr)
		case err != nil && wantErr == nil && !(strings.Contains(err.Error(), "stands twice") && repeats(line)):
			t.Fatalf("%q was refused: %v", line, err)
		case err == nil && repeats(line):
			t.Fatalf("%q was accepted although a field stands twice", line)
		case err == nil && string(bytes.TrimSpace(want["a"])) != string(r.Raw(0)):
			t.Fatalf("%q: value %q, encoding/json says %q", line, r.Raw(0), want["a"])
		}
		var text any
		if err == nil && want["a"] != nil && json.Unmarshal(want["a"], &text) == nil {
			s, err := r.String(0)
			if wantText, ok := text.(string); ok != (err == nil) || s != wantText {
				t.Fatalf("%q: text %q (%v), encoding/json says %q", line, s, err, text)
			}
			if id, err := r.ID(0); err == nil && id != s && id != string(r.Raw(0)) {
				t.Fatalf("%q: id %q, text %q", line, id, s)
			}
		}
	})
}

// repeats tells whether an object has two fields of one name, by the tokens of encoding/json.
func repeats(object []byte) bool {
	d := json.NewDecoder(bytes.NewReader(object))
	seen := map[json.Token]bool{}
	if _, err := d.Token(); err != nil {
		return false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return false
		}
		if seen[name] {
			return true
		}
		seen[name] = true
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return false
		}
	}
	return false
}

func BenchmarkNext(b *testing.B) {
	line := `{"id": "CancerGov_0000027_1_Sec9", "text": "` + strings.Repeat("A passage about fever, with \\u00b0 and \\n now and then. ", 18) + "\"}\n"
	data := strings.Repeat(line, 4000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r, err := jsonl.NewReader("f", strings.NewReader(data), "id", "text")
		for err == nil {
			if err = r.Next(); err == nil && len(r.Raw(1)) == 0 {
				b.Fatal("no text")
			}
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}

func ExampleReader() {
	r, err := jsonl.NewReader("query.jsonl", strings.NewReader(`{"id": 7, "text": "fever", "origin": "x"}`), "id", "text")
	if err != nil {
		panic(err)
	}
	for r.Next() == nil {
		id, _ := r.ID(0)
		text, _ := r.String(1)
		fmt.Println(id, text)
	}
	// Output: 7 fever
}
