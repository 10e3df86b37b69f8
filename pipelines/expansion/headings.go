package expansion

import "strings"

// cutHeadings cuts a text with the headings "Thinking" and "Final Response". Without the latter all of the text is after, and
// thinking tells whether the text starts with the former.
func cutHeadings(text string) (before, after string, thinking bool) {
	firstLine, rest, _ := strings.Cut(text, "\n")
	h, ok := parseHeading(firstLine, "thinking")
	thinking = ok && (h.marked || h.colon || trim(h.rest) == "")
	if thinking {
		text = h.rest + "\n" + rest
		if trim(h.rest) == "" {
			text = rest
		}
	}
	last, lastEnd := -1, 0
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		if h, ok := parseHeading(line, "final response"); ok {
			// Without marks, the words count only where the model is known to write in sections and they stand as a heading would.
			if h.marked || thinking && (h.colon || trim(h.rest) == "") {
				last, lastEnd = at, at+len(line)-len(h.rest)
			}
		}
		at += len(line) + 1
	}
	if last < 0 {
		return "", text, thinking
	}
	return text[:last], text[lastEnd:], false
}

// heading is a line that starts with a known title.
type heading struct {
	marked bool   // it has the marks of a heading or stands in bold
	colon  bool   // a colon follows the title
	rest   string // of the line, after the title and what decorates it
}

// parseHeading reads a line as the given title (in lower case, words parted by one space), in any case and with any of the usual
// decoration: "## Title", "**Title:** rest", "__title__", "Title: rest". Words behind the title need a colon or the end of the bold
// print between, so "## Final response rates" is another title.
func parseHeading(line, title string) (heading, bool) {
	var h heading
	s := trimLeft(line)
	hashes := len(s)
	s = strings.TrimLeft(s, "#")
	hashes -= len(s)
	s = trimLeft(s)
	bold := len(s)
	s = strings.TrimLeft(s, "*_")
	bold -= len(s)
	if bold > 0 && trimLeft(s) != s {
		return heading{}, false // the bullet of a list
	}
	h.marked = hashes > 0 || bold > 0
	for i, word := range strings.Fields(title) {
		if i > 0 {
			t := trimLeft(s)
			if len(t) == len(s) {
				return heading{}, false
			}
			s = t
		}
		if len(s) < len(word) || !strings.EqualFold(s[:len(word)], word) {
			return heading{}, false
		}
		s = s[len(word):]
	}
	closed := bold == 0
	for {
		if t := strings.TrimLeft(s, "*_"); !closed && t != s {
			s, closed = t, true
			continue
		}
		if t := trimLeft(s); !h.colon && cutColon(t) != t {
			s, h.colon = cutColon(t), true
			continue
		}
		break
	}
	h.rest = s
	blankRest := trim(strings.TrimRight(trim(s), "#")) == ""
	if blankRest {
		h.rest = s[len(s):]
	}
	if !blankRest && !h.colon && !(bold > 0 && closed) {
		return heading{}, false
	}
	return h, true
}

func trimLeft(s string) string { return strings.TrimLeftFunc(s, blank) }

func cutColon(s string) string {
	for _, colon := range []string{":", "：", "﹕"} {
		if rest, ok := strings.CutPrefix(s, colon); ok {
			return rest
		}
	}
	return s
}
