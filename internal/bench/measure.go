package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
	"github.com/ddx-rag/ddx/vectorstore/embedded"
)

const (
	depth        = 100
	postingBytes = 2 + 4 // a document's number and an impact
)

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// builds says how long building took.
type builds struct {
	path    string
	bytes   int64
	seconds [2]float64 // by threads - 1
}

// measureBuilds builds the index of the dataset's corpus on one and on two threads, from the file on disk to the file on disk.
func measureBuilds(ctx context.Context, d *dataset.Dataset, a *text.Analysis, dir string, rounds int) (builds, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	b := builds{path: filepath.Join(dir, "index")}
	var seconds [2][]float64
	for range rounds {
		for i := range seconds {
			runtime.GOMAXPROCS(i + 1)
			start := time.Now()
			if err := embedded.Build(ctx, b.path, d.CorpusHash(), a, d.Documents(ctx), i+1); err != nil {
				return b, err
			}
			seconds[i] = append(seconds[i], time.Since(start).Seconds())
		}
	}
	for i := range seconds {
		b.seconds[i] = median(seconds[i])
	}
	info, err := os.Stat(b.path)
	if err != nil {
		return b, err
	}
	b.bytes = info.Size()
	return b, nil
}

// searches are the figures of searching; times are in milliseconds, the bandwidth in bytes per second.
type searches struct {
	documents   int
	open, first float64
	bandwidth   float64
	rows        []row
}

type row struct {
	name                          string
	others                        []string
	milliseconds, postings, limit float64
	loop                          float64 // milliseconds of the plain loop
}

// measureSearches opens the index and searches it on one thread.
func measureSearches(ctx context.Context, path string, a *text.Analysis, plain *loop, queries []texts, rounds int) (searches, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var s searches
	var opened, first []float64
	for range rounds {
		start := time.Now()
		x, err := embedded.Open(path, a)
		if err != nil {
			return s, err
		}
		opened = append(opened, milliseconds(start))
		start = time.Now()
		_, err = search(ctx, x, vectorstore.R2MED, queries[1].all[0])
		first = append(first, milliseconds(start))
		if closing := x.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return s, err
		}
	}
	s.open, s.first = median(opened), median(first)
	s.bandwidth = bandwidth(rounds)

	x, err := embedded.Open(path, a)
	if err != nil {
		return s, err
	}
	defer func() { _ = x.Close() }() // the process ends soon
	s.documents = x.Len()
	variants := []vectorstore.Variant{vectorstore.R2MED, vectorstore.Lucene}
	times := make([][]float64, len(variants)*len(queries))
	loops := make([][]float64, len(queries))
	analyzed := make([][][]weighted, len(queries))
	for l, length := range queries {
		for _, q := range length.all {
			analyzed[l] = append(analyzed[l], plain.analyze(a, q))
		}
	}
	for round := range rounds + 1 {
		for l := range queries {
			if t := plain.measure(analyzed[l]); round > 0 {
				loops[l] = append(loops[l], t)
			}
		}
		for v, variant := range variants {
			for l, length := range queries {
				start := time.Now()
				for _, q := range length.all {
					if _, err := search(ctx, x, variant, q); err != nil {
						return s, err
					}
				}
				if round > 0 { // in the first one impacts are computed
					i := v*len(queries) + l
					times[i] = append(times[i], milliseconds(start)/float64(len(length.all)))
				}
			}
		}
	}
	for i, t := range times {
		length := queries[i%len(queries)]
		r := row{name: string(variants[i/len(queries)]) + ", " + length.name, others: length.others, milliseconds: median(t)}
		r.loop = median(loops[i%len(queries)])
		for _, q := range length.all {
			r.postings += float64(x.Postings(q)) / float64(len(length.all))
		}
		r.limit = r.postings * postingBytes / s.bandwidth * 1000
		s.rows = append(s.rows, r)
	}
	return s, nil
}

func milliseconds(since time.Time) float64 { return float64(time.Since(since).Nanoseconds()) / 1e6 }

func search(ctx context.Context, x *embedded.Index, v vectorstore.Variant, query string) ([]vectorstore.Hit, error) {
	return x.SearchText(ctx, vectorstore.TextQuery{Text: query, Depth: depth, BM25: vectorstore.BM25{Variant: v, K1: 0.9, B: 0.4}})
}

// bandwidth is how many bytes per second one thread reads from an array far larger than the caches of its core.
func bandwidth(rounds int) float64 {
	const numbers = 1 << 25 // 256 MiB
	memory := make([]uint64, numbers)
	for i := range memory {
		memory[i] = uint64(i)
	}
	var seconds []float64
	for range rounds {
		start := time.Now()
		var a, b, c, d uint64
		for m := memory; len(m) >= 8; m = m[8:] {
			a += m[0] + m[4]
			b += m[1] + m[5]
			c += m[2] + m[6]
			d += m[3] + m[7]
		}
		seconds = append(seconds, time.Since(start).Seconds())
		memory[0] = a + b + c + d // so that nothing can be left out
	}
	return numbers * 8 / median(seconds)
}
