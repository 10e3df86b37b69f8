package jsonl_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ddx-rag/ddx/internal/jsonl"
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

// encoding/json is the oracle: what it refuses as one object is refused, and the other way round except for repeated fields; values agree.
func FuzzNext(f *testing.F) {
	for _, seed := range []string{
		`{"a": "x", "b": [1, {"c": "}"}], "d": null}`, `{}`, `{"a":1}`, `{"a":-0.5e+3}`, `{"a": "\u00e9\n\ud83d\ude37"}`, `{"a": "x",}`, `{"a" "x"}`,
		`{"a": tru}`, `{"a": 01}`, `{"a": "x"} {"a": "y"}`, `[{"a": 1}]`, `{"a": "\x"}`, "{\"a\": \"\t\"}", `{"a": {"a": [[[`, `{"\u0061": 1}`, `{"a": 1 2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\n") || len(bytes.TrimSpace(line)) == 0 || !utf8.Valid(line) || bytes.HasPrefix(line, []byte("\x1f\x8b")) ||
			bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
			return
		}
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
		case err != nil && wantErr == nil && !strings.Contains(err.Error(), "stands twice"):
			t.Fatalf("%q was refused: %v", line, err)
		case err == nil && string(bytes.TrimSpace(want["a"])) != string(r.Raw(0)):
			t.Fatalf("%q: value %q, encoding/json says %q", line, r.Raw(0), want["a"])
		}
	})
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
