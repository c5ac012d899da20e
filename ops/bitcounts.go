package ops

import "github.com/broadloom/broadloom/graph"

// The functions here take the bits of integers one by one. Those of negative numbers are of their two's complement.

// ofBits begins a call on integers.
func ofBits(call refusedCall) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if x := call.in[0]; !x.DType().IsInt() {
		return call.wrongDType(cast(x, graph.Int64), "this needs integers, but %s is %s", x.Called(), x.DType())
	}
	return nil
}

// mask is a number whose bits repeat those of a byte, in as many bytes as a dtype has.
func mask(t graph.DType, byteOf uint64) node {
	v := byteOf * 0x0101010101010101
	if bits := t.Bits(); bits < 64 {
		v &= 1<<bits - 1
	}
	return num64(int64(v))
}

// PopulationCount returns the number of 1 bits of each integer, in its dtype. For negative numbers it counts the bits
// of the two's complement, and numpy.bitwise_count those of the magnitude.
func PopulationCount(x *graph.Node) *graph.Node {
	defer building("PopulationCount", x)()
	if bad := ofBits(refused("PopulationCount", x)); bad != nil {
		return bad
	}
	return ones(x)
}

// ones adds up neighbouring bits, pairs and fours, and then bytes.
func ones(x node) node {
	t := x.DType()
	half := func(x node, by int64, bits uint64) node { return BitAnd(ShiftRight(x, num64(by)), mask(t, bits)) }
	x = Sub(x, half(x, 1, 0x55))
	x = Add(BitAnd(x, mask(t, 0x33)), half(x, 2, 0x33))
	x = BitAnd(Add(x, ShiftRight(x, num64(4))), mask(t, 0x0f))
	for by := 8; by < t.Bits(); by *= 2 {
		x = Add(x, ShiftRight(x, num64(int64(by))))
	}
	return BitAnd(x, num64(0x7f))
}

// LeadingZeros returns the number of 0 bits above the highest 1 bit of each integer, in its dtype. For 0 it is the
// number of all bits.
func LeadingZeros(x *graph.Node) *graph.Node {
	defer building("LeadingZeros", x)()
	if bad := ofBits(refused("LeadingZeros", x)); bad != nil {
		return bad
	}
	for by := 1; by < x.DType().Bits(); by *= 2 {
		x = BitOr(x, ShiftRight(x, num64(int64(by)))) // of negative numbers all bits become 1
	}
	return ones(BitNot(x))
}

// PackBits packs each eight elements along an axis into one Uint8: a bit is 1 if the element is true or not 0. The
// first element goes to the highest bit, or with little to the lowest one. The last byte is filled up with 0 bits. x
// holds integers or booleans. It is numpy.packbits.
func PackBits(x *graph.Node, axis int, little bool) *graph.Node {
	defer building("PackBits", x, axis, little)()
	call := refused("PackBits", x).with(axis, little)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	at, bad := call.axis(axis)
	switch {
	case bad != nil:
		return bad
	case !x.DType().IsInt() && x.DType() != graph.Bool:
		return call.wrongDType(cast(x, graph.Bool), "Expected an input array of integer or boolean data type, but %s is %s",
			x.Called(), x.DType())
	}
	isSet := NotEqual(x, num64(0))
	if isSet.Err() != nil || !isSet.Judged() {
		return isSet
	}
	return alongLast(isSet, at, func(x node) node {
		size := lastSize(x)
		bytes := size.CeilDiv(8)
		filled := Pad(Cast(x, graph.Int32), -1, 0, bytes.Times(8).Minus(size), 0)
		shape := append(x.Shape()[:x.Rank()-1:x.Rank()-1], bytes, 8)
		return Cast(Sum(Mul(Reshape(filled, shape...), bitWeights(x.Graph(), little)), -1), graph.Uint8)
	})
}

// bitWeights are 128, …, 1, or 1, …, 128, as Int32.
func bitWeights(g *graph.Graph, little bool) node {
	place := Iota(g, 0, 8)
	if !little {
		place = Sub(num64(7), place)
	}
	return Cast(ShiftLeft(OnesLike(place), place), graph.Int32)
}

// UnpackBits returns the bits of Uint8 elements along an axis, as Uint8. The axis becomes eight times as long. The
// highest bit comes first, or with little the lowest one. It is numpy.unpackbits.
func UnpackBits(x *graph.Node, axis int, little bool) *graph.Node {
	defer building("UnpackBits", x, axis, little)()
	call := refused("UnpackBits", x).with(axis, little)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	at, bad := call.axis(axis)
	switch {
	case bad != nil:
		return bad
	case x.DType() != graph.Uint8:
		return call.wrongDType(cast(x, graph.Uint8), "Expected an input array of unsigned byte data type, but %s is %s",
			x.Called(), x.DType())
	}
	return alongLast(x, at, func(x node) node {
		bits := NotEqual(BitAnd(Cast(Unsqueeze(x, -1), graph.Int32), bitWeights(x.Graph(), little)), num64(0))
		shape := append(x.Shape()[:x.Rank()-1:x.Rank()-1], lastSize(x).Times(8))
		return Cast(Reshape(bits, shape...), graph.Uint8)
	})
}

func init() {
	const because = "its operand is of integers"
	composed("PopulationCount", "how many bits are 1.",
		flat(because, "numpy.bitwise_count", "", "jax.lax.population_count, jax.numpy.bitwise_count", "", "",
			func(e *graph.Example) node { return PopulationCount(e.As(graph.Int32, "x", "n")) }))
	composed("LeadingZeros", "how many bits are 0 above the highest 1.", flat(because, "", "", "jax.lax.clz", "", "",
		func(e *graph.Example) node { return LeadingZeros(e.As(graph.Int32, "x", "n")) }))
	composed("PackBits", "eight truth values in one byte.",
		flat(because, "numpy.packbits", "", "jax.numpy.packbits", "", "",
			func(e *graph.Example) node { return PackBits(e.As(graph.Int32, "x", "n", "k"), 1, false) }))
	composed("UnpackBits", "the eight bits of each byte.",
		flat(because, "numpy.unpackbits", "", "jax.numpy.unpackbits", "", "",
			func(e *graph.Example) node { return UnpackBits(e.As(graph.Uint8, "x", "n", "k"), 1, false) }))
}
