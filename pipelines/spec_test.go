package pipelines_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/pipelines"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with the file, or writes the file with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: -want +got\n%s", file, diff)
	}
}

// Each bad fixture X.yaml has its exact message in X.err.
func TestBadPipelinesAreRefusedWithTheirMessage(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d bad fixtures, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			spec, err := pipelines.NewRegistry().Parse(filepath.Base(file), src)
			if err == nil {
				t.Fatalf("accepted as %q", spec.Name)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".err", err.Error()+"\n")
		})
	}
}

// Each good fixture X.yaml has its form with every setting spelled out in X.show.
func TestGoodPipelinesSurviveBeingSpelledOut(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d good fixtures, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			spec, err := pipelines.NewRegistry().Load(file)
			if err != nil {
				t.Fatal(err)
			}
			shown := spelledOut(t, spec)
			golden(t, strings.TrimSuffix(file, ".yaml")+".show", shown)
			again, err := pipelines.NewRegistry().Parse("shown", []byte(shown))
			if err != nil {
				t.Fatalf("what is shown does not parse: %v\n%s", err, shown)
			}
			if diff := cmp.Diff(shown, spelledOut(t, again)); diff != "" {
				t.Errorf("showing it twice differs: -first +second\n%s", diff)
			}
		})
	}
}

func TestBuiltinPipelinesParseUnderTheirOwnName(t *testing.T) {
	for _, name := range pipelines.Builtins() {
		spec, err := pipelines.NewRegistry().Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if spec.Name != name || spec.Description == "" {
			t.Errorf("built-in %s is named %q with description %q", name, spec.Name, spec.Description)
		}
		if _, err := pipelines.NewRegistry().Parse("shown", []byte(spelledOut(t, spec))); err != nil {
			t.Errorf("%s: what is shown does not parse: %v", name, err)
		}
	}
	files, err := filepath.Glob("builtin/*.yaml")
	if err != nil || len(files) != len(pipelines.Builtins()) {
		t.Errorf("%d built-in files and %d names, %v", len(files), len(pipelines.Builtins()), err)
	}
}

func spelledOut(t *testing.T, spec *pipelines.Spec) string {
	t.Helper()
	shown, err := spec.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return shown
}

func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.yaml", "builtin/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	registry := pipelines.NewRegistry()
	f.Fuzz(func(t *testing.T, src []byte) {
		spec, err := registry.Parse("fuzz.yaml", src)
		if err != nil {
			return
		}
		shown, err := spec.YAML()
		if err != nil {
			t.Fatalf("accepted but cannot be shown: %v", err)
		}
		again, err := registry.Parse("shown", []byte(shown))
		if err != nil {
			t.Fatalf("what is shown does not parse: %v\n%s", err, shown)
		}
		if second, err := again.YAML(); err != nil || second != shown {
			t.Fatalf("showing it twice differs (%v):\n%s\n%s", err, shown, second)
		}
	})
}
