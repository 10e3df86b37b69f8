// Package layers holds the test that keeps imports pointing down only.
package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/ddx-rag/ddx"

// layer gives each top-level folder its height: a package imports packages of its own folder or of lower ones. Packages of
// internal/bench are programs and stand at the top.
var layer = map[string]int{
	"cmd": 5, "examples": 5,
	"agents": 4, "evaluation": 4,
	"pipelines": 3,
	"models":    2, "vectorstore": 2, "prompts": 2,
	"internal": 1,
}

func height(dir string) (int, bool) {
	if strings.HasPrefix(dir, "internal/bench") {
		return layer["cmd"], true
	}
	top, _, _ := strings.Cut(dir, "/")
	h, ok := layer[top]
	return h, ok
}

// allowed tells whether a package in folder from may import one in folder to.
func allowed(from, to string) bool {
	hf, okf := height(from)
	ht, okt := height(to)
	if !okf || !okt {
		return false
	}
	topFrom, _, _ := strings.Cut(from, "/")
	topTo, _, _ := strings.Cut(to, "/")
	return ht < hf || topFrom == topTo
}

func TestImportsPointDownOnly(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != "." && d.Name() != ".." || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") {
			return nil
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		from := filepath.ToSlash(rel)
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if to, ok := strings.CutPrefix(imported, module+"/"); ok {
				seen++
				if !allowed(from, to) {
					t.Errorf("%s imports %s: imports point down only (cmd -> agents, evaluation -> pipelines -> models, vectorstore, prompts -> internal)",
						path.Join(from, filepath.Base(file)), to)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("no import within the module was seen: the test looks in the wrong folder")
	}
}

func TestAnUpwardImportIsRefused(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"pipelines", "evaluation/dataset", false},
		{"vectorstore/embedded", "pipelines/expansion", false},
		{"internal/text", "vectorstore", false},
		{"evaluation/report", "evaluation", true},
		{"evaluation", "pipelines", true},
		{"cmd/ddx", "vectorstore/embedded", true},
		{"internal/bench", "evaluation/dataset", true},
		{"pipelines", "somewhere", false},
	} {
		if got := allowed(c.from, c.to); got != c.want {
			t.Errorf("allowed(%q, %q) = %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
