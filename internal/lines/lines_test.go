package lines_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/internal/lines"
)

// read returns all lines, each with its number.
func read(r io.Reader) (all []string, numbers []int, err error) {
	l, err := lines.NewReader("f.txt", r)
	if err != nil {
		return nil, nil, err
	}
	for {
		line, err := l.Next()
		if err == io.EOF {
			return all, numbers, nil
		}
		if err != nil {
			return all, numbers, err
		}
		all, numbers = append(all, string(line)), append(numbers, l.Number())
	}
}

func TestLinesAreReadHoweverTheyEnd(t *testing.T) {
	long := strings.Repeat("x", 1<<19)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("a\nb\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		want       []string
		numbers    []int
	}{
		{"LF", "a\nb\n", []string{"a", "b"}, []int{1, 2}},
		{"CRLF, and no end at the last line", "a\r\nb", []string{"a", "b"}, []int{1, 2}},
		{"blank lines count but are passed over", "\n \na\n\t\n\nb\n\n", []string{"a", "b"}, []int{3, 6}},
		{"a byte order mark", "\ufeffa\n", []string{"a"}, []int{1}},
		{"white space around a line, but not a no-break space", " a\u00a0 \n", []string{"a\u00a0"}, []int{1}},
		{"lines longer than the buffer", "a\n" + long + "\nb\n" + long, []string{"a", long, "b", long}, []int{1, 2, 3, 4}},
		{"gzip", packed.String(), []string{"a", "b"}, []int{1, 2}},
		{"nothing", "", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"at once": strings.NewReader(c.text), "in halves": iotest.HalfReader(strings.NewReader(c.text)),
			} {
				got, numbers, err := read(r)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s: -want +got\n%.300s", name, diff)
				}
				if diff := cmp.Diff(c.numbers, numbers); diff != "" {
					t.Errorf("%s: numbers -want +got\n%s", name, diff)
				}
			}
		})
	}
}

func TestWhatIsNoDataFileIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"version https://git-lfs.github.com/spec/v1\noid": "f.txt: this is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`",
		"\n <!DOCTYPE html>":                              "f.txt: this is a web page, not data; the download went wrong",
		"<HTML><body>":                                    "f.txt: this is a web page, not data; the download went wrong",
		"\xff\xfea\x00":                                   "f.txt: the text is UTF-16; save it as UTF-8",
		"\x1f\x8bno gzip after all":                       "f.txt: it begins like a gzip file, but: gzip: invalid header",
	} {
		if _, _, err := read(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestAFailingReaderIsReportedWithItsLine(t *testing.T) {
	broken := errors.New("disk on fire")
	got, _, err := read(io.MultiReader(strings.NewReader(strings.Repeat("a\n", 100)), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || err.Error() != "f.txt:101: disk on fire" || len(got) != 100 {
		t.Errorf("%d lines, %v", len(got), err)
	}
}
