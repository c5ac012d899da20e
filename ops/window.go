package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opWindow, opFold *graph.Op

// WindowAttrs are the fixed arguments of Window.
type WindowAttrs struct {
	Axis             int
	Size             graph.Dim
	Stride, Dilation int
}

// FoldAttrs are the fixed arguments of Fold: Length is the size of the axis in the result.
type FoldAttrs struct {
	Axis             int
	Length           graph.Dim
	Stride, Dilation int
}

// Args writes the axis, the size, the stride and the dilation.
func (a WindowAttrs) Args(operands []string) []string {
	return after(operands, a.Axis, a.Size, a.Stride, a.Dilation)
}

// Args writes the axis, its length, the stride and the dilation.
func (a FoldAttrs) Args(operands []string) []string {
	return after(operands, a.Axis, a.Length, a.Stride, a.Dilation)
}

// Steps returns the axis, the stride of the windows and the dilation of their elements.
func (a FoldAttrs) Steps() (axis, stride, dilation int) { return a.Axis, a.Stride, a.Dilation }

func init() {
	opWindow = movement("window", "Window", "sliding windows along one axis: y[…,i,…,k] = x[…,i*stride+k*dilation,…].",
		func(c *graph.Call) graph.Shape {
			a := c.Attrs().(WindowAttrs)
			return rules.Window(c, a.Axis, a.Size, a.Stride, a.Dilation)
		},
		func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
			a := n.Attrs().(WindowAttrs)
			axis := countedFromZero([]int{a.Axis}, n.In(0).Rank())[0]
			out := graph.Layout{Shape: n.Shape(), Strides: slices.Clone(in.Strides), Offset: in.Offset}
			step := in.Strides[axis]
			out.Strides[axis] = step.Times(graph.Dim(a.Stride))
			out.Strides = append(out.Strides, step.Times(graph.Dim(a.Dilation)))
			return out, true
		},
		func(n, dy node) node {
			a, x := n.Attrs().(WindowAttrs), n.In(0)
			axis := countedFromZero([]int{a.Axis}, x.Rank())[0]
			return Fold(dy, axis, x.Shape()[axis], a.Stride, a.Dilation)
		})
	opWindow.Once = false
	opFold = define(graph.Op{
		Name: "fold", Func: "Fold", Doc: "windows put back on an axis; elements at the same position are summed.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(FoldAttrs)
			return c.DType(0), rules.Fold(c, a.Axis, a.Length, a.Stride, a.Dilation)
		},
		Expand: expandFold,
		Grad: func(n, dy node, _ int) node {
			a, x := n.Attrs().(FoldAttrs), n.In(0)
			axis := countedFromZero([]int{a.Axis}, n.Rank())[0]
			return Window(dy, axis, x.Shape()[x.Rank()-1], a.Stride, a.Dilation)
		},
	})
	opFold.Ref = named("", "torch.nn.functional.fold", "", "Col2Im", "",
		func(e *graph.Example) node { return Fold(e.Of("x", "n", "4", "3"), 1, 9, 2, 1) })
	opWindow.Ref = named("numpy.lib.stride_tricks.sliding_window_view", "torch.Tensor.unfold", "", "", "",
		func(e *graph.Example) node { return Window(e.Of("x", "n", "9"), 1, 3, 2, 1) })
}

// expandFold adds up what all windows have at one place, place by place. Large windows that are far apart are cut into
// pieces: see foldByPieces. Others whose size is not known or large are read by views: see foldByViews.
func expandFold(n *graph.Node, in []*graph.Node) *graph.Node {
	x, a, rank := in[0], n.Attrs().(FoldAttrs), n.Rank()
	axis := countedFromZero([]int{a.Axis}, rank)[0]
	size, known := x.Shape()[rank].Int()
	switch {
	case known && size == int64(a.Stride) && a.Dilation == 1:
		return sideBySide(n, x, axis)
	case known && size > maxTaps && a.Dilation == 1 && size <= int64(maxTaps*a.Stride) && x.DType() != graph.Bool:
		return foldByPieces(n, x, axis, int(size))
	case !known || size > maxTaps || size == 0 || x.DType() == graph.Bool:
		return foldByViews(n, x, axis)
	}
	sum := graph.Num(0)
	for k := range size {
		tap := Select(x, rank, graph.Dim(k))
		before := graph.Dim(int(k) * a.Dilation)
		after := a.Length.Minus(before).Minus(spacedLength(tap.Shape()[axis], a.Stride))
		sum = Add(sum, Apply(opPad, PadAttrs{Axis: axis, Before: before, After: after, Step: a.Stride}, tap))
	}
	return sum
}

// foldByPieces cuts windows into pieces as long as they are apart: piece j of a window lies where the first piece of
// the window j places later does. The pieces at one place are added up, and lie side by side.
func foldByPieces(n, x node, axis, size int) node {
	a, rank := n.Attrs().(FoldAttrs), n.Rank()
	count := (size + a.Stride - 1) / a.Stride
	x = Pad(x, rank, 0, graph.Dim(count*a.Stride-size), 0)
	sum := graph.Num(0)
	for j := range count {
		piece := Slice(x, rank, graph.Dim(j*a.Stride), graph.Dim((j+1)*a.Stride), 1)
		sum = Add(sum, Pad(piece, axis, graph.Dim(j), graph.Dim(count-1-j), 0))
	}
	shape := slices.Clone(n.Shape())
	shape[axis] = sum.Shape()[axis].Times(graph.Dim(a.Stride))
	return resized(Reshape(MoveAxis(sum, rank, axis+1), shape...), axis, a.Length)
}

// foldByViews reads each place of the result from all windows that reach it, so that
// nothing is scattered. Element k of the window that starts at j lands on j + k·dilation;
// with zeros between and around the starts, and k counted backwards from the last, all
// that lands on place i stands at i + k·dilation: on the diagonal of windows over the
// starts. Each element of the result is one sum over that view.
func foldByViews(n, x node, axis int) node {
	a, rank := n.Attrs().(FoldAttrs), n.Rank()
	count, size := x.Shape()[axis], x.Shape()[rank]
	// The elements of a window go before the last axis, so that rows stay whole.
	elements := rank - 1
	x = Transpose(x, elements, rank)
	if axis == elements {
		axis = rank
	}
	reach := size.Minus(1).Times(graph.Dim(a.Dilation))
	after := a.Length.Minus(spacedLength(count, a.Stride))
	starts := Apply(opPad, PadAttrs{Axis: axis, Before: reach, After: after, Step: a.Stride}, Flip(x, elements))
	landing := Diagonal(Window(starts, axis, size, 1, a.Dilation), 0, elements, rank+1)
	return Cast(Sum(Transpose(landing, elements, rank), Axis(elements)), n.DType())
}

// sideBySide puts windows back that neither overlap nor leave gaps.
func sideBySide(n, x node, axis int) node {
	rank := n.Rank()
	covered := x.Shape()[axis].Times(x.Shape()[rank])
	shape := slices.Clone(n.Shape())
	shape[axis] = covered
	return Pad(Reshape(MoveAxis(x, rank, axis+1), shape...), axis, 0, n.Shape()[axis].Minus(covered), 0)
}

// Window returns sliding windows along an axis, without copying: y[…,i,…,k] = x[…, i*stride + k*dilation, …]. The
// axis holds the floor((length - dilation*(size-1) - 1)/stride) + 1 windows, and a new last axis the elements of
// each. There must be room for at least one window.
func Window(x *graph.Node, axis int, size graph.Dim, stride, dilation int) *graph.Node {
	return Apply(opWindow, WindowAttrs{axis, size, stride, dilation}, x)
}

// Fold is the adjoint of [Window]: it puts windows, whose elements are the last axis, back on an axis of the given
// length. Overlapping elements are summed, and positions that no window reaches are 0.
func Fold(x *graph.Node, axis int, length graph.Dim, stride, dilation int) *graph.Node {
	return Apply(opFold, FoldAttrs{axis, length, stride, dilation}, x)
}
