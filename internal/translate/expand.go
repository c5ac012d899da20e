package translate

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// maxExpansions bounds how deeply expansions are nested: an operation that expands to itself would never end.
const maxExpansions = 200

// Expand writes an operation by its Expand, in a graph of its own, so that the user's does not change. It computes with
// wide, the operands in the dtypes in which their language computes, and its result is rounded once.
func (w *Walk[V, B]) Expand(n *graph.Node, in, wide []V) V {
	if w.frame.depth >= maxExpansions {
		return w.Fail(n, "is expanded to itself by its Expand, without end")
	}
	g := n.Graph().Derive()
	operands, given := make([]*graph.Node, len(in)), map[*graph.Node]V{}
	for i, x := range n.Operands() {
		if x.IsConst() && wide[i] == in[i] {
			operands[i] = g.Copy(x, nil)
			continue
		}
		operands[i] = g.InputFor(x, w.lang.DType(wide[i]), x.Shape())
		given[operands[i]] = wide[i]
	}
	self := g.Copy(n, operands)
	if !slices.Equal(wide, in) { // its dtype may be another
		self = graph.Apply(n.Op(), n.Attrs(), operands...)
	}
	return w.expanded(n, g, n.Op().Expand(self, slices.Clone(operands)), given)
}

// WriteAs writes n as what form returns for the values of its operands. Floating-point numbers are computed in float64,
// and the result is rounded once.
func (w *Walk[V, B]) WriteAs(n *graph.Node, in []V, form func(*graph.Node, []*graph.Node) *graph.Node) V {
	g := n.Graph().Derive()
	x, given := make([]*graph.Node, len(in)), map[*graph.Node]V{}
	for i, v := range in {
		if w.lang.DType(v).IsFloat() {
			v = w.lang.Convert(v, graph.Float64)
		}
		x[i] = g.InputFor(n.In(i), w.lang.DType(v), w.lang.Shape(v))
		given[x[i]] = v
	}
	return w.expanded(n, g, form(n, x), given)
}

// expanded writes y, the expansion of n in another graph, computed from given values.
func (w *Walk[V, B]) expanded(n *graph.Node, g *graph.Graph, y *graph.Node, given map[*graph.Node]V) V {
	if err := g.Err(); err != nil {
		return w.Fail(n, "is expanded by its Expand, which makes a mistake: %v", err)
	}
	if y == nil || y.Graph() != g || !y.Judged() {
		return w.Fail(n, "is expanded by its Expand, which does not return a value of the graph that it was given")
	}
	w.enter(g, []*graph.Node{y})
	defer func() { w.frame = w.frame.outer }()
	for x, v := range given {
		w.Set(x, v)
	}
	return w.lang.Convert(w.Value(y), n.DType())
}
