package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/scores"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// wideRow is the number of columns from which a sum over rows is written as a product. A vocabulary has that many:
// chains of kernels hold only a few rows of its matrices.
const wideRow = 4096

// SumRows replaces the sum of a wide matrix over its rows by the product of a row of ones and the matrix, if the matrix
// is computed from its own row reductions and is also a factor of products. Gradients for the bias of a classification
// layer are such sums. A chain of kernels can include products that sum over rows, so the matrix is never stored whole.
// Sums of scores, which are gradients for what is added to scores, are split in the same way.
func SumRows(u *Program) error {
	elements := elementsOf(u, scores.IsProduct)
	isRewritten := func(n *graph.Node) bool {
		if !analysis.IsSum(n) {
			return false
		}
		if elements[n.In(0)] {
			return true
		}
		x := summedRows(n)
		return x != nil && reducesItsRows(x)
	}
	if !slices.ContainsFunc(u.Graph.Nodes(), isRewritten) {
		return nil
	}
	users := u.users()
	u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if !isRewritten(n) {
			return nil
		}
		if elements[n.In(0)] {
			return sumOfScores(next, n, in[0])
		}
		x := summedRows(n)
		if !isFactor(users, x) {
			return nil
		}
		rows := in[0] // a view of x's replacement, in row-major order
		if rows.Rank() != 2 {
			rows = ops.Reshape(rows, x.Shape()...)
		}
		return ops.Reshape(ops.MatMul(ops.Ones(next, x.DType(), 1, x.Shape()[0]), rows), n.Shape()...)
	})
	return nil
}

// reshapedRows moves a reshape of wide rows before elementwise operations: reshape(f(reshape(x), v)) = f(x, v). So the
// logits of a batch of sequences, which are reshaped to rows for a loss, stay in the rows of the product, as chains
// need them.
func reshapedRows(n *graph.Node, in []*graph.Node) *graph.Node {
	f := in[0]
	if n.Rank() != 2 || !analysis.IsReshape(n) || f.Op().Class != graph.Elementwise || f.Rank() < 2 {
		return nil
	}
	p := analysis.Examine(f)
	cols, known := n.Shape()[1].Int()
	if !known || cols < wideRow || f.Shape()[f.Rank()-1] != n.Shape()[1] || p.CanFail ||
		slices.ContainsFunc(p.Steps, func(s analysis.Step) bool { return s.Kind == analysis.IndexStep }) {
		return nil
	}
	args, found := slices.Clone(f.Operands()), false
	for i, x := range args {
		switch {
		case analysis.IsReshape(x) && x.Shape().Equal(f.Shape()) && x.In(0).Shape().Equal(n.Shape()):
			args[i], found = x.In(0), true
		case x.Rank() > 1:
			return nil
		}
	}
	if !found {
		return nil
	}
	if m := graph.Apply(f.Op(), f.Attrs(), args...); m.Err() == nil && m.Judged() && m.DType() == n.DType() &&
		m.Shape().Equal(n.Shape()) {
		return m
	}
	return nil
}

// sumOfScores splits a sum of scores x over rows and other axes. If columns are summed, it first sums over columns and
// then over the rest. If not, it multiplies a row of ones by the scores, and then sums over the rest. It returns nil if
// only columns are summed, or neither rows nor columns.
func sumOfScores(next *graph.Graph, n, x *graph.Node) *graph.Node {
	axes := n.Op().Axes(n)
	first := x.Rank() - 1
	switch {
	case len(axes) > 1 && slices.Contains(axes, first):
		x = ops.Sum(x, ops.Axis(first), ops.KeepDims())
	case !slices.Contains(axes, first) && slices.Contains(axes, first-1):
		first--
		x = ops.MatMul(ops.Ones(next, x.DType(), 1, x.Shape()[first]), x)
	default:
		return nil
	}
	left := []ops.Axis{ops.KeepDims()}
	for _, axis := range axes {
		if axis != first {
			left = append(left, ops.Axis(axis))
		}
	}
	if len(left) > 1 {
		x = ops.Sum(x, left...)
	}
	return ops.Reshape(x, n.Shape()...)
}

// summedRows returns the matrix over whose rows a node sums, perhaps through a view with several axes; nil if the node
// is no such sum.
func summedRows(n *graph.Node) *graph.Node {
	if !analysis.IsSum(n) {
		return nil
	}
	x := n.In(0)
	for i, axis := range n.Op().Axes(n) {
		if axis != i {
			return nil
		}
	}
	if len(n.Op().Axes(n)) != x.Rank()-1 {
		return nil
	}
	if l := alias.LayoutOf(x); l.IsRowMajor() && alias.Storage(x).Rank() == 2 {
		x = alias.Storage(x)
	}
	if cols, known := x.Shape()[x.Rank()-1].Int(); x.Rank() != 2 || x.Op().Class != graph.Elementwise || !known ||
		cols < wideRow || x.Shape()[1] != n.In(0).Shape()[n.In(0).Rank()-1] {
		return nil
	}
	return x
}

// reducesItsRows reports whether a matrix is computed from a reduction of rows of its own length.
func reducesItsRows(x *graph.Node) bool {
	const most = 64 // values to examine
	list, seen := []*graph.Node{x}, map[*graph.Node]bool{}
	for i := 0; i < len(list) && i < most; i++ {
		for _, y := range list[i].Operands() {
			if seen[y] || y.Op().Class != graph.Elementwise && y.Op().Class != graph.Movement &&
				y.Op().Class != graph.Reduce {
				continue
			}
			if seen[y] = true; y.Op().Class != graph.Reduce {
				list = append(list, y)
				continue
			}
			of := y.In(0)
			if y.Op().Axes != nil && of.Rank() > 0 && slices.Equal(y.Op().Axes(y), []int{of.Rank() - 1}) &&
				of.Shape()[of.Rank()-1] == x.Shape()[1] {
				return true
			}
		}
	}
	return false
}

// isFactor reports whether a product reads a value, or a view of it.
func isFactor(users [][]*graph.Node, x *graph.Node) bool {
	return slices.ContainsFunc(users[x.ID()], func(n *graph.Node) bool {
		return n.Op().Class == graph.Contract || alias.IsView(n) && isFactor(users, n)
	})
}
