package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// This file has the batching rules of entries: see the field Batch of graph.Op.

// batchSize is the number of examples.
func batchSize(in []node, mapped []bool) graph.Dim { return in[slices.Index(mapped, true)].Shape()[0] }

// inAll returns the operands for all examples: those that are the same for all are repeated.
func inAll(in []node, mapped []bool) []node {
	size := batchSize(in, mapped)
	for i, x := range in {
		if !mapped[i] {
			in[i] = Expand(x, inBatch(size, x.Shape())...)
		}
	}
	return in
}

// onLastAxes is the rule of an operation on the last axes of all its operands, whose leading axes are a batch already.
func onLastAxes(n node, in []node, mapped []bool) node {
	return graph.Apply(n.Op(), n.Attrs(), inAll(in, mapped)...)
}

// sameForAll is the rule of an operation on the last axes of its first operand, and on others that must be the same for
// all examples.
func sameForAll(n node, in []node, mapped []bool) node {
	if slices.Contains(mapped[1:], true) {
		return nil
	}
	return graph.Apply(n.Op(), n.Attrs(), in...)
}

// batchReshape is the rule of an operation that only changes the shape.
func batchReshape(n node, in []node, _ []bool) node {
	return Reshape(in[0], inBatch(in[0].Shape()[0], n.Shape())...)
}

// batchExpand is the rule of Expand.
func batchExpand(n node, in []node, _ []bool) node {
	return Expand(afterBatch(in[0], n.Rank()), inBatch(in[0].Shape()[0], n.Shape())...)
}

// batchConcat is the rule of Concat, which skips operands of shape [0].
func batchConcat(n node, in []node, mapped []bool) node {
	all := inAll(in, mapped)
	var joined []node
	for i, x := range n.Operands() {
		if x.Rank() == n.Rank() {
			joined = append(joined, all[i])
		}
	}
	return graph.Apply(n.Op(), ConcatAttrs{afterBatchAxis(n.Attrs().(ConcatAttrs).Axis)}, joined...)
}

// batchBarrier is the rule of Barrier, which reads no element of its second operand.
func batchBarrier(n node, in []node, mapped []bool) node {
	if !mapped[0] {
		in[0] = Expand(in[0], inBatch(batchSize(in, mapped), in[0].Shape())...)
	}
	return Barrier(in[0], in[1])
}

// batchByIndex is the rule of operations that index an axis of their other operands with a vector, which must be the
// same for all examples.
func batchByIndex(n node, in []node, mapped []bool) node {
	if mapped[1] || n.In(0).Rank() == 0 {
		return nil
	}
	index, size := in[1], batchSize(in, mapped)
	in = inAll(in, mapped)
	in[1] = index
	return graph.Apply(n.Op(), n.Attrs().(batchAttrs).withBatchAxis(n, size), in...)
}

// exampleByExample is the rule of a composite that is batched through its expansion, although its fixed arguments name
// axes.
func exampleByExample(node, []node, []bool) node { return nil }

// batchMatMul is the rule of MatMul. A matrix that is the same for all examples is multiplied with all their vectors in
// one product.
func batchMatMul(n node, in []node, mapped []bool) node {
	a, b := in[0], in[1]
	aRank, bRank := n.In(0).Rank(), n.In(1).Rank()
	switch {
	case !mapped[1] && (aRank == 1 && bRank <= 2 || aRank >= 2 && bRank <= aRank):
		return MatMul(a, b)
	case !mapped[0] && aRank == 1 && bRank == 1:
		return MatMul(b, a)
	case !mapped[0] && aRank == 2 && bRank == 1:
		return MatMul(b, Transpose(a, 0, 1))
	}
	rank := max(aRank, bRank, 2)
	if aRank == 1 {
		a = Unsqueeze(a, -2)
	}
	if bRank == 1 {
		b = Unsqueeze(b, -1)
	}
	if mapped[0] {
		a = afterBatch(a, rank)
	}
	if mapped[1] {
		b = afterBatch(b, rank)
	}
	return Reshape(MatMul(a, b), inBatch(batchSize(in, mapped), n.Shape())...)
}

// numbered turns indices into an axis of each example into indices into the concatenated axes of all examples. They are
// checked first.
func numbered(index node, size graph.Dim) node {
	g, shape := index.Graph(), index.Shape()
	index = Cast(Apply(opCheckIndex, indexAttrs{Size: size}, index), graph.Int64)
	before := Mul(Iota(g, 0, shape[0]), Size(g, graph.Int64, size))
	return Add(
		index, Reshape(before, slices.Concat(graph.Shape{shape[0]}, slices.Repeat(graph.Shape{1}, len(shape)-1))...))
}

// batchTake is the rule of Take.
func batchTake(n node, in []node, mapped []bool) node {
	x, index := in[0], in[1]
	axis := countedFromZero([]int{n.Attrs().(TakeAttrs).Axis}, n.In(0).Rank())[0]
	switch {
	case !mapped[1]:
		return Take(x, axis+1, index)
	case !mapped[0]:
		return MoveAxis(Take(x, axis, index), axis, 0)
	}
	return MoveAxis(Take(joinedExamples(x, axis), axis, numbered(index, x.Shape()[axis+1])), axis, 0)
}

// joinedExamples concatenates the given axis of all examples.
func joinedExamples(x node, axis int) node {
	x = MoveAxis(x, 0, axis)
	shape := x.Shape()
	return Reshape(x, slices.Concat(shape[:axis], graph.Shape{shape[axis].Times(shape[axis+1])}, shape[axis+2:])...)
}

// batchSegments is the rule of SegmentSum and similar operations.
func batchSegments(n node, in []node, mapped []bool) node {
	a := n.Attrs().(SegmentAttrs)
	axis := countedFromZero([]int{a.Axis}, n.Rank())[0]
	if !mapped[1] {
		return graph.Apply(n.Op(), SegmentAttrs{axis + 1, a.Size}, in...)
	}
	in = inAll(in, mapped)
	size := in[0].Shape()[0]
	x := MoveAxis(in[0], 0, axis) // the examples right before the axes of the indices
	y := graph.Apply(n.Op(), SegmentAttrs{axis, size.Times(a.Size)}, x, numbered(in[1], a.Size))
	shape := slices.Concat(n.Shape()[:axis], graph.Shape{size, a.Size}, n.Shape()[axis+1:])
	return MoveAxis(Reshape(y, shape...), axis, 0)
}

// batchImages is the rule of an operation on images, or signals, with the given number of axes after that of the
// channels: those of all examples become one batch. Other operands must be the same for all.
func batchImages(axes func(n node) int) func(n node, in []node, mapped []bool) node {
	return func(n node, in []node, mapped []bool) node {
		if slices.Contains(mapped[1:], true) {
			return nil
		}
		switch behind := axes(n) + 1; n.In(0).Rank() {
		case behind: // one image
			return graph.Apply(n.Op(), n.Attrs(), in...)
		case behind + 1:
			size := in[0].Shape()[0]
			in[0] = mergedBatch(in[0])
			return Reshape(graph.Apply(n.Op(), n.Attrs(), in...), inBatch(size, n.Shape())...)
		}
		return nil
	}
}

// mergedBatch merges the first two axes.
func mergedBatch(x node) node {
	s := x.Shape()
	return Reshape(x, slices.Concat(graph.Shape{s[0].Times(s[1])}, s[2:])...)
}
