package pipelines

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ddx-rag/ddx/internal/strictyaml"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// builtinOrder is the order in which listings show the built-in pipelines: plain retrieval first, then one method after the other.
var builtinOrder = []string{
	"bm25", "bm25-lucene", "hyde", "hyde-concat", "query2doc", "diagnosis", "diagnosis-each", "cot", "hyde-diagnosis",
}

// Builtins lists the names of the built-in pipelines.
func Builtins() []string { return append([]string(nil), builtinOrder...) }

// BuiltinSource returns the YAML of a built-in pipeline as written.
func BuiltinSource(name string) ([]byte, error) {
	src, err := builtinFiles.ReadFile("builtin/" + name + ".yaml")
	if err != nil {
		if hint := strictyaml.DidYouMean(name, builtinOrder); hint != "" {
			return nil, fmt.Errorf("no built-in pipeline %q; %s", name, hint)
		}
		return nil, fmt.Errorf("no built-in pipeline %q; there are: %s", name, strings.Join(builtinOrder, ", "))
	}
	return src, nil
}

// Load reads a pipeline by its built-in name or from a file. What ends in .yaml or .yml or holds a path separator is a file.
func (r Registry) Load(nameOrFile string) (*Spec, error) {
	if !isFile(nameOrFile) {
		src, err := BuiltinSource(nameOrFile)
		if err != nil {
			return nil, err
		}
		return r.Parse("built-in "+nameOrFile, src)
	}
	src, err := os.ReadFile(nameOrFile)
	if err != nil {
		return nil, fmt.Errorf("pipeline file: %w", err)
	}
	return r.Parse(nameOrFile, src)
}

func isFile(s string) bool {
	ext := strings.ToLower(filepath.Ext(s))
	return ext == ".yaml" || ext == ".yml" || strings.ContainsAny(s, `/\`)
}
