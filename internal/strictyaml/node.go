// Package strictyaml decodes small YAML configuration files strictly: an unknown or repeated key, a value of the wrong type and a required
// key that is missing are all reported together, each as file:line:column with a hint. The syntax is read by goccy/go-yaml; anchors, aliases,
// tags and merge keys are refused, so that what is written is what is meant.
package strictyaml

import "fmt"

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
	quoted  bool   // a scalar in quotes or a text block, which can only be text
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
	if n.quoted {
		return "the quoted text " + quote(n.text)
	}
	return quote(n.text)
}

// quote puts text from the file into a message: on one line and shortened.
func quote(text string) string {
	runes := []rune(text)
	if len(runes) > 40 {
		runes = append(runes[:39], '…')
	}
	return fmt.Sprintf("%q", string(runes))
}
