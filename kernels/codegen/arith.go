package codegen

import (
	"math"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// floatOps are the instructions for a floating-point type.
type floatOps struct {
	typ                       rowprog.Type
	add, sub, mul, div        *asm.Op
	min, max, sqrt            *asm.Op
	cmp, round, blend         *asm.Op
	fmadd, fmsub, fnmadd      *[3]*asm.Op
	sign, magnitude, one, nan uint64
}

var float32Ops = floatOps{rowprog.F32, asm.ADDPS, asm.SUBPS, asm.MULPS, asm.DIVPS, asm.MINPS, asm.MAXPS,
	asm.SQRTPS, asm.CMPPS, asm.ROUNDPS, asm.BLENDVPS, &asm.FMADDPS, &asm.FMSUBPS, &asm.FNMADDPS,
	1 << 31, 1<<31 - 1, uint64(math.Float32bits(1)), 0x7fc00000}

var float64Ops = floatOps{rowprog.F64, asm.ADDPD, asm.SUBPD, asm.MULPD, asm.DIVPD, asm.MINPD, asm.MAXPD,
	asm.SQRTPD, asm.CMPPD, asm.ROUNDPD, asm.BLENDVPD, &asm.FMADDPD, &asm.FMSUBPD, &asm.FNMADDPD,
	1 << 63, 1<<63 - 1, math.Float64bits(1), 0x7ff8000000000000}

func floatOpsOf(t rowprog.Type) *floatOps {
	if t == rowprog.F64 {
		return &float64Ops
	}
	return &float32Ops
}

// isPower reports whether an element is a power of two, positive or negative, whose inverse is a normal number.
// Dividing by it and multiplying by its inverse then give the same bits.
func (f *floatOps) isPower(bits uint64) bool {
	exponent := bits & f.magnitude
	return exponent&(f.one&-f.one-1) == 0 && exponent > 0 && exponent < 2*f.one
}

// inverse is 1 / x for such an element.
func (f *floatOps) inverse(bits uint64) uint64 {
	return bits&f.sign | (2*f.one - bits&f.magnitude)
}

// The predicates of floating-point comparisons. None of them signals.
const (
	cmpEq    = 0x00
	cmpUnord = 0x03
	cmpNe    = 0x04 // true of NaN
	cmpNotLt = 0x15 // true of NaN
	cmpNotLe = 0x16 // true of NaN
	cmpOrd   = 0x07
	cmpLt    = 0x11
	cmpLe    = 0x12
	cmpGe    = 0x1d
	cmpGt    = 0x1e
)

// The ways of rounding, without exceptions.
const (
	roundEven  = 8
	roundDown  = 9
	roundUp    = 10
	roundTrunc = 11
)

// float makes a primitive on floating-point values.
func (b *block) float(op rowprog.Op, t rowprog.Type, x, y, z vreg) vreg {
	f, w := floatOpsOf(t), b.width(t.Size())
	switch op {
	case rowprog.OpNeg:
		return b.either(asm.XORPS, w, x, b.bits(t, f.sign))
	case rowprog.OpAbs:
		return b.either(asm.ANDPS, w, x, b.bits(t, f.magnitude))
	case rowprog.OpSign:
		zero, one := b.bits(t, 0), b.bits(t, f.one)
		pos := b.either(asm.ANDPS, w, b.binaryImm(f.cmp, w, x, zero, cmpGt), one)
		neg := b.either(asm.ANDPS, w, b.binaryImm(f.cmp, w, x, zero, cmpLt), b.bits(t, f.one|f.sign))
		return b.either(asm.ORPS, w, pos, neg)
	case rowprog.OpSqrt:
		return b.unary(f.sqrt, w, x)
	case rowprog.OpRsqrt:
		return b.binary(f.div, w, b.bits(t, f.one), b.unary(f.sqrt, w, x))
	case rowprog.OpRecip:
		return b.binary(f.div, w, b.bits(t, f.one), x)
	case rowprog.OpFloor:
		return b.unaryImm(f.round, w, x, roundDown)
	case rowprog.OpCeil:
		return b.unaryImm(f.round, w, x, roundUp)
	case rowprog.OpRound:
		return b.unaryImm(f.round, w, x, roundEven)
	case rowprog.OpTrunc:
		return b.unaryImm(f.round, w, x, roundTrunc)
	case rowprog.OpAdd:
		return b.either(f.add, w, x, y)
	case rowprog.OpSub:
		return b.binary(f.sub, w, x, y)
	case rowprog.OpMul:
		return b.either(f.mul, w, x, y)
	case rowprog.OpDiv:
		if c, ok := b.isConst(y); ok && f.isPower(c) {
			return b.either(f.mul, w, x, b.bits(t, f.inverse(c)))
		}
		return b.binary(f.div, w, x, y)
	case rowprog.OpMax:
		return b.extreme(f, f.max, asm.ANDPS, w, x, y)
	case rowprog.OpMin:
		return b.extreme(f, f.min, asm.ORPS, w, x, y)
	case rowprog.OpFMA:
		return b.fma(f.fmadd, w, x, y, z)
	}
	switch v := b.vec(t); op {
	case rowprog.OpRem:
		return v.remainder(x, y)
	case rowprog.OpFloorDiv:
		return v.floorDiv(x, y)
	case rowprog.OpAtan2:
		return v.atan2(x, y)
	}
	if t == rowprog.F32 {
		return b.function32(op, x, y)
	}
	return b.function64(op, x, y)
}

// extreme is the greater or the lesser of x and y. The instruction returns the second if one is NaN or both are zero.
// join combines two zeros: to +0 for the greater, to -0 for the lesser.
func (b *block) extreme(f *floatOps, op, join *asm.Op, w asm.Width, x, y vreg) vreg {
	if whole := b.c.target.extremeOp(op); whole != op { // which does all of that
		return b.either(whole, w, x, y)
	}
	if _, ok := b.isConst(x); ok {
		x, y = y, x
	}
	if c, ok := b.isConst(y); ok && c&f.magnitude <= infinity(f) {
		wins := uint64(0) // of the zeros
		if op == f.min {
			wins = f.sign
		}
		r := b.binary(op, w, y, x) // a NaN stays
		if c == wins {
			if op == f.max {
				return b.either(f.add, w, r, y) // makes -0 to +0
			}
			zero := b.binaryImm(f.cmp, w, r, y, cmpEq)
			return b.either(asm.ORPS, w, r, b.either(asm.ANDPS, w, zero, y))
		}
		return r
	}
	r := b.either(join, w, b.binary(op, w, x, y), b.binary(op, w, y, x))
	return b.either(asm.ORPS, w, r, b.binaryImm(f.cmp, w, x, y, cmpUnord))
}

func infinity(f *floatOps) uint64 {
	if f.typ == rowprog.F64 {
		return 0x7ff << 52
	}
	return 0xff << 23
}

// compareFloat is a mask of a comparison.
func (b *block) compareFloat(op rowprog.Op, t rowprog.Type, x, y vreg) vreg {
	imm := [...]uint8{cmpLt, cmpLe, cmpGt, cmpGe, cmpEq, cmpNe}[op-rowprog.OpLt]
	return b.binaryImm(floatOpsOf(t).cmp, b.width(t.Size()), x, y, imm)
}
