// Package table prints aligned plain-text tables.
package table

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Align says on which side of its column a cell stands.
type Align int

// The two sides.
const (
	Left Align = iota
	Right
)

// Column is one column of a table.
type Column struct {
	Title string
	Align Align
}

// Table collects rows until it is written. The zero value has no columns; use New.
type Table struct {
	columns []Column
	rows    [][]string
	indent  string
}

// New returns an empty table. Every line starts with indent.
func New(indent string, columns ...Column) *Table { return &Table{columns: columns, indent: indent} }

// Row adds a row. Cells that are left out are empty; a cell beyond the last column is written as it is at the end of the line.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// WriteTo writes the header, unless all titles are empty, and the rows. Columns stand two spaces apart; no line ends in a space.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	widths := make([]int, len(t.columns))
	header := make([]string, len(t.columns))
	titled := false
	for i, c := range t.columns {
		header[i] = c.Title
		widths[i] = utf8.RuneCountInString(c.Title)
		titled = titled || c.Title != ""
	}
	for _, row := range t.rows {
		for i, cell := range row[:min(len(row), len(widths))] {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	if titled {
		t.line(&b, header, widths)
	}
	for _, row := range t.rows {
		t.line(&b, row, widths)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (t *Table) line(b *strings.Builder, row []string, widths []int) {
	var line strings.Builder
	line.WriteString(t.indent)
	for i := range max(len(row), len(widths)) {
		var cell string
		if i < len(row) {
			cell = row[i]
		}
		if i > 0 {
			line.WriteString("  ")
		}
		if i >= len(widths) {
			line.WriteString(cell)
			continue
		}
		padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if t.columns[i].Align == Right {
			line.WriteString(padding + cell)
		} else {
			line.WriteString(cell + padding)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " "))
	b.WriteByte('\n')
}
