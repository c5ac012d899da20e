package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// behindBatch are fixed arguments that know of axes. They give those of the same operation on operands, and with a result, that have one axis more before all
// others, of the given size: that of a batch. See [Vmap].
type behindBatch interface {
	behindBatch(n node, size graph.Dim) any
}

// axisBehindBatch is an axis where there is one more before all: one that is counted from the end stays.
func axisBehindBatch(axis int) int {
	if axis >= 0 {
		return axis + 1
	}
	return axis
}

// axesBehindBatch are axes where there is one more before all; nil stands for all of so many.
func axesBehindBatch(axes []int, rank int) []int {
	list := []int{}
	switch {
	case axes == nil:
		for axis := range rank {
			list = append(list, axis+1)
		}
	case rank > 0:
		for _, axis := range axes {
			list = append(list, axisBehindBatch(axis))
		}
	}
	return list
}

// inBatch is a shape for each of a batch.
func inBatch(size graph.Dim, s graph.Shape) graph.Shape { return slices.Concat(graph.Shape{size}, s) }

func (a ReduceAttrs) behindBatch(n node, _ graph.Dim) any {
	a.Axes = axesBehindBatch(a.Axes, n.In(0).Rank())
	return a
}

func (a VarianceAttrs) behindBatch(n node, _ graph.Dim) any {
	a.Axes = axesBehindBatch(a.Axes, n.In(0).Rank())
	return a
}

func (a NormAttrs) behindBatch(n node, _ graph.Dim) any {
	a.Axes = axesBehindBatch(a.Axes, n.In(0).Rank())
	return a
}

func (a StandardizeAttrs) behindBatch(n node, _ graph.Dim) any {
	a.Axes = axesBehindBatch(a.Axes, n.In(0).Rank())
	return a
}

func (a OthersAttrs) behindBatch(n node, _ graph.Dim) any {
	a.Axes = axesBehindBatch(a.Axes, n.In(0).Rank())
	return a
}

func (a FlipAttrs) behindBatch(n node, _ graph.Dim) any {
	a.Axes = axesBehindBatch(a.Axes, n.In(0).Rank())
	return a
}

func (a SoftmaxAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a ScanAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a SortAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a TopKAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a SliceAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a SelectAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a PadAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a PadWithAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a WindowAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a FoldAttrs) behindBatch(n node, _ graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a StackAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a GatherAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a ScatterAttrs) behindBatch(node, graph.Dim) any {
	a.Axis = axisBehindBatch(a.Axis)
	return a
}

func (a GatherNDAttrs) behindBatch(node, graph.Dim) any {
	a.BatchDims++
	return a
}

func (a TriangleAttrs) behindBatch(node, graph.Dim) any { return a }

func (a DiagonalAttrs) behindBatch(node, graph.Dim) any {
	a.A, a.B = axisBehindBatch(a.A), axisBehindBatch(a.B)
	return a
}

func (a TransposeAttrs) behindBatch(node, graph.Dim) any {
	a.A, a.B = axisBehindBatch(a.A), axisBehindBatch(a.B)
	return a
}

func (a PermuteAttrs) behindBatch(n node, _ graph.Dim) any {
	perm := []int{0}
	for _, axis := range countedFromZero(a.Perm, n.Rank()) {
		perm = append(perm, axis+1)
	}
	return PermuteAttrs{perm}
}

func (a ReshapeAttrs) behindBatch(n node, size graph.Dim) any {
	return ReshapeAttrs{inBatch(size, n.Shape())}
}

func (a SumToAttrs) behindBatch(_ node, size graph.Dim) any {
	return SumToAttrs{inBatch(size, a.Shape)}
}

func (a StridedAttrs) behindBatch(n node, size graph.Dim) any {
	a.Shape = inBatch(size, a.Shape)
	a.Strides = slices.Concat([]graph.Dim{n.In(0).Shape().NumElements()}, a.Strides)
	return a
}
