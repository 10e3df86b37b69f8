package pipelines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ddx-rag/ddx/internal/strictyaml"
	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
)

// The combination rules: what a retrieve step searches with.
const (
	searchQuery      = "query"      // the query alone
	searchExpansions = "expansions" // the expansions instead of the query, joined by single spaces
	searchConcat     = "concat"     // the query, `repeat` times, then the expansions
	searchEach       = "each"       // one search and one list per text that an expansion holds, weighted by the expansion's own confidence
)

var searchRules = []string{searchQuery, searchExpansions, searchConcat, searchEach}

// maxDepth bounds how many hits a step may ask for.
const maxDepth = 100_000

type retrieveSpec struct {
	With            string              `yaml:"with"`
	Search          string              `yaml:"search"`
	Of              []string            `yaml:"of"`
	Repeat          *int                `yaml:"repeat"`
	RepeatSeparator *string             `yaml:"repeat_separator"`
	Depth           int                 `yaml:"depth"`
	Weight          float64             `yaml:"weight"`
	Variant         vectorstore.Variant `yaml:"variant"`
	K1              float64             `yaml:"k1"`
	B               float64             `yaml:"b"`
	Analysis        string              `yaml:"analysis"`

	node      *strictyaml.Node
	repeat    int
	separator string
}

// DefaultAnalysis is the text analysis of R2MED's and Lucene's figures.
const DefaultAnalysis = "lucene-english"

// lexicalStores are the names that `with` takes.
var lexicalStores = []string{"bm25"}

func parseRetrieve(n *strictyaml.Node, _ Registry) (StepSpec, error) {
	bm25 := vectorstore.DefaultBM25()
	s := &retrieveSpec{
		With: "bm25", Search: searchQuery, Depth: 100, Weight: 1, Variant: bm25.Variant, K1: bm25.K1, B: bm25.B, Analysis: DefaultAnalysis,
		node: n, repeat: 1, separator: " ",
	}
	if err := n.Decode(s); err != nil {
		return nil, err
	}
	if err := strictyaml.Join(s.problems()...); err != nil {
		return nil, err
	}
	if s.Repeat != nil {
		s.repeat = *s.Repeat
	}
	if s.RepeatSeparator != nil {
		s.separator = *s.RepeatSeparator
	}
	return s, nil
}

// problems finds all that is wrong with the step by itself.
func (s *retrieveSpec) problems() []error {
	n := s.node
	var problems []error
	wrong := func(bad bool, err func() error) {
		if bad {
			problems = append(problems, err())
		}
	}
	known := slices.Contains(searchRules, s.Search) // otherwise what fits the rule is not known
	wrong(!slices.Contains(lexicalStores, s.With), func() error { return unknown(n.Child("with"), "store", s.With, lexicalStores) })
	wrong(!slices.Contains(text.Names(), s.Analysis), func() error { return unknown(n.Child("analysis"), "text analysis", s.Analysis, text.Names()) })
	wrong(!known, func() error { return unknown(n.Child("search"), "search rule", s.Search, searchRules) })
	wrong(s.Search == searchQuery && s.Of != nil, func() error {
		return n.Child("of").Errorf("\"of\" chooses expansions, but search: query uses none").WithHint("use search: expansions, concat or each")
	})
	wrong(s.Of != nil && len(s.Of) == 0, func() error {
		return n.Child("of").Errorf("\"of\" is empty; name at least one expansion method or leave it out to use all")
	})
	wrong(known && s.Search != searchConcat && s.Repeat != nil, func() error {
		return n.Child("repeat").Errorf("\"repeat\" repeats the query before its expansions and needs search: concat, not %s", s.Search)
	})
	wrong(known && s.Search != searchConcat && s.RepeatSeparator != nil, func() error {
		return n.Child("repeat_separator").Errorf("\"repeat_separator\" needs search: concat, not %s", s.Search)
	})
	wrong(s.Repeat != nil && (*s.Repeat < 1 || *s.Repeat > 100), func() error {
		return n.Child("repeat").Errorf("\"repeat\" is %d; use 1 to 100", *s.Repeat)
	})
	wrong(!(s.Weight > 0), func() error { return n.Child("weight").Errorf("\"weight\" is %v; use a number above 0", s.Weight) })
	for _, part := range []struct {
		key    string
		params vectorstore.BM25
	}{
		{"variant", vectorstore.BM25{Variant: s.Variant}},
		{"k1", vectorstore.BM25{Variant: vectorstore.Lucene, K1: s.K1}},
		{"b", vectorstore.BM25{Variant: vectorstore.Lucene, B: s.B}},
	} {
		err := part.params.Validate()
		wrong(err != nil, func() error { return n.Child(part.key).Errorf("%s", err) })
	}
	return append(problems, checkDepth(n, s.Depth))
}

func checkDepth(n *strictyaml.Node, depth int) error {
	if depth < 1 || depth > maxDepth {
		return n.Child("depth").Errorf("\"depth\" is %d; use 1 to %d", depth, maxDepth)
	}
	return nil
}

func (s *retrieveSpec) bm25() vectorstore.BM25 {
	return vectorstore.BM25{Variant: s.Variant, K1: s.K1, B: s.B}
}

func (s *retrieveSpec) Kind() string { return "retrieve" }

func (s *retrieveSpec) Settings() []Setting {
	settings := []Setting{{"with", s.With}, {"search", s.Search}}
	if s.Of != nil {
		settings = append(settings, Setting{"of", s.Of})
	}
	if s.Search == searchConcat {
		settings = append(settings, Setting{"repeat", s.repeat}, Setting{"repeat_separator", s.separator})
	}
	return append(settings, Setting{"depth", s.Depth}, Setting{"weight", s.Weight},
		Setting{"variant", string(s.Variant)}, Setting{"k1", s.K1}, Setting{"b", s.B}, Setting{"analysis", s.Analysis})
}

func (s *retrieveSpec) check(p *plan) error {
	p.open++
	if s.Search == searchQuery {
		return nil
	}
	if s.Search == searchEach {
		p.open++
	}
	if len(p.methods) == 0 && !p.faulty {
		return s.node.Child("search").Errorf("search: %s needs an expansion, but no expand step comes before it", s.Search).
			WithHint("add one, for example `- expand: {method: hyde, model: reasoner}`")
	}
	of := s.Of
	if of == nil {
		of = p.methods
	}
	for _, method := range of {
		if !slices.Contains(p.methods, method) && !p.faulty {
			return unknown(s.node.Child("of"), "expansion", method, p.methods)
		}
	}
	p.unread = slices.DeleteFunc(p.unread, func(u unread) bool { return slices.Contains(of, u.method) })
	return nil
}

func (s *retrieveSpec) bind(b binding) (Step, error) {
	if b.Lexical == nil {
		return nil, errors.New("no store for word search was given")
	}
	store, err := b.Lexical(s.Analysis)
	if err != nil {
		return nil, err
	}
	return &retrieveStep{spec: s, store: store}, nil
}

type retrieveStep struct {
	spec  *retrieveSpec
	store vectorstore.Lexical
}

func (r *retrieveStep) Name() string {
	return "retrieve " + r.spec.With + " (search: " + r.spec.Search + ")"
}

func (r *retrieveStep) Run(ctx context.Context, st *State) error {
	for _, t := range r.spec.texts(st) {
		hits, err := r.store.SearchText(ctx, vectorstore.TextQuery{
			Text: t.Text, Depth: r.spec.Depth, BM25: r.spec.bm25(), Exclude: st.Query.Exclude,
		})
		if err != nil {
			return fmt.Errorf("search with %s: %w", t.Origin, err)
		}
		t.Store, t.BM25, t.Hits, t.Weight = r.spec.With, r.spec.bm25(), hits, t.Weight*r.spec.Weight
		st.Lists = append(st.Lists, t)
	}
	st.Ranking = nil
	if len(st.Lists)-st.fused == 1 {
		st.Ranking = st.Lists[st.fused].Hits
	}
	return nil
}

// texts applies the combination rule. Where no expansion can be used it is the query alone, whatever the rule.
func (s *retrieveSpec) texts(st *State) []RankedList {
	alone := []RankedList{{Origin: searchQuery, Text: st.Query.Text, Weight: 1}}
	if s.Search == searchQuery {
		return alone
	}
	var chosen []Expansion
	for _, e := range st.Expansions {
		if s.Of == nil && e.Failure == "" {
			chosen = append(chosen, e)
		}
	}
	for _, method := range s.Of { // in the order, and as often, as written
		for _, e := range st.Expansions {
			if e.Method == method && e.Failure == "" {
				chosen = append(chosen, e)
			}
		}
	}
	if len(chosen) == 0 {
		return alone
	}
	if s.Search == searchEach {
		var lists []RankedList
		for _, e := range chosen {
			for i, search := range e.Answer.Searches {
				origin := e.Method
				if len(e.Answer.Searches) > 1 {
					origin = fmt.Sprintf("%s %d", e.Method, i+1)
				}
				lists = append(lists, RankedList{Origin: origin, Text: search.Text, Weight: search.Weight})
			}
		}
		return lists
	}
	var texts, origins []string
	if s.Search == searchConcat {
		texts = append(texts, strings.Repeat(st.Query.Text+s.separator, s.repeat-1)+st.Query.Text)
		origins = append(origins, searchQuery)
	}
	for _, e := range chosen {
		texts = append(texts, e.text())
		origins = append(origins, e.Method)
	}
	return []RankedList{{Origin: strings.Join(origins, " + "), Text: strings.Join(texts, " "), Weight: 1}}
}
