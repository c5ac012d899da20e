package export

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Complex numbers are pairs on a last axis, as in ONNX, whose inverse transforms divide by their
// length, which is multiplied with again.

// behindOf is how many axes of numbers lie behind the one that is transformed.
func behindOf(n *graph.Node) int { return n.Attrs().(interface{ Behind() int }).Behind() }

// ONNX Runtime's transforms of float64 have the digits of float32: those are written as products with matrices of
// sines.

// fourier is the transform of pairs.
func (e *exporter) fourier(n *graph.Node, in []*value) *value {
	if in[0].dtype == graph.Float64 {
		return e.WriteAs(n, in, fourierByProduct)
	}
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
	if in[0].dtype == graph.Float64 {
		return e.WriteAs(n, in, fourierOfRealByProduct)
	}
	axis := len(in[0].shape) - 1 - behindOf(n)
	return e.transform(e.unsqueeze(in[0], []int{len(in[0].shape)}), axis, e.typeOf(n).shape, false, true)
}

// fourierToReal are the real numbers of which this is the first half of the transform: the other half are the
// conjugates in reverse.
func (e *exporter) fourierToReal(n *graph.Node, in []*value) *value {
	if in[0].dtype == graph.Float64 {
		return e.WriteAs(n, in, fourierToRealByProduct)
	}
	x, last := in[0], len(in[0].shape)-1
	axis := last - 1 - behindOf(n)
	size := e.typeOf(n).shape[axis]
	half := x.shape[axis]
	count := size.Minus(half)
	whole := x
	if count != 0 {
		rest := e.flip(e.slice(x, span{axis, 1, count, 1}), axis)
		signs := e.initialiser(tensor{x.dtype, graph.Shape{2}},
			&literal{raw: append(slices.Clone(e.number(x.dtype, 1).data.raw), e.number(x.dtype, -1).data.raw...)})
		whole = e.concat(axis, x, e.apply("Mul", rest.tensor, nil, rest, signs))
	}
	shape := slices.Clone(whole.shape)
	shape[axis] = size
	y := e.transform(whole, axis, shape, true, false)
	return e.gather(y, e.whole(graph.Int64, 0), last)
}

// waves are the cosines and the sines of 2π·j·k/n, of rows j and columns k.
func waves(g *graph.Graph, rows, cols, n graph.Dim) (cosines, sines *graph.Node) {
	size := ops.Size(g, graph.Int64, n)
	turns := ops.Remainder(ops.Mul(ops.Iota(g, 0, rows, 1), ops.Iota(g, 1, 1, cols)), size)
	angle := ops.Mul(ops.Div(ops.Cast(turns, graph.Float64), ops.Cast(size, graph.Float64)), num(2*math.Pi))
	return ops.Cos(angle), ops.Sin(angle)
}

// parts returns the real and the imaginary part of pairs, with the axis that is transformed as the last one.
func parts(x *graph.Node, axis int) (re, im *graph.Node) {
	return ops.MoveAxis(ops.Select(x, -1, 0), axis, -1), ops.MoveAxis(ops.Select(x, -1, 1), axis, -1)
}

func fourierByProduct(n *graph.Node, in []*graph.Node) *graph.Node {
	axis := in[0].Rank() - 2 - behindOf(n)
	size := in[0].Shape()[axis]
	cosines, sines := waves(in[0].Graph(), size, size, size)
	if n.Attrs().(interface{ IsInverse() bool }).IsInverse() {
		sines = ops.Neg(sines)
	}
	re, im := parts(in[0], axis)
	y := ops.Add(ops.MatMul(re, cosines), ops.MatMul(im, sines))
	z := ops.Sub(ops.MatMul(im, cosines), ops.MatMul(re, sines))
	return ops.Stack(-1, ops.MoveAxis(y, -1, axis), ops.MoveAxis(z, -1, axis))
}

func fourierOfRealByProduct(n *graph.Node, in []*graph.Node) *graph.Node {
	axis := in[0].Rank() - 1 - behindOf(n)
	size := in[0].Shape()[axis]
	cosines, sines := waves(in[0].Graph(), size, size.FloorDiv(2).Plus(1), size)
	re := ops.MoveAxis(in[0], axis, -1)
	return ops.Stack(-1, ops.MoveAxis(ops.MatMul(re, cosines), -1, axis),
		ops.MoveAxis(ops.Neg(ops.MatMul(re, sines)), -1, axis))
}

// fourierToRealByProduct counts all numbers twice, for their conjugates, except the first and, if their number is even,
// the middle one.
func fourierToRealByProduct(n *graph.Node, in []*graph.Node) *graph.Node {
	g, axis := in[0].Graph(), in[0].Rank()-2-behindOf(n)
	half, size := in[0].Shape()[axis], n.Shape()[axis]
	cosines, sines := waves(g, half, size, size)
	place := ops.Iota(g, 0, half)
	isOnce := ops.Or(ops.Equal(place, num(0)), ops.Equal(ops.Mul(place, num(2)), ops.Size(g, graph.Int64, size)))
	count := ops.Where(isOnce, g.Scalar(graph.Float64, 1), g.Scalar(graph.Float64, 2))
	re, im := parts(in[0], axis)
	y := ops.Sub(ops.MatMul(ops.Mul(re, count), cosines), ops.MatMul(ops.Mul(im, count), sines))
	return ops.MoveAxis(y, -1, axis)
}
