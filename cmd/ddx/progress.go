package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/ddx-rag/ddx/evaluation"
)

// progress shows how far an experiment has come, on a terminal only.
type progress struct {
	mu   sync.Mutex
	out  io.Writer // nil where nobody looks
	last time.Time
}

func newProgress(stderr io.Writer) *progress {
	if !isTerminal(stderr) {
		return &progress{}
	}
	return &progress{out: stderr}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

const clearLine = "\r\x1b[K"

func (p *progress) update(now evaluation.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out == nil || time.Since(p.last) < 50*time.Millisecond {
		return
	}
	p.last = time.Now()
	fmt.Fprintf(p.out, "%s%s on %s: %d of %d queries", clearLine, now.Pipeline, now.Dataset, now.Done, now.Total)
}

func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out != nil {
		fmt.Fprint(p.out, clearLine)
	}
}
