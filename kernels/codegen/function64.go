package codegen

import (
	"math"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// vec64 writes functions of float64 exactly as package scalar computes them. Its methods have the names of the
// functions there.
type vec64 struct {
	*block
	w asm.Width
}

// function64 makes a transcendental function.
func (b *block) function64(op rowprog.Op, x, y vreg) vreg {
	v := vec64{b, b.width(8)}
	switch op {
	case rowprog.OpExp:
		return v.exp(v.atLeast(scalar.ExpMin64, v.atMost(scalar.ExpMax64, x)))
	case rowprog.OpExpOrZero:
		return v.expOrZero(v.atMost(0, x))
	case rowprog.OpExpm1:
		return v.expm1(x)
	case rowprog.OpExp2:
		return v.exp2(v.atLeast(scalar.Exp2Min64, v.atMost(scalar.Exp2Max64, x)))
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
	refuse("%v of f64", op)
	return none
}

func (v vec64) num(x float64) vreg { return v.bits(rowprog.F64, math.Float64bits(x)) }
func (v vec64) raw(x uint64) vreg  { return v.bits(rowprog.I64, x) }

func (v vec64) add(x, y vreg) vreg { return v.either(asm.ADDPD, v.w, x, y) }
func (v vec64) sub(x, y vreg) vreg { return v.binary(asm.SUBPD, v.w, x, y) }
func (v vec64) mul(x, y vreg) vreg { return v.either(asm.MULPD, v.w, x, y) }
func (v vec64) div(x, y vreg) vreg { return v.binary(asm.DIVPD, v.w, x, y) }
func (v vec64) and(x, y vreg) vreg { return v.either(asm.ANDPS, v.w, x, y) }
func (v vec64) or(x, y vreg) vreg  { return v.either(asm.ORPS, v.w, x, y) }

func (v vec64) fma(x, y, z vreg) vreg  { return v.block.fma(&asm.FMADDPD, v.w, x, y, z) }
func (v vec64) fnma(x, y, z vreg) vreg { return v.block.fma(&asm.FNMADDPD, v.w, x, y, z) }

func (v vec64) cmp(x, y vreg, predicate uint8) vreg {
	return v.binaryImm(asm.CMPPD, v.w, x, y, predicate)
}

func (v vec64) pick(mask, y, x vreg) vreg { return v.choose(v.w, 8, mask, y, x) }

func (v vec64) atMost(limit float64, x vreg) vreg {
	return v.binary(v.c.target.extremeOp(asm.MINPD), v.w, v.num(limit), x)
}
func (v vec64) atLeast(limit float64, x vreg) vreg {
	return v.binary(v.c.target.extremeOp(asm.MAXPD), v.w, v.num(limit), x)
}

func (v vec64) poly(x vreg, coefficients []float64) vreg {
	p := v.num(coefficients[0])
	for _, c := range coefficients[1:] {
		p = v.fma(p, x, v.num(c))
	}
	return p
}

func (v vec64) sign() vreg { return v.raw(1 << 63) }

func (v vec64) reduce(x vreg, bias float64) (k, r vreg) {
	magic := v.num(scalar.Magic64 + bias)
	k = v.fma(x, v.num(scalar.Log2E64), magic)
	n := v.sub(k, magic)
	return k, v.fnma(n, v.num(scalar.Ln2Lo64), v.fnma(n, v.num(scalar.Ln2Hi64), x))
}

func (v vec64) exp(x vreg) vreg {
	k, r := v.reduce(x, 2*1023)
	return v.scale(v.zero(v.w, 8, v.cmp(x, v.num(scalar.ExpMin64), cmpEq), v.expOf(r)), k)
}

func (v vec64) expOrZero(x vreg) vreg {
	k, r := v.reduce(v.atLeast(scalar.ExpLeast64, x), 1022)
	return v.mul(v.fma(v.poly(r, scalar.TwiceExpPoly64[:]), r, v.num(2)), v.shift(asm.PSLLQ, v.w, k, 52))
}

func (v vec64) exp2(x vreg) vreg {
	magic := v.num(scalar.Magic64 + 2*1023)
	k := v.add(x, magic)
	r := v.mul(v.sub(x, v.sub(k, magic)), v.num(math.Ln2))
	return v.scale(v.zero(v.w, 8, v.cmp(x, v.num(scalar.Exp2Min64), cmpEq), v.expOf(r)), k)
}

// expOf is exp(r) for |r| <= log(2)/2.
func (v vec64) expOf(r vreg) vreg {
	return v.fma(v.poly(r, scalar.ExpPoly64[:]), r, v.num(1))
}

// scale is e·2^k; k has twice the bias added.
func (v vec64) scale(e, k vreg) vreg {
	half := v.shift(asm.PSRLQ, v.w, k, 1)
	e = v.mul(e, v.shift(asm.PSLLQ, v.w, half, 52))
	return v.mul(e, v.shift(asm.PSLLQ, v.w, v.binary(asm.PSUBQ, v.w, k, half), 52))
}

func (v vec64) sigmoid(x vreg) vreg {
	e := v.exp(v.atLeast(scalar.ExpMin64, v.or(x, v.sign())))
	return v.div(v.pick(x, e, v.num(1)), v.add(v.num(1), e))
}

func (v vec64) tanh(x vreg) vreg {
	k, r := v.reduce(v.atLeast(-scalar.TanhMax64, v.atMost(scalar.TanhMax64, v.add(x, x))), 1023)
	s := v.shift(asm.PSLLQ, v.w, k, 52)
	m := v.fma(v.mul(v.poly(r, scalar.ExpPoly64[:]), r), s, v.sub(s, v.num(1)))
	return v.or(v.div(m, v.add(m, v.num(2))), v.and(x, v.sign()))
}

func (v vec64) expm1(x vreg) vreg {
	k, r := v.reduce(v.atLeast(scalar.Expm1Min64, v.atMost(scalar.ExpMax64, x)), 1022)
	s := v.shift(asm.PSLLQ, v.w, k, 52)
	h := v.fma(v.mul(v.poly(r, scalar.ExpPoly64[:]), r), s, v.sub(s, v.num(0.5)))
	tiny := v.cmp(v.and(x, v.raw(1<<63-1)), v.num(scalar.Tiny64), cmpLt)
	return v.pick(tiny, x, v.add(h, h))
}

func (v vec64) splitLog(x vreg) (m, e, scale vreg) {
	k := v.either(asm.PADDQ, v.w, x, v.raw(scalar.LogShift64))
	mantissa := v.raw(1<<52 - 1)
	m = v.either(asm.PADDQ, v.w, v.and(k, mantissa), v.raw(scalar.SqrtHalf64))
	e = v.sub(v.or(v.shift(asm.PSRLQ, v.w, k, 52), v.raw(0x433<<52)), v.num(scalar.TwoTo52+1023))
	scale = v.binary(asm.PSUBQ, v.w, v.raw(2046<<52), v.binary(asm.ANDNPS, v.w, mantissa, k))
	return m, e, scale
}

func (v vec64) logTail(f, low vreg) vreg {
	s := v.div(f, v.add(v.num(2), f))
	z := v.mul(s, s)
	half := v.mul(v.mul(v.num(0.5), f), f)
	return v.sub(half, v.fma(s, v.fma(z, v.poly(z, scalar.LogPoly64[:]), half), low))
}

func (v vec64) logSpecial(x, r vreg) vreg {
	zero := v.num(0)
	r = v.pick(v.cmp(x, v.num(math.Inf(1)), cmpNotLt), x, r)
	r = v.pick(v.cmp(x, zero, cmpEq), v.num(math.Inf(-1)), r)
	return v.or(r, v.cmp(x, zero, cmpLt))
}

func (v vec64) normal(x vreg) (y, grown vreg) {
	small := v.cmp(x, v.num(0x1p-1022), cmpLt)
	return v.pick(small, v.mul(x, v.num(1<<54)), x), v.and(small, v.num(-54))
}

func (v vec64) log(x vreg) vreg {
	y, grown := v.normal(x)
	m, e, _ := v.splitLog(y)
	e = v.add(e, grown)
	f := v.sub(m, v.num(1))
	r := v.fma(e, v.num(scalar.Ln2Hi64), v.sub(f, v.logTail(f, v.mul(e, v.num(scalar.Ln2Lo64)))))
	return v.logSpecial(x, r)
}

func (v vec64) log2(x vreg) vreg {
	y, grown := v.normal(x)
	m, e, _ := v.splitLog(y)
	f := v.sub(m, v.num(1))
	r := v.fma(v.sub(f, v.logTail(f, v.num(0))), v.num(scalar.Log2E64), v.add(e, grown))
	return v.logSpecial(x, r)
}

func (v vec64) log10(x vreg) vreg {
	y, grown := v.normal(x)
	m, e, _ := v.splitLog(y)
	e = v.add(e, grown)
	f := v.sub(m, v.num(1))
	rest := v.fma(v.sub(f, v.logTail(f, v.num(0))), v.num(scalar.Log10E64), v.mul(e, v.num(scalar.Log10Of2Lo64)))
	return v.logSpecial(x, v.fma(e, v.num(scalar.Log10Of2Hi64), rest))
}

func (v vec64) log1p(x vreg) vreg {
	one := v.num(1)
	u := v.add(one, x)
	whole := v.sub(u, one)
	lost := v.add(v.sub(one, v.sub(u, whole)), v.sub(x, whole))
	m, e, scale := v.splitLog(u)
	scale = v.binary(asm.ANDNPS, v.w, v.cmp(x, v.num(scalar.Log1pBig64), cmpGt), scale)
	f := v.fma(lost, scale, v.sub(m, one))
	r := v.fma(e, v.num(scalar.Ln2Hi64), v.sub(f, v.logTail(f, v.mul(e, v.num(scalar.Ln2Lo64)))))
	return v.logSpecial(u, v.or(r, v.and(x, v.sign())))
}
