package codegen

import (
	"math/bits"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// integer makes a primitive on integers.
func (b *block) integer(op rowprog.Op, t rowprog.Type, x, y vreg) vreg {
	w := b.width(t.Size())
	add, sub := asm.PADDD, asm.PSUBD
	if t == rowprog.I64 {
		add, sub = asm.PADDQ, asm.PSUBQ
	}
	zero := func() vreg { return b.bits(t, 0) }
	switch op {
	case rowprog.OpNeg:
		return b.binary(sub, w, zero(), x)
	case rowprog.OpAbs:
		if t == rowprog.I32 {
			return b.unary(asm.PABSD, w, x)
		}
		return b.choose(w, 8, x, b.binary(sub, w, zero(), x), x) // by the sign bit
	case rowprog.OpSign:
		return b.binary(sub, w, b.greater(t, zero(), x), b.greater(t, x, zero()))
	case rowprog.OpNot:
		return b.not(w, x)
	case rowprog.OpAdd:
		return b.either(add, w, x, y)
	case rowprog.OpSub:
		return b.binary(sub, w, x, y)
	case rowprog.OpMul:
		if t == rowprog.I32 {
			return b.either(asm.PMULLD, w, x, y)
		}
		return b.multiply64(x, y)
	case rowprog.OpMax, rowprog.OpMin:
		if t == rowprog.I64 {
			mask := b.greater(t, x, y)
			if op == rowprog.OpMin {
				x, y = y, x
			}
			return b.choose(w, 8, mask, x, y)
		}
		if op == rowprog.OpMax {
			return b.either(asm.PMAXSD, w, x, y)
		}
		return b.either(asm.PMINSD, w, x, y)
	case rowprog.OpAnd:
		return b.either(asm.ANDPS, w, x, y)
	case rowprog.OpOr:
		return b.either(asm.ORPS, w, x, y)
	case rowprog.OpXor:
		return b.either(asm.XORPS, w, x, y)
	case rowprog.OpDiv, rowprog.OpRem, rowprog.OpFloorDiv:
		if c, ok := b.isConst(y); ok && op != rowprog.OpDiv && bits.OnesCount64(c) == 1 && c < 1<<(8*t.Size()-1) {
			return b.divideByPower(op, t, x, c)
		}
		if t == rowprog.I32 {
			return b.divide32(op, x, y)
		}
		return b.divide64(op, x, y)
	case rowprog.OpPow:
		return b.powerInt(t, x, y)
	}
	refuse("%v of %v", op, t)
	return none
}

// divideByPower is the quotient by a power of 2, rounded down, or the remainder.
func (b *block) divideByPower(op rowprog.Op, t rowprog.Type, x vreg, c uint64) vreg {
	w, by := b.width(t.Size()), uint8(bits.TrailingZeros64(c))
	switch {
	case op == rowprog.OpRem:
		return b.either(asm.ANDPS, w, x, b.bits(t, c-1))
	case by == 0:
		return x
	case t == rowprog.I32:
		return b.shift(asm.PSRAD, w, x, by)
	}
	sign := b.bits(t, 1<<(63-by)) // where that of x comes to
	return b.binary(asm.PSUBQ, w, b.either(asm.XORPS, w, b.shift(asm.PSRLQ, w, x, by), sign), sign)
}

// greater is a mask of x > y of integers.
func (b *block) greater(t rowprog.Type, x, y vreg) vreg {
	if t == rowprog.I64 {
		return b.binary(asm.PCMPGTQ, b.width(8), x, y)
	}
	return b.binary(asm.PCMPGTD, b.width(4), x, y)
}

func (b *block) equal(t rowprog.Type, x, y vreg) vreg {
	if t == rowprog.I64 {
		return b.either(asm.PCMPEQQ, b.width(8), x, y)
	}
	return b.either(asm.PCMPEQD, b.width(4), x, y)
}

// compareInt is a mask of a comparison.
func (b *block) compareInt(op rowprog.Op, t rowprog.Type, x, y vreg) vreg {
	w := b.width(t.Size())
	switch op {
	case rowprog.OpLt:
		return b.greater(t, y, x)
	case rowprog.OpLe:
		return b.not(w, b.greater(t, x, y))
	case rowprog.OpGt:
		return b.greater(t, x, y)
	case rowprog.OpGe:
		return b.not(w, b.greater(t, y, x))
	case rowprog.OpEq:
		return b.equal(t, x, y)
	}
	return b.not(w, b.equal(t, x, y))
}

// multiply64 computes a product from products of the halves.
func (b *block) multiply64(x, y vreg) vreg {
	w := b.width(8)
	if b.c.target.isAVX512() {
		return b.either(asm.PMULLQ, w, x, y)
	}
	xy := b.either(asm.PMULUDQ, w, b.shift(asm.PSRLQ, w, x, 32), y)
	yx := b.either(asm.PMULUDQ, w, b.shift(asm.PSRLQ, w, y, 32), x)
	upper := b.shift(asm.PSLLQ, w, b.either(asm.PADDQ, w, xy, yx), 32)
	return b.either(asm.PADDQ, w, b.either(asm.PMULUDQ, w, x, y), upper)
}

// boolean makes a primitive on Bools, which are masks in lanes of 4 bytes.
func (b *block) boolean(op rowprog.Op, x, y vreg) vreg {
	w := b.width(4)
	switch op {
	case rowprog.OpNot:
		return b.not(w, x)
	case rowprog.OpAnd, rowprog.OpMin:
		return b.either(asm.ANDPS, w, x, y)
	case rowprog.OpOr, rowprog.OpMax:
		return b.either(asm.ORPS, w, x, y)
	case rowprog.OpXor, rowprog.OpNe:
		return b.either(asm.XORPS, w, x, y)
	case rowprog.OpEq:
		return b.not(w, b.either(asm.XORPS, w, x, y))
	case rowprog.OpLt:
		return b.binary(asm.ANDNPS, w, x, y)
	case rowprog.OpGt:
		return b.binary(asm.ANDNPS, w, y, x)
	case rowprog.OpLe:
		return b.either(asm.ORPS, w, b.not(w, x), y)
	case rowprog.OpGe:
		return b.either(asm.ORPS, w, b.not(w, y), x)
	}
	refuse("%v of bool", op)
	return none
}
