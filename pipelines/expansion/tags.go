package expansion

import (
	"strings"
	"unicode/utf8"
)

// thinkTags are the names that models give to the tags around their reasoning.
func thinkTags(name string) bool {
	switch strings.ToLower(name) {
	case "think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "seed:think":
		return true
	}
	return false
}

func answerTags(name string) bool { return strings.EqualFold(name, "answer") }

// tag is an opening or closing tag in a text.
type tag struct {
	start, end int
	closing    bool
	lineStart  bool // nothing but white space stands before it on its line
	sentence   bool // it stands where a sentence could start: at the start of a line or after a mark that ends one
	partner    int  // of an opening tag: index of the closing tag that it pairs with when all tags are nested properly, else -1
}

// findTags returns the tags whose name is wanted, in order: <name>, [NAME] and ◁name▷, opening and closing, and the tokens
// <|begin_of_name|> and <|end_of_name|>. A tag in quotes or backticks is spoken about and is not returned.
func findTags(text string, wanted func(name string) bool) []tag {
	var tags []tag
	for i := 0; i < len(text); {
		j := strings.IndexAny(text[i:], "<[◁")
		if j < 0 {
			break
		}
		i += j
		t, ok := parseTag(text, i, wanted)
		if !ok {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		if !quoted(text, t) {
			t.lineStart, t.sentence = position(text, t.start)
			t.partner = -1
			tags = append(tags, t)
		}
		i = t.end
	}
	return tags
}

// maxTag bounds the length of a tag, so that a text of many "<" is read in linear time.
const maxTag = 200

func parseTag(text string, start int, wanted func(string) bool) (tag, bool) {
	opening, size := utf8.DecodeRuneInString(text[start:])
	rest := text[start+size:]
	if len(rest) > maxTag {
		rest = rest[:maxTag]
	}
	var closer string
	switch opening {
	case '<':
		closer = ">"
	case '[':
		closer = "]"
	default:
		closer = "▷"
	}
	inside, _, ok := strings.Cut(rest, closer)
	if !ok {
		return tag{}, false
	}
	t := tag{start: start, end: start + size + len(inside) + len(closer)}
	name := strings.TrimFunc(inside, blank)
	if opening == '<' && len(name) > 2 && name[0] == '|' && name[len(name)-1] == '|' {
		name = strings.ToLower(name[1 : len(name)-1])
		if after, isEnd := strings.CutPrefix(name, "end_of_"); isEnd {
			t.closing, name = true, after
		} else if name, ok = strings.CutPrefix(name, "begin_of_"); !ok {
			return tag{}, false
		}
		return t, wanted(name)
	}
	if after, isClosing := strings.CutPrefix(name, "/"); isClosing {
		t.closing, name = true, strings.TrimLeftFunc(after, blank)
	}
	attributes := ""
	if i := strings.IndexFunc(name, blank); i >= 0 {
		name, attributes = name[:i], strings.TrimFunc(name[i:], blank)
	}
	// "[thinking about it]" and "<thought of as a cause>" are words in brackets.
	if attributes != "" && !strings.Contains(attributes, "=") {
		return tag{}, false
	}
	if opening == '[' && name != strings.ToUpper(name) {
		return tag{}, false
	}
	return t, wanted(name)
}

// quoted tells whether quotation marks or backticks stand on both sides of the tag.
func quoted(text string, t tag) bool {
	const marks = "`\"'“”‘’«»"
	before, _ := utf8.DecodeLastRuneInString(text[:t.start])
	after, _ := utf8.DecodeRuneInString(text[t.end:])
	return strings.ContainsRune(marks, before) && strings.ContainsRune(marks, after) && t.start > 0 && t.end < len(text)
}

func position(text string, at int) (lineStart, sentence bool) {
	// Only white space within a bounded distance is skipped, which keeps the whole scan linear.
	for i := at; i > 0 && at-i < maxTag; {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		switch {
		case r == '\n' || r == '\r':
			return true, true
		case !blank(r):
			return false, strings.ContainsRune(".!?:;…>", r)
		}
		i -= size
		if i == 0 {
			return true, true
		}
	}
	return at == 0, at == 0
}

// cutTags takes everything between think tags out of a text. The rules for texts in which tags stand alone or are spoken about:
//
//   - A closing tag that no opening one belongs to ends reasoning that goes back to the start of the text, as the chat template then
//     holds the opening tag. Once a block of reasoning has ended, such a tag counts only at the start of a line, since an answer may
//     mention it.
//   - An opening tag that is never closed means that the text was cut off, unless it stands in the middle of a sentence, or anywhere
//     but at the start of a line once a block has ended: then the text talks about it.
//   - An opening tag in the middle of a sentence before the first block is part of reasoning whose own opening tag is missing.
//   - Opening tags inside reasoning nest if they stand at the start of a line and there are closing tags enough; otherwise the first
//     closing tag ends the block, as for a model that repeats the opening tag of its template.
//   - Any of the names closes any other.
func cutTags(text string) (string, []string, error) {
	tags := findTags(text, thinkTags)
	if len(tags) == 0 {
		return text, nil, nil
	}
	pairTags(tags)
	nextClosing := make([]int, len(tags)+1) // index of the first closing tag from there on
	nextClosing[len(tags)] = -1
	for i := len(tags) - 1; i >= 0; i-- {
		nextClosing[i] = nextClosing[i+1]
		if tags[i].closing {
			nextClosing[i] = i
		}
	}
	var answer, reasoning []string
	from, blocks := 0, 0
	for i := 0; i < len(tags); i++ {
		t := tags[i]
		if t.closing {
			if blocks == 0 || t.lineStart {
				reasoning = append(reasoning, text[from:t.start])
				from = t.end
				blocks++
			}
			continue
		}
		if blocks == 0 && !t.sentence {
			continue
		}
		end := t.partner
		if end < 0 {
			end = nextClosing[i+1]
		}
		if end < 0 {
			if t.lineStart || blocks == 0 {
				return "", nil, errCutOffInReasoning
			}
			continue
		}
		answer = append(answer, text[from:t.start])
		reasoning = append(reasoning, text[t.end:tags[end].start])
		from = tags[end].end
		blocks++
		i = end
	}
	if blocks == 0 {
		return text, nil, nil
	}
	return joinPieces(append(answer, text[from:])), reasoning, nil
}

// pairTags sets the partners of opening tags at the start of lines, as brackets are paired.
func pairTags(tags []tag) {
	var open []int
	for i, t := range tags {
		switch {
		case !t.closing && t.lineStart:
			open = append(open, i)
		case t.closing && len(open) > 0:
			tags[open[len(open)-1]].partner = i
			open = open[:len(open)-1]
		}
	}
}
