package nn

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Rotary rotates pairs of elements of x, [..., t, width], by angles proportional to their position: pair k at
// position i by i/base^(2k/width). Elements k and k+width/2 are a pair, as in the Llama weights of Hugging Face's
// library. first is the position of the first row, a scalar: graph.Num(0) if rows start with the sequence.
// [ops.RotaryEmbedding] takes other angles and pairs. Source: Su and others, RoFormer: Enhanced Transformer with Rotary
// Position Embedding, 2021.
func Rotary(x *graph.Node, base float64, first *graph.Node) *graph.Node {
	defer graph.BeginCall("Rotary", nil, x, first)()
	switch {
	case x == nil || !x.Judged() || first == nil || !first.Judged():
		return ops.Add(x, first) // its own mistake
	case x.Rank() < 2 || !x.DType().IsFloat():
		return unbuilt("Rotary", "it needs floating-point numbers [..., t, width]", x)
	}
	width, is := x.Shape()[x.Rank()-1].Int()
	if !is || width%2 != 0 || !(base > 0) {
		return unbuilt("Rotary",
			"the last axis must have an even size that is known, and the base must be more than 0", x)
	}
	return rotate(x, base, first, false)
}

// rotate computes angles, which values of 16 bits would round to other positions, in Float32 at least. The result is
// rounded once.
func rotate(x *graph.Node, base float64, first *graph.Node, interleaved bool) *graph.Node {
	of := x.DType()
	x = ops.Cast(x, of.Computed())
	width, _ := x.Shape()[x.Rank()-1].Int()
	rates := make([]float64, width/2)
	for k := range rates {
		rates[k] = math.Pow(base, -2*float64(k)/float64(width))
	}
	g, half := x.Graph(), graph.Dim(width/2)
	place := ops.Cast(ops.Add(ops.Iota(g, 0, x.Shape()[x.Rank()-2], 1), first), x.DType())
	angle := ops.Mul(place, ops.Cast(graph.Constant(g, rates, half), x.DType()))
	sin, cos := ops.Sin(angle), ops.Cos(angle)
	if interleaved {
		return ops.Cast(ops.RotaryEmbedding(x, cos, sin, true), of)
	}
	a, b := ops.Narrow(x, -1, 0, half), ops.Narrow(x, -1, half, half)
	y := ops.Concat(-1, ops.Sub(ops.Mul(a, cos), ops.Mul(b, sin)), ops.Add(ops.Mul(b, cos), ops.Mul(a, sin)))
	return ops.Cast(y, of)
}
