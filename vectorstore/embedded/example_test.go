package embedded_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"os"

	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
	"github.com/ddx-rag/ddx/vectorstore/embedded"
)

func Example() {
	documents := func(context.Context) iter.Seq2[vectorstore.Document, error] {
		return sequence([]vectorstore.Document{
			{ID: "pmc1", Text: "Fever with a dry cough suggests pneumonia."},
			{ID: "pmc2", Title: "Ketoacidosis", Text: "Thirst, nausea and deep breathing."},
			{ID: "pmc3", Text: "Cough after a cold."},
		})
	}
	cache, err := os.MkdirTemp("", "ddx-cache-")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(cache) }()
	a, err := text.Lookup(text.LuceneEnglish)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	index, err := embedded.OpenOrBuild(ctx, cache, "hash of the corpus", a, documents, embedded.CacheOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = index.Close() }()

	const query = "coughing and fever"
	hits, err := index.SearchText(ctx, vectorstore.TextQuery{Text: query, Depth: 10, BM25: vectorstore.DefaultBM25()})
	if err != nil {
		log.Fatal(err)
	}
	for i, h := range hits {
		fmt.Printf("%d %s %.4f\n", i+1, h.ID, h.Score)
		for _, s := range index.Explain(vectorstore.DefaultBM25(), query, h.ID) {
			fmt.Printf("    %-5s %.4f\n", s.Term, s.Score)
		}
	}
	// Output:
	// 1 pmc1 0.3546
	//     fever 0.2884
	//     cough 0.0662
	// 2 pmc3 0.0724
	//     cough 0.0724
}
