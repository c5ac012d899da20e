package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// overImages is batchImages of a convolution.
var overImages = batchImages(func(n node) int { return len(n.Attrs().(ConvAttrs).Stride) })

// batchConv is the rule of convolutions. Filters that are the same for all examples are applied to the images of all of
// them. Per-example filters become groups of one convolution, whose channels are those of all examples.
func batchConv(n node, in []node, mapped []bool) node {
	if len(in) == 3 && (mapped[1] || mapped[2]) {
		var y node
		if !mapped[0] && !mapped[1] {
			y = graph.Apply(n.Op(), n.Attrs(), in[:2]...)
		} else {
			n.Graph().Reopened(n.Region(), func() { y = graph.Apply(n.Op(), n.Attrs(), n.In(0), n.In(1)) })
			y = batchConv(y, in[:2], mapped[:2])
		}
		if y == nil {
			return nil
		}
		return Add(y, biasInBatch(n, in[2], mapped[2]))
	}
	if !mapped[1] {
		return overImages(n, in, mapped)
	}
	a := n.Attrs().(ConvAttrs)
	a.OutputPadding = nil // the gradient of a transposed convolution has it
	x, axes := in[0], len(a.Stride)
	if n.In(0).Rank() == axes+1 {
		x = Unsqueeze(x, -axes-2)
	}
	size := in[1].Shape()[0]
	count, known := size.Int()
	hasChannels := func(s graph.Shape, axis int) bool {
		return prove.NewProver(x.Graph().Bounds).AtLeast(s[axis], 1) == prove.Proved
	}
	if !known || count == 0 || a.Groups == 0 || !hasChannels(n.In(0).Shape(), n.In(0).Rank()-axes-1) ||
		!hasChannels(n.In(1).Shape(), 0) {
		return nil
	}
	if mapped[0] || a.Groups > 1 {
		if !mapped[0] {
			x = Expand(x, inBatch(size, x.Shape())...)
		}
		x = Transpose(x, 0, 1)
		x = Reshape(x, slices.Concat(graph.Shape{x.Shape()[0], size.Times(x.Shape()[2])}, x.Shape()[3:])...)
		a.Groups *= int(count)
	}
	op := []*graph.Op{opConv1D, opConv2D, opConv3D}[axes-1]
	y := graph.Apply(op, a, x, mergedBatch(in[1]))
	s := y.Shape()
	y = Reshape(y, slices.Concat(graph.Shape{s[0], size, n.In(1).Shape()[0]}, s[2:])...)
	return Reshape(Transpose(y, 0, 1), inBatch(size, n.Shape())...)
}

// biasInBatch lines a bias up with the channels of what a convolution gives for all examples.
func biasInBatch(n, bias node, mapped bool) node {
	axes := len(n.Attrs().(ConvAttrs).Stride)
	shape := slices.Concat(graph.Shape{bias.Shape()[bias.Rank()-1]}, slices.Repeat(graph.Shape{1}, axes))
	if mapped {
		shape = slices.Concat(graph.Shape{bias.Shape()[0]}, slices.Repeat(graph.Shape{1}, n.Rank()-axes-1), shape)
	}
	return Reshape(bias, shape...)
}
