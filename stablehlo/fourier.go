package stablehlo

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Complex numbers are pairs on a last axis; StableHLO has a type for them. Its inverse transforms divide by their
// length, which is undone by a multiplication.

// StableHLO transforms the last axis of complex numbers, so the node's axis is moved there.

// fourier is the transform of pairs.
func (e *exporter) fourier(n *graph.Node, in []*value) *value {
	kind, behind := "FFT", behindOf(n)
	isInverse := n.Attrs().(interface{ IsInverse() bool }).IsInverse()
	if isInverse {
		kind = "IFFT"
	}
	y := e.transform(kind, e.axisLast(e.ofPairs(in[0]), behind))
	length := y.shape[len(y.shape)-1]
	x := e.pairs(e.axisBack(y, behind))
	if isInverse {
		return e.times(x, length)
	}
	return x
}

// fourierOfReal is the first half of the transform of real numbers.
func (e *exporter) fourierOfReal(n *graph.Node, in []*value) *value {
	behind := behindOf(n)
	return e.pairs(e.axisBack(e.transform("RFFT", e.axisLast(in[0], behind)), behind))
}

// fourierToReal computes real numbers from the first half of their transform.
func (e *exporter) fourierToReal(n *graph.Node, in []*value) *value {
	behind, shape := behindOf(n), e.typeOf(n).shape
	length := shape[len(shape)-1-behind]
	x := e.axisLast(e.ofPairs(in[0]), behind)
	t := tensor{realOf(x.dtype), slices.Clone(x.shape)}
	t.shape[len(t.shape)-1] = length
	return e.times(e.axisBack(e.fft("IRFFT", x, t, length), behind), length)
}

// behindOf is the number of axes after the transformed one.
func behindOf(n *graph.Node) int { return n.Attrs().(interface{ Behind() int }).Behind() }

// axisLast moves an axis past the axes after it, and axisBack moves it back.
func (e *exporter) axisLast(x *value, behind int) *value {
	rank := len(x.shape)
	order := make([]int, rank)
	for i := range order {
		order[i] = i
	}
	at := rank - 1 - behind
	return e.transpose(x, append(slices.Delete(order, at, at+1), at))
}

func (e *exporter) axisBack(x *value, behind int) *value {
	rank := len(x.shape)
	order := make([]int, rank-1)
	for i := range order {
		order[i] = i
	}
	return e.transpose(x, slices.Insert(order, rank-1-behind, rank-1))
}

// transform is one whose length is that of its operand.
func (e *exporter) transform(kind string, x *value) *value {
	t := tensor{x.dtype, slices.Clone(x.shape)}
	last := len(t.shape) - 1
	length := t.shape[last]
	if kind == "RFFT" {
		t.dtype, t.shape[last] = complexOf(x.dtype), length/2+1
	}
	return e.fft(kind, x, t, length)
}

func (e *exporter) fft(kind string, x *value, t tensor, length int) *value {
	return e.apply("stablehlo.fft", t, []attr{
		{"fft_type", "#stablehlo<fft_type " + kind + ">"}, {"fft_length", []int{length}}}, x)
}

// complexOf and realOf are the dtypes of complex numbers and of their parts.
func complexOf(part graph.DType) graph.DType {
	if part == graph.Float32 {
		return complexOf32
	}
	return complexOf64
}

func realOf(t graph.DType) graph.DType {
	if t == complexOf32 {
		return graph.Float32
	}
	return graph.Float64
}

// ofPairs makes complex numbers of pairs.
func (e *exporter) ofPairs(x *value) *value {
	last := len(x.shape) - 1
	t := tensor{complexOf(x.dtype), x.shape[:last]}
	part := func(i int) *value {
		start, limit, step := make([]int, last+1), slices.Clone(x.shape), slices.Repeat([]int{1}, last+1)
		start[last], limit[last] = i, i+1
		return e.reshape(e.slice(x, start, limit, step), x.shape[:last])
	}
	return e.apply("stablehlo.complex", t, nil, part(0), part(1))
}

// pairs makes pairs of complex numbers.
func (e *exporter) pairs(x *value) *value {
	t := tensor{realOf(x.dtype), x.shape}
	shape := append(slices.Clone(x.shape), 1)
	part := func(op string) *value { return e.reshape(e.apply(op, t, nil, x), shape) }
	return e.concat([]*value{part("stablehlo.real"), part("stablehlo.imag")}, len(x.shape))
}

// times multiplies with a number.
func (e *exporter) times(x *value, by int) *value {
	return e.same("multiply", x, e.splat(x.tensor, float64(by)))
}
