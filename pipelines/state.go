// Package pipelines says what a pipeline is: a chain of steps, written in YAML, that takes one query to a ranking. It reads and checks
// the YAML (Spec), binds it to stores and models that are handed in (Bind), and runs it (Pipeline). It knows the interfaces of stores
// and expansion sources and none of their implementations.
package pipelines

import (
	"context"
	"time"

	"github.com/ddx-rag/ddx/pipelines/expansion"
	"github.com/ddx-rag/ddx/vectorstore"
)

// Query is what somebody asked, with the ids of documents that must not be returned for it.
type Query struct {
	ID      string
	Text    string
	Exclude []string
}

// State is one query on its way through a pipeline. Steps read and extend it; nothing is removed, so that every stage can be looked
// at and scored afterwards. Slices that are already in it are never written to.
type State struct {
	Query      Query             // as asked; immutable
	Expansions []Expansion       // what models wrote, in the order of the expand steps
	Lists      []RankedList      // one per search, in the order of searching
	Ranking    []vectorstore.Hit // the candidates after the last retrieve or fuse, best first
	Stages     []Stage           // one per step that ran

	fused    int      // Lists[:fused] have gone into an earlier fuse
	warnings []string // of the step that is running
}

// Expansion is what one expand step got for the query.
type Expansion struct {
	Method  string
	Model   string           // who wrote it
	Text    string           // the completion as written
	Answer  expansion.Answer // what was read from it; Searches is empty after a failure
	Failure string           // why it cannot be used, in plain words; "" when it can
}

// RankedList is the outcome of one search.
type RankedList struct {
	Store  string           // what was searched, for example "bm25"
	Origin string           // where the text comes from: "query", "hyde", "query + hyde", "diagnosis 1"
	Text   string           // what was searched with
	BM25   vectorstore.BM25 // the formula of a word search; zero for a fused list
	Weight float64
	Hits   []vectorstore.Hit
}

// Stage is the record of one step: what it was, how long it took and how the ranking stood after it.
type Stage struct {
	Name     string
	Duration time.Duration
	Warnings []string // soft failures and repairs, in plain words

	Expansions []Expansion  // what the step added to the State
	Lists      []RankedList // likewise
	Ranking    []vectorstore.Hit
}

// Warn records a soft failure of the running step.
func (s *State) Warn(message string) { s.warnings = append(s.warnings, message) }

// FellBack tells whether an expansion could not be used, so that the query was searched without it.
func (s *State) FellBack() bool {
	for _, e := range s.Expansions {
		if e.Failure != "" {
			return true
		}
	}
	return false
}

// Step is one stage of a bound pipeline. A soft failure (a filtered completion, an answer that does not parse) leaves the State usable
// and is recorded in it by Warn; an error means that the query cannot go on. Steps are safe for concurrent use with different States.
type Step interface {
	Name() string
	Run(ctx context.Context, s *State) error
}

// Pipeline is a checked chain of steps, bound to its stores and models. Safe for concurrent use.
type Pipeline struct {
	name  string
	steps []Step
}

// Name is the pipeline's name from its YAML.
func (p *Pipeline) Name() string { return p.name }

// Run takes one query through all steps. The State is returned also with an error, as far as it got; the error wraps
// expansion.ErrMissing where an answer of a model is not recorded.
func (p *Pipeline) Run(ctx context.Context, q Query) (*State, error) {
	s := &State{Query: q}
	for _, step := range p.steps {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		expansions, lists := len(s.Expansions), len(s.Lists)
		start := time.Now()
		err := step.Run(ctx, s)
		s.Stages = append(s.Stages, Stage{
			Name: step.Name(), Duration: time.Since(start), Warnings: s.warnings,
			Expansions: s.Expansions[expansions:], Lists: s.Lists[lists:], Ranking: s.Ranking,
		})
		s.warnings = nil
		if err != nil {
			return s, &StepError{Step: step.Name(), Err: err}
		}
	}
	return s, nil
}

// StepError is the failure of one step; Err is the cause.
type StepError struct {
	Step string
	Err  error
}

func (e *StepError) Error() string { return e.Step + ": " + e.Err.Error() }
func (e *StepError) Unwrap() error { return e.Err }
