package stablehlo

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Complex numbers are pairs on a last axis; in StableHLO they have a type of their own. Its inverse transforms divide by their
// length, which is multiplied with again.

// fourier is the transform of pairs along the axis before them.
func (e *exporter) fourier(n *graph.Node, in []*value) *value {
	if n.Attrs().(interface{ IsInverse() bool }).IsInverse() {
		return e.timesLength(e.pairs(e.transform("IFFT", e.ofPairs(in[0]))), -2)
	}
	return e.pairs(e.transform("FFT", e.ofPairs(in[0])))
}

// fourierOfReal is the first half of the transform of real numbers.
func (e *exporter) fourierOfReal(_ *graph.Node, in []*value) *value {
	return e.pairs(e.transform("RFFT", in[0]))
}

// fourierToReal are the real numbers of which this is the first half of the transform.
func (e *exporter) fourierToReal(n *graph.Node, in []*value) *value {
	shape := e.typeOf(n).shape
	last := len(shape) - 1
	x := e.ofPairs(in[0])
	y := e.fft("IRFFT", x, e.typeOf(n), shape[last])
	return e.timesLength(y, -1)
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
	return e.apply("stablehlo.fft", t, []attr{{"fft_type", "#stablehlo<fft_type " + kind + ">"}, {"fft_length", []int{length}}}, x)
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

// timesLength multiplies with the size of an axis, counted from the end.
func (e *exporter) timesLength(x *value, axis int) *value {
	return e.same("multiply", x, e.splat(x.tensor, float64(x.shape[len(x.shape)+axis])))
}
