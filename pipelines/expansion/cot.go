package expansion

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

func cot() Method {
	return Method{
		Name:    "cot",
		Summary: "thinking step by step about the query, then a search query of the model's own",
		Source: "chain of thought: Wei et al., NeurIPS 2022; for query expansion: Jagerman et al., " +
			"Query Expansion by Prompting Large Language Models, 2023",
		Read: readCoT,
	}
}

// readCoT takes what follows the last "Search query:" as the text to search with, and what stands before it as reasoning. The label
// may be in any case, in bold or a heading, and the query behind it in quotation marks, in a fence or on the next lines; it ends at a
// blank line. An answer without the label is searched as a whole, with a warning. The error wraps ErrCutOff where the last label has
// nothing behind it.
func readCoT(text string) (Answer, error) {
	p, err := split(text)
	if err != nil {
		return Answer{}, err
	}
	if p.answer == "" {
		return Answer{}, blankAnswer(text)
	}
	before, query, found := cutSearchQuery(p.answer)
	switch {
	case found && query == "":
		return Answer{}, fmt.Errorf("%w before its search query", ErrCutOff)
	case found:
		return Answer{Searches: []Search{{Text: query, Weight: 1}}, Reasoning: joinPieces(append(p.reasoning, before))}, nil
	case p.thinkingOnly:
		// A section "Thinking" is ended by the label too, but there is none.
		return Answer{}, errCutOffInReasoning
	}
	return Answer{
		Searches:  []Search{{Text: p.answer, Weight: 1}},
		Reasoning: joinPieces(p.reasoning),
		Warnings:  []string{`there is no "Search query:" in the answer; all of it is searched`},
	}, nil
}

// cutSearchQuery finds the last label and the query behind it.
func cutSearchQuery(text string) (before, query string, found bool) {
	from, to := -1, 0
	for at := 0; ; {
		i := indexFold(text[at:], "search")
		if i < 0 {
			break
		}
		start := at + i
		at = start + len("search")
		if end, ok := labelEnd(text, at); ok {
			from, to = start, end
		}
	}
	if from < 0 {
		return "", "", false
	}
	before = strings.TrimRightFunc(text[:from], func(r rune) bool { return blank(r) || strings.ContainsRune("#*_-", r) })
	return before, cleanQuery(text[to:]), true
}

// labelEnd reads the rest of the label behind "search": "query" or "queries", what decorates it, and a colon. Where nothing else stands
// on its line, the end of the line or a dash will do.
func labelEnd(text string, at int) (int, bool) {
	parting := func(r rune) bool { return r == '_' || r == '-' || blank(r) && r != '\n' }
	s := strings.TrimLeftFunc(text[at:], parting)
	if len(s) == len(text)-at {
		return 0, false
	}
	known := false
	for _, word := range [...]string{"query", "queries"} {
		if len(s) >= len(word) && strings.EqualFold(s[:len(word)], word) {
			s, known = s[len(word):], true
			break
		}
	}
	if !known {
		return 0, false
	}
	s = strings.TrimLeftFunc(strings.TrimLeft(s, "*_`\""), func(r rune) bool { return blank(r) && r != '\n' })
	if rest := cutColon(s); rest != s {
		return len(text) - len(strings.TrimLeft(rest, "*_")), true
	}
	if s != "" && strings.ContainsRune("\n-–—", firstRune(s)) && decorationOnly(text, at-len("search")) {
		return len(text) - len(strings.TrimLeft(s, "-–—")), true
	}
	return 0, false
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// decorationOnly tells whether nothing but the marks of headings, lists and bold print stands before the position on its line.
func decorationOnly(text string, at int) bool {
	const bound = 200 // looked back at most, so that a long line of labels is read in linear time
	for i := at; i > 0 && at-i < bound; {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		switch {
		case r == '\n':
			return true
		case !blank(r) && !strings.ContainsRune("#*_->`\"", r):
			return false
		}
		i -= size
		if i == 0 {
			return true
		}
	}
	return at == 0
}

// cleanQuery takes the first paragraph of what follows the label, on one line and without what is put around a query.
func cleanQuery(s string) string {
	s = trim(s)
	if rest, ok := strings.CutPrefix(s, "```"); ok {
		s, _, _ = strings.Cut(rest, "```")
		// What follows the opening marks on their line is the name of a language.
		if _, body, ok := strings.Cut(s, "\n"); ok {
			s = body
		}
		s = trim(s)
	}
	var lines []string
	for line := range strings.Lines(s) {
		if line = trim(line); line == "" {
			break
		}
		for _, bullet := range [...]string{"- ", "* ", "• "} {
			line = strings.TrimPrefix(line, bullet)
		}
		lines = append(lines, line)
	}
	query := strings.Join(lines, " ")
	if strings.Count(query, "**") == 1 {
		query = strings.TrimSuffix(query, "**") // the bold print started before the label
	}
	return unwrap(query)
}

// unwrap takes off marks that stand around the whole text: quotation marks, backticks, bold print.
func unwrap(s string) string {
	for {
		before := s
		s = trim(s)
		for _, marks := range [...][2]string{
			{`"`, `"`}, {"“", "”"}, {"'", "'"}, {"‘", "’"}, {"«", "»"}, {"`", "`"}, {"**", "**"}, {"*", "*"},
		} {
			inner, ok := strings.CutPrefix(s, marks[0])
			if !ok {
				continue
			}
			inner, ok = strings.CutSuffix(inner, marks[1])
			// Marks of the same kind inside are pairs of their own: "a" AND "b".
			if ok && !strings.Contains(inner, marks[0]) && !strings.Contains(inner, marks[1]) {
				s = inner
				break
			}
		}
		if s == before {
			return s
		}
	}
}

// indexFold is strings.Index for an ASCII word in any case.
func indexFold(s, word string) int {
	first := word[:1] + strings.ToUpper(word[:1])
	for at := 0; ; at++ {
		i := strings.IndexAny(s[at:], first)
		if i < 0 {
			return -1
		}
		at += i
		if len(s)-at >= len(word) && strings.EqualFold(s[at:at+len(word)], word) {
			return at
		}
	}
}
