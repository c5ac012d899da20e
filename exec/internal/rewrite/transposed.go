package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// transposedProduct returns (A·B)ᵀ as Bᵀ·Aᵀ, whose elements lie row by row for what follows, as
// the gradient of a linear layer's weights must for their update. n alone uses the product; in
// are its operands in the new graph.
func transposedProduct(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if in[0].Op().Class != graph.Contract {
		return nil
	}
	p := in[0]
	a, b := p.In(0), p.In(1)
	if a.Rank() < 2 || b.Rank() < 2 || groupingOf(p) != nil { // windows are read only as B
		return nil
	}
	factors := []*graph.Node{exchanged(next, b), exchanged(next, a)}
	m := graph.Apply(p.Op(), p.Attrs(), factors...)
	if m.Err() != nil || !m.Judged() || !m.Shape().Equal(n.Shape()) {
		return nil
	}
	if simpler := applyRules(next, m, factors); simpler != nil {
		return simpler
	}
	return m
}

// exchangesLastAxes reports whether a movement shows the transpose of each matrix of its operand.
func exchangesLastAxes(n *graph.Node) bool {
	shown, ok := wholeView(n)
	return ok && n.In(0).Rank() >= 2 && sameLayouts(shown, transposedLayout(graph.RowMajor(n.In(0).Shape())))
}

// transposedLayout exchanges the last two axes of a layout.
func transposedLayout(l graph.Layout) graph.Layout {
	l.Shape, l.Strides = slices.Clone(l.Shape), slices.Clone(l.Strides)
	i, j := len(l.Shape)-2, len(l.Shape)-1
	l.Shape[i], l.Shape[j] = l.Shape[j], l.Shape[i]
	l.Strides[i], l.Strides[j] = l.Strides[j], l.Strides[i]
	return l
}

// exchanged returns the transpose of each matrix of a value, or what that is a transpose of.
func exchanged(next *graph.Graph, x *graph.Node) *graph.Node {
	t := ops.Transpose(x, -1, -2)
	if shown := shownAsItIs(next, t, []*graph.Node{x}); shown != nil {
		return shown
	}
	return t
}
