package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// attrs are the fixed arguments of one operation, by PyTorch's names. An argument that is
// null counts as not given. Each argument that is read is noted, so that one which nobody
// reads is never passed over.
type attrs struct {
	raw  map[string]json.RawMessage
	used map[string]bool
	err  error
}

func newAttrs(raw map[string]json.RawMessage) *attrs {
	return &attrs{raw: raw, used: map[string]bool{}}
}

// get reads the first of the names that was given.
func (a *attrs) get(into any, names ...string) bool {
	for _, name := range names {
		text, given := a.raw[name]
		if !given {
			continue
		}
		a.used[name] = true
		if string(text) == "null" {
			continue
		}
		if err := json.Unmarshal(text, into); err != nil && a.err == nil {
			a.err = unsupported{fmt.Sprintf("argument %s=%s: %v", name, text, err)}
		}
		return true
	}
	return false
}

// unread returns an error where an argument was not read, or could not be.
func (a *attrs) unread() error {
	for _, name := range slices.Sorted(maps.Keys(a.raw)) {
		if text := a.raw[name]; !a.used[name] && string(text) != "null" {
			return unsupported{fmt.Sprintf("argument %s=%s", name, text)}
		}
	}
	return a.err
}

func (a *attrs) integer(other int, names ...string) int {
	a.get(&other, names...)
	return other
}

func (a *attrs) float(other float64, names ...string) float64 {
	var v any
	if a.get(&v, names...) {
		f, err := number(v)
		if err != nil && a.err == nil {
			a.err = unsupported{err.Error()}
		}
		return f
	}
	return other
}

func (a *attrs) flag(name string, other bool) bool {
	a.get(&other, name)
	return other
}

func (a *attrs) text(name, other string) string {
	a.get(&other, name)
	return other
}

// number returns a plain number of the program, as Python knows it: a truth value, a whole
// number or a floating-point one.
func (a *attrs) number(names ...string) *graph.Node {
	var text json.RawMessage
	if !a.get(&text, names...) {
		return nil
	}
	return numberNode(text, a)
}

func numberNode(text json.RawMessage, a *attrs) *graph.Node {
	var b bool
	var i int64
	var v any
	switch {
	case json.Unmarshal(text, &b) == nil:
		return graph.Num(b)
	case json.Unmarshal(text, &i) == nil: // 2.0 is no whole number here, as in Python
		return graph.Num(i)
	}
	err := json.Unmarshal(text, &v)
	f, notNumber := number(v)
	if (err != nil || notNumber != nil) && a.err == nil {
		a.err = unsupported{fmt.Sprintf("the number %s", text)}
	}
	return graph.Num(f)
}

// axes returns a list of axes, one axis, or nil for all, and whether an empty list was given.
func (a *attrs) axes(name string) (list []int, empty bool) {
	var text json.RawMessage
	if !a.get(&text, name) {
		return nil, false
	}
	list = a.list(text)
	return list, len(list) == 0
}

// reduced returns the axes and options of a reduction. Of an empty list PyTorch folds all
// axes, which package ops wants to be said.
func (a *attrs) reduced() []ops.Axis {
	axes, empty := a.axes("dim")
	var list []ops.Axis
	for _, axis := range axes {
		list = append(list, ops.Axis(axis))
	}
	if empty {
		list = append(list, ops.AllAxes())
	}
	if a.flag("keepdim", false) {
		list = append(list, ops.KeepDims())
	}
	return list
}

// integers returns a whole number or a list of them; nil where none was given.
func (a *attrs) integers(names ...string) (list []int) {
	var text json.RawMessage
	if a.get(&text, names...) {
		list = a.list(text)
	}
	return list
}

func (a *attrs) list(text json.RawMessage) (list []int) {
	var one int
	if json.Unmarshal(text, &one) == nil {
		return []int{one}
	}
	if err := json.Unmarshal(text, &list); err != nil && a.err == nil {
		a.err = unsupported{fmt.Sprintf("the list %s", text)}
	}
	return list
}

// shape returns a list of sizes: whole numbers and expressions over named sizes.
func (a *attrs) shape(names ...string) graph.Shape {
	var list sizes
	if !a.get(&list, names...) && a.err == nil {
		a.err = unsupported{fmt.Sprintf("no argument %v", names)}
	}
	return graph.Shape(list)
}

// sizes are the sizes of a shape: whole numbers, or strings with expressions.
type sizes graph.Shape

// UnmarshalJSON reads a list of sizes, or one.
func (s *sizes) UnmarshalJSON(text []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		list = []json.RawMessage{text}
	}
	*s = sizes{}
	for _, item := range list {
		words := string(item)
		if words != "" && words[0] == '"' {
			if err := json.Unmarshal(item, &words); err != nil {
				return err
			}
		}
		d, err := graph.ParseDim(words)
		if err != nil {
			return err
		}
		*s = append(*s, d)
	}
	return nil
}
