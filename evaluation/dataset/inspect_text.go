package dataset

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ddx-rag/ddx/internal/table"
)

// shownItems is how many offenders of a finding are shown; the JSON form has them all.
const shownItems = 10

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  hash         %s\n  corpus hash  %s\n\n", r.Name, r.Hash, r.CorpusHash)

	counts := table.New("", table.Column{}, table.Column{Align: table.Right}, table.Column{})
	row := func(what string, n int, note string) { counts.Row(what, strconv.Itoa(n), note) }
	row("documents", r.Corpus.Documents, fmt.Sprintf("in %d lines", r.Corpus.Lines))
	row("duplicate documents", r.Corpus.DuplicateDocuments, r.Corpus.describeDuplicates())
	row("queries", r.Queries.Queries, fmt.Sprintf("in %d lines, %d with judgments", r.Queries.Lines, r.Queries.Judged))
	row("judgments", r.Judgments.Judgments, r.Judgments.describe())
	if r.Queries.Excluded > 0 {
		row("excluded documents", r.Queries.Excluded, "pairs of a query and a document")
	}
	if _, err := counts.WriteTo(&b); err != nil {
		return err
	}

	b.WriteByte('\n')
	lengths := table.New("", table.Column{Title: "length"}, table.Column{Title: "mean", Align: table.Right}, table.Column{Title: "median", Align: table.Right},
		table.Column{Title: "95 %", Align: table.Right}, table.Column{Title: "longest", Align: table.Right}, table.Column{Title: "its id"})
	for _, l := range []struct {
		what string
		l    Lengths
	}{
		{"words a document", r.Corpus.Words}, {"characters a document", r.Corpus.Characters},
		{"words a query", r.Queries.Words}, {"characters a query", r.Queries.Characters},
	} {
		lengths.Row(l.what, strconv.FormatFloat(l.l.Mean, 'f', 1, 64), strconv.Itoa(l.l.Median), strconv.Itoa(l.l.P95), strconv.Itoa(l.l.Max), shown(l.l.LongestID))
	}
	if _, err := lengths.WriteTo(&b); err != nil {
		return err
	}

	b.WriteByte('\n')
	if len(r.Recorded) == 0 {
		b.WriteString("no recorded answers\n")
	} else {
		recorded := table.New("", table.Column{Title: "recorded answers"}, table.Column{Title: "answers", Align: table.Right},
			table.Column{Title: "missing", Align: table.Right}, table.Column{Title: "empty", Align: table.Right},
			table.Column{Title: "other wording", Align: table.Right}, table.Column{Title: "other queries", Align: table.Right})
		for _, rec := range r.Recorded {
			recorded.Row(shown(rec.Method+"/"+rec.Model), strconv.Itoa(rec.Answers), strconv.Itoa(rec.Missing), strconv.Itoa(rec.Empty), strconv.Itoa(rec.Changed),
				strconv.Itoa(rec.Unknown))
		}
		if _, err := recorded.WriteTo(&b); err != nil {
			return err
		}
	}

	b.WriteByte('\n')
	if len(r.Findings) == 0 {
		b.WriteString("nothing odd was found\n")
	}
	for _, f := range r.Findings {
		kind := "note"
		if f.Conflict {
			kind = "ERROR"
		}
		fmt.Fprintf(&b, "%s: %s: %d\n", kind, f.What, f.Count)
		for _, item := range f.Items[:min(shownItems, len(f.Items))] {
			fmt.Fprintf(&b, "  %s\n", shown(item))
		}
		if more := f.Count - shownItems; more > 0 && len(f.Items) > shownItems {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shown makes one short line of an id or item: data must not steer the terminal or fill it.
func shown(item string) string {
	const most = 200
	if utf8.RuneCountInString(item) > most {
		item = string([]rune(item)[:most]) + "..."
	}
	if strings.ContainsFunc(item, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(item)
	}
	return item
}

func (c CorpusReport) describeDuplicates() string {
	if c.DuplicateDocuments == 0 {
		return ""
	}
	return fmt.Sprintf("texts that stand under several ids: %d, with a judged id among them: %d", c.DuplicateGroups, c.DuplicatesJudged)
}

func (j JudgmentReport) describe() string {
	var grades []string
	for _, g := range slices.Sorted(maps.Keys(j.Grades)) {
		grades = append(grades, fmt.Sprintf("%d of grade %d", j.Grades[g], g))
	}
	if len(grades) == 0 {
		return ""
	}
	return fmt.Sprintf("%s; %.1f relevant a query, at most %d", strings.Join(grades, ", "), j.PositiveMean, j.PositiveMax)
}
