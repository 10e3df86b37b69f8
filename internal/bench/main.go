// Command bench shows how fast the embedded BM25 index is on a dataset, beside figures of other programs and the limit that memory sets:
//
//	go run ./internal/bench --dataset DIR
//
// DIR is a folder in R2MED's layout with recorded hyde answers. Every figure is the median of several rounds of one run; searches of the rows
// take turns, so that a busy machine slows all of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/internal/table"
	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/pipelines/expansion"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures and prints; args are the command line's.
func run(ctx context.Context, w io.Writer, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	dir := flags.String("dataset", "", "`folder` in R2MED's layout")
	rounds := flags.Int("rounds", 9, "how often each figure is measured")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" || *rounds < 1 || flags.NArg() > 0 {
		return errors.New("use --dataset DIR, --rounds 1 or more, and nothing else")
	}
	d, err := dataset.Open(ctx, os.DirFS(*dir), dataset.Options{Name: *dir, Path: *dir})
	if err != nil {
		return err
	}
	queries, err := load(ctx, d)
	if err != nil {
		return err
	}
	a, err := text.Lookup(text.LuceneEnglish)
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "ddx-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }() // at worst a folder stays in the place for temporary ones

	built, err := measureBuilds(ctx, d, a, temporary, *rounds)
	if err != nil {
		return err
	}
	plain, err := newLoop(ctx, d, a)
	if err != nil {
		return err
	}
	searched, err := measureSearches(ctx, built.path, a, plain, queries, *rounds)
	if err != nil {
		return err
	}
	return write(w, d, built, searched)
}

// texts are the queries of one length.
type texts struct {
	name   string
	others []string // reference figures: Lucene, bm25s, gensim, a Go loop
	all    []string
}

// load makes the three lengths: queries, queries with a recorded hyde answer, and four of these joined.
func load(ctx context.Context, d *dataset.Dataset) ([]texts, error) {
	recordings := d.Recorded()
	i := slices.IndexFunc(recordings, func(r dataset.Recording) bool { return r.Method == "hyde" })
	if i < 0 || len(d.Queries()) == 0 {
		return nil, fmt.Errorf("dataset %s has no recorded hyde answers or no queries; another one is needed for this comparison", d.Name())
	}
	source, err := d.Source(recordings[i].Model)
	if err != nil {
		return nil, err
	}
	lengths := []texts{
		{name: "query", others: []string{"6.0", "0.28", "19", "0.24"}},
		{name: "query+hyde", others: []string{"13.3", "0.53", "23", "0.31"}},
		{name: "four joined", others: []string{"73", "1.7", "32", "0.61"}},
	}
	var both []string
	for _, q := range d.Queries() {
		c, err := source.Complete(ctx, expansion.Request{Method: "hyde", QueryID: q.ID, QueryText: q.Text})
		if err != nil && !errors.Is(err, expansion.ErrMissing) {
			return nil, err
		}
		lengths[0].all = append(lengths[0].all, q.Text)
		both = append(both, q.Text+" "+c.Text)
	}
	lengths[1].all = both
	for i := range both {
		joined := both[i]
		for k := 1; k < 4; k++ {
			joined += " " + both[(i+k)%len(both)]
		}
		lengths[2].all = append(lengths[2].all, joined)
	}
	return lengths, nil
}

func right(title string) table.Column { return table.Column{Title: title, Align: table.Right} }

// write prints the two tables.
func write(w io.Writer, d *dataset.Dataset, b builds, s searches) error {
	t := table.New("", table.Column{Title: fmt.Sprintf("search, %d queries of %s, top %d", len(d.Queries()), d.Name(), depth)},
		right("ms/query"), right("postings"), right("memory limit"), right("loop here"), right("Lucene"), right("bm25s"), right("gensim"), right("Go loop"))
	for _, r := range s.rows {
		t.Row(slices.Concat([]string{
			r.name, fmt.Sprintf("%.3f", r.milliseconds), fmt.Sprintf("%.0f", r.postings), fmt.Sprintf("%.3f", r.limit), fmt.Sprintf("%.3f", r.loop),
		}, r.others)...)
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, `
One thread, text to hits, analysis included; median of rounds. Memory limit: milliseconds to read all postings of the query's terms (%d bytes each)
at the %.1f GB/s with which one thread of this machine reads memory. Loop here: a plain loop that only adds up float32 postings of analyzed queries,
in the same run. The other columns and figures were measured by others on a comparable machine: Lucene 9.12; bm25s 0.3 with numba, without analysis;
R2MED's script with gensim; a plain Go loop over float32 postings, without analysis.

`, postingBytes, s.bandwidth/1e9); err != nil {
		return err
	}
	t = table.New("", table.Column{Title: fmt.Sprintf("index of %d documents", s.documents)}, right("here"), table.Column{Title: "others"})
	t.Row("build from JSON Lines, one thread", fmt.Sprintf("%.2f s", b.seconds[0]), "Lucene 1.25 s, bm25s 2.5 s")
	t.Row("build from JSON Lines, two threads", fmt.Sprintf("%.2f s", b.seconds[1]))
	t.Row("open, checksum included", fmt.Sprintf("%.1f ms", s.open))
	t.Row("first search after it", fmt.Sprintf("%.1f ms", s.first))
	t.Row("size", fmt.Sprintf("%.1f MB", float64(b.bytes)/1e6))
	_, err := t.WriteTo(w)
	return err
}
