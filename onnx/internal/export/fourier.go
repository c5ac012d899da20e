package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Complex numbers are pairs on a last axis, as in ONNX, whose inverse transforms divide by their
// length, which is multiplied with again.

// behindOf is how many axes of numbers lie behind the one that is transformed.
func behindOf(n *graph.Node) int { return n.Attrs().(interface{ Behind() int }).Behind() }

// fourier is the transform of pairs.
func (e *exporter) fourier(n *graph.Node, in []*value) *value {
	axis := len(in[0].shape) - 2 - behindOf(n)
	isInverse := n.Attrs().(interface{ IsInverse() bool }).IsInverse()
	return e.transform(in[0], axis, in[0].shape, isInverse, false)
}

// transform is one along an axis, which is not divided.
func (e *exporter) transform(x *value, axis int, shape graph.Shape, isInverse, onesided bool) *value {
	var a attrs
	if isInverse {
		a = append(a, attrInt("inverse", 1))
	}
	if onesided {
		a = append(a, attrInt("onesided", 1))
	}
	y := e.apply("DFT", tensor{x.dtype, shape}, a, x, nil, e.whole(graph.Int64, int64(axis)))
	if isInverse {
		return e.same("Mul", e.cast(e.size(shape[axis]), x.dtype), y)
	}
	return y
}

// fourierOfReal is the first half of the transform of real numbers.
func (e *exporter) fourierOfReal(n *graph.Node, in []*value) *value {
	axis := len(in[0].shape) - 1 - behindOf(n)
	return e.transform(e.unsqueeze(in[0], []int{len(in[0].shape)}), axis, e.typeOf(n).shape, false, true)
}

// fourierToReal are the real numbers of which this is the first half of the transform: the other half are the conjugates in reverse.
func (e *exporter) fourierToReal(n *graph.Node, in []*value) *value {
	x, last := in[0], len(in[0].shape)-1
	axis := last - 1 - behindOf(n)
	size := e.typeOf(n).shape[axis]
	half := x.shape[axis]
	count := size.Minus(half)
	whole := x
	if count != 0 {
		rest := e.flip(e.slice(x, span{axis, 1, count, 1}), axis)
		signs := e.initialiser(tensor{x.dtype, graph.Shape{2}}, &literal{raw: append(slices.Clone(e.number(x.dtype, 1).data.raw), e.number(x.dtype, -1).data.raw...)})
		whole = e.concat(axis, x, e.apply("Mul", rest.tensor, nil, rest, signs))
	}
	shape := slices.Clone(whole.shape)
	shape[axis] = size
	y := e.transform(whole, axis, shape, true, false)
	return e.gather(y, e.whole(graph.Int64, 0), last)
}
