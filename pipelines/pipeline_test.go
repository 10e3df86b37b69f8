package pipelines_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/pipelines"
	"github.com/ddx-rag/ddx/pipelines/expansion"
	"github.com/ddx-rag/ddx/vectorstore"
)

// echoStore returns for each text the hits that are set for it, or one hit named after the text.
type echoStore struct {
	hits map[string][]vectorstore.Hit
	fail error
}

func (s echoStore) SearchText(_ context.Context, q vectorstore.TextQuery) ([]vectorstore.Hit, error) {
	if s.fail != nil {
		return nil, s.fail
	}
	hits, ok := s.hits[q.Text]
	if !ok {
		hits = []vectorstore.Hit{{ID: q.Text, Score: 1}}
	}
	return hits[:min(len(hits), q.Depth)], nil
}

// answers maps a method to what the model wrote; a method without an entry is not recorded.
type answers map[string]string

func (a answers) Complete(_ context.Context, r expansion.Request) (expansion.Completion, error) {
	text, ok := a[r.Method]
	if !ok {
		return expansion.Completion{}, fmt.Errorf("query %s: %w", r.QueryID, expansion.ErrMissing)
	}
	return expansion.Completion{Text: text, Model: "test-model"}, nil
}

func bind(t testing.TB, yaml string, store vectorstore.Lexical, source expansion.Source) *pipelines.Pipeline {
	t.Helper()
	registry := pipelines.NewRegistry()
	spec, err := registry.Parse("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	p, err := registry.Bind(spec, pipelines.Binding{
		Lexical: func(string) (vectorstore.Lexical, error) { return store, nil },
		Source:  func(pipelines.Model) (expansion.Source, error) { return source, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const head = "name: test\nmodels: {reasoner: {provider: dataset, model: m}}\nsteps:\n"

// differential is an answer with two hypotheses of probability 0.75 and 0.25.
const differential = `{"diagnoses": [{"name": "gout", "synonyms": ["podagra"], "probability": 0.75}, {"name": "pseudogout", "synonyms": [], "probability": 0.25}]}`

func TestWhatIsSearchedFollowsTheRule(t *testing.T) {
	both := "  - expand: {method: hyde, model: reasoner}\n  - expand: {method: diagnosis, model: reasoner}\n"
	for _, c := range []struct {
		name  string
		steps string
		from  answers
		want  []string // origin, weight, text of each search
	}{
		{"the query alone", "  - retrieve: {search: query}", nil, []string{"query|1|red toe"}},
		{"expansions instead of the query, joined by spaces", both + "  - retrieve: {search: expansions}",
			answers{"hyde": "Uric acid.", "diagnosis": differential}, []string{"hyde + diagnosis|1|Uric acid. gout podagra pseudogout"}},
		{"the order and the repetition of `of`", both + "  - retrieve: {search: expansions, of: [diagnosis, hyde, hyde]}",
			answers{"hyde": "Uric acid.", "diagnosis": differential}, []string{"diagnosis + hyde + hyde|1|gout podagra pseudogout Uric acid. Uric acid."}},
		{"only the first hypotheses", "  - expand: {method: diagnosis, model: reasoner, hypotheses: 1}\n  - retrieve: {search: expansions}",
			answers{"diagnosis": differential}, []string{"diagnosis|1|gout podagra"}},
		{"concatenation puts one space between query and expansion", "  - expand: {method: hyde, model: reasoner}\n  - retrieve: {search: concat}",
			answers{"hyde": "Uric acid."}, []string{"query + hyde|1|red toe Uric acid."}},
		{"a repeated query is separated by spaces", "  - expand: {method: hyde, model: reasoner}\n  - retrieve: {search: concat, repeat: 3}",
			answers{"hyde": "Uric acid."}, []string{"query + hyde|1|red toe red toe red toe Uric acid."}},
		{"R2MED's rule glues the repeated query", "  - expand: {method: query2doc, model: reasoner}\n  - retrieve: {search: concat, repeat: 2, repeat_separator: \"\"}",
			answers{"query2doc": "Uric acid."}, []string{"query + query2doc|1|red toered toe Uric acid."}},
		{"one list per text, weighted by probability and by the step", both + "  - retrieve: {search: each, weight: 2}\n  - fuse: {}",
			answers{"hyde": "Uric acid.", "diagnosis": differential},
			[]string{"hyde|2|Uric acid.", "diagnosis 1|1.5|gout podagra", "diagnosis 2|0.5|pseudogout"}},
		{"an empty expansion falls back to the query", "  - expand: {method: hyde, model: reasoner}\n  - retrieve: {search: expansions}",
			answers{"hyde": "  "}, []string{"query|1|red toe"}},
		{"an empty expansion is not a repeated query", "  - expand: {method: hyde, model: reasoner}\n  - retrieve: {search: concat, repeat: 2}",
			answers{"hyde": ""}, []string{"query|1|red toe"}},
		{"an answer cut off inside its reasoning is never searched", "  - expand: {method: hyde, model: reasoner}\n  - retrieve: {search: expansions}",
			answers{"hyde": "<think>\nfever, rash, age 45"}, []string{"query|1|red toe"}},
		{"each without a usable answer is the query once", "  - expand: {method: diagnosis, model: reasoner}\n  - retrieve: {search: each}\n  - fuse: {}",
			answers{"diagnosis": "I do not know."}, []string{"query|1|red toe"}},
		{"what remains is used when one of two expansions fails", both + "  - retrieve: {search: expansions}",
			answers{"hyde": "", "diagnosis": differential}, []string{"diagnosis|1|gout podagra pseudogout"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := head
			if c.from == nil {
				before = "name: test\nsteps:\n"
			}
			state, err := bind(t, before+c.steps, echoStore{}, c.from).Run(t.Context(), pipelines.Query{ID: "q", Text: "red toe"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range state.Lists {
				if l.Text != "" {
					got = append(got, fmt.Sprintf("%s|%v|%s", l.Origin, l.Weight, l.Text))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestAFailedExpansionIsRecordedAndCounted(t *testing.T) {
	p := bind(t, head+"  - expand: {method: hyde, model: reasoner}\n  - retrieve: {search: expansions}", echoStore{}, answers{"hyde": ""})
	state, err := p.Run(t.Context(), pipelines.Query{ID: "q", Text: "red toe"})
	if err != nil {
		t.Fatal(err)
	}
	if !state.FellBack() || state.Expansions[0].Failure == "" {
		t.Errorf("fell back: %v, failure %q", state.FellBack(), state.Expansions[0].Failure)
	}
	if got := strings.Join(state.Stages[0].Warnings, "; "); !strings.Contains(got, "searched without it") {
		t.Errorf("warnings of the expand stage: %q", got)
	}
}

func TestAMissingRecordingEndsTheQuery(t *testing.T) {
	p := bind(t, head+"  - expand: {method: hyde, model: reasoner}\n  - retrieve: {search: expansions}", echoStore{}, answers{})
	state, err := p.Run(t.Context(), pipelines.Query{ID: "q7", Text: "red toe"})
	if !errors.Is(err, expansion.ErrMissing) {
		t.Fatalf("error %v does not wrap ErrMissing", err)
	}
	if want := "expand hyde: query q7: no recorded answer"; err.Error() != want {
		t.Errorf("message %q, want %q", err, want)
	}
	if len(state.Ranking) != 0 {
		t.Errorf("a ranking of %d in spite of it", len(state.Ranking))
	}
}

func TestAFailingStoreEndsTheQueryAndNamesTheStep(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := bind(t, "name: test\nsteps:\n  - retrieve: {}", echoStore{fail: broken}, nil).Run(t.Context(), pipelines.Query{Text: "x"})
	if !errors.Is(err, broken) || err.Error() != "retrieve bm25 (search: query): search with query: disk on fire" {
		t.Errorf("got %v", err)
	}
}

func TestACancelledQueryStopsBeforeItsNextStep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	state, err := bind(t, "name: test\nsteps:\n  - retrieve: {}", echoStore{}, nil).Run(ctx, pipelines.Query{Text: "x"})
	if !errors.Is(err, context.Canceled) || len(state.Stages) != 0 {
		t.Errorf("error %v after %d stages", err, len(state.Stages))
	}
}

func TestFusedListsCanBeFusedAgain(t *testing.T) {
	store := echoStore{hits: map[string][]vectorstore.Hit{
		"gout podagra": {{ID: "a", Score: 9}, {ID: "b", Score: 8}},
		"pseudogout":   {{ID: "b", Score: 7}},
		"red toe":      {{ID: "c", Score: 6}, {ID: "a", Score: 5}},
	}}
	p := bind(t, head+`  - expand: {method: diagnosis, model: reasoner}
  - retrieve: {search: each, of: [diagnosis]}
  - fuse: {method: rrf, k: 0}
  - retrieve: {search: query, weight: 0.5}
  - fuse: {method: rrf, k: 0}
`, store, answers{"diagnosis": differential})
	state, err := p.Run(t.Context(), pipelines.Query{ID: "q", Text: "red toe"})
	if err != nil {
		t.Fatal(err)
	}
	// First fuse: a 0.75/1, b 0.75/2 + 0.25/1 = 0.625. Second: a 1/1 + 0.5/2 = 1.25; b 1/2; c 0.5/1: equal scores by id descending.
	want := []vectorstore.Hit{{ID: "a", Score: 1.25}, {ID: "c", Score: 0.5}, {ID: "b", Score: 0.5}}
	if diff := cmp.Diff(want, state.Ranking); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if state.Stages[3].Ranking != nil {
		t.Error("with two lists open there is no ranking, but one is shown")
	}
	if len(state.Stages) != 5 || len(state.Stages[1].Lists) != 2 || len(state.Stages[4].Lists) != 1 {
		t.Errorf("stages do not hold what they added: %d stages", len(state.Stages))
	}
}

func TestModelsAreReplacedByRole(t *testing.T) {
	spec, err := pipelines.NewRegistry().Load("hyde")
	if err != nil {
		t.Fatal(err)
	}
	other := spec.WithModels(map[string]pipelines.Model{
		"reasoner": {Provider: "dataset", Name: "o3-mini"},
		"embedder": {Provider: "dataset", Name: "unused"},
	})
	want := []pipelines.Use{{Method: "hyde", Model: pipelines.Model{Provider: "dataset", Name: "o3-mini"}}}
	if diff := cmp.Diff(want, other.Uses()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if spec.Models["reasoner"].Name != "reference-llm" {
		t.Error("the original was changed")
	}
}

func ExampleRegistry_Parse() {
	registry := pipelines.NewRegistry()
	_, err := registry.Parse("mine.yaml", []byte(`name: mine
steps:
  - retrieve: {with: bm25, search: querry}
`))
	fmt.Println(err)

	spec, err := registry.Parse("mine.yaml", []byte(`name: mine
steps:
  - retrieve: {with: bm25, search: query}
`))
	if err != nil {
		panic(err)
	}
	p, err := registry.Bind(spec, pipelines.Binding{
		Lexical: func(string) (vectorstore.Lexical, error) { return echoStore{}, nil },
	})
	if err != nil {
		panic(err)
	}
	state, err := p.Run(context.Background(), pipelines.Query{Text: "fever and rash"})
	fmt.Println(state.Ranking, err)
	// Output:
	// mine.yaml:3:36: unknown search rule "querry"; did you mean "query"?
	// [{fever and rash 1}] <nil>
}
