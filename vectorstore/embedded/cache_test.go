package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
	"github.com/ddx-rag/ddx/vectorstore/embedded"
)

// cached opens or builds the index of docs in a cache folder; builds counts how often the documents were asked for.
func cached(ctx context.Context, t testing.TB, dir string, docs []vectorstore.Document, warn func(string)) (x *embedded.Index, builds int, err error) {
	t.Helper()
	documents := func(context.Context) iter.Seq2[vectorstore.Document, error] {
		builds++
		return sequence(docs)
	}
	x, err = embedded.OpenOrBuild(ctx, dir, "corpus", analysis(t, text.LuceneEnglish), documents, embedded.CacheOptions{Warn: warn, Workers: 2})
	if err == nil {
		t.Cleanup(func() {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return x, builds, err
}

func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// indexFile returns the path of the only index in a cache folder.
func indexFile(t testing.TB, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.bm25"))
	if err != nil || len(found) != 1 {
		t.Fatalf("index files %v (%v), want one", found, err)
	}
	return found[0]
}

func noWarning(t testing.TB) func(string) {
	return func(message string) { t.Errorf("unexpected warning: %s", message) }
}

func fever(t testing.TB, x *embedded.Index) []vectorstore.Hit {
	t.Helper()
	hits, err := x.SearchText(context.Background(), vectorstore.TextQuery{Text: "fever w3x", Depth: 10, BM25: vectorstore.DefaultBM25()})
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func TestAnIndexIsBuiltOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "[cache]")
	for i, want := range []int{1, 0, 0} {
		x, builds, err := cached(t.Context(), t, dir, few, noWarning(t))
		if err != nil {
			t.Fatal(err)
		}
		if builds != want {
			t.Errorf("opening %d built %d times, want %d", i+1, builds, want)
		}
		if hits := fever(t, x); len(hits) != 1 || hits[0].ID != "a" {
			t.Errorf("opening %d: hits %v, want document a", i+1, hits)
		}
	}
}

func TestADamagedIndexIsBuiltAnewWithAWarning(t *testing.T) {
	for name, damage := range map[string]func(content []byte) []byte{
		"cut in the middle":   func(b []byte) []byte { return b[:len(b)/2] },
		"emptied":             func([]byte) []byte { return nil },
		"overwritten":         func(b []byte) []byte { return []byte(strings.Repeat("x", len(b))) },
		"one bit turned":      func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"of another version":  func(b []byte) []byte { b[8]++; return b },
		"of another analysis": func(b []byte) []byte { return sealed([]byte(strings.Replace(string(b), "english/", "english:", 1))) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			x, _, err := cached(t.Context(), t, dir, few, noWarning(t))
			if err != nil {
				t.Fatal(err)
			}
			want := fever(t, x)
			path := indexFile(t, dir)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			replace(t, path, damage(content))

			var warnings []string
			x, builds, err := cached(t.Context(), t, dir, few, func(message string) { warnings = append(warnings, message) })
			if err != nil {
				t.Fatal(err)
			}
			if builds != 1 || len(warnings) != 1 || !strings.Contains(warnings[0], path) || !strings.Contains(warnings[0], "built anew") {
				t.Errorf("%d builds with the warnings %q, want one of each, with the file's name", builds, warnings)
			}
			if diff := cmp.Diff(want, fever(t, x)); diff != "" {
				t.Errorf("hits have changed (-before +after):\n%s", diff)
			}
			if _, builds, err = cached(t.Context(), t, dir, few, noWarning(t)); err != nil || builds != 0 {
				t.Errorf("the next opening built %d times, error %v", builds, err)
			}
		})
	}
}

// replace puts another file in the place of one that may be mapped.
func replace(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestACacheFolderThatCannotBeWrittenIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	readOnly := t.TempDir()
	if err := os.Chmod(readOnly, 0o555); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a file stands in its place": file, "it is read-only": readOnly} {
		t.Run(name, func(t *testing.T) {
			if dir == readOnly && os.WriteFile(filepath.Join(dir, "probe"), nil, 0o666) == nil {
				t.Skip("this user can write into read-only folders")
			}
			_, builds, err := cached(t.Context(), t, dir, few, noWarning(t))
			if err == nil || builds > 0 || !strings.Contains(err.Error(), "DDX_CACHE") || !strings.Contains(err.Error(), dir) {
				t.Errorf("%d builds, error %v, want one that names %s and DDX_CACHE", builds, err, dir)
			}
		})
	}
}

func TestABuildThatFailsIsNotKept(t *testing.T) {
	dir := t.TempDir()
	twice := []vectorstore.Document{{ID: "a"}, {ID: "a"}}
	if _, _, err := cached(t.Context(), t, dir, twice, noWarning(t)); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("error %v, want one with the repeated id", err)
	}
	if _, _, err := cached(t.Context(), t, dir, few, noWarning(t)); err != nil {
		t.Errorf("the next build: %v", err)
	}
}

func TestACancelledBuildLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := cached(ctx, t, dir, few, noWarning(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	for _, name := range files(t, dir) {
		if !strings.HasSuffix(name, ".lock") {
			t.Errorf("%s is left behind", name)
		}
	}
}

const childDir = "DDX_TEST_CACHE" // set for processes that build

// passages are enough for a build to take a while.
func passages() []vectorstore.Document {
	docs := generator{documents: 4000, vocabulary: 3000, length: 40, zipf: 1.1}.draw(rand.New(rand.NewPCG(17, 18)))
	return append(docs, few...)
}

// TestBuildInAProcessOfItsOwn is what the tests below run; it is no test.
func TestBuildInAProcessOfItsOwn(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("only run by other tests, in a process that can be killed")
	}
	docs := passages()
	fmt.Println("started") // tells when the build begins
	x, builds, err := cached(t.Context(), t, dir, docs, noWarning(t))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("builds", builds, "hits", fever(t, x))
}

func child(ctx context.Context, dir string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestBuildInAProcessOfItsOwn$", "-test.v")
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	return cmd
}

func TestSeveralProcessesBuildOneIndex(t *testing.T) {
	dir := t.TempDir()
	outputs := make([]string, 3)
	g, ctx := errgroup.WithContext(t.Context())
	for i := range outputs {
		g.Go(func() error {
			out, err := child(ctx, dir).CombinedOutput()
			if outputs[i] = string(out); err != nil {
				return fmt.Errorf("%w:\n%s", err, out)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	built := 0
	var hits []string
	for _, out := range outputs {
		built += strings.Count(out, "builds 1")
		_, found, _ := strings.Cut(out, "hits ")
		found, _, _ = strings.Cut(found, "\n")
		hits = append(hits, found)
	}
	if built != 1 || hits[0] == "" || hits[1] != hits[0] || hits[2] != hits[0] {
		t.Errorf("%d of 3 processes built; they found %q", built, hits)
	}
}

func TestAKilledBuildIsMadeUpFor(t *testing.T) {
	dir := t.TempDir()
	docs := passages()
	rng := rand.New(rand.NewPCG(19, 20))
	killed := 0
	for range 12 {
		cmd := child(t.Context(), dir)
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for b, seen := make([]byte, 256), ""; !strings.Contains(seen, "started"); {
			n, err := stdout.Read(b)
			if err != nil {
				break
			}
			seen += string(b[:n])
		}
		time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
		if err := cmd.Process.Kill(); err == nil {
			killed++
		}
		_ = cmd.Wait() // killed, which is an error
		if path, err := filepath.Glob(filepath.Join(dir, "*.bm25")); err == nil && len(path) > 0 {
			x, err := embedded.Open(path[0], analysis(t, text.LuceneEnglish))
			if err != nil {
				t.Fatalf("a killed build leaves an index that cannot be read: %v", err)
			}
			if err := errors.Join(x.Close(), os.Remove(path[0])); err != nil {
				t.Fatal(err)
			}
		}
	}
	if killed == 0 {
		t.Fatal("no process could be killed")
	}
	// What is left of an interrupted write has the name that atomic writing gives it.
	_, _, err := cached(t.Context(), t, dir, docs, noWarning(t))
	if err != nil {
		t.Fatal(err)
	}
	path := indexFile(t, dir)
	leftover := filepath.Join(dir, "."+filepath.Base(path)+"1234567")
	replace(t, path, []byte("damaged"))
	if err := os.WriteFile(leftover, []byte("half an index"), 0o600); err != nil {
		t.Fatal(err)
	}
	x, builds, err := cached(t.Context(), t, dir, docs, func(string) {})
	if err != nil || builds != 1 {
		t.Fatalf("%d builds, error %v", builds, err)
	}
	if hits := fever(t, x); len(hits) == 0 {
		t.Error("nothing is found")
	}
	if _, err := os.Stat(leftover); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left (%v)", leftover, err)
	}
	want := []string{filepath.Base(path), filepath.Base(path) + ".lock"}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Errorf("files in the cache folder (-want +got):\n%s", diff)
	}
}
