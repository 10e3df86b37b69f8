package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ddx-rag/ddx/internal/snippet"
	"github.com/ddx-rag/ddx/internal/table"
	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/pipelines"
	"github.com/ddx-rag/ddx/vectorstore"
)

// QueryView is one query's way through a pipeline, ready to be shown.
type QueryView struct {
	Dataset   string
	Pipeline  string
	State     *pipelines.State
	Judged    map[string]int // grades by document; nil where the query is not judged
	Top       int            // how many passages are shown
	Documents map[string]vectorstore.Document
	Analysis  *text.Analysis
	// Terms gives the matched terms of a document with their share in its score.
	Terms func(id string) map[string]float64
	// InCorpus tells whether a document exists.
	InCorpus func(id string) bool
	Mark     snippet.Mark
}

// Query writes each stage of one query: what was searched, the top passages with the matched words marked, and where the relevant
// passages went.
func Query(w io.Writer, v QueryView) error {
	var b strings.Builder
	title := v.State.Query.ID
	if title == "" {
		title = "query"
	}
	fmt.Fprintf(&b, "%s through %s on %s\n%s\n", title, v.Pipeline, v.Dataset, wrap(v.State.Query.Text, "  "))
	stages(&b, v)
	topPassages(&b, v)
	relevantPassages(&b, v)
	_, err := io.WriteString(w, b.String())
	return err
}

func stages(b *strings.Builder, v QueryView) {
	for i, stage := range v.State.Stages {
		fmt.Fprintf(b, "\n%d. %s (%.1f ms)\n", i+1, stage.Name, float64(stage.Duration.Microseconds())/1000)
		for _, warning := range stage.Warnings {
			fmt.Fprintf(b, "   warning: %s\n", plain(warning))
		}
		for _, e := range stage.Expansions {
			writeExpansion(b, e)
		}
		writeLists(b, stage.Lists)
	}
}

// writeExpansion shows the texts that a model's answer yields, with their weights where there are several.
func writeExpansion(b *strings.Builder, e pipelines.Expansion) {
	t := table.New("   ", table.Column{Align: table.Right}, table.Column{})
	for _, s := range e.Answer.Searches {
		weight := ""
		if len(e.Answer.Searches) > 1 {
			weight = strconv.FormatFloat(s.Weight, 'g', 3, 64)
		}
		t.Row(weight, shorten(s.Text, 110))
	}
	fmt.Fprintf(b, "   written by %s\n", plain(e.Model))
	_, _ = t.WriteTo(b)
}

func writeLists(b *strings.Builder, lists []pipelines.RankedList) {
	if len(lists) == 1 && lists[0].Text == "" {
		fmt.Fprintf(b, "   %s\n", count(len(lists[0].Hits), "passage", "passages"))
		return
	}
	t := table.New("   ", table.Column{Title: "list"}, table.Column{Title: "weight", Align: table.Right},
		table.Column{Title: "passages", Align: table.Right}, table.Column{Title: "best"}, table.Column{Title: "searched with"})
	for _, l := range lists {
		best := "-"
		if len(l.Hits) > 0 {
			best = l.Hits[0].ID
		}
		t.Row(l.Origin, strconv.FormatFloat(l.Weight, 'g', 3, 64), strconv.Itoa(len(l.Hits)), plain(best), shorten(l.Text, 60))
	}
	if len(lists) > 0 {
		_, _ = t.WriteTo(b)
	}
}

func topPassages(b *strings.Builder, v QueryView) {
	hits := v.State.Ranking[:min(v.Top, len(v.State.Ranking))]
	fmt.Fprintf(b, "\ntop %d of %s\n", len(hits), count(len(v.State.Ranking), "passage", "passages"))
	for i, h := range hits {
		note := ""
		if grade, ok := v.Judged[h.ID]; ok {
			note = fmt.Sprintf("  judged %d", grade)
		}
		d, ok := v.Documents[h.ID]
		if d.Title != "" {
			note += "  " + plain(d.Title)
		}
		fmt.Fprintf(b, "%4d  %s  %s%s\n", i+1, plain(h.ID), strconv.FormatFloat(h.Score, 'f', 4, 64), note)
		if ok {
			fmt.Fprintf(b, "      %s\n", snippet.Best(v.Analysis, d.Text, telling(v.Terms(h.ID)), 240, v.Mark))
		}
	}
}

// telling keeps the terms that matter: those with at least a twentieth of the heaviest one's share. Otherwise half of a passage is marked.
func telling(terms map[string]float64) map[string]float64 {
	heaviest := 0.0
	for _, share := range terms {
		heaviest = max(heaviest, share)
	}
	kept := map[string]float64{}
	for term, share := range terms {
		if share >= heaviest/20 {
			kept[term] = share
		}
	}
	return kept
}

// relevantPassages follows each relevant passage through the lists to the final ranking.
func relevantPassages(b *strings.Builder, v QueryView) {
	if v.Judged == nil {
		return
	}
	var ids []string
	for id, grade := range v.Judged {
		if grade > 0 {
			ids = append(ids, id)
		}
	}
	final := ranks(v.State.Ranking)
	slices.SortFunc(ids, func(a, c string) int {
		switch ra, rc := final[a], final[c]; {
		case ra != 0 && rc != 0:
			return ra - rc
		case ra != 0 || rc != 0:
			return rc - ra // the one that is in the ranking comes first
		}
		return strings.Compare(a, c)
	})
	fmt.Fprintf(b, "\nwhere the %s went (rank in each list)\n", count(len(ids), "relevant passage", "relevant passages"))
	columns := []table.Column{{Title: "passage"}, {Title: "grade", Align: table.Right}, {Title: "final rank", Align: table.Right}}
	var lists []map[string]int
	if len(v.State.Lists) > 1 {
		for _, l := range v.State.Lists {
			if l.Text == "" {
				continue // fused; the last one is the final ranking
			}
			columns = append(columns, table.Column{Title: l.Origin, Align: table.Right})
			lists = append(lists, ranks(l.Hits))
		}
	}
	t := table.New("  ", columns...)
	for _, id := range ids {
		if !v.InCorpus(id) {
			t.Row(plain(id), strconv.Itoa(v.Judged[id]), "not in the corpus")
			continue
		}
		row := []string{plain(id), strconv.Itoa(v.Judged[id]), rankCell(final[id])}
		for _, l := range lists {
			row = append(row, rankCell(l[id]))
		}
		t.Row(row...)
	}
	_, _ = t.WriteTo(b)
}

func ranks(hits []vectorstore.Hit) map[string]int {
	m := make(map[string]int, len(hits))
	for i, h := range hits {
		m[h.ID] = i + 1
	}
	return m
}

func rankCell(rank int) string {
	if rank == 0 {
		return "-"
	}
	return strconv.Itoa(rank)
}

// plain makes one line of a text and drops control characters, so that what models and documents say cannot disturb a terminal.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

func shorten(s string, width int) string {
	runes := []rune(plain(s))
	if len(runes) <= width {
		return string(runes)
	}
	return strings.TrimRight(string(runes[:width-1]), " ") + "…"
}

// wrap breaks a text into lines of about 100 characters.
func wrap(s, indent string) string {
	var b strings.Builder
	line := 0
	for i, word := range strings.Fields(plain(s)) {
		n := len([]rune(word))
		switch {
		case i == 0:
			b.WriteString(indent)
		case line+1+n > 100:
			b.WriteString("\n" + indent)
			line = 0
		default:
			b.WriteByte(' ')
			line++
		}
		b.WriteString(word)
		line += n
	}
	return b.String()
}

// QueryResult is the JSON form of one query's way through a pipeline.
type QueryResult struct {
	Dataset  string         `json:"dataset"`
	Pipeline string         `json:"pipeline"`
	QueryID  string         `json:"query_id,omitempty"`
	Query    string         `json:"query"`
	Stages   []StageResult  `json:"stages"`
	Hits     []HitResult    `json:"hits"`
	Judged   map[string]int `json:"judged,omitempty"`
}

// StageResult is one stage: its expansions and searches.
type StageResult struct {
	Name       string         `json:"name"`
	Seconds    float64        `json:"seconds"`
	Warnings   []string       `json:"warnings,omitempty"`
	Expansions []string       `json:"expansions,omitempty"` // the texts to search with
	Searches   []SearchResult `json:"searches,omitempty"`
}

// SearchResult is one ranked list.
type SearchResult struct {
	Origin string   `json:"origin"`
	Weight float64  `json:"weight"`
	Text   string   `json:"text,omitempty"`
	IDs    []string `json:"ids"`
}

// HitResult is one passage of the final ranking.
type HitResult struct {
	ID    string             `json:"id"`
	Score float64            `json:"score"`
	Grade *int               `json:"grade,omitempty"`
	Terms map[string]float64 `json:"terms,omitempty"` // matched terms with their share in the score; of the first Top hits
}

// QueryJSON turns a view into its JSON form.
func QueryJSON(v QueryView) QueryResult {
	out := QueryResult{
		Dataset: v.Dataset, Pipeline: v.Pipeline, QueryID: v.State.Query.ID, Query: v.State.Query.Text,
		Stages: []StageResult{}, Hits: []HitResult{}, Judged: v.Judged,
	}
	for _, stage := range v.State.Stages {
		s := StageResult{Name: stage.Name, Seconds: stage.Duration.Seconds(), Warnings: stage.Warnings}
		for _, e := range stage.Expansions {
			for _, search := range e.Answer.Searches {
				s.Expansions = append(s.Expansions, search.Text)
			}
		}
		for _, l := range stage.Lists {
			search := SearchResult{Origin: l.Origin, Weight: l.Weight, Text: l.Text, IDs: []string{}}
			for _, h := range l.Hits {
				search.IDs = append(search.IDs, h.ID)
			}
			s.Searches = append(s.Searches, search)
		}
		out.Stages = append(out.Stages, s)
	}
	for i, h := range v.State.Ranking {
		hit := HitResult{ID: h.ID, Score: h.Score}
		if grade, ok := v.Judged[h.ID]; ok {
			hit.Grade = &grade
		}
		if i < v.Top {
			hit.Terms = v.Terms(h.ID)
		}
		out.Hits = append(out.Hits, hit)
	}
	return out
}
