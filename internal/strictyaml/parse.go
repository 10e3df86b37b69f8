package strictyaml

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	maxSize  = 128 << 10 // bytes; the YAML library needs time quadratic in the number of keys, here a second at worst
	maxDepth = 50
)

// Parse reads exactly one YAML document. The file's name is for messages. The error is an *Error, or Errors if there are several problems.
func Parse(file string, src []byte) (root *Node, err error) {
	start := Pos{File: file, Line: 1, Col: 1}
	if len(src) > maxSize {
		return nil, &Error{Pos: start, Message: fmt.Sprintf("the file has %d bytes; a configuration file may have %d", len(src), maxSize)}
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	src = bytes.ReplaceAll(src, []byte("\r"), []byte("\n")) // also a line break in YAML
	if problem := checkCharacters(file, src); problem != nil {
		return nil, problem
	}
	if !bytes.HasSuffix(src, []byte("\n")) {
		src = append(bytes.Clone(src), '\n') // without it the library loses a tag that ends the file
	}
	// The YAML library can panic on malformed input; at this one border a panic becomes an error. Running out of stack or memory could not be
	// caught, hence the check of the depth before its recursive parser starts.
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, &Error{Pos: start, Message: "not readable as YAML"}
		}
	}()
	text := source{file: file}
	for line := range bytes.Lines(src) {
		text.lines = append(text.lines, []rune(string(line)))
	}
	tokens := lexer.Tokenize(string(src))
	if err := text.checkTokens(tokens); err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, text.syntaxError(err)
	}
	for _, d := range parsed.Docs {
		if _, comment := d.Body.(*ast.CommentGroupNode); d.Body == nil || comment {
			continue
		}
		if root != nil {
			return nil, &Error{Pos: text.place(d.Body.GetToken()), Message: "a second document starts here; a file holds one"}
		}
		c := converter{source: text}
		root = c.convert(d.Body, 0)
		if err := Join(c.problems...); err != nil {
			return nil, err
		}
	}
	if root == nil {
		return nil, &Error{Pos: start, Message: "the file is empty"}
	}
	return root, nil
}

// checkCharacters refuses what YAML does not allow in a file: bytes that are not UTF-8, and control characters.
func checkCharacters(file string, src []byte) error {
	p := Pos{File: file, Line: 1}
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		p.Col++
		switch {
		case r == '\n':
			p.Line, p.Col = p.Line+1, 0
		case r == utf8.RuneError && size == 1:
			return &Error{Pos: p, Message: fmt.Sprintf("the byte 0x%02X is not UTF-8", src[0]), Hint: "save the file as UTF-8"}
		case unicode.IsControl(r) && r != '\t':
			return &Error{Pos: p, Message: fmt.Sprintf("the control character %U is not allowed", r), Hint: `in double quotes it can be written as an escape, for example "\u0001"`}
		}
		src = src[size:]
	}
	return nil
}

// checkTokens refuses what the format leaves out and what is nested too deeply, before the library's parser sees it.
func (s source) checkTokens(tokens token.Tokens) error {
	var problems []error
	fail := func(t *token.Token, message, hint string) {
		problems = append(problems, &Error{Pos: s.place(t), Message: message, Hint: hint})
	}
	var before *token.Token // the last token that is not a comment
	var indents []int       // columns where the open block lists and mappings start
	flow := 0               // open brackets
	begun, ended := false, false
	for _, t := range tokens {
		column := 0
		switch t.Type {
		case token.CommentType:
			continue
		case token.InvalidType: // the parser will tell; what follows is not to be trusted
			return Join(problems...)
		case token.DocumentEndType:
			ended = true
			continue
		case token.DocumentHeaderType:
			ended = begun
			begun = true
			continue
		case token.DirectiveType:
			if t.Position.Column == 1 {
				fail(t, "directives (%NAME) are not supported", "leave the line out")
				return Join(problems...)
			}
			fail(t, "text cannot start with %", "put quotes around it")
		case token.AnchorType:
			fail(t, "anchors (&name) are not supported", "write the value out, or put quotes around text that starts with &")
		case token.AliasType:
			fail(t, "aliases (*name) are not supported", "write the value out, or put quotes around text that starts with *")
		case token.TagType:
			fail(t, "tags (!name) are not supported", "leave the tag out, or put quotes around text that starts with !")
		case token.MergeKeyType:
			fail(t, "merge keys (<<) are not supported", "write the values out")
		case token.MappingKeyType:
			fail(t, "keys marked with ? are not supported", "write `key: value`")
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.SequenceEntryType:
			column = t.Position.Column
		case token.MappingValueType:
			column = t.Position.Column
			if before != nil && before.Position.Line == t.Position.Line {
				column = before.Position.Column
			}
		}
		if ended {
			fail(t, "a second document starts here; a file holds one", "")
			return Join(problems...)
		}
		block := before != nil && (before.Type == token.LiteralType || before.Type == token.FoldedType)
		if !block && hasTab(t) {
			// The library does not count a tab as a column and drops it from plain text; after one in quotes it even reads another structure.
			fail(t, "a tab stands here", `use spaces, or write \t in double quotes`)
			return Join(problems...)
		}
		begun, before = true, t
		if column > 0 && flow == 0 {
			for len(indents) > 0 && indents[len(indents)-1] > column {
				indents = indents[:len(indents)-1]
			}
			if len(indents) == 0 || indents[len(indents)-1] < column {
				indents = append(indents, column)
			}
		}
		if flow+len(indents) > maxDepth {
			fail(t, fmt.Sprintf("values are nested deeper than %d levels", maxDepth), "")
			return Join(problems...)
		}
	}
	return Join(problems...)
}

// source is the file, by lines, for the places of tokens.
type source struct {
	file  string
	lines [][]rune
}

// place is where a token starts. The library's places are wrong for a plain value that is followed by spaces or continued by a line with a dash, so
// these are looked up: a plain value starts at the first character after the sign before it, a key at that of its line.
func (s source) place(t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{File: s.file, Line: 1, Col: 1}
	}
	p := Pos{File: s.file, Line: t.Position.Line, Col: t.Position.Column}
	if !plainText(t) || t.Value == "" {
		return p
	}
	line, col := p.Line, 0 // col characters of the line stand before
	before := t.Prev
	for before != nil && before.Type == token.CommentType {
		before = before.Prev
	}
	switch {
	case before == nil:
	case isSign(before):
		line, col = before.Position.Line, before.Position.Column
	case before.Position.Line == line:
		return p
	}
	for ; line <= len(s.lines); line, col = line+1, 0 {
		text := s.lines[line-1]
		for col < len(text) && unicode.IsSpace(text[col]) {
			col++
		}
		if col < len(text) && text[col] != '#' {
			if first, _ := utf8.DecodeRuneInString(t.Value); text[col] == first {
				p.Line, p.Col = line, col+1
			}
			break
		}
	}
	return p
}

func plainText(t *token.Token) bool {
	switch t.Type {
	case token.StringType, token.BoolType, token.NullType, token.IntegerType, token.FloatType, token.BinaryIntegerType, token.OctetIntegerType,
		token.HexIntegerType, token.InfinityType, token.NanType:
		return true
	}
	return false
}

// hasTab tells whether there is a tab in a token or before it. One that ends the line does no harm.
func hasTab(t *token.Token) bool {
	text := t.Origin
	if t.Next == nil || t.Next.Type == token.CommentType || t.Next.Position.Line > t.Position.Line {
		text = strings.TrimRight(text, " \t\n")
	}
	return strings.Contains(text, "\t")
}

func quotedText(t *token.Token) bool {
	return t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
}

// isSign tells whether a token is one character that a value can follow.
func isSign(t *token.Token) bool {
	switch t.Type {
	case token.MappingValueType, token.SequenceEntryType, token.CollectEntryType, token.SequenceStartType, token.MappingStartType:
		return true
	}
	return false
}

// swallowed finds a list item that YAML reads as part of the plain text in the line above, because it is indented deeper.
func (s source) swallowed(start Pos, text string) (Pos, bool) {
	if start.Line >= len(s.lines) || start.Col > len(s.lines[start.Line-1]) {
		return Pos{}, false
	}
	first := strings.TrimSpace(string(s.lines[start.Line-1][start.Col-1:]))
	if rest, continued := strings.CutPrefix(text, first); !continued || !strings.HasPrefix(rest, " - ") {
		return Pos{}, false
	}
	next := s.lines[start.Line]
	dash := slices.IndexFunc(next, func(r rune) bool { return !unicode.IsSpace(r) })
	return Pos{File: s.file, Line: start.Line + 1, Col: dash + 1}, true
}

// converter turns the library's tree into nodes.
type converter struct {
	source
	problems []error
}

func (c *converter) fail(p Pos, format string, args ...any) {
	c.problems = append(c.problems, &Error{Pos: p, Message: fmt.Sprintf(format, args...)})
}

func (c *converter) convert(n ast.Node, depth int) *Node {
	out := &Node{pos: c.place(n.GetToken())}
	if depth > maxDepth {
		c.fail(out.pos, "values are nested deeper than %d levels", maxDepth)
		return out
	}
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		c.mapping(out, n.Values, depth)
	case *ast.MappingValueNode:
		c.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = Sequence
		for i, v := range n.Values {
			item := c.convert(v, depth+1)
			if i < len(n.Entries) && !n.IsFlowStyle {
				dash := c.place(n.Entries[i].Start)
				if implicit(v) {
					item.pos = dash
				} else if item.pos.Line > dash.Line && item.pos.Col <= dash.Col {
					// After an empty item and a comment the library takes the next key for the item's.
					c.fail(dash, "this list item has no value")
				}
			}
			out.items = append(out.items, item)
		}
	case *ast.LiteralNode:
		out.kind, out.quoted, out.text = Scalar, true, n.Value.Value
	case ast.ScalarNode:
		t := n.GetToken()
		out.kind, out.text = Scalar, t.Value
		out.quoted = quotedText(t)
		if p, ok := c.swallowed(out.pos, t.Value); !out.quoted && ok {
			c.problems = append(c.problems, &Error{Pos: p, Message: "this list item would become part of the text above it",
				Hint: "align its dash with the others, or put quotes around the text"})
		}
	default:
		c.fail(out.pos, "%s is not supported here", strings.ToLower(n.Type().String()))
	}
	return out
}

func (c *converter) mapping(out *Node, values []*ast.MappingValueNode, depth int) {
	out.kind = Mapping
	first := map[string]Pos{}
	for _, v := range values {
		key := c.convert(v.Key, depth+1)
		if key.kind != Scalar {
			c.fail(key.pos, "a key must be a word, not %s", key.describe())
			continue
		}
		if p, twice := first[key.text]; twice {
			c.fail(key.pos, "the key %s was given before, in line %d", quote(key.text), p.Line)
			continue
		}
		first[key.text] = key.pos
		value := c.convert(v.Value, depth+1)
		if implicit(v.Value) {
			value.pos = key.pos
		}
		out.entries = append(out.entries, Entry{Key: key.text, KeyPos: key.pos, Value: value})
		out.pos = out.entries[0].KeyPos
	}
}

// implicit tells whether a value is not written at all, and thus has no place of its own.
func implicit(n ast.Node) bool {
	null, ok := n.(*ast.NullNode)
	return ok && null.Token.Type == token.ImplicitNullType
}
