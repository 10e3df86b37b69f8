package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/ddx-rag/ddx/internal/jsonl"
	"github.com/ddx-rag/ddx/pipelines/expansion"
)

// Recording is a file of recorded answers: one method, one model.
type Recording struct {
	Method string
	Model  string
	File   string // within the dataset's folder
}

// Recorded lists the recorded answers that the dataset has, by method and model.
func (d *Dataset) Recorded() []Recording {
	files, err := fs.Glob(d.fsys, "*/*/"+recordingFile)
	if err != nil {
		return nil // only a malformed pattern fails
	}
	var all []Recording
	for _, f := range files {
		method, rest, _ := strings.Cut(f, "/")
		all = append(all, Recording{Method: method, Model: path.Dir(rest), File: f})
	}
	slices.SortFunc(all, func(a, b Recording) int {
		return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.Model, b.Model))
	})
	return all
}

// recording is one file's answers, read when first asked for.
type recording struct {
	mu      sync.Mutex // held while reading
	done    bool
	lines   int
	answers map[string]recordedAnswer // by query id
	changed []string                  // queries of the dataset that have another wording in the file
	err     error
}

// recordedAnswer is what a file holds for one query.
type recordedAnswer struct {
	text string
	null bool // there is a line for the query, but no answer on it
	line int
}

// Source returns the recorded answers of a model.
func (d *Dataset) Source(model string) (expansion.Source, error) {
	if !plainName(model) {
		return nil, fmt.Errorf("model %q cannot be the name of a folder of recorded answers", model)
	}
	return recordedSource{d, model}, nil
}

// plainName tells whether a method or model can be one folder's name, so that it cannot lead out of the dataset.
func plainName(s string) bool { return fs.ValidPath(s) && s != "." && !strings.ContainsAny(s, `/\`) }

type recordedSource struct {
	dataset *Dataset
	model   string
}

// Complete returns the recorded answer to a query.
func (s recordedSource) Complete(ctx context.Context, r expansion.Request) (expansion.Completion, error) {
	if err := ctx.Err(); err != nil {
		return expansion.Completion{}, err
	}
	if !plainName(r.Method) {
		return expansion.Completion{}, fmt.Errorf("method %q cannot be the name of a folder of recorded answers", r.Method)
	}
	file := path.Join(r.Method, s.model, recordingFile)
	rec := s.dataset.recording(file)
	if rec.err != nil {
		return expansion.Completion{}, rec.err
	}
	answer, ok := rec.answers[r.QueryID]
	if !ok {
		return expansion.Completion{}, fmt.Errorf("%s, query %q: %w", s.dataset.file(file), r.QueryID, expansion.ErrMissing)
	}
	if answer.null {
		return expansion.Completion{}, fmt.Errorf("%s:%d: query %q: %w: hy_doc is null or missing", s.dataset.file(file), answer.line, r.QueryID, expansion.ErrMissing)
	}
	return expansion.Completion{Text: answer.text, Model: s.model}, nil
}

func (d *Dataset) recording(file string) *recording {
	d.mu.Lock()
	rec, ok := d.recordings[file]
	if !ok {
		rec = &recording{}
		d.recordings[file] = rec
	}
	d.mu.Unlock()
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if !rec.done {
		// The result is kept for later callers, so the context of the first one must not end the reading.
		rec.err = rec.read(context.Background(), d, file, func(err error) error { return err })
		rec.done = true
	}
	return rec
}

var recordingKeys = []string{"id", "text", "hy_doc"}

// read reads the file; bad gets the errors about single lines.
func (rec *recording) read(ctx context.Context, d *Dataset, file string, bad func(error) error) (err error) {
	rec.answers = map[string]recordedAnswer{}
	if _, err := fs.Stat(d.fsys, file); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w; %s", d.file(file), expansion.ErrMissing, d.otherModels(strings.Split(file, "/")[0]))
	}
	rec.lines, err = d.eachGoodLine(ctx, file, recordingKeys, func(r *jsonl.Reader) error {
		id, err := r.ID(0)
		if err != nil {
			return err
		}
		answer := recordedAnswer{line: r.Line(), null: !r.Has(2)}
		if !answer.null {
			if answer.text, err = r.String(2); err != nil {
				return fmt.Errorf("%w (query %q)", err, id)
			}
		}
		if first, twice := rec.answers[id]; twice {
			if first.text != answer.text || first.null != answer.null {
				return r.Errorf("query %q has another answer here than in line %d; keep one of them", id, first.line)
			}
			return nil
		}
		rec.answers[id] = answer
		if text, known := d.texts[id]; known && r.Has(1) {
			if asked, err := r.String(1); err != nil || asked != text {
				rec.changed = append(rec.changed, id)
			}
		}
		return nil
	}, bad)
	return err
}

// otherModels says for which models a method's answers are recorded.
func (d *Dataset) otherModels(method string) string {
	var models []string
	for _, r := range d.Recorded() {
		if r.Method == method {
			models = append(models, r.Model)
		}
	}
	if len(models) == 0 {
		return fmt.Sprintf("no %s answers are recorded with this dataset", method)
	}
	return fmt.Sprintf("%s answers are recorded for %s", method, strings.Join(models, ", "))
}

// RecordingWarnings says which recordings that have been read answer another wording of their query.
func (d *Dataset) RecordingWarnings() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var warnings []string
	for file, rec := range d.recordings {
		rec.mu.Lock()
		if len(rec.changed) > 0 {
			warnings = append(warnings, fmt.Sprintf("%s: answers to another wording of the query: %s", d.file(file), some(rec.changed)))
		}
		rec.mu.Unlock()
	}
	slices.Sort(warnings)
	return warnings
}
