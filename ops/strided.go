package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opDiagonal, opAsStrided *graph.Op

// DiagonalAttrs are the fixed arguments of Diagonal. Square says that both axes must have the same size.
type DiagonalAttrs struct {
	Offset, A, B int
	Square       bool
}

// StridedAttrs are the fixed arguments of AsStrided.
type StridedAttrs struct {
	Shape   graph.Shape
	Strides []graph.Dim
	Offset  graph.Dim
}

func init() {
	opDiagonal = movement("diagonal", "Diagonal", "the diagonal of two axes as the last axis.",
		func(c *graph.Call) graph.Shape {
			a := c.Attrs().(DiagonalAttrs)
			return rules.Diagonal(c, a.Offset, a.A, a.B, a.Square)
		}, diagonalView, diagonalGrad)
	opAsStrided = movement("as_strided", "AsStrided", "elements at given distances in the row-major order of x.",
		func(c *graph.Call) graph.Shape {
			a := c.Attrs().(StridedAttrs)
			return rules.AsStrided(c, a.Shape, a.Strides, a.Offset)
		},
		func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
			a := n.Attrs().(StridedAttrs)
			return graph.Layout{Shape: n.Shape(), Strides: a.Strides, Offset: in.Offset.Plus(a.Offset)}, in.IsDense()
		},
		func(n, dy node) node {
			a, x := n.Attrs().(StridedAttrs), n.In(0)
			at := flatIndex(x.Graph(), make([]node, n.Rank()), a.Strides, a.Offset, n.Shape())
			return Reshape(SegmentSum(dy, 0, at, x.Shape().NumElements()), x.Shape()...)
		})
	opAsStrided.Once = false
	opAsStrided.Ref = named("numpy.lib.stride_tricks.as_strided", "torch.as_strided", "", "", "",
		func(e *graph.Example) node {
			return AsStrided(e.Of("x", "3", "4"), graph.Shape{3, 3}, []graph.Dim{2, 1}, 1)
		})
	opDiagonal.Ref = named("numpy.diagonal", "torch.diagonal, torch.linalg.diagonal",
		"jax.numpy.diagonal, jax.numpy.linalg.diagonal", "", "",
		func(e *graph.Example) node { return Diagonal(e.Of("x", "n", "n"), 0, 0, 1) })
}

func diagonalAxes(n node) (rows, cols int) {
	a := n.Attrs().(DiagonalAttrs)
	at := countedFromZero([]int{a.A, a.B}, n.In(0).Rank())
	return at[0], at[1]
}

func diagonalView(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
	rows, cols := diagonalAxes(n)
	out := graph.Layout{Shape: n.Shape(), Offset: in.Offset}
	for axis, s := range in.Strides {
		if axis != rows && axis != cols {
			out.Strides = append(out.Strides, s)
		}
	}
	out.Strides = append(out.Strides, in.Strides[rows].Plus(in.Strides[cols]))
	if offset := graph.Dim(n.Attrs().(DiagonalAttrs).Offset); offset >= 0 {
		out.Offset = out.Offset.Plus(offset.Times(in.Strides[cols]))
	} else {
		out.Offset = out.Offset.Minus(offset.Times(in.Strides[rows]))
	}
	return out, true
}

// diagonalGrad puts the gradient on the diagonal of zeros: it is repeated over the
// columns, and kept where the column is that of the diagonal.
func diagonalGrad(n, dy node) node {
	x := n.In(0)
	rows, cols := diagonalAxes(n)
	offset := n.Attrs().(DiagonalAttrs).Offset
	last := x.Rank() - 2
	length := n.Shape()[last]
	if length == 0 {
		return ZerosLike(x)
	}
	matrix := append(slices.Clone(n.Shape()[:last]), x.Shape()[rows], x.Shape()[cols])
	before := graph.MinDim(graph.Dim(max(-offset, 0)), x.Shape()[rows]) // rows above the diagonal
	byRow := Pad(dy, last, before, x.Shape()[rows].Minus(before).Minus(length), 0)
	column := Add(Iota(x.Graph(), last, matrix...), graph.Num(offset))
	g := Where(Equal(Iota(x.Graph(), last+1, matrix...), column), Unsqueeze(byRow, last+1), num(0))
	return Permute(g, inverse(othersThen(x.Rank(), rows, cols))...)
}

// othersThen lists the axes but two, and then these two.
func othersThen(rank, a, b int) []int {
	var perm []int
	for axis := range rank {
		if axis != a && axis != b {
			perm = append(perm, axis)
		}
	}
	return append(perm, a, b)
}

// inverse returns the permutation that undoes another.
func inverse(perm []int) []int {
	undo := make([]int, len(perm))
	for i, a := range perm {
		undo[a] = i
	}
	return undo
}

// Diagonal returns the elements of axes a and b at positions (i, i+offset), as the last axis of the result. The main
// diagonal of a matrix is Diagonal(x, 0, 0, 1). Its length is the smaller of the two sizes that remain after the
// offset; for named sizes it is known when they are bound.
func Diagonal(x *graph.Node, offset, a, b int) *graph.Node {
	return Apply(opDiagonal, DiagonalAttrs{Offset: offset, A: a, B: b}, x)
}

// AsStrided returns a value of the given shape whose element (i, j, …) is element
// offset + i*strides[0] + j*strides[1] + … of x in row-major order.
func AsStrided(x *graph.Node, shape graph.Shape, strides []graph.Dim, offset graph.Dim) *graph.Node {
	return Apply(opAsStrided, StridedAttrs{slices.Clone(shape), slices.Clone(strides), offset}, x)
}
