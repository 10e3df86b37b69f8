package pipelines

import (
	"context"
	"slices"

	"github.com/ddx-rag/ddx/internal/strictyaml"
	"github.com/ddx-rag/ddx/pipelines/fusion"
	"github.com/ddx-rag/ddx/vectorstore"
)

const (
	fuseRRF     = "rrf"
	fuseCombSUM = "combsum"
)

var fuseMethods = []string{fuseRRF, fuseCombSUM}

type fuseSpec struct {
	Method    string                `yaml:"method"`
	K         *float64              `yaml:"k"`
	Normalize *fusion.Normalization `yaml:"normalize"`
	Depth     int                   `yaml:"depth"`

	node      *strictyaml.Node
	k         float64
	normalize fusion.Normalization
}

func parseFuse(n *strictyaml.Node, _ Registry) (StepSpec, error) {
	s := &fuseSpec{Method: fuseRRF, Depth: 100, node: n, k: 60, normalize: fusion.MinMax}
	if err := n.Decode(s); err != nil {
		return nil, err
	}
	var problems []error
	if !slices.Contains(fuseMethods, s.Method) {
		problems = append(problems, unknown(n.Child("method"), "fusion method", s.Method, fuseMethods))
	}
	switch {
	case s.K == nil:
	case s.Method == fuseCombSUM:
		problems = append(problems, n.Child("k").Errorf("\"k\" is the constant of method rrf; combsum has none"))
	case *s.K < 0 || *s.K > 1e6:
		problems = append(problems, n.Child("k").Errorf("\"k\" is %v; use a number from 0 to 1000000 (60 is usual)", *s.K))
	}
	switch {
	case s.Normalize == nil:
	case s.Method == fuseRRF:
		problems = append(problems, n.Child("normalize").Errorf("\"normalize\" belongs to method combsum; rrf uses ranks, not scores"))
	case !slices.Contains(fusion.Normalizations(), *s.Normalize):
		var names []string
		for _, name := range fusion.Normalizations() {
			names = append(names, string(name))
		}
		problems = append(problems, unknown(n.Child("normalize"), "normalization", string(*s.Normalize), names))
	}
	if err := strictyaml.Join(append(problems, checkDepth(n, s.Depth))...); err != nil {
		return nil, err
	}
	if s.K != nil {
		s.k = *s.K
	}
	if s.Normalize != nil {
		s.normalize = *s.Normalize
	}
	return s, nil
}

func (s *fuseSpec) Kind() string { return "fuse" }

func (s *fuseSpec) Settings() []Setting {
	settings := []Setting{{"method", s.Method}}
	if s.Method == fuseRRF {
		settings = append(settings, Setting{"k", s.k})
	} else {
		settings = append(settings, Setting{"normalize", string(s.normalize)})
	}
	return append(settings, Setting{"depth", s.Depth})
}

func (s *fuseSpec) check(p *plan) error {
	switch {
	case p.faulty:
	case p.open == 0:
		return s.node.Errorf("fuse joins ranked lists, but no retrieve step comes before it")
	case p.open == 1:
		return s.node.Errorf("fuse joins ranked lists, but only one is made before it").WithHint("add another retrieve step, or use search: each")
	}
	p.open = 1
	return nil
}

func (s *fuseSpec) bind(binding) (Step, error) { return fuseStep{s}, nil }

type fuseStep struct{ spec *fuseSpec }

func (f fuseStep) Name() string { return "fuse " + f.spec.Method }

// Run joins the lists that no earlier fuse has joined. The outcome is itself a list, so that a later fuse can join it with others.
func (f fuseStep) Run(_ context.Context, st *State) error {
	var lists []fusion.List
	for _, l := range st.Lists[st.fused:] {
		lists = append(lists, fusion.List{Hits: l.Hits, Weight: l.Weight})
	}
	var hits []vectorstore.Hit
	if f.spec.Method == fuseRRF {
		hits = fusion.RRF(lists, f.spec.k, f.spec.Depth)
	} else {
		hits = fusion.CombSUM(lists, f.spec.normalize, f.spec.Depth)
	}
	st.fused = len(st.Lists)
	st.Lists = append(st.Lists, RankedList{Store: f.Name(), Origin: "fused", Weight: 1, Hits: hits})
	st.Ranking = hits
	return nil
}
