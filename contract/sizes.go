package contract

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// AnySize stands for a size, and AnyAxes for any number of axes, in the shapes of [ExpectShape].
const (
	AnySize graph.Dim = -1
	AnyAxes graph.Dim = -2
)

// ExpectShape promises the shape of a value, whoever made it, and returns the value. Sizes are
// numbers and expressions over sizes that the graph declares. The promise is proved for all sizes
// when the graph is checked. It costs nothing in a run.
func ExpectShape(x *graph.Node, sizes ...graph.Dim) *graph.Node {
	p := graph.Promise{Node: x, Kind: graph.Expected, Form: sizesText(sizes), Pos: place()}
	if x == nil {
		return noValue(nil, p)
	}
	g := x.Graph()
	if g == nil {
		return x
	}
	st := &statement{Promise: p, sizes: append(graph.Shape{}, sizes...), many: -1}
	for i, d := range sizes {
		if d != AnyAxes {
			continue
		}
		if st.many >= 0 {
			st.trouble, st.cure = "... stands there twice: nothing says how many axes each has", "leave one of them out"
		}
		st.many = i
	}
	c := &Contract{g: g, global: true}
	c.add(g, st)
	return x
}

// sizesText writes sizes as a form.
func sizesText(sizes []graph.Dim) string {
	words := make([]string, len(sizes))
	for i, d := range sizes {
		switch d {
		case AnySize, graph.UnknownDim:
			words[i] = "_"
		case AnyAxes:
			words[i] = anonymous
		default:
			words[i] = d.String()
		}
	}
	return strings.Join(words, " ")
}

// isExact reports whether the value has the very sizes that are promised.
func (st *statement) isExact() bool {
	if st.many >= 0 || st.trouble != "" || len(st.sizes) != st.Node.Rank() {
		return false
	}
	for i, d := range st.sizes {
		if have := st.Node.Shape()[i]; d.IsSymbolic() && !isKnown(st.Node.Graph(), d) || d != AnySize && d != have {
			return false
		}
	}
	return true
}

// isKnown reports whether the graph declares all names in a size.
func isKnown(g *graph.Graph, d graph.Dim) bool {
	for _, name := range d.Symbols() {
		if !isDeclared(g, name) {
			return false
		}
	}
	return true
}

// wrongSize says what is wrong with the sizes of a statement, and what to do.
func (st *statement) wrongSize() (trouble, cure string) {
	g := st.Node.Graph()
	for i, d := range st.sizes {
		switch {
		case d == AnySize || d == AnyAxes:
		case !d.IsSize():
			return fmt.Sprintf("size %d is none", i),
				"compute with the methods of named sizes: batch.Plus(1); AnySize stands for an axis of any size"
		case !isKnown(g, d):
			return fmt.Sprintf("the size %s is not declared in graph %q", d, g.Name()),
				fmt.Sprintf("the graph declares %s", listed(g.DimNames()))
		}
	}
	return st.trouble, st.cure
}
