package evaluation

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/stats"
	"github.com/ddx-rag/ddx/internal/text"
)

// Manifest says what was run, so that a result can be judged and repeated.
type Manifest struct {
	DDX        string             `json:"ddx"` // version of the program
	Experiment string             `json:"experiment"`
	Baseline   string             `json:"baseline"`
	Measures   []string           `json:"measures"`
	Limit      int                `json:"limit,omitempty"`
	Seed       uint64             `json:"seed"`
	Statistics string             `json:"statistics"`
	Datasets   []ManifestDataset  `json:"datasets"`
	Pipelines  []ManifestPipeline `json:"pipelines"`
}

// ManifestDataset identifies a dataset.
type ManifestDataset struct {
	Name       string `json:"name"`
	Hash       string `json:"hash"`        // of corpus, queries and judgments
	CorpusHash string `json:"corpus_hash"` // of the corpus alone
	Queries    int    `json:"queries"`
}

// ManifestPipeline is a pipeline with every setting spelled out.
type ManifestPipeline struct {
	Name     string   `json:"name"`
	YAML     string   `json:"yaml"`
	Analyses []string `json:"analyses"` // fingerprints of the text analyses that its searches use
}

// WriteManifest writes manifest.json; it is done before the first query runs.
func (f *Folder) WriteManifest(m Manifest) error { return f.writeJSON(manifestFile, m) }

// NewManifest describes an experiment; version is that of the program.
func NewManifest(e Experiment, version string) (Manifest, error) {
	m := Manifest{
		DDX: version, Experiment: e.Name, Baseline: e.Baseline, Limit: e.Limit, Seed: e.Seed,
		Statistics: StatisticsNote(len(e.Pipelines) - 1),
	}
	for _, measure := range e.Measures {
		m.Measures = append(m.Measures, measure.String())
	}
	for _, d := range e.Datasets {
		m.Datasets = append(m.Datasets, ManifestDataset{Name: d.Name(), Hash: d.Hash(), CorpusHash: d.CorpusHash(), Queries: len(d.Queries())})
	}
	for _, spec := range e.Pipelines {
		yaml, err := spec.YAML()
		if err != nil {
			return m, err
		}
		p := ManifestPipeline{Name: spec.Name, YAML: yaml}
		for _, name := range spec.Analyses() {
			a, err := text.Lookup(name)
			if err != nil {
				return m, err
			}
			p.Analyses = append(p.Analyses, a.Fingerprint())
		}
		m.Pipelines = append(m.Pipelines, p)
	}
	return m, nil
}

// StatisticsNote says how intervals and p-values were computed when so many pipelines are compared with the baseline.
func StatisticsNote(compared int) string {
	note := fmt.Sprintf("95 %% BCa bootstrap interval of the mean (%d resamples); p: two-sided paired randomisation test", stats.Resamples)
	if compared > 1 {
		note += fmt.Sprintf(", Holm-adjusted over %d pipelines", compared)
	}
	return note
}

// readManifest reads manifest.json of a results folder.
func readManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, manifestFile)
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	var m Manifest
	if err := json.Unmarshal(src, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &m, nil
}

// CheckComparable reports when two results folders measured a dataset of one name with other documents, queries or judgments: their
// figures must not be paired.
func CheckComparable(dirA, dirB string) error {
	a, err := readManifest(dirA)
	if err != nil {
		return err
	}
	b, err := readManifest(dirB)
	if err != nil {
		return err
	}
	for _, da := range a.Datasets {
		for _, db := range b.Datasets {
			if da.Name == db.Name && da.Hash != db.Hash {
				return fmt.Errorf("dataset %s is not the same in %s (hash %.12s) and %s (hash %.12s): its figures cannot be paired",
					da.Name, dirA, da.Hash, dirB, db.Hash)
			}
		}
	}
	return nil
}

// CommonMeasures lists the measures that two results folders both have, in the order of the first.
func CommonMeasures(dirA, dirB string) ([]metric.Measure, error) {
	a, err := readManifest(dirA)
	if err != nil {
		return nil, err
	}
	b, err := readManifest(dirB)
	if err != nil {
		return nil, err
	}
	var common []metric.Measure
	for _, name := range a.Measures {
		if !slices.Contains(b.Measures, name) {
			continue
		}
		m, err := metric.Parse(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dirA, manifestFile), err)
		}
		common = append(common, m)
	}
	if len(common) == 0 {
		return nil, fmt.Errorf("%s and %s have no measure in common", dirA, dirB)
	}
	return common, nil
}
