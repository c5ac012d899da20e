package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// batchAttrs are fixed arguments that name axes. See [Vmap].
type batchAttrs interface {
	// withBatchAxis returns the arguments of the same operation on operands, and with a result, that have one more axis
	// before all others: the axis of a batch, of the given size.
	withBatchAxis(n node, size graph.Dim) any
}

// afterBatchAxis returns an axis where there is one more before all: one that is counted from the end stays.
func afterBatchAxis(axis int) int {
	if axis >= 0 {
		return axis + 1
	}
	return axis
}

// axesAfterBatch returns axes after one more in front of all; nil means all axes of the rank.
func axesAfterBatch(axes []int, rank int) []int {
	list := []int{}
	switch {
	case axes == nil:
		for axis := range rank {
			list = append(list, axis+1)
		}
	case rank > 0:
		for _, axis := range axes {
			list = append(list, afterBatchAxis(axis))
		}
	}
	return list
}

// shiftAxis returns arguments after it has moved one or two of their axes behind that of the batch.
func shiftAxis[A any](attrs *A, axes ...*int) any {
	for _, axis := range axes {
		*axis = afterBatchAxis(*axis)
	}
	return *attrs
}

// shiftAxes is [shiftAxis] of a list of axes of n's first operand.
func shiftAxes[A any](attrs *A, axes *[]int, n node) any {
	*axes = axesAfterBatch(*axes, n.In(0).Rank())
	return *attrs
}

// inBatch is a shape for each of a batch.
func inBatch(size graph.Dim, s graph.Shape) graph.Shape { return slices.Concat(graph.Shape{size}, s) }

func (a ReduceAttrs) withBatchAxis(n node, _ graph.Dim) any      { return shiftAxes(&a, &a.Axes, n) }
func (a VarianceAttrs) withBatchAxis(n node, _ graph.Dim) any    { return shiftAxes(&a, &a.Axes, n) }
func (a NormAttrs) withBatchAxis(n node, _ graph.Dim) any        { return shiftAxes(&a, &a.Axes, n) }
func (a StandardizeAttrs) withBatchAxis(n node, _ graph.Dim) any { return shiftAxes(&a, &a.Axes, n) }
func (a OthersAttrs) withBatchAxis(n node, _ graph.Dim) any      { return shiftAxes(&a, &a.Axes, n) }
func (a FlipAttrs) withBatchAxis(n node, _ graph.Dim) any        { return shiftAxes(&a, &a.Axes, n) }

func (a SoftmaxAttrs) withBatchAxis(node, graph.Dim) any { return shiftAxis(&a, &a.Axis) }
func (a ScanAttrs) withBatchAxis(node, graph.Dim) any    { return shiftAxis(&a, &a.Axis) }
func (a SortAttrs) withBatchAxis(node, graph.Dim) any    { return shiftAxis(&a, &a.Axis) }
func (a TopKAttrs) withBatchAxis(node, graph.Dim) any    { return shiftAxis(&a, &a.Axis) }
func (a SliceAttrs) withBatchAxis(node, graph.Dim) any   { return shiftAxis(&a, &a.Axis) }
func (a SelectAttrs) withBatchAxis(node, graph.Dim) any  { return shiftAxis(&a, &a.Axis) }
func (a PadAttrs) withBatchAxis(node, graph.Dim) any     { return shiftAxis(&a, &a.Axis) }
func (a PadWithAttrs) withBatchAxis(node, graph.Dim) any { return shiftAxis(&a, &a.Axis) }
func (a WindowAttrs) withBatchAxis(node, graph.Dim) any  { return shiftAxis(&a, &a.Axis) }
func (a FoldAttrs) withBatchAxis(node, graph.Dim) any    { return shiftAxis(&a, &a.Axis) }
func (a StackAttrs) withBatchAxis(node, graph.Dim) any   { return shiftAxis(&a, &a.Axis) }
func (a GatherAttrs) withBatchAxis(node, graph.Dim) any  { return shiftAxis(&a, &a.Axis) }
func (a ScatterAttrs) withBatchAxis(node, graph.Dim) any { return shiftAxis(&a, &a.Axis) }

func (a DiagonalAttrs) withBatchAxis(node, graph.Dim) any  { return shiftAxis(&a, &a.A, &a.B) }
func (a TransposeAttrs) withBatchAxis(node, graph.Dim) any { return shiftAxis(&a, &a.A, &a.B) }

func (a GatherNDAttrs) withBatchAxis(node, graph.Dim) any {
	a.BatchDims++
	return a
}

func (a TriangleAttrs) withBatchAxis(node, graph.Dim) any { return a }

func (a PermuteAttrs) withBatchAxis(n node, _ graph.Dim) any {
	perm := []int{0}
	for _, axis := range countedFromZero(a.Perm, n.Rank()) {
		perm = append(perm, axis+1)
	}
	return PermuteAttrs{perm}
}

func (a ReshapeAttrs) withBatchAxis(n node, size graph.Dim) any {
	return ReshapeAttrs{inBatch(size, n.Shape())}
}

func (a SumToAttrs) withBatchAxis(_ node, size graph.Dim) any {
	return SumToAttrs{inBatch(size, a.Shape)}
}

func (a StridedAttrs) withBatchAxis(n node, size graph.Dim) any {
	a.Shape = inBatch(size, a.Shape)
	a.Strides = slices.Concat([]graph.Dim{n.In(0).Shape().NumElements()}, a.Strides)
	return a
}
