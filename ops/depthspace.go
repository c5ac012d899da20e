package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// DepthToSpace rearranges channels into squares of block × block pixels: x, [N, C*block², H, W], becomes [N, C,
// H*block, W*block]. The C channels of each pixel of a square are consecutive. It is ONNX's DepthToSpace of mode DCR
// and TensorFlow's depth_to_space; [PixelShuffle] is mode CRD.
func DepthToSpace(x *graph.Node, block int) *graph.Node {
	defer building("DepthToSpace", x, block)()
	if bad := notDivided(refused("DepthToSpace", x).with(block), "depth_to_space", block, block*block,
		leadingAxes(x)); bad != nil {
		return bad
	}
	lead, b, s := leadingAxes(x), graph.Dim(block), x.Shape()
	apart := Unflatten(x, lead, b, b, -1)
	if !apart.Judged() {
		return apart
	}
	order := append(counting(lead), lead+2, lead+3, lead, lead+4, lead+1)
	return Reshape(Permute(apart, order...),
		append(slices.Clone(s[:lead]), apart.Shape()[lead+2], s[lead+1].Times(b), s[lead+2].Times(b))...)
}

// SpaceToDepth is the inverse of [DepthToSpace]: x, [N, C, H*block, W*block], becomes [N, block²*C, H, W]. It is
// ONNX's SpaceToDepth.
func SpaceToDepth(x *graph.Node, block int) *graph.Node {
	defer building("SpaceToDepth", x, block)()
	lead, b := leadingAxes(x), graph.Dim(block)
	if bad := notDivided(refused("SpaceToDepth", x).with(block), "space_to_depth", block, block, lead+1, lead+2); bad !=
		nil {
		return bad
	}
	apart := Unflatten(Unflatten(x, -1, -1, b), -3, -1, b)
	if !apart.Judged() {
		return apart
	}
	s := apart.Shape()
	order := append(counting(lead), lead+2, lead+4, lead, lead+1, lead+3)
	return Reshape(Permute(apart, order...),
		append(slices.Clone(s[:lead]), s[lead].Times(b).Times(b), s[lead+1], s[lead+3])...)
}

// ReverseSequence reverses each sequence of x along the time axis, up to its length; elements after that do not
// change. lengths are integers, one for each index of the batch axis. They are clamped to the range from 0 to the
// size of the time axis. It is ONNX's ReverseSequence and TensorFlow's reverse_sequence.
func ReverseSequence(x, lengths *graph.Node, batch, time int) *graph.Node {
	defer building("ReverseSequence", x, lengths, batch, time)()
	call := refused("ReverseSequence", x, lengths).with(batch, time)
	if bad := notNodes(call); bad != nil {
		return bad
	}
	if !hasAxis(x, batch) || !hasAxis(x, time) || x.Rank() == 0 {
		return Transpose(x, batch, time) // its own mistake
	}
	if (batch-time)%x.Rank() == 0 || !lengths.DType().IsInt() || lengths.Rank() != 1 {
		return call.wrong(graph.CodeOperand,
			"reverse_sequence needs two axes of %s and a vector of integers, but got axes %d and %d with lengths %s%s",
			x.Called(), batch, time, lengths.DType(), lengths.Shape())
	}
	at := countedFromZero([]int{batch, time}, x.Rank())
	shape := slices.Repeat(graph.Shape{1}, x.Rank())
	shape[at[0]] = x.Shape()[at[0]]
	size := Size(x.Graph(), graph.Int64, x.Shape()[at[1]])
	long := Reshape(Minimum(Cast(lengths, graph.Int64), size), shape...)
	wide := slices.Clone(shape)
	wide[at[1]] = x.Shape()[at[1]]
	place := Iota(x.Graph(), at[1], wide...)
	return TakeAlongAxis(x, at[1], Where(Less(place, long), Sub(Sub(long, num64(1)), place), place))
}

// RotaryEmbedding rotates pairs of the first R elements along the last axis of x, [..., T, D]; the others do not
// change. cos and sin of the angles are [T, R/2], or broadcast with [..., T, R/2]. Elements i and i+R/2 are a pair,
// or if interleaved, elements 2i and 2i+1. It is ONNX's RotaryEmbedding. Source: J. Su and others, RoFormer, 2021.
func RotaryEmbedding(x, cos, sin *graph.Node, interleaved bool) *graph.Node {
	defer building("RotaryEmbedding", x, cos, sin, interleaved)()
	defer joining(&x, &cos, &sin)()
	call := refused("RotaryEmbedding", x, cos, sin).with(interleaved)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if x.Rank() < 1 || cos.Rank() < 1 || sin.Rank() < 1 || !x.DType().IsFloat() || cos.DType() != x.DType() ||
		sin.DType() != x.DType() {
		return call.wrong(graph.CodeOperand,
			"rotary_embedding needs three values of the same floating-point dtype with at least one axis")
	}
	half := cos.Shape()[cos.Rank()-1]
	turned := half.Times(2)
	first, rest := Narrow(x, -1, 0, turned), Narrow(x, -1, turned, x.Shape()[x.Rank()-1].Minus(turned))
	if !first.Judged() || first.Err() != nil {
		return first
	}
	var a, b node
	if interleaved {
		pairs := Unflatten(first, -1, half, 2)
		a, b = Select(pairs, -1, 0), Select(pairs, -1, 1)
	} else {
		a, b = Narrow(first, -1, 0, half), Narrow(first, -1, half, half)
	}
	real, imaginary := Sub(Mul(a, cos), Mul(b, sin)), Add(Mul(a, sin), Mul(b, cos))
	if interleaved {
		return Concat(-1, Flatten(Stack(-1, real, imaginary), -2, -1), rest)
	}
	return Concat(-1, real, imaginary, rest)
}

func init() {
	composed("DepthToSpace", "squares of places made of channels, with the channels of one place side by side.",
		named("", "", "", "DepthToSpace", "", func(e *graph.Example) node {
			return DepthToSpace(e.Of("x", "n", "8", "h", "w"), 2)
		}))
	composed("SpaceToDepth", "channels made of squares of places, those of one place side by side.",
		named("", "", "", "SpaceToDepth", "", func(e *graph.Example) node {
			return SpaceToDepth(e.Of("x", "n", "c", "8", "8"), 2)
		}))
	composed("ReverseSequence",
		"x with the elements of each sequence along an axis in reverse order, and those after its length unchanged.",
		named("", "", "", "ReverseSequence", "", func(e *graph.Example) node {
			return ReverseSequence(e.Of("x", "n", "k", "m"), e.As(graph.Int64, "lengths", "n"), 0, 1)
		}))
	composed("RotaryEmbedding", "pairs of elements turned by angles of given cosines and sines.",
		named("", "", "", "RotaryEmbedding", "", func(e *graph.Example) node {
			return RotaryEmbedding(e.Of("x", "n", "m", "8"), e.Of("cos", "m", "4"), e.Of("sin", "m", "4"), true)
		}))
}
