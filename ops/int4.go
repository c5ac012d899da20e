package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Integers of 4 bits are kept two in a Uint8, the first of each pair in the lower half, as ONNX keeps INT4 and UINT4.
// They are unpacked to a byte each in a kernel of their own, but for products by weights with scales, which read them
// as they are: internal/nibbles.

func init() {
	bytes := func(e *graph.Example, name string, dims ...string) node { return e.As(graph.Uint8, name, dims...) }
	composed("PackInt4", "pairs of integers along the last axis, of 4 bits each, in bytes.",
		named("", "", "", "", "", func(e *graph.Example) node { return PackInt4(e.Of("x", "n", "8")) }))
	composed("UnpackInt4", "the integers from -8 to 7 of which each byte holds two.",
		named("", "", "", "", "", func(e *graph.Example) node { return UnpackInt4(bytes(e, "x", "n", "k")) }))
	composed("UnpackUint4", "the integers from 0 to 15 of which each byte holds two.",
		named("", "", "", "", "", func(e *graph.Example) node { return UnpackUint4(bytes(e, "x", "n", "k")) }))
	composed("QuantizeBlocks", "Quantize with a scale and a zero point for each block along an axis.",
		flat(flatBetweenJumps, "", "", "", "QuantizeLinear", "", func(e *graph.Example) node {
			return QuantizeBlocks(e.Of("x", "n", "8"), e.Of("scale", "n", "2"), e.As(graph.Int8, "zero", "n", "2"),
				1, 4)
		}))
	composed("DequantizeBlocks", "Dequantize with a scale and a zero point for each block along an axis.",
		named("", "", "", "DequantizeLinear", "", func(e *graph.Example) node {
			return DequantizeBlocks(e.As(graph.Int8, "q", "n", "8"), e.Of("scale", "n", "2"), nil, 1, 4)
		}))
}

// PackInt4 packs 4-bit integers: x, Int8 or Uint8 [..., 2n], becomes Uint8 [..., n]. It keeps the lower 4 bits of
// each element, those of numbers from -8 to 7 or from 0 to 15. [Pad] makes an odd size even.
func PackInt4(x *graph.Node) *graph.Node {
	defer building("PackInt4", x)()
	call := refused("PackInt4", x)
	if bad := refusedBytes(call, x, graph.Int8, graph.Uint8); bad != nil {
		return bad
	}
	shape := x.Shape()
	half, ok := shape[len(shape)-1].ExactDiv(2)
	if !ok {
		return refusal(call,
			&graph.Mistake{Code: graph.CodeOperand,
				Operands: []graph.OperandNote{{Node: x, Bad: []int{len(shape) - 1}}},
				Summary: fmt.Sprintf(
					"a byte holds two neighbours along the last axis, but the size of %s there, %s, is not known to be even",
					x.Called(), shape[len(shape)-1]),
				Help: []string{"add an element with ops.Pad, or write an even named size as twice another one"}})
	}
	pairs := Reshape(Cast(x, graph.Uint8), slices.Concat(shape[:len(shape)-1], graph.Shape{half, 2})...)
	return BitOr(BitAnd(Select(pairs, -1, 0), graph.Num(15)), ShiftLeft(Select(pairs, -1, 1), graph.Num(4)))
}

// UnpackInt4 returns the integers from -8 to 7 that [PackInt4] packed: Uint8 [..., n] becomes Int8 [..., 2n].
func UnpackInt4(x *graph.Node) *graph.Node {
	defer building("UnpackInt4", x)()
	if bad := refusedBytes(refused("UnpackInt4", x), x, graph.Uint8); bad != nil {
		return bad
	}
	pairs := bytePairs(x)
	// The fourth bit is the sign: repeat it in the upper half of its byte.
	return BitCast(BitOr(pairs, Mul(BitAnd(pairs, graph.Num(0x0808)), graph.Num(0xf0>>3))), graph.Int8)
}

// UnpackUint4 returns the integers from 0 to 15 that [PackInt4] packed: Uint8 [..., n] becomes Uint8 [..., 2n].
func UnpackUint4(x *graph.Node) *graph.Node {
	defer building("UnpackUint4", x)()
	if bad := refusedBytes(refused("UnpackUint4", x), x, graph.Uint8); bad != nil {
		return bad
	}
	return BitCast(bytePairs(x), graph.Uint8)
}

// bytePairs returns both halves of each byte, the lower first, as the two bytes of a Uint16: reinterpreting these
// numbers as bytes is a copy, where stacking the halves would store every other byte.
func bytePairs(x node) node {
	wide := Cast(x, graph.Uint16)
	return BitAnd(BitOr(wide, Mul(wide, graph.Num(1<<4))), graph.Num(0x0f0f))
}

// refusedBytes returns the node of a mistake where x has no axis, or none of some dtypes.
func refusedBytes(call refusedCall, x node, dtypes ...graph.DType) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	switch {
	case !slices.Contains(dtypes, x.DType()):
		return refusal(call,
			&graph.Mistake{Code: graph.CodeDType,
				Summary: fmt.Sprintf("wants dtype %v, and %s has %s", dtypes, x.Called(), x.DType())})
	case x.Rank() == 0:
		return refusal(call,
			&graph.Mistake{Code: graph.CodeRank,
				Summary: x.Called() + " is a scalar, and integers of 4 bits are packed along the last axis"})
	}
	return nil
}

// QuantizeBlocks is [Quantize] with a scale and a zero point for each block of consecutive elements along an axis.
// scale and zero have x's shape, but along the axis the number of blocks; the last block may be shorter. The options
// are those of Quantize. It is ONNX's QuantizeLinear with a block_size.
func QuantizeBlocks(x, scale, zero *graph.Node, axis, block int, opts ...QuantizeOption) *graph.Node {
	o := quantizeOptions(opts)
	defer building("QuantizeBlocks", append([]any{x, scale, zero, axis, block}, o.words...)...)()
	if bad := o.judge("QuantizeBlocks", x, scale, zero, axis, block); bad != nil {
		return bad
	}
	in := []node{scale}
	if zero != nil {
		in = append(in, zero)
	}
	call := refused("QuantizeBlocks", append([]node{x}, in...)...).with(append([]any{axis, block}, o.words...)...)
	if bad := refusedBlocks(call, x, axis, block, in...); bad != nil {
		return bad
	}
	x, shape, of := inBlocks(x, axis, block)
	if zero != nil {
		zero = of(zero)
	}
	return Reshape(o.quantized(overScale(x, of(scale)), zero), shape...)
}

// DequantizeBlocks is [Dequantize] with a scale and a zero point for each block of consecutive elements along an
// axis, as in [QuantizeBlocks]. A nil zero is 0. 4-bit weights are dequantised by DequantizeBlocks(UnpackInt4(q),
// scale, nil, 1, 32). It is ONNX's DequantizeLinear with a block_size.
func DequantizeBlocks(q, scale, zero *graph.Node, axis, block int) *graph.Node {
	defer building("DequantizeBlocks", q, scale, zero, axis, block)()
	in := []node{scale}
	if zero != nil {
		in = append(in, zero)
	}
	call := refused("DequantizeBlocks", append([]node{q}, in...)...).with(axis, block)
	if bad := refusedStored(call, scale, append(slices.Clone(in[1:]), q)...); bad != nil {
		return bad
	}
	if bad := refusedBlocks(call, q, axis, block, in...); bad != nil {
		return bad
	}
	x, shape, of := inBlocks(q, axis, block)
	if zero != nil {
		zero = of(zero)
	}
	return Reshape(dequantized(x, of(scale), zero), shape...)
}

// refusedBlocks returns the node of a mistake where there are no such blocks.
func refusedBlocks(call refusedCall, x node, axis, block int, each ...node) node {
	refuse := func(code graph.Code, bad node, format string, args ...any) node {
		return refusal(call,
			&graph.Mistake{Code: code, Summary: fmt.Sprintf(format, args...),
				Operands: []graph.OperandNote{{Node: bad}}})
	}
	switch {
	case !hasAxis(x, axis):
		return refuse(graph.CodeAxis, x, "%s of shape %s has no axis %d", x.Called(), x.Shape(), axis)
	case block < 1:
		return refuse(graph.CodeOperand, x, "a block must have at least 1 element, but has %d", block)
	}
	want := slices.Clone(x.Shape())
	axis = countedFromZero([]int{axis}, x.Rank())[0]
	want[axis] = want[axis].Plus(graph.Dim(block - 1)).FloorDiv(int64(block))
	for _, s := range each {
		if !s.Shape().Equal(want) {
			return refuse(graph.CodeOperand, s,
				"blocks of %d along axis %d of shape %s need scales and zero points of shape %s, but %s has %s",
				block, axis, x.Shape(), want, s.Called(), s.Shape())
		}
	}
	return nil
}

// inBlocks returns x with blocks along an axis of their own where they are all of one size, the shape to give back to
// the result, and what gives a number of each block to its elements.
func inBlocks(x node, axis, block int) (blocks node, shape graph.Shape, of func(node) node) {
	shape = x.Shape()
	axis = countedFromZero([]int{axis}, len(shape))[0]
	count, whole := shape[axis].ExactDiv(graph.Dim(block))
	if !whole {
		return x, shape, func(s node) node {
			return Slice(RepeatInterleave(s, axis, graph.Dim(block)), axis, 0, shape[axis], 1)
		}
	}
	parted := slices.Concat(shape[:axis], graph.Shape{count, graph.Dim(block)}, shape[axis+1:])
	return Reshape(x, parted...), shape, func(s node) node { return Unsqueeze(s, axis+1) }
}
