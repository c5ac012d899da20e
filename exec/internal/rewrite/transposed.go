package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// transposedProduct replaces a view of columns of A·B by one of rows of Bᵀ·Aᵀ, which are contiguous for what follows.
// The update of a linear layer's weights needs their gradient so. Only n uses the product, directly or reshaped; in are
// n's operands in the new graph. uses is the number of uses of B.
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
	// Windows are only read as B. Permuted axes that are merged may have to be copied anyway if B has other users.
	if g := analysis.GroupingOf(p); g != nil &&
		(whole || uses == 1 || alias.Storage(g.Of).Shape().NumElements() != b.Shape().NumElements()) {
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
	// Views of the product become views of the transposed other product.
	shown := ops.Reshape(ops.Transpose(m, -1, -2), in[0].Shape()...)
	if !alias.IsView(shown) {
		return nil
	}
	if shown = graph.Apply(n.Op(), n.Attrs(), shown); shown.Err() != nil || !alias.IsView(shown) {
		return nil
	}
	return shown
}

// maxShortColumn is the most adjacent elements of a column that are slow to read, a few at a time. Longer columns are
// packed in blocks, or copied, at full speed. A step of Adam for weights of [10, 288, 16, 8], whose gradient comes as
// [288, 8, 160], takes an eighth of the time with the transposed product.
const maxShortColumn = 32

// maxTerms is the most terms of a sum for each of these elements. Longer products, such as those of scores with values,
// take so long that reading them matters little, and other passes must recognise them.
const maxTerms = 16

// columnsOf returns the product that a movement shows whole, if it has no other user and the movement transposes it or
// has rows of a few elements of a column; nil otherwise.
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
	few := graph.Dim(1) // adjacent elements of a column
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

// exchangesLastAxes reports whether a movement transposes each matrix of its operand.
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

// Transposed returns the transpose of each matrix of a value. A transpose of a transpose is the original value.
func Transposed(next *graph.Graph, x *graph.Node) *graph.Node {
	t := ops.Transpose(x, -1, -2)
	if shown := shownAsItIs(next, t, []*graph.Node{x}); shown != nil {
		return shown
	}
	return t
}
