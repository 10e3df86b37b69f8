package evaluation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/trec"
)

// Folder is a results folder:
//
//	results.json                             the table: measures, gains, counts
//	manifest.json                            what was run: versions, dataset hashes, pipelines, seed
//	runs/<pipeline>/<dataset>/run.trec       the rankings, for trec_eval and its kin
//	runs/<pipeline>/<dataset>/queries.jsonl  one line a query: how it ended, what was searched, its measures
//
// Each file is written whole or not at all, and a run's files as soon as the run is done.
type Folder struct{ dir string }

const (
	resultsFile  = "results.json"
	manifestFile = "manifest.json"
	runsDir      = "runs"
	runFile      = "run.trec"
	queriesFile  = "queries.jsonl"
)

// CreateFolder makes the folder dir for results, or takes an empty one. A folder with an earlier experiment's results is refused unless
// overwrite is set; then its files (and nothing else) are removed first.
func CreateFolder(dir string, overwrite bool) (*Folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	if len(entries) > 0 {
		_, err := os.Stat(filepath.Join(dir, manifestFile))
		switch {
		case err != nil:
			return nil, fmt.Errorf("results folder %s is not empty and holds no results of ddx; choose another", dir)
		case !overwrite:
			return nil, fmt.Errorf("results folder %s holds the results of an earlier experiment; choose another or say --overwrite", dir)
		}
		for _, name := range []string{resultsFile, runsDir, manifestFile} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return nil, fmt.Errorf("results folder: %w", err)
			}
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	return &Folder{dir: dir}, nil
}

func (f *Folder) finish(r *Results) error { return f.writeJSON(resultsFile, r) }

func (f *Folder) writeJSON(name string, v any) error {
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return f.write(name, append(out, '\n'))
}

func (f *Folder) write(name string, content []byte) error {
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("results folder: %w", err)
	}
	if err := renameio.WriteFile(path, content, 0o666); err != nil {
		return fmt.Errorf("results folder: %w", err)
	}
	return nil
}

// QueryLine is one line of queries.jsonl.
type QueryLine struct {
	ID       string             `json:"id"`
	Status   QueryStatus        `json:"status"`
	Error    string             `json:"error,omitempty"`
	Fallback bool               `json:"fallback,omitempty"`
	Warnings []string           `json:"warnings,omitempty"`
	Searched []SearchedText     `json:"searched,omitempty"`
	Hits     int                `json:"hits"`
	Metrics  map[string]float64 `json:"metrics,omitempty"` // nil without judgments, or while the run is incomplete
}

// SearchedText is one text that was searched with.
type SearchedText struct {
	Store  string  `json:"store"`
	Origin string  `json:"origin"`
	Weight float64 `json:"weight"`
	Text   string  `json:"text"`
}

// writeRun keeps the rankings and the story of each query.
func (f *Folder) writeRun(r Result, measures []metric.Measure, outcomes []outcome) error {
	var rankings []trec.Ranking
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	values := perQuery(r.PerQuery, measures)
	for _, o := range outcomes {
		line := QueryLine{ID: o.query.ID, Status: o.status, Metrics: values[o.query.ID]}
		if o.err != nil {
			line.Error = o.err.Error()
		}
		if o.state != nil && o.status != StatusNotRun {
			line.Fallback = o.state.FellBack()
			for _, s := range o.state.Stages {
				line.Warnings = append(line.Warnings, s.Warnings...)
			}
			for _, l := range o.state.Lists {
				if l.Text != "" {
					line.Searched = append(line.Searched, SearchedText{Store: l.Store, Origin: l.Origin, Weight: l.Weight, Text: l.Text})
				}
			}
		}
		if o.status == StatusDone {
			line.Hits = len(o.state.Ranking)
			rankings = append(rankings, trec.Ranking{QueryID: o.query.ID, Hits: o.state.Ranking})
		}
		if err := encoder.Encode(line); err != nil {
			return fmt.Errorf("%s: %w", queriesFile, err)
		}
	}
	if r.PerQuery != nil {
		for _, q := range r.PerQuery.Queries {
			if !slices.ContainsFunc(outcomes, func(o outcome) bool { return o.query.ID == q.ID }) {
				if err := encoder.Encode(QueryLine{ID: q.ID, Status: StatusNoText, Metrics: values[q.ID]}); err != nil {
					return fmt.Errorf("%s: %w", queriesFile, err)
				}
			}
		}
	}
	dir := runDir(r.Pipeline, r.Dataset)
	var run bytes.Buffer
	if err := trec.WriteRun(&run, rankings, r.Pipeline); err != nil {
		return fmt.Errorf("pipeline %s, dataset %s: %w", r.Pipeline, r.Dataset, err)
	}
	if err := f.write(filepath.Join(dir, runFile), run.Bytes()); err != nil {
		return err
	}
	return f.write(filepath.Join(dir, queriesFile), lines.Bytes())
}

// runDir is where a run's files stand; the dataset's name may hold slashes, as in r2med/Biology.
func runDir(pipeline, dataset string) string {
	parts := strings.Split(dataset, "/")
	for i, p := range parts {
		if p == "" || strings.Trim(p, ".") == "" {
			parts[i] = "_"
		}
	}
	return filepath.Join(append([]string{runsDir, pipeline}, parts...)...)
}

// perQuery turns a report into values by query and measure.
func perQuery(report *metric.Report, measures []metric.Measure) map[string]map[string]float64 {
	if report == nil {
		return nil
	}
	values := make(map[string]map[string]float64, len(report.Queries))
	for _, q := range report.Queries {
		values[q.ID] = make(map[string]float64, len(measures))
		for i, m := range measures {
			values[q.ID][m.String()] = q.Values[i]
		}
	}
	return values
}

// ReadFolder reads results.json of a results folder.
func ReadFolder(dir string) (*Results, error) {
	src, err := os.ReadFile(filepath.Join(dir, resultsFile))
	if err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	var r Results
	if err := json.Unmarshal(src, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, resultsFile), err)
	}
	return &r, nil
}

// ReadQueries reads queries.jsonl of one run of a results folder.
func ReadQueries(dir, pipeline, dataset string) ([]QueryLine, error) {
	path := filepath.Join(dir, runDir(pipeline, dataset), queriesFile)
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	var lines []QueryLine
	decoder := json.NewDecoder(bytes.NewReader(src))
	for decoder.More() {
		var line QueryLine
		if err := decoder.Decode(&line); err != nil {
			return nil, fmt.Errorf("%s: query %d: %w", path, len(lines)+1, err)
		}
		lines = append(lines, line)
	}
	return lines, nil
}
