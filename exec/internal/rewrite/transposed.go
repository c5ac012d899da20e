package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// transposedProduct shows columns of A·B as rows of Bᵀ·Aᵀ, whose elements lie row by row for what follows, as
// the gradient of a linear layer's weights must for their update. n alone uses the product, as it is or under another shape; in
// are its operands in the new graph. So many values use B.
func transposedProduct(next *graph.Graph, n *graph.Node, in []*graph.Node, uses int) *graph.Node {
	p := in[0]
	if analysis.IsReshape(p) {
		p = p.In(0)
	}
	if p.Op().Class != graph.Contract {
		return nil
	}
	a, b := p.In(0), p.In(1)
	if a.Rank() < 2 || b.Rank() < 2 {
		return nil
	}
	whole := p == in[0] && exchangesLastAxes(n)
	// Windows are read only as B. Where axes that are merged come in another order, others may have them copied anyway.
	if g := analysis.GroupingOf(p); g != nil && (whole || uses == 1 || alias.Storage(g.Of).Shape().NumElements() != b.Shape().NumElements()) {
		return nil
	}
	factors := []*graph.Node{Transposed(next, b), Transposed(next, a)}
	m := graph.Apply(p.Op(), p.Attrs(), factors...)
	if m.Err() != nil || !m.Judged() {
		return nil
	}
	if simpler := applyRules(next, m, factors); simpler != nil {
		m = simpler
	}
	if whole {
		return m
	}
	// The views of the product become views of the transpose of the other one.
	shown := ops.Reshape(ops.Transpose(m, -1, -2), in[0].Shape()...)
	if !alias.IsView(shown) {
		return nil
	}
	if shown = graph.Apply(n.Op(), n.Attrs(), shown); shown.Err() != nil || !alias.IsView(shown) {
		return nil
	}
	return shown
}

// maxShortColumn is the most neighbours in a column that are read slowly, a few at a time: of more, rows are packed in blocks, or copied, as fast as they
// come. A step of Adam for weights of [10, 288, 16, 8], whose gradient comes as [288, 8, 160], takes an eighth of the time with the other product.
const maxShortColumn = 32

// maxTerms is the most terms of a sum for each of these neighbours: products of more, such as those of scores with values, take so long that how they are
// read matters little, and others know them as they are.
const maxTerms = 16

// columnsOf returns the product of matrices that a movement shows as a whole, and alone uses, if it shows its transpose, or has a few neighbours of a column
// as rows; else nil.
func columnsOf(n *graph.Node, uses []int) *graph.Node {
	shown, ok := analysis.WholeView(n)
	if !ok || uses[n.In(0).ID()] != 1 {
		return nil
	}
	p := n.In(0)
	if analysis.IsReshape(p) && uses[p.In(0).ID()] == 1 {
		p = p.In(0)
	}
	if p.Op().Class != graph.Contract || p.Rank() < 2 || shown.Shape.NumElements() != p.Shape().NumElements() {
		return nil
	}
	if p == n.In(0) && exchangesLastAxes(n) {
		return p
	}
	columns := p.Shape()[p.Rank()-1]
	terms, known := p.In(0).Shape()[p.In(0).Rank()-1].Int()
	if width, fixed := columns.Int(); !known || !fixed || width < 2 || terms > width {
		return nil
	}
	few := graph.Dim(1) // neighbours of a column
	for axis, size := range slices.Backward(shown.Shape) {
		if size != 1 && shown.Strides[axis] != columns.Times(few) {
			break
		}
		few = few.Times(size)
	}
	if count, known := few.Int(); !known || count < 2 || count > maxShortColumn || terms > maxTerms*count {
		return nil
	}
	return p
}

// exchangesLastAxes reports whether a movement shows the transpose of each matrix of its operand.
func exchangesLastAxes(n *graph.Node) bool {
	shown, ok := analysis.WholeView(n)
	return ok && n.In(0).Rank() >= 2 && analysis.SameLayouts(shown, transposedLayout(graph.RowMajor(n.In(0).Shape())))
}

// transposedLayout exchanges the last two axes of a layout.
func transposedLayout(l graph.Layout) graph.Layout {
	l.Shape, l.Strides = slices.Clone(l.Shape), slices.Clone(l.Strides)
	i, j := len(l.Shape)-2, len(l.Shape)-1
	l.Shape[i], l.Shape[j] = l.Shape[j], l.Shape[i]
	l.Strides[i], l.Strides[j] = l.Strides[j], l.Strides[i]
	return l
}

// Transposed returns the transpose of each matrix of a value, or what that is a transpose of.
func Transposed(next *graph.Graph, x *graph.Node) *graph.Node {
	t := ops.Transpose(x, -1, -2)
	if shown := shownAsItIs(next, t, []*graph.Node{x}); shown != nil {
		return shown
	}
	return t
}
