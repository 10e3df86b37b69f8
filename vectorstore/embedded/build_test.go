package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
	"github.com/ddx-rag/ddx/vectorstore/embedded"
)

// built returns the content of the index file of documents.
func built(t testing.TB, docs []vectorstore.Document, workers int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index")
	if err := embedded.Build(context.Background(), path, "test", analysis(t, text.LuceneEnglish), sequence(docs), workers); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestTheFileDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	docs := generator{documents: 5000, vocabulary: 4000, length: 15, zipf: 1.1}.draw(rng)
	want := built(t, docs, 1)
	for _, workers := range []int{1, 2, 3, 8} {
		if !bytes.Equal(want, built(t, docs, workers)) {
			t.Errorf("%d workers build another file than one", workers)
		}
	}
}

func TestABuildThatFailsLeavesNothing(t *testing.T) {
	broken := errors.New("corpus.jsonl:3: no id")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	many := func(yield func(vectorstore.Document, error) bool) {
		for i := range 100_000_000 {
			if i == 2000 {
				cancel()
			}
			if !yield(vectorstore.Document{ID: fmt.Sprint(i), Text: "fever"}, nil) {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		ctx  context.Context
		docs iter.Seq2[vectorstore.Document, error]
		want func(error) bool
	}{
		"a document that cannot be read": {context.Background(), func(yield func(vectorstore.Document, error) bool) {
			_ = yield(vectorstore.Document{ID: "a"}, nil) && yield(vectorstore.Document{}, broken)
		}, func(err error) bool { return errors.Is(err, broken) }},
		"an id that stands twice": {context.Background(), sequence([]vectorstore.Document{{ID: "a"}, {ID: "PMC7 (b)"}, {ID: "c"}, {ID: "PMC7 (b)"}}),
			func(err error) bool { return err != nil && strings.Contains(err.Error(), `"PMC7 (b)"`) }},
		"a build that is cancelled": {ctx, many, func(err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			err := embedded.Build(c.ctx, filepath.Join(dir, "index"), "test", analysis(t, text.LuceneEnglish), c.docs, 2)
			if !c.want(err) {
				t.Errorf("the error is: %v", err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestAFolderThatDoesNotExistIsAnError(t *testing.T) {
	err := embedded.Build(context.Background(), filepath.Join(t.TempDir(), "no", "index"), "test", analysis(t, text.LuceneEnglish), sequence(nil), 1)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is: %v", err)
	}
}

func TestADocumentWithAMillionTermsIsIndexed(t *testing.T) {
	var distinct, repeated strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&distinct, "%x ", i%100_000)
		repeated.WriteString("fever ")
	}
	docs := []vectorstore.Document{{ID: "distinct", Text: distinct.String()}, {ID: "repeated", Text: repeated.String()}, {ID: "short", Text: "fever rash"}}
	x := open(t, docs)
	for _, variant := range []vectorstore.Variant{vectorstore.R2MED, vectorstore.Lucene} {
		for query, want := range map[string]string{"rash": "short", "fever": "", "beef": "distinct"} {
			hits, err := x.SearchText(t.Context(), vectorstore.TextQuery{Text: query, Depth: 10, BM25: vectorstore.BM25{Variant: variant, K1: 0.9, B: 0.4}})
			if err != nil || len(hits) == 0 {
				t.Fatalf("%s, %s: %v, %v", variant, query, hits, err)
			}
			if query == "fever" { // a million times in the longest document, once in the shortest: the formula may rank either first
				if len(hits) != 2 {
					t.Errorf("%s, %s: %v, want two hits", variant, query, hits)
				}
			} else if hits[0].ID != want {
				t.Errorf("%s, %s: %v, want %s first", variant, query, hits, want)
			}
		}
	}
}

func TestDocumentsAreKnownByTheirIDs(t *testing.T) {
	docs := []vectorstore.Document{{ID: "007"}, {ID: "7"}, {ID: "a/b c"}, {ID: ""}}
	x := open(t, docs)
	if x.Len() != len(docs) {
		t.Errorf("%d documents, want %d", x.Len(), len(docs))
	}
	for _, d := range docs {
		if !x.Has(d.ID) {
			t.Errorf("%q is unknown", d.ID)
		}
	}
	for _, id := range []string{"07", "A/B C", "a/b c ", "\x00"} {
		if x.Has(id) {
			t.Errorf("%q is known", id)
		}
	}
}
