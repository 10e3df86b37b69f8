package strictyaml

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Errors are several problems of one file, in the order of the file.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Decode puts the node's values into what v points to: a struct with tags `yaml:"name"` or `yaml:"name,required"`, a slice, a map with
// string keys, a string, bool or number, a *Node, or a pointer to one of these. Fields without a key in the file keep the value that they have.
// A string takes any scalar as it is written; a bool takes only true and false; numbers are decimal and finite. A type with UnmarshalText gets
// the scalar's text. All problems are returned together, as Errors.
func (n *Node) Decode(v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return fmt.Errorf("strictyaml: Decode needs a pointer, not %T", v)
	}
	var d decoder
	d.decode(n, target.Elem(), "the value")
	return Join(d.problems)
}

// Join puts the problems of one file together in the order of the file: what Decode returned, single Errors, and nil for none. Other errors come
// first. Without any problem it is nil.
func Join(problems ...error) error {
	var all Errors
	var others []error
	for _, problem := range problems {
		var one *Error
		var several Errors
		switch {
		case problem == nil:
		case errors.As(problem, &several):
			all = append(all, several...)
		case errors.As(problem, &one):
			all = append(all, one)
		default:
			others = append(others, problem)
		}
	}
	if len(all) == 0 {
		return errors.Join(others...)
	}
	slices.SortStableFunc(all, func(a, b *Error) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) })
	if len(others) == 0 {
		return all
	}
	return errors.Join(append(others, all)...)
}

type decoder struct{ problems Errors }

// wrong reports that a value is not what it must be. What is how messages call the value.
func (d *decoder) wrong(n *Node, what, must string) {
	d.problems = append(d.problems, n.Errorf("%s must be %s, not %s", what, must, n.describe()))
}

var nodeType = reflect.TypeFor[*Node]()

func (d *decoder) decode(n *Node, v reflect.Value, what string) {
	if v.Type() == nodeType {
		v.Set(reflect.ValueOf(n))
		return
	}
	if n.kind == Null {
		d.problems = append(d.problems, n.Errorf("%s has no value", what))
		return
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if n.kind != Scalar {
			d.wrong(n, what, "text")
		} else if err := u.UnmarshalText([]byte(n.text)); err != nil {
			d.problems = append(d.problems, n.Errorf("%s", err))
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		target := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			target.Elem().Set(v.Elem()) // a copy, so that shared defaults stay as they are
		}
		d.decode(n, target.Elem(), what)
		v.Set(target)
	case reflect.Struct:
		d.structure(n, v, what)
	case reflect.Map:
		d.mapping(n, v, what)
	case reflect.Slice:
		if n.kind != Sequence {
			d.wrong(n, what, "a list")
			return
		}
		out := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
		for i, item := range n.items {
			d.decode(item, out.Index(i), fmt.Sprintf("item %d of %s", i+1, what))
		}
		v.Set(out)
	default:
		d.scalar(n, v, what)
	}
}

func (d *decoder) mapping(n *Node, v reflect.Value, what string) {
	if n.kind != Mapping {
		d.wrong(n, what, "keys with values")
		return
	}
	out := reflect.MakeMap(v.Type())
	for _, e := range n.entries {
		value := reflect.New(v.Type().Elem()).Elem()
		d.decode(e.Value, value, quote(e.Key))
		out.SetMapIndex(reflect.ValueOf(e.Key).Convert(v.Type().Key()), value)
	}
	v.Set(out)
}

func (d *decoder) structure(n *Node, v reflect.Value, what string) {
	if n.kind != Mapping {
		d.wrong(n, what, "keys with values")
		return
	}
	fields := map[string]int{}
	var names, required []string
	for i := range v.NumField() {
		name, option, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if name == "" {
			continue
		}
		fields[name] = i
		names = append(names, name)
		if option == "required" {
			required = append(required, name)
		}
	}
	for _, e := range n.entries {
		if i, ok := fields[e.Key]; ok {
			d.decode(e.Value, v.Field(i), quote(e.Key))
			required = slices.DeleteFunc(required, func(name string) bool { return name == e.Key })
			continue
		}
		problem := &Error{Pos: e.KeyPos, Message: "unknown key " + quote(e.Key)}
		if near := DidYouMean(e.Key, names); near != "" {
			problem.Hint = near
		} else {
			problem.Hint = "known here: " + cmp.Or(strings.Join(names, ", "), "no key")
		}
		d.problems = append(d.problems, problem)
	}
	for _, name := range required {
		d.problems = append(d.problems, n.Errorf("%q is missing", name))
	}
}

func (d *decoder) scalar(n *Node, v reflect.Value, what string) {
	plain := n.kind == Scalar && !n.quoted
	bits := 0
	if v.CanInt() || v.CanUint() || v.CanFloat() {
		bits = v.Type().Bits()
	}
	switch {
	case v.Kind() == reflect.String:
		if n.kind != Scalar {
			d.wrong(n, what, "text")
			return
		}
		v.SetString(n.text)
	case v.Kind() == reflect.Bool:
		if !plain || n.text != "true" && n.text != "false" {
			d.wrong(n, what, "true or false")
			return
		}
		v.SetBool(n.text == "true")
	case plain && (v.CanInt() || v.CanUint()) && leadingZero(n.text):
		d.wrong(n, what, "a whole number without leading zeros") // elsewhere 010 can mean 8
	case v.CanInt():
		i, err := strconv.ParseInt(n.text, 10, bits)
		switch {
		case plain && errors.Is(err, strconv.ErrRange):
			d.wrong(n, what, fmt.Sprintf("a whole number from %d to %d", int64(-1)<<(bits-1), uint64(1)<<(bits-1)-1))
		case !plain || err != nil:
			d.wrong(n, what, "a whole number")
		default:
			v.SetInt(i)
		}
	case v.CanUint():
		i, err := strconv.ParseUint(n.text, 10, bits)
		switch {
		case plain && errors.Is(err, strconv.ErrRange):
			d.wrong(n, what, fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-bits)))
		case !plain || err != nil:
			d.wrong(n, what, "a whole number, 0 or more")
		default:
			v.SetUint(i)
		}
	case v.CanFloat():
		f, err := strconv.ParseFloat(n.text, bits)
		if !plain || err != nil || math.IsNaN(f) || math.IsInf(f, 0) || strings.ContainsAny(n.text, "xX_pP") {
			d.wrong(n, what, "a number")
			return
		}
		v.SetFloat(f)
	default:
		d.problems = append(d.problems, n.Errorf("strictyaml cannot decode into %s", v.Type()))
	}
}

func leadingZero(number string) bool {
	digits := strings.TrimLeft(number, "+-")
	return len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789") == ""
}

// DidYouMean suggests the candidate that is nearest to a misspelt word, as `did you mean "x"?`, or returns "" when none is near: the
// distance counts inserted, deleted, replaced and swapped characters, upper and lower case being
// equal, and may be a third of the word's length. Of several the first is taken.
func DidYouMean(word string, candidates []string) string {
	best, bestDistance := "", max(1, len([]rune(word))/3)+1
	for _, c := range candidates {
		d := distance([]rune(strings.ToLower(word)), []rune(strings.ToLower(c)))
		if d < bestDistance && d < utf8.RuneCountInString(word) { // a word that is replaced altogether is not a misspelt one
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// distance is the optimal string alignment distance. Words of more than 100 characters are taken to be far apart.
func distance(a, b []rune) int {
	if len(a) > 100 || len(b) > 100 {
		return max(len(a), len(b))
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range b {
		rows[0][j+1] = j + 1
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
