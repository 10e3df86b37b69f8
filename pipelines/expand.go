package pipelines

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ddx-rag/ddx/internal/strictyaml"
	"github.com/ddx-rag/ddx/pipelines/expansion"
)

type expandSpec struct {
	Method     string `yaml:"method,required"`
	Model      string `yaml:"model,required"`
	Hypotheses *int   `yaml:"hypotheses"`

	node *strictyaml.Node
	keep int // how many texts of the answer are used; 0 for all
}

func parseExpand(n *strictyaml.Node, r Registry) (StepSpec, error) {
	s := &expandSpec{node: n}
	if err := n.Decode(s); err != nil {
		return nil, err
	}
	m, ok := r.method(s.Method)
	if !ok {
		return nil, unknown(n.Child("method"), "expansion method", s.Method, r.methodNames())
	}
	if s.Hypotheses != nil {
		switch {
		case !m.Several:
			return nil, n.Child("hypotheses").Errorf("method %s yields one text, so \"hypotheses\" cannot be set", s.Method)
		case *s.Hypotheses < 1:
			return nil, n.Child("hypotheses").Errorf("\"hypotheses\" is %d; use 1 or more, or leave it out to use all that the answer holds", *s.Hypotheses)
		}
		s.keep = *s.Hypotheses
	}
	return s, nil
}

func (s *expandSpec) Kind() string { return "expand" }

func (s *expandSpec) Settings() []Setting {
	settings := []Setting{{"method", s.Method}, {"model", s.Model}}
	if s.keep > 0 {
		settings = append(settings, Setting{"hypotheses", s.keep})
	}
	return settings
}

func (s *expandSpec) check(p *plan) error {
	if _, ok := p.models[s.Model]; !ok {
		roles := slices.Sorted(maps.Keys(p.models))
		if len(roles) == 0 {
			return s.node.Child("model").Errorf("model %q is not declared", s.Model).
				WithHint("add `models: {%s: {provider: dataset, model: reference-llm}}` to the pipeline", s.Model)
		}
		return unknown(s.node.Child("model"), "model", s.Model, roles)
	}
	p.used[s.Model] = true
	p.methods = append(p.methods, s.Method)
	p.unread = append(p.unread, unread{s.Method, s.node})
	return nil
}

func (s *expandSpec) bind(b binding) (Step, error) {
	m, _ := b.registry.method(s.Method)
	if b.Source == nil {
		return nil, fmt.Errorf("no source of model answers was given")
	}
	source, err := b.Source(b.models[s.Model])
	if err != nil {
		return nil, err
	}
	return &expandStep{method: m, source: source, keep: s.keep}, nil
}

type expandStep struct {
	method expansion.Method
	source expansion.Source
	keep   int
}

func (s *expandStep) Name() string { return "expand " + s.method.Name }

// Run asks for the completion and reads it. What cannot be read is a soft failure: the query is searched without it.
func (s *expandStep) Run(ctx context.Context, st *State) error {
	c, err := s.source.Complete(ctx, expansion.Request{Method: s.method.Name, QueryID: st.Query.ID, QueryText: st.Query.Text})
	if err != nil {
		return err
	}
	e := Expansion{Method: s.method.Name, Model: c.Model, Text: c.Text}
	answer, err := s.method.Read(c.Text)
	if err != nil {
		e.Failure = err.Error()
		st.Warn(fmt.Sprintf("%s: %s; searched without it", s.method.Name, e.Failure))
	} else {
		if s.keep > 0 && len(answer.Searches) > s.keep {
			answer.Searches = answer.Searches[:s.keep]
		}
		e.Answer = answer
		for _, w := range answer.Warnings {
			st.Warn(s.method.Name + ": " + w)
		}
	}
	st.Expansions = append(st.Expansions, e)
	return nil
}

// text joins all texts of the expansion by single spaces.
func (e Expansion) text() string {
	texts := make([]string, len(e.Answer.Searches))
	for i, s := range e.Answer.Searches {
		texts[i] = s.Text
	}
	return strings.Join(texts, " ")
}
