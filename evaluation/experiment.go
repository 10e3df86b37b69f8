// Package evaluation runs experiments: pipelines over datasets, measured like trec_eval does, compared with a baseline by paired
// statistics, and kept in a results folder. Where indexes, models and recordings come from is handed in by the caller.
package evaluation

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/internal/strictyaml"
	"github.com/ddx-rag/ddx/pipelines"
)

// Experiment is what Run runs: pipelines x datasets, one of the pipelines being the baseline.
type Experiment struct {
	Name      string
	Datasets  []*dataset.Dataset
	Pipelines []*pipelines.Spec
	Baseline  string // the name of one of Pipelines
	Measures  []metric.Measure
	Limit     int    // only the first Limit queries of each dataset; 0 for all
	Seed      uint64 // of the bootstrap and of the randomisation test
}

// Validate reports what would make the results ambiguous.
func (e Experiment) Validate() error {
	if len(e.Datasets) == 0 || len(e.Pipelines) == 0 || len(e.Measures) == 0 {
		return errors.New("an experiment needs at least one dataset, one pipeline and one measure")
	}
	if e.Limit < 0 {
		return fmt.Errorf("the limit is %d; use 1 or more, or 0 for all queries", e.Limit)
	}
	var names []string
	for _, p := range e.Pipelines {
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, p.Name) }) {
			return fmt.Errorf("two pipelines are named %q; give one of them another name", p.Name)
		}
		names = append(names, p.Name)
	}
	if !slices.Contains(names, e.Baseline) {
		return fmt.Errorf("the baseline %q is not among the pipelines (%s)", e.Baseline, strings.Join(names, ", "))
	}
	names = nil
	for _, d := range e.Datasets {
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, d.Name()) }) {
			return fmt.Errorf("two datasets are named %q; rename the folder of one of them", d.Name())
		}
		names = append(names, d.Name())
	}
	return nil
}

// File is an experiment as written in YAML, with datasets and pipelines by name or path.
type File struct {
	Name      string
	Datasets  []string
	Pipelines []string
	Baseline  string
	Models    map[string]pipelines.Model // by role, for all pipelines that have it
	Measures  []metric.Measure
	Limit     int
	Seed      uint64
}

// DefaultSeed seeds the statistics where nothing else is asked.
const DefaultSeed = 1

// DefaultBaseline is the pipeline that others are compared with where nothing else is asked.
const DefaultBaseline = "bm25"

//go:embed demo.yaml
var demoYAML []byte

// DemoFile is the built-in demo experiment.
func DemoFile() (*File, error) { return ParseFile("built-in demo experiment", demoYAML) }

// LoadFile reads an experiment. Paths in it are relative to its folder.
func LoadFile(path string) (*File, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("experiment file: %w", err)
	}
	f, err := ParseFile(path, src)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	for i, p := range f.Pipelines {
		f.Pipelines[i] = relativeTo(dir, p)
	}
	for i, d := range f.Datasets {
		f.Datasets[i] = relativeTo(dir, d)
	}
	return f, nil
}

// relativeTo resolves an entry that is written as a path (./x, ../x) against the folder of its file; names stay as they are.
func relativeTo(dir, entry string) string {
	if strings.HasPrefix(entry, "./") || strings.HasPrefix(entry, "../") {
		joined := filepath.Join(dir, entry)
		if !filepath.IsAbs(joined) && !strings.HasPrefix(joined, "..") {
			joined = "." + string(filepath.Separator) + joined // still recognisable as a path
		}
		return joined
	}
	return entry
}

// ParseFile reads an experiment from YAML; name is for messages.
func ParseFile(name string, src []byte) (*File, error) {
	root, err := strictyaml.Parse(name, src)
	if err != nil {
		return nil, err
	}
	raw := struct {
		Name      string                     `yaml:"name,required"`
		Datasets  []string                   `yaml:"datasets,required"`
		Pipelines []string                   `yaml:"pipelines,required"`
		Baseline  string                     `yaml:"baseline"`
		Models    map[string]pipelines.Model `yaml:"models"`
		Measures  []*strictyaml.Node         `yaml:"measures"`
		Limit     int                        `yaml:"limit"`
		Seed      uint64                     `yaml:"seed"`
	}{Baseline: DefaultBaseline, Seed: DefaultSeed}
	if err := root.Decode(&raw); err != nil {
		return nil, err
	}
	f := &File{
		Name: raw.Name, Datasets: raw.Datasets, Pipelines: raw.Pipelines, Baseline: raw.Baseline,
		Models: raw.Models, Limit: raw.Limit, Seed: raw.Seed, Measures: metric.Defaults(),
	}
	var problems []error
	if len(f.Datasets) == 0 {
		problems = append(problems, root.Child("datasets").Errorf("name at least one dataset"))
	}
	if len(f.Pipelines) == 0 {
		problems = append(problems, root.Child("pipelines").Errorf("name at least one pipeline"))
	}
	if f.Limit < 0 {
		problems = append(problems, root.Child("limit").Errorf("\"limit\" is %d; use 1 or more, or leave it out for all queries", f.Limit))
	}
	if raw.Measures != nil {
		f.Measures = nil
		for _, n := range raw.Measures {
			var text string
			err := n.Decode(&text)
			if err == nil {
				var m metric.Measure
				if m, err = metric.Parse(text); err == nil {
					f.Measures = append(f.Measures, m)
					continue
				}
				err = n.Errorf("%s", err)
			}
			problems = append(problems, err)
		}
		if len(raw.Measures) == 0 {
			problems = append(problems, root.Child("measures").Errorf("name at least one measure, for example ndcg@10"))
		}
	}
	if err := strictyaml.Join(problems...); err != nil {
		return nil, err
	}
	return f, nil
}
