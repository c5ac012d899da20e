package codegen

import (
	"math"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// divide32 divides in float64, whose truncated quotient is exact.
func (b *block) divide32(op rowprog.Op, x, y vreg) vreg {
	w, full := b.width(4), b.c.target.full()
	q := b.halves(x, y, func(x, y vreg) vreg {
		x, y = b.unary(asm.CVTDQ2PD, full, x), b.unary(asm.CVTDQ2PD, full, y)
		return b.unary(asm.CVTTPD2DQ, full, b.binary(asm.DIVPD, full, x, y))
	})
	t := rowprog.I32
	byZero := b.equal(t, y, b.bits(t, 0))
	if op == rowprog.OpDiv {
		return b.binary(asm.ANDNPS, w, byZero, q)
	}
	r := b.binary(asm.PSUBD, w, x, b.either(asm.PMULLD, w, q, y))
	// All ones if the remainder has the wrong sign.
	wrong := b.shift(asm.PSRAD, w, b.either(asm.XORPS, w, r, y), 31)
	wrong = b.binary(asm.ANDNPS, w, b.equal(t, r, b.bits(t, 0)), wrong)
	if op == rowprog.OpRem {
		r = b.either(asm.PADDD, w, r, b.either(asm.ANDPS, w, wrong, y))
	} else {
		r = b.either(asm.PADDD, w, q, wrong)
	}
	return b.binary(asm.ANDNPS, w, byZero, r)
}

// halves applies f, which takes half of the lanes of 4 bytes, to all lanes.
func (b *block) halves(x, y vreg, f func(x, y vreg) vreg) vreg {
	if b.pairs() {
		return f(x, y)
	}
	op := asm.INSERTF128
	if b.c.target.isAVX512() {
		op = asm.INSERTF256
	}
	low := f(x, y)
	high := f(b.upper(x), b.upper(y))
	return b.binaryImm(op, b.c.target.full(), low, high, 1)
}

// divide64 divides in float64 twice: the second time, what the first quotient left. The sum of the quotients is then
// wrong by one at most.
func (b *block) divide64(op rowprog.Op, x, y vreg) vreg {
	t, v := rowprog.I64, vec64{b, b.width(8)}
	negative := func(x vreg) vreg { return b.greater(t, v.raw(0), x) }
	left := func(q vreg) vreg { return b.binary(asm.PSUBQ, v.w, x, b.multiply64(q, y)) }
	divisor := b.float64OfInt64(y)
	q := b.int64OfFloat64(v.div(b.float64OfInt64(x), divisor))
	more := v.unary(asm.CVTTPD2DQ, v.w, v.div(b.float64OfInt64(left(q)), divisor)) // few bits
	q = b.either(asm.PADDQ, v.w, q, b.unary(asm.PMOVSXDQ, v.w, more))
	r := left(q)
	// Give the remainder the sign of the divisor, then reduce it below the divisor.
	below := v.binary(asm.ANDNPS, v.w, b.equal(t, r, v.raw(0)), negative(v.either(asm.XORPS, v.w, r, y)))
	q, r = v.either(asm.PADDQ, v.w, q, below), v.either(asm.PADDQ, v.w, r, v.and(below, y))
	less := v.binary(asm.PSUBQ, v.w, r, y)
	above := b.not(v.w, negative(v.either(asm.XORPS, v.w, less, y)))
	above = v.binary(asm.ANDNPS, v.w, b.equal(t, r, v.raw(0)), v.or(above, b.equal(t, less, v.raw(0))))
	q, r = v.binary(asm.PSUBQ, v.w, q, above), v.binary(asm.PSUBQ, v.w, r, v.and(above, y))
	result := q
	switch op {
	case rowprog.OpRem:
		result = r
	case rowprog.OpDiv: // truncated, not rounded down
		up := v.binary(asm.ANDNPS, v.w, b.equal(t, r, v.raw(0)), negative(v.either(asm.XORPS, v.w, x, y)))
		result = v.binary(asm.PSUBQ, v.w, q, up)
	}
	return v.binary(asm.ANDNPS, v.w, b.equal(t, y, v.raw(0)), result)
}

// powerInt is x to the power of y. For a negative y, only 1 and -1 have a power.
func (b *block) powerInt(t rowprog.Type, x, y vreg) vreg {
	w, one, zero := b.width(t.Size()), b.bits(t, 1), b.bits(t, 0)
	toSign, least := asm.PSLLD, uint64(1<<32-1)
	if t == rowprog.I64 {
		toSign, least = asm.PSLLQ, 1<<64-1
	}
	negative := b.greater(t, zero, y)
	r := b.run(powerRoutine, t.Size(), x, b.binary(asm.ANDNPS, w, negative, y), one)
	odd := b.shift(toSign, w, y, uint8(8*t.Size()-1))
	unit := b.either(asm.ORPS, w, b.equal(t, x, one), b.equal(t, x, b.bits(t, least)))
	inverse := b.either(asm.ANDPS, w, unit, b.choose(w, t.Size(), odd, x, one))
	return b.choose(w, t.Size(), negative, inverse, r)
}

// byteReciprocal is a number and what its reciprocal lacks in float32, if all quotients by the number of the integers
// that a type of 8 bits has are x·reciprocal + x·lacking, rounded. For nearly all positive numbers they are.
func byteReciprocal(t rowprog.Type, number float32) (reciprocal, lacking float32, ok bool) {
	const most = 1 << 60 // no product is denormal then
	if abs := math.Abs(float64(number)); !(abs >= 1.0/most && abs <= most) {
		return 0, 0, false
	}
	exact := 1 / float64(number)
	reciprocal = float32(exact)
	lacking = float32(exact - float64(reciprocal))
	for i := range 1 << 8 {
		x := float32(i)
		if t == rowprog.I8 {
			x = float32(int8(i))
		}
		if math.Float32bits(x/number) != math.Float32bits(scalar.FMA32(x, reciprocal, x*lacking)) {
			return 0, 0, false
		}
	}
	return reciprocal, lacking, true
}

// quotientOfByte is the quotient in float32 of an integer of 8 bits by a constant, without a division, which takes as
// long as many products; none if it is not one, or needs one.
func (b *block) quotientOfByte(in *rowprog.Inst) vreg {
	p := b.c.p
	converted, number := &p.Insts[in.Args[0]], &p.Insts[in.Args[1]]
	if converted.Op != rowprog.OpConvert || number.Op != rowprog.OpConst {
		return none
	}
	integer := &p.Insts[converted.Args[0]]
	if integer.Op != rowprog.OpConvert {
		return none
	}
	t := p.Insts[integer.Args[0]].Type
	if t != rowprog.U8 && t != rowprog.I8 {
		return none
	}
	reciprocal, lacking, ok := byteReciprocal(t, math.Float32frombits(uint32(number.Bits)))
	if !ok {
		return none
	}
	v, x := vec32{b, b.width(4)}, b.arg(in.Args[0])
	return v.fma(x, v.num(reciprocal), v.mul(x, v.num(lacking)))
}
