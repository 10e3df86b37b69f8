package pipelines

import (
	"github.com/ddx-rag/ddx/internal/strictyaml"
	"github.com/ddx-rag/ddx/pipelines/expansion"
)

// Registry is what a pipeline's YAML may name. It is a plain value that is handed around: a new kind of step, expansion method or
// model provider is one new file and one line here or in the caller's copy.
type Registry struct {
	Steps     []StepKind
	Methods   []expansion.Method
	Providers []string // of models
}

// StepKind reads one kind of step from the YAML under its key.
type StepKind struct {
	Name    string
	Summary string // one line, for listings
	Parse   func(n *strictyaml.Node, r Registry) (StepSpec, error)
}

// NewRegistry returns everything that ddx brings along.
func NewRegistry() Registry {
	return Registry{
		Steps: []StepKind{
			{Name: "expand", Summary: "let a model write text to search with", Parse: parseExpand},
			{Name: "retrieve", Summary: "search a store with the query, with expansions, or with both", Parse: parseRetrieve},
			{Name: "fuse", Summary: "join ranked lists into one ranking", Parse: parseFuse},
		},
		Methods:   expansion.Methods(),
		Providers: []string{ProviderDataset},
	}
}

// ProviderDataset is the provider of answers that are recorded with a dataset.
const ProviderDataset = "dataset"

func (r Registry) method(name string) (expansion.Method, bool) {
	for _, m := range r.Methods {
		if m.Name == name {
			return m, true
		}
	}
	return expansion.Method{}, false
}

func (r Registry) methodNames() []string {
	names := make([]string, len(r.Methods))
	for i, m := range r.Methods {
		names[i] = m.Name
	}
	return names
}
