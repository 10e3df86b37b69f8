package expansion

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// ErrCutOff is wrapped by errors about an answer that ends too early: what it holds is half a thought or half a value. Asking again
// with a larger budget may help.
var ErrCutOff = errors.New("the answer was cut off")

var errCutOffInReasoning = fmt.Errorf("%w inside its reasoning; nothing of it is searched", ErrCutOff)

// SplitReasoning parts what a reasoning model wrote into the answer and the thinking around it. Both are trimmed; several pieces of
// one kind are joined by a blank line. A text in no known format is all answer. The answer can be blank.
//
// The formats, in the order in which they are looked for; each one is looked for in what the one before it left as answer:
//
//  1. Channels of gpt-oss: the answer is the last message on the channel "final"; other channels are reasoning. Also the form that is
//     left when a server drops the special tokens ("analysis...assistantfinal...").
//  2. A solution between <|begin_of_solution|> and <|end_of_solution|> (the last one); all before it is reasoning.
//  3. Think tags (see cutTags): <think> and its kin in any case, with attributes and white space. A closing tag without an opening
//     one, as left when the chat template holds the opening tag, ends the reasoning that the text starts with.
//  4. A heading "Final Response" in any level of heading or in bold, the last one; all before it is reasoning. After a heading
//     "Thinking" at the start of the text it needs no such marks.
//  5. <answer> tags: the last complete pair that is not empty; all around it is reasoning.
//
// The error wraps ErrCutOff where the text ends inside its reasoning: a think tag or channel is open, or there is a heading
// "Thinking" but nothing that ends it.
func SplitReasoning(text string) (answer, reasoning string, err error) {
	p, err := split(text)
	if err != nil {
		return "", trim(text), err
	}
	if p.thinkingOnly {
		return "", joinPieces(append(p.reasoning, p.answer)), errCutOffInReasoning
	}
	return p.answer, joinPieces(p.reasoning), nil
}

// parts is a text taken apart.
type parts struct {
	answer       string
	reasoning    []string
	thinkingOnly bool // answer is a section headed "Thinking" that no known heading ends
}

func split(text string) (parts, error) {
	p := parts{answer: trim(text)}
	for _, cut := range []func(string) (string, []string, error){cutChannels, cutSolution, cutTags} {
		answer, reasoning, err := cut(p.answer)
		if err != nil {
			return parts{}, err
		}
		p.answer = trim(answer)
		p.reasoning = append(p.reasoning, reasoning...)
	}
	before, after, thinking := cutHeadings(p.answer)
	if before != "" {
		p.reasoning = append(p.reasoning, before)
	}
	p.answer = trim(after)
	if answer, reasoning, ok := cutAnswerTags(p.answer); ok {
		p.answer = trim(answer)
		p.reasoning = append(p.reasoning, reasoning...)
		thinking = false
	}
	p.thinkingOnly = thinking
	return p, nil
}

// trim takes white space off both ends, and the characters without width that models and editors leave there.
func trim(s string) string { return strings.TrimFunc(s, blank) }

func blank(r rune) bool {
	switch r {
	case '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff':
		return true
	}
	return unicode.IsSpace(r)
}

func joinPieces(pieces []string) string {
	var kept []string
	for _, p := range pieces {
		if p = trim(p); p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n\n")
}

const (
	channelToken = "<|channel|>"
	messageToken = "<|message|>"
)

// cutChannels takes the final channel out of a text in the response format of gpt-oss.
func cutChannels(text string) (string, []string, error) {
	if !strings.Contains(text, channelToken) {
		// With special tokens dropped, only the names of the channels and of the role are left, glued to the text.
		const start, end = "analysis", "assistantfinal"
		if rest, ok := strings.CutPrefix(text, start); ok {
			if i := strings.LastIndex(rest, end); i >= 0 {
				return rest[i+len(end):], []string{rest[:i]}, nil
			}
		}
		return text, nil, nil
	}
	before, rest, _ := strings.Cut(text, channelToken)
	before, _, _ = strings.Cut(before, "<|start|>")
	reasoning := []string{strings.TrimSuffix(trim(before), "<|end|>")}
	answer, found := "", false
	for _, block := range strings.Split(rest, channelToken) {
		// The header between the tokens is the channel's name, at times with a recipient or a format behind it.
		header, message, _ := strings.Cut(block, messageToken)
		for _, token := range []string{"<|end|>", "<|return|>", "<|call|>", "<|start|>"} {
			message, _, _ = strings.Cut(message, token)
		}
		if name := strings.Fields(header); len(name) > 0 && strings.EqualFold(name[0], "final") {
			answer, found = message, true
		} else {
			reasoning = append(reasoning, message)
		}
	}
	if !found {
		return "", nil, errCutOffInReasoning
	}
	return answer, reasoning, nil
}

// cutSolution takes the last solution out of a text with begin- and end-of-solution tokens. An end token that is missing was cut off
// with the end of the answer, a begin token that is missing stands in the chat template.
func cutSolution(text string) (string, []string, error) {
	const begin, end = "<|begin_of_solution|>", "<|end_of_solution|>"
	if i := strings.LastIndex(text, begin); i >= 0 {
		answer, _, _ := strings.Cut(text[i+len(begin):], end)
		return answer, withoutTags(text[:i]), nil
	}
	if i := strings.LastIndex(text, end); i >= 0 {
		return text[:i], nil, nil
	}
	return text, nil, nil
}

// withoutTags returns what stands around the think tags of a text that is all reasoning.
func withoutTags(text string) []string {
	var pieces []string
	from := 0
	for _, t := range findTags(text, thinkTags) {
		pieces = append(pieces, text[from:t.start])
		from = t.end
	}
	return append(pieces, text[from:])
}

// cutAnswerTags takes the last complete pair of answer tags that is not empty. Of a single tag only the tag is taken off, and only at
// the end of the text that it belongs to: its partner was cut off or stands in the chat template.
func cutAnswerTags(text string) (answer string, reasoning []string, ok bool) {
	tags := findTags(text, answerTags)
	open := -1
	var first, last tag
	for i, t := range tags {
		switch {
		case !t.closing:
			open = i
		case open >= 0:
			if trim(text[tags[open].end:t.start]) != "" {
				first, last, ok = tags[open], t, true
			}
			open = -1
		}
	}
	switch {
	case ok:
		return text[first.end:last.start], []string{text[:first.start], text[last.end:]}, true
	case len(tags) == 1 && !tags[0].closing && tags[0].start == 0:
		return text[tags[0].end:], nil, true
	case len(tags) == 1 && tags[0].closing && tags[0].end == len(text):
		return text[:tags[0].start], nil, true
	}
	return text, nil, false
}
