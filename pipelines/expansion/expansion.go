// Package expansion holds the methods by which a language model writes text to search with: how each one's answer is read and what
// it yields. Reading is pure; where an answer comes from is a Source, handed in by the caller.
package expansion

import (
	"context"
	"errors"
)

// ErrMissing is wrapped by a Source that holds no answer for a query. The pipeline is then incomplete: the query is neither scored
// as zero nor searched in its plain form.
var ErrMissing = errors.New("no recorded answer")

// Request asks a Source for one answer.
type Request struct {
	Method    string // name of the expansion method, for example "hyde"
	QueryID   string
	QueryText string
}

// Completion is what a model answered, before anything is read from it.
type Completion struct {
	Text  string // as written, reasoning possibly included
	Model string // who wrote it
}

// Source answers expansion requests: recorded files, or a live model. Safe for concurrent use. An error that wraps ErrMissing
// means that there is no answer to be had; any other error is a failed call.
type Source interface {
	Complete(ctx context.Context, r Request) (Completion, error)
}

// Search is one text to search with.
type Search struct {
	Text   string  // never blank
	Weight float64 // the method's own confidence in this text, relative to the others of the same answer; > 0
}

// Answer is what a method reads from a completion.
type Answer struct {
	Searches  []Search // most important first; at least one
	Reasoning string   // thinking that was set apart from the answer; never searched
	Warnings  []string // what had to be repaired or guessed, in plain words
}

// Method is one way of asking for an expansion.
type Method struct {
	Name    string
	Summary string // one line, for listings
	Source  string // paper or description that the method comes from
	Several bool   // whether one answer can hold several texts, for example one per hypothesis
	// Read gets the texts to search with out of a completion. An error says why there is nothing usable in it, for example that
	// the answer was cut off inside its reasoning; the query then falls back to its plain form and is counted.
	Read func(text string) (Answer, error)
}
