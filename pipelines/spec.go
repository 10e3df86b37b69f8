package pipelines

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ddx-rag/ddx/internal/strictyaml"
	"github.com/ddx-rag/ddx/pipelines/expansion"
	"github.com/ddx-rag/ddx/vectorstore"
)

// Model says which model plays a role in a pipeline.
type Model struct {
	Provider string `yaml:"provider,required"` // for example "dataset": answers recorded with the dataset
	Name     string `yaml:"model,required"`
}

// String is the form in which --model takes it: PROVIDER:NAME.
func (m Model) String() string { return m.Provider + ":" + m.Name }

// Spec is a pipeline as written: checked, with defaults filled in, not yet bound to stores and models. Treat it as immutable.
type Spec struct {
	Name        string
	Description string
	Models      map[string]Model // by role
	Steps       []StepSpec
}

// StepSpec is one step as written.
type StepSpec interface {
	// Kind is the step's key in the YAML, for example "retrieve".
	Kind() string
	// Settings lists every setting with its value, defaults included, in the order in which the documentation explains them.
	Settings() []Setting
	// bind makes the step ready to run.
	bind(b binding) (Step, error)
	// check verifies that the step can stand where it stands and notes in the plan what it adds.
	check(p *plan) error
}

// Setting is one key of a step with its value.
type Setting struct {
	Key   string
	Value any
}

// Binding gives a pipeline what it runs on.
type Binding struct {
	// Lexical returns the store for word search whose words are made by the named text analysis; it is asked once for each retrieve step.
	Lexical func(analysis string) (vectorstore.Lexical, error)
	// Source returns what answers for a model; it is asked once for each role that a pipeline uses.
	Source func(Model) (expansion.Source, error)
}

// binding is a Binding with what the steps of one pipeline need to know of it.
type binding struct {
	Binding
	models   map[string]Model
	registry Registry
}

// plan is what is known of a State before any query runs; steps check themselves against it.
type plan struct {
	models  map[string]Model
	used    map[string]bool // roles that a step names
	methods []string        // expansions made so far
	unread  []unread        // expansions that no search has used yet
	open    int             // lists that no fuse has joined yet; a search with one list per text counts as two, there can be several
	faulty  bool            // an earlier step could not be read, so what depends on it is not reported for want of it
}

type unread struct {
	method string
	node   *strictyaml.Node
}

type specFile struct {
	Name        string                      `yaml:"name,required"`
	Description string                      `yaml:"description"`
	Models      map[string]*strictyaml.Node `yaml:"models"`
	Steps       []*strictyaml.Node          `yaml:"steps,required"`
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$`)

// Parse reads one pipeline from YAML. The file's name is for messages. All problems are reported together, each with file, line and
// column.
func (r Registry) Parse(file string, src []byte) (*Spec, error) {
	root, err := strictyaml.Parse(file, src)
	if err != nil {
		return nil, err
	}
	var f specFile
	if err := root.Decode(&f); err != nil {
		return nil, err
	}
	var problems []error
	if !nameForm.MatchString(f.Name) {
		problems = append(problems, root.Child("name").Errorf("%q cannot be a pipeline's name; use letters, digits and . _ + - only (it names a folder), 100 at most", f.Name))
	}
	spec := &Spec{Name: f.Name, Description: strings.TrimSpace(f.Description), Models: map[string]Model{}}
	for _, role := range slices.Sorted(maps.Keys(f.Models)) {
		m, err := r.parseModel(f.Models[role])
		if err != nil {
			problems = append(problems, err)
		}
		spec.Models[role] = m // also a faulty one, so that steps that use it are not reported as well
	}
	if len(f.Steps) == 0 {
		problems = append(problems, root.Child("steps").Errorf("a pipeline needs at least one step, for example `- retrieve: {with: bm25, search: query}`"))
	}
	p := &plan{models: spec.Models, used: map[string]bool{}}
	for _, n := range f.Steps {
		step, err := r.parseStep(n)
		if err == nil {
			err = step.check(p)
		}
		if err != nil {
			problems = append(problems, err)
			p.faulty = true
			continue
		}
		spec.Steps = append(spec.Steps, step)
	}
	if len(problems) == 0 { // otherwise the end may be wrong only because of what could not be read
		problems = append(problems, p.end(root, f)...)
	}
	if err := strictyaml.Join(problems...); err != nil {
		return nil, err
	}
	return spec, nil
}

func (r Registry) parseModel(n *strictyaml.Node) (Model, error) {
	var m Model
	if err := n.Decode(&m); err != nil {
		return m, err
	}
	if !slices.Contains(r.Providers, m.Provider) {
		return m, unknown(n.Child("provider"), "provider", m.Provider, r.Providers)
	}
	if strings.TrimSpace(m.Name) == "" {
		return m, n.Child("model").Errorf("the model's name is empty")
	}
	return m, nil
}

func (r Registry) parseStep(n *strictyaml.Node) (StepSpec, error) {
	names := make([]string, len(r.Steps))
	for i, k := range r.Steps {
		names[i] = k.Name
	}
	entries, err := n.Entries()
	if err != nil {
		return nil, n.Errorf("a step is one key with its settings, for example `- retrieve: {with: bm25, search: query}`")
	}
	if len(entries) != 1 {
		return nil, n.Errorf("a step has exactly one key (%s), this one has %d; start each step with its own dash", strings.Join(names, ", "), len(entries))
	}
	for _, k := range r.Steps {
		if k.Name == entries[0].Key {
			return k.Parse(entries[0].Value, r)
		}
	}
	return nil, unknown(n, "step", entries[0].Key, names)
}

// unknown reports a name that is not in the list, with the nearest one that is.
func unknown(n *strictyaml.Node, what, got string, known []string) error {
	err := n.Errorf("unknown %s %q", what, got)
	if hint := strictyaml.DidYouMean(got, known); hint != "" {
		return err.WithHint("%s", hint)
	}
	return err.WithHint("known: %s", strings.Join(known, ", "))
}

// end checks what can only be said of the whole chain.
func (p *plan) end(root *strictyaml.Node, f specFile) []error {
	var problems []error
	for _, u := range p.unread {
		problems = append(problems, u.node.Errorf("the %s expansion is never searched", u.method).
			WithHint("add a retrieve step with search: expansions, concat or each after it"))
	}
	last := f.Steps[len(f.Steps)-1]
	switch {
	case p.open == 0:
		problems = append(problems, last.Errorf("the pipeline ends without a ranking; add a retrieve step"))
	case p.open > 1:
		problems = append(problems, last.Errorf("the pipeline ends with several ranked lists").WithHint("add a fuse step, for example `- fuse: {method: rrf}`"))
	}
	for _, role := range slices.Sorted(maps.Keys(f.Models)) {
		if !p.used[role] {
			problems = append(problems, f.Models[role].Errorf("model %q is used by no step", role).WithHint("remove it or name it in a step"))
		}
	}
	return problems
}

// WithModels returns the pipeline with other models in the given roles. Roles that it does not have are ignored.
func (s *Spec) WithModels(models map[string]Model) *Spec {
	c := *s
	c.Models = maps.Clone(s.Models)
	for role, m := range models {
		if _, ok := c.Models[role]; ok {
			c.Models[role] = m
		}
	}
	return &c
}

// Uses lists the expansions that the pipeline asks for: method and model, in the order of the steps.
func (s *Spec) Uses() []Use {
	var uses []Use
	for _, step := range s.Steps {
		if e, ok := step.(*expandSpec); ok {
			uses = append(uses, Use{Method: e.Method, Model: s.Models[e.Model]})
		}
	}
	return uses
}

// Analyses lists the text analyses that the pipeline's searches use, each once.
func (s *Spec) Analyses() []string {
	var names []string
	for _, step := range s.Steps {
		if r, ok := step.(*retrieveSpec); ok && !slices.Contains(names, r.Analysis) {
			names = append(names, r.Analysis)
		}
	}
	return names
}

// Use is one expansion that a pipeline asks for.
type Use struct {
	Method string
	Model  Model
}

// Bind makes a pipeline ready to run over the given stores and sources.
func (r Registry) Bind(s *Spec, b Binding) (*Pipeline, error) {
	p := &Pipeline{name: s.Name}
	all := binding{Binding: b, models: s.Models, registry: r}
	for i, spec := range s.Steps {
		step, err := spec.bind(all)
		if err != nil {
			return nil, fmt.Errorf("pipeline %s, step %d (%s): %w", s.Name, i+1, spec.Kind(), err)
		}
		p.steps = append(p.steps, step)
	}
	return p, nil
}
