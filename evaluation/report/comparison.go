package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ddx-rag/ddx/evaluation"
	"github.com/ddx-rag/ddx/internal/table"
)

// Comparison writes the measures of two runs with the paired difference, and the queries on which B won and lost most, top of each.
func Comparison(w io.Writer, c *evaluation.Comparison, top int) error {
	var b strings.Builder
	where := ""
	if c.Dataset != "" {
		where = " on " + c.Dataset
	}
	fmt.Fprintf(&b, "A: %s\nB: %s\n%s%s; differences are B - A\n\n", c.A, c.B, count(c.Queries, "judged query", "judged queries"), where)
	t := table.New("", table.Column{Title: "measure"}, table.Column{Title: "A", Align: table.Right}, table.Column{Title: "B", Align: table.Right},
		table.Column{Title: "difference", Align: table.Right}, table.Column{Title: "95 % interval"},
		table.Column{Title: "p", Align: table.Right}, table.Column{Title: "won/tied/lost", Align: table.Right})
	for _, m := range c.Measures {
		t.Row(m.Measure, fixed(m.A), fixed(m.B), signed(m.Gain.Mean), interval(m.Gain), pValue(m.Gain.P),
			fmt.Sprintf("%d/%d/%d", m.Gain.Wins, m.Gain.Ties, m.Gain.Losses))
	}
	_, _ = t.WriteTo(&b)
	fmt.Fprintf(&b, "\n%s; not adjusted for the number of measures.\n", evaluation.StatisticsNote(1))
	if len(c.Measures) > 0 {
		wins := slices.Clone(c.PerQuery)
		slices.SortStableFunc(wins, func(x, y evaluation.QueryComparison) int {
			return cmp.Or(cmp.Compare(y.Difference, x.Difference), cmp.Compare(x.ID, y.ID))
		})
		largest(&b, "largest wins of B in "+c.Measures[0].Measure, wins, top, func(d float64) bool { return d > 0 })
		largest(&b, "largest losses of B in "+c.Measures[0].Measure, c.PerQuery, top, func(d float64) bool { return d < 0 })
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func largest(b *strings.Builder, title string, queries []evaluation.QueryComparison, top int, counts func(float64) bool) {
	t := table.New("  ", table.Column{Title: "query"}, table.Column{Title: "A", Align: table.Right}, table.Column{Title: "B", Align: table.Right},
		table.Column{Title: "difference", Align: table.Right})
	n := 0
	for _, q := range queries {
		if counts(q.Difference) && n < top {
			t.Row(plain(q.ID), fixed(q.A), fixed(q.B), signed(q.Difference))
			n++
		}
	}
	if n == 0 {
		fmt.Fprintf(b, "\n%s: none\n", title)
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	_, _ = t.WriteTo(b)
}

func fixed(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
