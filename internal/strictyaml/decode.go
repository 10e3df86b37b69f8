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
// A string takes any scalar as it is written. All problems are returned together, as Errors.
func (n *Node) Decode(v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return fmt.Errorf("strictyaml: Decode needs a pointer, not %T", v)
	}
	var d decoder
	d.decode(n, target.Elem(), "")
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

// wrong reports that a value is not what it must be.
func (d *decoder) wrong(n *Node, key, must string) {
	if key == "" {
		key = "the value"
	} else {
		key = strconv.Quote(key)
	}
	d.problems = append(d.problems, n.Errorf("%s must be %s, not %s", key, must, n.describe()))
}

var nodeType = reflect.TypeFor[*Node]()

func (d *decoder) decode(n *Node, v reflect.Value, key string) {
	if v.Type() == nodeType {
		v.Set(reflect.ValueOf(n))
		return
	}
	if n.kind == Null {
		if key == "" {
			d.problems = append(d.problems, n.Errorf("a value is missing here"))
		} else {
			d.problems = append(d.problems, n.Errorf("%q has no value", key))
		}
		return
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if n.kind != Scalar {
			d.wrong(n, key, "text")
		} else if err := u.UnmarshalText([]byte(n.text)); err != nil {
			d.problems = append(d.problems, n.Errorf("%s", err))
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		target := reflect.New(v.Type().Elem())
		d.decode(n, target.Elem(), key)
		v.Set(target)
	case reflect.Struct:
		d.structure(n, v, key)
	case reflect.Map:
		d.mapping(n, v, key)
	case reflect.Slice:
		if n.kind != Sequence {
			d.wrong(n, key, "a list")
			return
		}
		out := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
		for i, item := range n.items {
			d.decode(item, out.Index(i), "")
		}
		v.Set(out)
	default:
		d.scalar(n, v, key)
	}
}

func (d *decoder) mapping(n *Node, v reflect.Value, key string) {
	if n.kind != Mapping {
		d.wrong(n, key, "keys with values")
		return
	}
	out := reflect.MakeMap(v.Type())
	for _, e := range n.entries {
		value := reflect.New(v.Type().Elem()).Elem()
		d.decode(e.Value, value, e.Key)
		out.SetMapIndex(reflect.ValueOf(e.Key).Convert(v.Type().Key()), value)
	}
	v.Set(out)
}

func (d *decoder) structure(n *Node, v reflect.Value, key string) {
	if n.kind != Mapping {
		d.wrong(n, key, "keys with values")
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
			d.decode(e.Value, v.Field(i), e.Key)
			required = slices.DeleteFunc(required, func(name string) bool { return name == e.Key })
			continue
		}
		problem := &Error{Pos: e.KeyPos, Message: fmt.Sprintf("unknown key %q", e.Key)}
		if near := DidYouMean(e.Key, names); near != "" {
			problem.Hint = near
		} else {
			problem.Hint = "known here: " + strings.Join(names, ", ")
		}
		d.problems = append(d.problems, problem)
	}
	for _, name := range required {
		d.problems = append(d.problems, n.Errorf("%q is missing", name))
	}
}

func (d *decoder) scalar(n *Node, v reflect.Value, key string) {
	must := map[bool]string{true: "text", false: "a value"}[v.Kind() == reflect.String]
	if n.kind != Scalar {
		d.wrong(n, key, must)
		return
	}
	kind := v.Kind()
	if n.quoted && kind != reflect.String {
		d.wrong(n, key, "written without quotes")
		return
	}
	switch kind {
	case reflect.String:
		v.SetString(n.text)
	case reflect.Bool:
		if n.text != "true" && n.text != "false" {
			d.wrong(n, key, "true or false")
			return
		}
		v.SetBool(n.text == "true")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		i, err := strconv.ParseInt(n.text, 10, v.Type().Bits())
		switch {
		case errors.Is(err, strconv.ErrRange):
			d.wrong(n, key, "a smaller number")
		case err != nil:
			d.wrong(n, key, "a whole number")
		default:
			v.SetInt(i)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		i, err := strconv.ParseUint(n.text, 10, v.Type().Bits())
		if err != nil {
			d.wrong(n, key, "a whole number, 0 or more")
			return
		}
		v.SetUint(i)
	case reflect.Float32, reflect.Float64:
		f, err := strconv.ParseFloat(n.text, v.Type().Bits())
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || strings.ContainsAny(n.text, "xX_pP") {
			d.wrong(n, key, "a number")
			return
		}
		v.SetFloat(f)
	default:
		d.problems = append(d.problems, n.Errorf("strictyaml cannot decode into %s", v.Type()))
	}
}

// DidYouMean suggests the candidate that is nearest to a misspelt word, as `did you mean "x"?`, or returns "" when none is near: the
// distance counts inserted, deleted, replaced and swapped characters and may be a third of the word's length.
func DidYouMean(word string, candidates []string) string {
	best, bestDistance := "", max(1, len([]rune(word))/3)+1
	for _, c := range candidates {
		if d := distance([]rune(strings.ToLower(word)), []rune(strings.ToLower(c))); d < bestDistance {
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
