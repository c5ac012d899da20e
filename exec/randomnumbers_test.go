package exec_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
)

// numbered rebuilds a program, its gradients and steps with numbers in place of its named sizes. It returns an error if
// that is impossible.
func (p *program) numbered(asked wanted) (w work, err error) {
	p.negative = false
	g := graph.New("numbered", graph.WithPolicy(p.g.Policy()))
	copies, feeds := map[*graph.Node]*graph.Node{}, map[*graph.Node]reference.Value{}
	for _, n := range slices.Concat(p.g.Inputs(), p.g.Params()) {
		for _, d := range n.Shape() {
			for _, name := range d.Symbols() {
				if p.at[name] < p.g.Bounds(name).Min {
					return w, fmt.Errorf("%s is less than it is declared", name)
				}
			}
		}
		v, t := p.feeds[n], p.dtype(n.DType())
		declare := g.Input
		if n.IsParam() {
			declare = g.Param
		}
		m := declare(n.Name(), t, p.number(reflect.ValueOf(n.Shape())).Interface().(graph.Shape)...)
		if n.IsMutable() {
			m.Mutable()
		}
		copies[n], feeds[m] = m, reference.FromFloats(t, v.Floats(), v.Shape...)
	}
	for _, list := range asked.lists() {
		*list = slices.Clone(*list)
		for i, n := range *list {
			(*list)[i] = p.copied(n, g, copies)
		}
	}
	if err := g.Err(); err != nil {
		return w, err
	}
	if p.negative {
		return w, errors.New("a size is negative")
	}
	return asked.complete(feeds), nil
}

// copied writes a node and its operands with numbers.
func (p *program) copied(n *graph.Node, g *graph.Graph, copies map[*graph.Node]*graph.Node) *graph.Node {
	if m := copies[n]; m != nil || n == nil {
		return m
	}
	var in []*graph.Node
	for _, x := range n.Operands() {
		in = append(in, p.copied(x, g, copies))
	}
	attrs := n.Attrs()
	if attrs != nil {
		attrs = p.number(reflect.ValueOf(attrs)).Interface()
	}
	switch {
	case n.IsConst():
		v, _ := n.ScalarValue()
		copies[n] = g.Scalar(p.dtype(n.DType()), v)
	case len(in) == 0:
		copies[n] = graph.ApplyIn(g, n.Op(), attrs)
	default:
		copies[n] = graph.Apply(n.Op(), attrs, in...)
	}
	return copies[n]
}

// dtype is the one in which numbered computes.
func (p *program) dtype(t graph.DType) graph.DType {
	if p.wide && t == graph.Float32 {
		return graph.Float64
	}
	return t
}

// isNegative reports whether a named size is no size, which among numbers could be a sign for
// another one.
func (p *program) isNegative(d graph.Dim) bool {
	v, _ := d.Eval(p.bound)
	return d.IsSymbolic() && v < 0
}

// number replaces the named sizes in a value by numbers.
func (p *program) number(v reflect.Value) reflect.Value {
	w := reflect.New(v.Type()).Elem()
	w.Set(v)
	d, isDim := v.Interface().(graph.Dim)
	t, isType := v.Interface().(graph.DType)
	switch {
	case isType:
		w.Set(reflect.ValueOf(p.dtype(t)))
	case isDim && d.IsSymbolic():
		number, _ := d.Eval(p.bound)
		w.SetInt(number)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			w.Field(i).Set(p.number(v.Field(i)))
		}
	case v.Kind() == reflect.Slice && !v.IsNil():
		s, _ := v.Interface().(graph.Shape)
		p.negative = p.negative || slices.ContainsFunc(s, p.isNegative)
		w.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			w.Index(i).Set(p.number(v.Index(i)))
		}
	}
	return w
}

// rounding returns a number by which float32 arithmetic may put output k off: some times what it
// does to the oracle's values.
func (p *program) rounding(narrow reference.Value, k int, asked wanted) (most float64) {
	if !p.narrow() {
		return 0
	}
	p.wide = true
	defer func() { p.wide = false }()
	w, err := p.numbered(asked)
	if err != nil {
		return 0
	}
	wide, err := w.values()
	if err != nil {
		return 0
	}
	numbers := wide[k].Floats()
	for i, v := range narrow.Floats() {
		most = max(most, math.Abs(v-numbers[i]))
	}
	return 30 * most
}
