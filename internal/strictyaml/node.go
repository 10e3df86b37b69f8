// Package strictyaml decodes small YAML configuration files strictly: an unknown or repeated key, a value of the wrong type and a required
// key that is missing are all reported together, each as file:line:column with a hint. The syntax is read by goccy/go-yaml; anchors, aliases,
// tags and merge keys are refused, so that what is written is what is meant.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	maxSize  = 1 << 20
	maxDepth = 50
)

// Pos is a place in a file. Lines and columns count from 1, columns in characters.
type Pos struct {
	File      string
	Line, Col int
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Error is one problem at one place.
type Error struct {
	Pos
	Message string
	Hint    string // what to do about it; may be ""
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Pos.String() + ": " + e.Message
	}
	return e.Pos.String() + ": " + e.Message + "; " + e.Hint
}

// WithHint returns the error with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// Kind is what a node is.
type Kind int

// The kinds of nodes.
const (
	Null Kind = iota
	Scalar
	Sequence
	Mapping
)

// Node is a part of a parsed file.
type Node struct {
	pos     Pos
	kind    Kind
	text    string // of a scalar, as YAML reads it
	quoted  bool   // a scalar that can only be text
	entries []Entry
	items   []*Node
}

// Entry is one key of a mapping with its value.
type Entry struct {
	Key    string
	KeyPos Pos
	Value  *Node
}

// Pos is where the node starts.
func (n *Node) Pos() Pos { return n.pos }

// Kind is what the node is.
func (n *Node) Kind() Kind { return n.kind }

// Errorf returns a problem at the node's place.
func (n *Node) Errorf(format string, args ...any) *Error {
	return &Error{Pos: n.pos, Message: fmt.Sprintf(format, args...)}
}

// Child returns the value of a mapping's key or, where there is none, the node itself, so that a problem has a place in any case.
func (n *Node) Child(key string) *Node {
	for _, e := range n.entries {
		if e.Key == key {
			return e.Value
		}
	}
	return n
}

// Entries returns the entries of a mapping in the order of the file.
func (n *Node) Entries() ([]Entry, error) {
	if n.kind != Mapping {
		return nil, n.Errorf("expected keys with values here, not %s", n.describe())
	}
	return n.entries, nil
}

// describe names a value in a message, shortened.
func (n *Node) describe() string {
	switch n.kind {
	case Null:
		return "nothing"
	case Sequence:
		return "a list"
	case Mapping:
		return "keys with values"
	}
	text := []rune(n.text)
	if len(text) > 40 {
		text = append(text[:39], '…')
	}
	return fmt.Sprintf("%q", string(text))
}

// Parse reads exactly one YAML document. The file's name is for messages.
func Parse(file string, src []byte) (root *Node, err error) {
	at := Pos{File: file, Line: 1, Col: 1}
	if len(src) > maxSize {
		return nil, &Error{Pos: at, Message: fmt.Sprintf("the file has %d bytes; a configuration file may have %d", len(src), maxSize)}
	}
	if p, ok := tooDeep(src); ok {
		p.File = file
		return nil, &Error{Pos: p, Message: fmt.Sprintf("brackets are nested deeper than %d levels", maxDepth)}
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	if len(bytes.TrimSpace(src)) == 0 {
		return nil, &Error{Pos: at, Message: "the file is empty"}
	}
	// The YAML library can panic on malformed input; at this one border a panic becomes an error.
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, &Error{Pos: at, Message: "not readable as YAML"}
		}
	}()
	parsed, err := parser.ParseBytes(src, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(file, err)
	}
	c := converter{file: file}
	var documents []ast.Node
	for _, d := range parsed.Docs {
		if d.Body != nil {
			if _, comment := d.Body.(*ast.CommentGroupNode); !comment {
				documents = append(documents, d.Body)
			}
		}
	}
	switch len(documents) {
	case 0:
		return nil, &Error{Pos: at, Message: "the file is empty"}
	case 1:
	default:
		at = c.pos(documents[1].GetToken())
		if second, err := c.convert(documents[1], 0); err == nil {
			at = second.pos
		}
		return nil, &Error{Pos: at, Message: "a second document starts here; a file holds one"}
	}
	return c.convert(documents[0], 0)
}

// tooDeep finds where flow brackets are nested too deeply for the library's recursive parser.
func tooDeep(src []byte) (Pos, bool) {
	depth, line, col := 0, 1, 0
	for _, b := range src {
		col++
		switch b {
		case '\n':
			line, col = line+1, 0
		case '[', '{':
			if depth++; depth > maxDepth*4 { // brackets in strings and comments count too, so the bound is generous
				return Pos{Line: line, Col: col}, true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return Pos{}, false
}

// syntaxError turns the library's error, which spans several lines, into one with a place.
func syntaxError(file string, err error) error {
	out := &Error{Pos: Pos{File: file, Line: 1, Col: 1}, Message: "not readable as YAML"}
	var syntax yaml.Error
	if !errors.As(err, &syntax) {
		return out.WithHint("%s", strings.Join(strings.Fields(err.Error()), " "))
	}
	out.Message = strings.Join(strings.Fields(strings.ReplaceAll(syntax.GetMessage(), "'\t'", "tab")), " ")
	if t := syntax.GetToken(); t != nil {
		out.Pos = converter{file}.pos(t)
	}
	return out
}

// converter turns the library's tree into nodes.
type converter struct{ file string }

func (c converter) pos(t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{File: c.file, Line: 1, Col: 1}
	}
	return Pos{File: c.file, Line: t.Position.Line, Col: t.Position.Column}
}

func (c converter) fail(n ast.Node, format string, args ...any) error {
	return &Error{Pos: c.pos(n.GetToken()), Message: fmt.Sprintf(format, args...)}
}

func (c converter) convert(n ast.Node, depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, c.fail(n, "values are nested deeper than %d levels", maxDepth)
	}
	out := &Node{pos: c.pos(n.GetToken())}
	switch n := n.(type) {
	case *ast.NullNode:
		return out, nil
	case *ast.MappingNode:
		return c.mapping(out, n.Values, depth)
	case *ast.MappingValueNode:
		return c.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = Sequence
		for _, v := range n.Values {
			item, err := c.convert(v, depth+1)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, item)
		}
		return out, nil
	case *ast.AnchorNode:
		return nil, c.fail(n, "anchors (&name) are not supported; write the value out")
	case *ast.AliasNode:
		return nil, c.fail(n, "aliases (*name) are not supported; write the value out")
	case *ast.TagNode:
		return nil, c.fail(n, "tags (!name) are not supported; leave the tag out")
	case *ast.LiteralNode:
		out.kind, out.quoted, out.text = Scalar, true, n.Value.Value
		return out, nil
	case ast.ScalarNode:
		t := n.GetToken()
		out.kind, out.text = Scalar, t.Value
		out.quoted = t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
		return out, nil
	}
	return nil, c.fail(n, "%s is not supported here", strings.ToLower(n.Type().String()))
}

func (c converter) mapping(out *Node, values []*ast.MappingValueNode, depth int) (*Node, error) {
	out.kind = Mapping
	seen := map[string]Pos{}
	for i, v := range values {
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			return nil, c.fail(v.Key, "merge keys (<<) are not supported; write the values out")
		}
		key, err := c.convert(v.Key, depth+1)
		if err != nil {
			return nil, err
		}
		if key.kind != Scalar {
			return nil, c.fail(v.Key, "a key must be a word, not %s", key.describe())
		}
		if first, twice := seen[key.text]; twice {
			return nil, &Error{Pos: key.pos, Message: fmt.Sprintf("the key %q was given before, in line %d", key.text, first.Line)}
		}
		seen[key.text] = key.pos
		if i == 0 {
			out.pos = key.pos
		}
		value, err := c.convert(v.Value, depth+1)
		if err != nil {
			return nil, err
		}
		if value.kind == Null {
			value.pos = key.pos // what is not there has no place of its own
		}
		out.entries = append(out.entries, Entry{Key: key.text, KeyPos: key.pos, Value: value})
	}
	return out, nil
}
