package codegen

import (
	"math"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// vec writes functions of either floating-point type as package scalar computes them.
type vec struct {
	*block
	f *floatOps
	w asm.Width
}

func (b *block) vec(t rowprog.Type) vec { return vec{b, floatOpsOf(t), b.width(t.Size())} }

// num is a constant, rounded to the type.
func (v vec) num(x float64) vreg {
	return v.bits(v.f.typ, scalar.Convert(v.f.typ, rowprog.F64, math.Float64bits(x)))
}

func (v vec) raw(bits uint64) vreg              { return v.bits(v.f.typ, bits) }
func (v vec) and(x, y vreg) vreg                { return v.either(asm.ANDPS, v.w, x, y) }
func (v vec) or(x, y vreg) vreg                 { return v.either(asm.ORPS, v.w, x, y) }
func (v vec) xor(x, y vreg) vreg                { return v.either(asm.XORPS, v.w, x, y) }
func (v vec) andNot(not, x vreg) vreg           { return v.binary(asm.ANDNPS, v.w, not, x) }
func (v vec) plus(x, y vreg) vreg               { return v.either(v.f.add, v.w, x, y) }
func (v vec) minus(x, y vreg) vreg              { return v.binary(v.f.sub, v.w, x, y) }
func (v vec) over(x, y vreg) vreg               { return v.binary(v.f.div, v.w, x, y) }
func (v vec) pick(mask, y, x vreg) vreg         { return v.choose(v.w, v.f.typ.Size(), mask, y, x) }
func (v vec) is(x vreg, how uint8, y vreg) vreg { return v.binaryImm(v.f.cmp, v.w, x, y, how) }
func (v vec) abs(x vreg) vreg                   { return v.and(x, v.raw(v.f.magnitude)) }
func (v vec) signOf(x vreg) vreg                { return v.and(x, v.raw(v.f.sign)) }
func (v vec) infinity() vreg                    { return v.num(math.Inf(1)) }
func (v vec) poly(x vreg, coefficients []float64) vreg {
	p := v.num(coefficients[0])
	for _, c := range coefficients[1:] {
		p = v.fma(v.f.fmadd, v.w, p, x, v.num(c))
	}
	return p
}

// mod is x minus y times the truncated quotient, with the sign of x.
func (v vec) mod(x, y vreg) vreg {
	scale := 0x1p100 // its square is as much as quotients can lack
	if v.f.typ == rowprog.F64 {
		scale = 0x1p1000
	}
	a, b := v.abs(x), v.abs(y)
	r := v.run(reduceRoutine, v.f.typ.Size(), a, b, v.num(scale))
	r = v.pick(r, v.plus(r, b), r) // if it is negative
	r = v.pick(v.and(v.is(b, cmpEq, v.infinity()), v.is(a, cmpLt, b)), a, r)
	return v.or(r, v.signOf(x))
}

// wrongSign is a mask of the remainders that are not 0 and do not have the divisor's sign.
func (v vec) wrongSign(r, y vreg) vreg {
	return v.andNot(v.is(r, cmpEq, v.raw(0)), v.xor(v.is(r, cmpLt, v.raw(0)), v.is(y, cmpLt, v.raw(0))))
}

func (v vec) remainder(x, y vreg) vreg {
	r := v.mod(x, y)
	return v.pick(v.wrongSign(r, y), v.plus(r, y), r) // which keeps -0
}

func (v vec) floorDiv(x, y vreg) vreg {
	zero := v.raw(0)
	r := v.mod(x, y)
	q := v.over(v.minus(x, r), y)
	q = v.minus(q, v.and(v.wrongSign(r, y), v.num(1)))
	n := v.unaryImm(v.f.round, v.w, q, roundDown)
	n = v.plus(n, v.and(v.is(v.minus(q, n), cmpGt, v.num(0.5)), v.num(1)))
	n = v.pick(v.is(q, cmpEq, zero), v.signOf(v.xor(x, y)), n)
	return v.pick(v.is(y, cmpEq, zero), v.over(x, y), n)
}

func (v vec) atan2(y, x vreg) vreg {
	coefficients, pi, low := scalar.AtanPoly64[:], float64(scalar.Pi64), float64(scalar.PiLo64)
	if v.f.typ == rowprog.F32 {
		coefficients, pi, low = nil, scalar.Pi32, scalar.PiLo32
		for _, c := range scalar.AtanPoly32 {
			coefficients = append(coefficients, float64(c))
		}
	}
	a, b := v.abs(x), v.abs(y)
	equal := v.is(a, cmpEq, b)
	q := v.over(v.binary(v.f.min, v.w, a, b), v.binary(v.f.max, v.w, a, b))
	q = v.pick(equal, v.and(v.is(b, cmpNe, v.raw(0)), v.num(1)), q)
	z := v.either(v.f.mul, v.w, q, q)
	angle := v.fma(v.f.fmadd, v.w, v.either(v.f.mul, v.w, v.poly(z, coefficients), z), q, q)
	angle = v.pick(v.is(a, cmpLt, b), v.minus(v.num(pi/2), v.minus(angle, v.num(low/2))), angle)
	angle = v.pick(x, v.minus(v.num(pi), v.minus(angle, v.num(low))), angle)
	angle = v.or(angle, v.signOf(y))
	return v.or(angle, v.is(x, cmpUnord, y))
}

// signedPower gives the power r of |x| the sign that x and y require, and corrects the special cases.
func (v vec) signedPower(x, y, r vreg) vreg {
	trunc := func(x vreg) vreg { return v.unaryImm(v.f.round, v.w, x, roundTrunc) }
	a, one := v.abs(x), v.num(1)
	broken := v.is(trunc(y), cmpNe, y)
	half := v.either(v.f.mul, v.w, y, v.num(0.5))
	// An odd number is an integer whose half is not an integer.
	odd := v.andNot(broken, v.is(trunc(half), cmpNe, half))
	r = v.xor(r, v.and(odd, v.signOf(x)))
	undefined := v.and(v.is(x, cmpLt, v.raw(0)), v.and(broken, v.is(a, cmpLt, v.infinity())))
	r = v.or(r, undefined)
	ones := v.or(v.is(y, cmpEq, v.raw(0)), v.is(x, cmpEq, one))
	ones = v.or(ones, v.and(v.is(a, cmpEq, one), v.is(v.abs(y), cmpEq, v.infinity())))
	return v.pick(ones, one, r)
}
