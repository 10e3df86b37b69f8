package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/evaluation/dataset/demo"
	"github.com/ddx-rag/ddx/internal/strictyaml"
	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/pipelines"
	"github.com/ddx-rag/ddx/pipelines/expansion"
	"github.com/ddx-rag/ddx/vectorstore"
	"github.com/ddx-rag/ddx/vectorstore/embedded"
)

// workspace wires the packages for one command: where datasets and indexes are, and where warnings go.
type workspace struct {
	registry pipelines.Registry
	stderr   io.Writer
}

func newWorkspace(cmd *cobra.Command) *workspace {
	return &workspace{registry: pipelines.NewRegistry(), stderr: cmd.ErrOrStderr()}
}

func (w *workspace) warn(format string, args ...any) {
	fmt.Fprintf(w.stderr, "ddx: warning: "+format+"\n", args...)
}

// warnIDs warns of ids that something is the matter with, at most five by name.
func (w *workspace) warnIDs(what string, ids []string) {
	if len(ids) == 0 {
		return
	}
	list := strings.Join(ids[:min(5, len(ids))], ", ")
	if len(ids) > 5 {
		list += ", ..."
	}
	w.warn("%s: %d (%s)", what, len(ids), list)
}

// demoName is the name of the built-in dataset.
const demoName = "demo"

// openDataset opens a built-in dataset by name, or a folder.
func (w *workspace) openDataset(ctx context.Context, nameOrDir string, files dataset.Options) (*dataset.Dataset, error) {
	if nameOrDir == demoName {
		files.Name = demoName
		return w.opened(dataset.Open(ctx, demo.Files(), files))
	}
	info, err := os.Stat(nameOrDir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(nameOrDir, `/\.`):
		hint := "it is neither a built-in dataset (demo) nor a folder"
		if near := strictyaml.DidYouMean(nameOrDir, []string{demoName}); near != "" {
			hint = near
		}
		return nil, usage(fmt.Errorf("no dataset %q: %s", nameOrDir, hint))
	case err != nil:
		return nil, usage(fmt.Errorf("dataset: %w", err))
	case !info.IsDir():
		return nil, usage(fmt.Errorf("dataset %s is a file; name the folder that holds corpus.jsonl, query.jsonl and qrels.jsonl", nameOrDir))
	}
	abs, err := filepath.Abs(nameOrDir)
	if err != nil {
		return nil, fmt.Errorf("dataset %s: %w", nameOrDir, err)
	}
	files.Name = filepath.Base(abs)
	files.Path = nameOrDir
	return w.opened(dataset.Open(ctx, os.DirFS(nameOrDir), files))
}

func (w *workspace) opened(d *dataset.Dataset, err error) (*dataset.Dataset, error) {
	if err != nil {
		return nil, err
	}
	for _, warning := range d.Warnings() {
		w.warn("%s", warning)
	}
	return d, nil
}

// bind gives a dataset's pipelines their indexes and their recorded model answers. An index is opened, or built and kept, when the first
// pipeline asks for it.
func (w *workspace) bind(ctx context.Context, d *dataset.Dataset) (pipelines.Binding, func() error, error) {
	var mu sync.Mutex
	indexes := map[string]*embedded.Index{}
	lexical := func(analysis string) (vectorstore.Lexical, error) {
		mu.Lock()
		defer mu.Unlock()
		if x, ok := indexes[analysis]; ok {
			return x, nil
		}
		x, err := w.openIndex(ctx, d, analysis)
		if err != nil {
			return nil, err
		}
		if len(indexes) == 0 {
			w.warnIDs(d.Name()+": judged documents that are not in the corpus", unknownDocuments(d, x))
		}
		indexes[analysis] = x
		return x, nil
	}
	release := func() error {
		var errs []error
		for _, x := range indexes {
			errs = append(errs, x.Close())
		}
		return errors.Join(errs...)
	}
	source := func(m pipelines.Model) (expansion.Source, error) {
		if m.Provider != pipelines.ProviderDataset {
			return nil, fmt.Errorf("model provider %q is unknown; use %q", m.Provider, pipelines.ProviderDataset)
		}
		return d.Source(m.Name)
	}
	return pipelines.Binding{Lexical: lexical, Source: source}, release, nil
}

// unknownDocuments lists the judged documents that an index does not have.
func unknownDocuments(d *dataset.Dataset, x *embedded.Index) []string {
	var unknown []string
	for _, judged := range d.Qrels() {
		for id := range judged {
			if !x.Has(id) {
				unknown = append(unknown, id)
			}
		}
	}
	slices.Sort(unknown)
	return slices.Compact(unknown)
}

func (w *workspace) openIndex(ctx context.Context, d *dataset.Dataset, analysis string) (*embedded.Index, error) {
	a, err := text.Lookup(analysis)
	if err != nil {
		return nil, err
	}
	dir, err := cacheDir("index")
	if err != nil {
		return nil, err
	}
	return embedded.OpenOrBuild(ctx, dir, d.CorpusHash(), a, d.Documents, embedded.CacheOptions{
		Warn: func(message string) { w.warn("%s", message) },
	})
}

// cacheDir returns a folder below DDX_CACHE or the user's cache folder.
func cacheDir(name string) (string, error) {
	if dir := os.Getenv("DDX_CACHE"); dir != "" {
		return filepath.Join(dir, name), nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", usage(fmt.Errorf("no folder for the cache: %w; set DDX_CACHE", err))
	}
	return filepath.Join(dir, "ddx", name), nil
}
