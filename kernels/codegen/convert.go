package codegen

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// convert changes the type of a value. Neither type is Bool.
func (b *block) convert(to, from rowprog.Type, x vreg) vreg {
	narrow, wide := b.width(4), b.c.target.full() // wide only where lanes may have 8 bytes
	switch [2]rowprog.Type{from, to} {
	case [2]rowprog.Type{rowprog.I32, rowprog.F32}:
		return b.unary(asm.CVTDQ2PS, narrow, x)
	case [2]rowprog.Type{rowprog.I32, rowprog.F64}:
		return b.unary(asm.CVTDQ2PD, wide, x)
	case [2]rowprog.Type{rowprog.I32, rowprog.I64}:
		return b.unary(asm.PMOVSXDQ, wide, x)
	case [2]rowprog.Type{rowprog.F32, rowprog.F64}:
		return b.unary(asm.CVTPS2PD, wide, x)
	case [2]rowprog.Type{rowprog.F64, rowprog.F32}:
		return b.unary(asm.CVTPD2PS, wide, x)
	case [2]rowprog.Type{rowprog.I64, rowprog.I32}:
		return b.narrow(x)
	case [2]rowprog.Type{rowprog.I64, rowprog.F64}:
		return b.float64OfInt64(x)
	case [2]rowprog.Type{rowprog.I64, rowprog.F32}:
		if b.c.target.isAVX512() {
			return b.unary(asm.CVTQQ2PS, wide, x)
		}
		return b.unary(asm.CVTPD2PS, wide, b.float64OfInt64(b.roundToOdd(x)))
	case [2]rowprog.Type{rowprog.F32, rowprog.I32}:
		if b.c.target == NEON {
			return b.unary(asm.FCVTZSPS, narrow, x)
		}
		f := &float32Ops
		big := b.binaryImm(f.cmp, narrow, x, b.bits(from, uint64(math.Float32bits(1<<31))), cmpGe)
		return b.saturate(b.unary(asm.CVTTPS2DQ, narrow, x), big, b.binaryImm(f.cmp, narrow, x, x, cmpOrd))
	case [2]rowprog.Type{rowprog.F64, rowprog.I32}:
		f := &float64Ops
		big := b.binaryImm(f.cmp, wide, x, b.bits(from, math.Float64bits(1<<31)), cmpGe)
		number := b.binaryImm(f.cmp, wide, x, x, cmpOrd)
		return b.saturate(b.unary(asm.CVTTPD2DQ, wide, x), b.narrow(big), b.narrow(number))
	case [2]rowprog.Type{rowprog.F64, rowprog.I64}:
		return b.int64OfFloat64(x)
	case [2]rowprog.Type{rowprog.F32, rowprog.I64}:
		return b.int64OfFloat64(b.unary(asm.CVTPS2PD, wide, x))
	}
	refuse("convert from %v to %v", from, to)
	return none
}

// saturate corrects a conversion to I32. The instruction returns the least integer for all that it cannot represent:
// the result becomes the greatest if x is too big, and 0 if it is NaN.
func (b *block) saturate(r, big, number vreg) vreg {
	w := b.width(4)
	return b.either(asm.ANDPS, w, b.either(asm.XORPS, w, r, big), number)
}

// fromBool converts a mask to numbers.
func (b *block) fromBool(to rowprog.Type, mask vreg) vreg {
	one := uint64(1)
	switch to {
	case rowprog.F32:
		one = float32Ops.one
	case rowprog.F64:
		one = float64Ops.one
	}
	return b.either(asm.ANDPS, b.width(to.Size()), mask, b.bits(to, one))
}

// toBool is a mask of x != 0.
func (b *block) toBool(from rowprog.Type, x vreg) vreg {
	zero := b.bits(from, 0)
	if from.IsFloat() {
		return b.compareFloat(rowprog.OpNe, from, x, zero)
	}
	return b.compareInt(rowprog.OpNe, from, x, zero)
}

// float64OfInt64 rounds once. The halves of x become the low bits of two known floating-point numbers: 2^52 + low and
// 2^84 + (high + 2^31)·2^32.
func (b *block) float64OfInt64(x vreg) vreg {
	w, t := b.width(8), rowprog.I64
	switch b.c.target {
	case AVX512:
		return b.unary(asm.CVTQQ2PD, w, x)
	case NEON:
		return b.unary(asm.SCVTFPD, w, x)
	}
	low := b.either(asm.ANDPS, w, x, b.bits(t, 1<<32-1))
	low = b.either(asm.ORPS, w, low, b.bits(rowprog.F64, math.Float64bits(1<<52)))
	high := b.either(asm.XORPS, w, b.shift(asm.PSRLQ, w, x, 32), b.bits(t, math.Float64bits(1<<84)|1<<31))
	high = b.binary(asm.SUBPD, w, high, b.bits(rowprog.F64, math.Float64bits(1<<84+1<<63+1<<52)))
	return b.either(asm.ADDPD, w, high, low)
}

// roundToOdd changes integers that float64 cannot hold into ones that it can, without changing what they round to in
// float32. If any of the last 11 bits is set, they are cleared and the one above is set.
func (b *block) roundToOdd(x vreg) vreg {
	w, t := b.width(8), rowprog.I64
	const last = 1<<11 - 1
	sticky := b.either(asm.PADDQ, w, b.either(asm.ANDPS, w, x, b.bits(t, last)), b.bits(t, last))
	odd := b.either(asm.ANDPS, w, b.either(asm.ORPS, w, x, sticky), b.bits(t, math.MaxUint64-last))
	large := b.either(asm.ORPS, w, b.greater(t, x, b.bits(t, 1<<53)),
		b.greater(t, b.bits(t, math.MaxUint64-(1<<53-1)), x))
	return b.choose(w, 8, large, odd, x)
}

// int64OfFloat64 truncates and saturates. If there is no instruction for it, the upper and the lower 32 bits are
// converted separately.
func (b *block) int64OfFloat64(x vreg) vreg {
	v := vec64{b, b.width(8)}
	if b.c.target == NEON {
		return v.unary(asm.FCVTZSPD, v.w, x)
	}
	if b.c.target.isAVX512() { // which gives the least integer for all that it cannot represent
		r := v.pick(v.cmp(x, v.num(1<<63), cmpGe), v.raw(math.MaxInt64), v.unary(asm.CVTTPD2QQ, v.w, x))
		return v.and(r, v.cmp(x, x, cmpOrd))
	}
	whole := v.unaryImm(asm.ROUNDPD, v.w, x, roundTrunc)
	upper := v.unaryImm(asm.ROUNDPD, v.w, v.mul(whole, v.num(0x1p-32)), roundDown)
	low := v.add(v.fnma(upper, v.num(1<<32), whole), v.num(1<<52)) // from 2^52 on the low bits are the integer
	low = v.and(low, v.raw(1<<52-1))
	high := v.unary(asm.PMOVSXDQ, v.w, v.unary(asm.CVTTPD2DQ, v.w, upper))
	r := v.either(asm.PADDQ, v.w, v.shift(asm.PSLLQ, v.w, high, 32), low)
	r = v.pick(v.cmp(x, v.num(1<<63), cmpGe), v.raw(math.MaxInt64), r)
	r = v.pick(v.cmp(x, v.num(-1<<63), cmpLt), v.raw(1<<63), r)
	return v.and(r, v.cmp(x, x, cmpOrd))
}

// lowestBits converts a float32 to the lowest 16 bits of an I32, if nothing else of it is used: the others need not be
// right of what does not fit. It is none if there is no shorter way than for all bits.
func (b *block) lowestBits(v rowprog.Value) vreg {
	c, w := b.c, b.width(4)
	in := &c.p.Insts[v]
	if c.target == NEON || !c.isNarrowed(v) {
		return none
	}
	if x, ok := c.lessThan31Bits(in.Args[0]); ok {
		return b.unary(asm.CVTTPS2DQ, w, b.arg(x)) // which has no bits of 0, nor of what is too large
	}
	x := b.arg(in.Args[0])
	big := b.binaryImm(float32Ops.cmp, w, x, b.bits(rowprog.F32, uint64(math.Float32bits(1<<31))), cmpGe)
	return b.either(asm.XORPS, w, b.unary(asm.CVTTPS2DQ, w, x), big)
}

// isNarrowed reports whether all that is used of an I32 are its lowest 16 bits.
func (c *compiler) isNarrowed(v rowprog.Value) bool {
	narrowed := false
	for u := int(v) + 1; u < len(c.p.Insts); u++ {
		in := &c.p.Insts[u]
		if !slices.Contains(in.Uses(), v) {
			continue
		}
		switch {
		case in.Op == rowprog.OpConvert && in.Type.Size() <= 2 && in.Type.Computed() == rowprog.I32:
		case in.Op == rowprog.OpSelect && c.isNarrowed(rowprog.Value(u)):
		default:
			return false
		}
		narrowed = true
	}
	return narrowed
}

// lessThan31Bits recognizes a value x where it is less than 2^31, and else 0.
func (c *compiler) lessThan31Bits(v rowprog.Value) (x rowprog.Value, ok bool) {
	isConst := func(v rowprog.Value, number float32) bool {
		in := &c.p.Insts[v]
		return in.Op == rowprog.OpConst && in.Type == rowprog.F32 && uint32(in.Bits) == math.Float32bits(number)
	}
	in := &c.p.Insts[v]
	if in.Op != rowprog.OpSelect {
		return 0, false
	}
	test, x := &c.p.Insts[in.Args[0]], in.Args[2]
	return x, test.Op == rowprog.OpGe && test.Args[0] == x && isConst(test.Args[1], 1<<31) && isConst(in.Args[1], 0)
}
