package codegen

import (
	"math"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// vec32 writes functions of float32 exactly as package scalar computes them. Its methods have the names of the
// functions there.
type vec32 struct {
	*block
	w asm.Width
}

// function32 makes a transcendental function.
func (b *block) function32(op rowprog.Op, x, y vreg) vreg {
	v := vec32{b, b.width(4)}
	switch op {
	case rowprog.OpExp:
		return v.exp(v.atMost(scalar.ExpMax, x))
	case rowprog.OpExpOrZero:
		return v.expOrZero(v.atMost(0, x))
	case rowprog.OpExpm1:
		return v.expm1(x)
	case rowprog.OpExp2:
		return v.exp2(x)
	case rowprog.OpSigmoid:
		return v.sigmoid(x)
	case rowprog.OpTanh:
		return v.tanh(x)
	case rowprog.OpLog:
		return v.log(x)
	case rowprog.OpLog2:
		return v.log2(x)
	case rowprog.OpLog10:
		return v.log10(x)
	case rowprog.OpLog1p:
		return v.log1p(x)
	case rowprog.OpErf:
		return v.erf(x)
	case rowprog.OpSin:
		return v.sin(x)
	case rowprog.OpCos:
		return v.cos(x)
	case rowprog.OpPow:
		return v.pow(x, y)
	}
	refuse("%v of f32", op)
	return none
}

func (v vec32) num(x float32) vreg { return v.bits(rowprog.F32, uint64(math.Float32bits(x))) }
func (v vec32) raw(x uint32) vreg  { return v.bits(rowprog.I32, uint64(x)) }

func (v vec32) add(x, y vreg) vreg { return v.either(asm.ADDPS, v.w, x, y) }
func (v vec32) sub(x, y vreg) vreg { return v.binary(asm.SUBPS, v.w, x, y) }
func (v vec32) mul(x, y vreg) vreg { return v.either(asm.MULPS, v.w, x, y) }
func (v vec32) div(x, y vreg) vreg { return v.binary(asm.DIVPS, v.w, x, y) }
func (v vec32) and(x, y vreg) vreg { return v.either(asm.ANDPS, v.w, x, y) }
func (v vec32) or(x, y vreg) vreg  { return v.either(asm.ORPS, v.w, x, y) }

// fma is x*y + z, fnma z - x*y.
func (v vec32) fma(x, y, z vreg) vreg  { return v.block.fma(&asm.FMADDPS, v.w, x, y, z) }
func (v vec32) fnma(x, y, z vreg) vreg { return v.block.fma(&asm.FNMADDPS, v.w, x, y, z) }

func (v vec32) cmp(x, y vreg, predicate uint8) vreg {
	return v.binaryImm(asm.CMPPS, v.w, x, y, predicate)
}

// pick is y where the mask's sign bit is set, else x.
func (v vec32) pick(mask, y, x vreg) vreg { return v.choose(v.w, 4, mask, y, x) }

// The instructions give their second operand if one is NaN.
func (v vec32) atMost(limit float32, x vreg) vreg {
	return v.binary(v.c.target.extremeOp(asm.MINPS), v.w, v.num(limit), x)
}
func (v vec32) atLeast(limit float32, x vreg) vreg {
	return v.binary(v.c.target.extremeOp(asm.MAXPS), v.w, v.num(limit), x)
}

func (v vec32) poly(x vreg, coefficients []float32) vreg {
	p := v.num(coefficients[0])
	for _, c := range coefficients[1:] {
		p = v.fma(p, x, v.num(c))
	}
	return p
}

func (v vec32) sign() vreg { return v.raw(1 << 31) }

func (v vec32) reduce(x vreg, bias float32) (k, n, r vreg) {
	magic := v.num(scalar.Magic32 + bias)
	k = v.fma(x, v.num(scalar.Log2E32), magic)
	n = v.sub(k, magic)
	return k, n, v.fnma(n, v.num(scalar.Ln2Lo32), v.fnma(n, v.num(scalar.Ln2Hi32), x))
}

// exp is exp(x) for x up to ExpMax, or NaN. AVX-512 needs no lower limit: a mask zeroes the results that are 0.
func (v vec32) exp(x vreg) vreg {
	return v.power(scalar.ExpMin, x, v.reduce)
}

// expOrZero is exp(x) for x up to 0, or NaN; it is 0 for x up to ExpLeast. So a single multiplication by a power of two
// is enough; that is 0 at ExpLeast.
func (v vec32) expOrZero(x vreg) vreg {
	if v.c.target.isAVX512() {
		return v.power(scalar.ExpLeast, x, v.reduce)
	}
	k, _, r := v.reduce(v.atLeast(scalar.ExpLeast, x), 126)
	return v.mul(v.fma(v.poly(r, scalar.TwiceExpPoly[:]), r, v.num(2)), v.shift(asm.PSLLD, v.w, k, 23))
}

// exp2 is 2 to the power of x.
func (v vec32) exp2(x vreg) vreg {
	return v.power(scalar.Exp2Min, v.atMost(scalar.Exp2Max, x), func(x vreg, bias float32) (k, n, r vreg) {
		magic := v.num(scalar.Magic32 + bias)
		k = v.add(x, magic)
		n = v.sub(k, magic)
		return k, n, v.mul(v.sub(x, n), v.num(scalar.Ln2At32))
	})
}

// power is exp(r)·2^n, where reduce makes r and n from x; up to least, it is 0.
func (v vec32) power(least float32, x vreg, reduce func(x vreg, bias float32) (k, n, r vreg)) vreg {
	if v.c.target.isAVX512() {
		some := v.cmp(x, v.num(least), cmpNotLe)
		_, n, r := reduce(x, 2*127)
		e := v.fmaWhere(some, &asm.FMADDPS, v.w, v.poly(r, scalar.ExpPoly[:]), r,
			v.c.constant(rowprog.F32, uint64(math.Float32bits(1))))
		return v.binary(asm.SCALEFPS, v.w, e, n) // e·2^n, rounded once as well
	}
	x = v.atLeast(least, x)
	k, _, r := reduce(x, 2*127)
	e := v.expOf(r, x, least)
	half := v.shift(asm.PSRLD, v.w, k, 1)
	e = v.mul(e, v.shift(asm.PSLLD, v.w, half, 23))
	return v.mul(e, v.shift(asm.PSLLD, v.w, v.binary(asm.PSUBD, v.w, k, half), 23))
}

// expOf is exp(r) for |r| <= log(2)/2; 0 where x is the least that is told apart.
func (v vec32) expOf(r, x vreg, least float32) vreg {
	e := v.fma(v.poly(r, scalar.ExpPoly[:]), r, v.num(1))
	return v.zero(v.w, 4, v.cmp(x, v.num(least), cmpEq), e)
}

func (v vec32) sigmoid(x vreg) vreg {
	e := v.exp(v.or(x, v.sign()))
	return v.div(v.pick(x, e, v.num(1)), v.add(v.num(1), e))
}

func (v vec32) tanh(x vreg) vreg {
	k, h := v.reduceHalf(v.atLeast(-scalar.TanhMax, v.atMost(scalar.TanhMax, x)))
	s := v.shift(asm.PSLLD, v.w, k, 23)
	m := v.fma(v.mul(v.poly(h, scalar.TanhPoly[:]), h), s, v.sub(s, v.num(1)))
	y := v.div(m, v.add(m, v.num(2)))
	return v.or(y, v.and(x, v.sign()))
}

func (v vec32) reduceHalf(x vreg) (k, h vreg) {
	magic := v.num(scalar.Magic32 + 127)
	k = v.fma(x, v.num(2*scalar.Log2E32), magic)
	n := v.sub(k, magic)
	return k, v.fnma(n, v.num(scalar.Ln2Lo32/2), v.fnma(n, v.num(scalar.Ln2Hi32/2), x))
}

func (v vec32) expm1(x vreg) vreg {
	k, _, r := v.reduce(v.atLeast(scalar.Expm1Min, v.atMost(scalar.ExpMax, x)), 126)
	s := v.shift(asm.PSLLD, v.w, k, 23)
	h := v.fma(v.mul(v.poly(r, scalar.Expm1Poly[:]), r), s, v.sub(s, v.num(0.5)))
	tiny := v.cmp(v.and(x, v.raw(1<<31-1)), v.num(scalar.Tiny32), cmpLt)
	return v.pick(tiny, x, v.add(h, h))
}

// splitLog returns the mantissa and the exponent, as an integer.
func (v vec32) splitLog(x vreg) (m, exponent vreg) {
	k := v.binary(asm.PSUBD, v.w, x, v.raw(scalar.SqrtHalf32))
	m = v.either(asm.PADDD, v.w, v.and(k, v.raw(1<<23-1)), v.raw(scalar.SqrtHalf32))
	return m, v.shift(asm.PSRAD, v.w, k, 23)
}

// logTail is without low if that is none.
func (v vec32) logTail(f, low vreg) vreg {
	p := v.poly(f, scalar.LogPoly[:])
	square := v.mul(f, f)
	if low == none {
		low = v.num(0)
	}
	return v.fnma(v.num(0.5), square, v.fma(v.mul(p, f), square, low))
}

func (v vec32) logSpecial(x, r vreg) vreg {
	zero := v.num(0)
	r = v.pick(v.cmp(x, v.num(float32(math.Inf(1))), cmpNotLt), x, r)
	r = v.pick(v.cmp(x, zero, cmpEq), v.num(float32(math.Inf(-1))), r)
	return v.or(r, v.cmp(x, zero, cmpLt))
}

func (v vec32) normal(x vreg) (y, grown vreg) {
	small := v.cmp(x, v.num(0x1p-126), cmpLt)
	return v.pick(small, v.mul(x, v.num(1<<23)), x), v.and(small, v.num(-23))
}

func (v vec32) log(x vreg) vreg {
	y, grown := v.normal(x)
	m, exponent := v.splitLog(y)
	e, f := v.add(v.unary(asm.CVTDQ2PS, v.w, exponent), grown), v.sub(m, v.num(1))
	r := v.fma(e, v.num(scalar.Ln2Hi32), v.add(f, v.logTail(f, v.mul(e, v.num(scalar.Ln2Lo32)))))
	return v.logSpecial(x, r)
}

func (v vec32) log2(x vreg) vreg {
	y, grown := v.normal(x)
	m, exponent := v.splitLog(y)
	f := v.sub(m, v.num(1))
	e := v.add(v.unary(asm.CVTDQ2PS, v.w, exponent), grown)
	r := v.fma(v.add(f, v.logTail(f, none)), v.num(scalar.Log2E32), e)
	return v.logSpecial(x, r)
}

func (v vec32) log10(x vreg) vreg {
	y, grown := v.normal(x)
	m, exponent := v.splitLog(y)
	e, f := v.add(v.unary(asm.CVTDQ2PS, v.w, exponent), grown), v.sub(m, v.num(1))
	rest := v.fma(v.add(f, v.logTail(f, none)), v.num(scalar.Log10E32), v.mul(e, v.num(scalar.Log10Of2Lo32)))
	return v.logSpecial(x, v.fma(e, v.num(scalar.Log10Of2Hi32), rest))
}

func (v vec32) log1p(x vreg) vreg {
	one := v.num(1)
	u := v.add(one, x)
	whole := v.sub(u, one)
	lost := v.add(v.sub(one, v.sub(u, whole)), v.sub(x, whole))
	m, exponent := v.splitLog(u)
	e := v.unary(asm.CVTDQ2PS, v.w, exponent)
	scale := v.binary(asm.PSUBD, v.w, one, v.shift(asm.PSLLD, v.w, exponent, 23))
	scale = v.binary(asm.ANDNPS, v.w, v.cmp(x, v.num(scalar.Log1pBig), cmpGt), scale)
	f := v.fma(lost, scale, v.sub(m, one))
	r := v.fma(e, v.num(scalar.Ln2Hi32), v.add(f, v.logTail(f, v.mul(e, v.num(scalar.Ln2Lo32)))))
	return v.logSpecial(u, v.or(r, v.and(x, v.sign())))
}

func (v vec32) erf(x vreg) vreg {
	t := v.atMost(scalar.ErfMax, v.and(x, v.raw(1<<31-1)))
	power := v.mul(v.poly(t, scalar.ErfPower[:]), t)
	magic := v.num(scalar.Magic32 + 127)
	k := v.add(power, magic)
	r, scale := v.sub(power, v.sub(k, magic)), v.shift(asm.PSLLD, v.w, k, 23)
	y := v.fnma(v.poly(r, scalar.ErfExp2[:]), v.mul(r, scale), v.sub(v.num(1), scale))
	return v.or(y, v.and(x, v.sign()))
}
