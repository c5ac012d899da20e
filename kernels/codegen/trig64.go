package codegen

import (
	"encoding/binary"
	"math"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

func (v vec64) erf(x vreg) vreg {
	t := v.and(x, v.raw(1<<63-1))
	small := v.fma(v.poly(v.mul(x, x), scalar.ErfSmall64[:]), x, x)
	limited := v.atMost(scalar.ErfMax64, t)
	k, r := v.reduce(v.mul(v.poly(limited, scalar.ErfLarge64[:]), limited), 1023)
	e := v.fma(v.poly(r, scalar.ExpPoly64[:]), r, v.num(1))
	large := v.fnma(e, v.shift(asm.PSLLQ, v.w, k, 52), v.num(1))
	large = v.or(large, v.and(x, v.sign()))
	return v.pick(v.cmp(t, v.num(1), cmpLt), small, large)
}

func (v vec64) sin(x vreg) vreg { return v.pick(v.cmp(x, v.num(0), cmpEq), x, v.wave(x, 0)) }
func (v vec64) cos(x vreg) vreg { return v.wave(x, 1) }

// wave is sin(x + quarters·π/2).
func (v vec64) wave(x vreg, quarters uint64) vreg {
	k, r, low := v.reduceAngle(x)
	square := v.mul(r, r)
	sin := v.add(r, v.fma(v.mul(square, r), v.poly(square, scalar.SinPoly64[:]), low))
	half := v.mul(v.num(0.5), square)
	whole := v.sub(v.num(1), half)
	lost := v.sub(v.sub(v.num(1), whole), half)
	tail := v.fma(v.mul(square, square), v.poly(square, scalar.CosPoly64[:]), v.sub(lost, v.mul(r, low)))
	cos := v.add(whole, tail)
	q := v.add(k, v.num(scalar.Magic64))
	if quarters != 0 {
		q = v.either(asm.PADDQ, v.w, q, v.raw(quarters))
	}
	y := v.pick(v.shift(asm.PSLLQ, v.w, q, 63), cos, sin)
	return v.either(asm.XORPS, v.w, y, v.and(v.shift(asm.PSLLQ, v.w, q, 62), v.sign()))
}

func (v vec64) reduceAngle(x vreg) (k, r, low vreg) {
	k = v.sub(v.fma(x, v.num(scalar.TwoOverPi), v.num(scalar.Magic64)), v.num(scalar.Magic64))
	near := v.fnma(k, v.num(scalar.PiHalf), x)
	part := v.mul(k, v.num(scalar.PiHalf2))
	// Knuth's sum of near and -part, with signs flipped if that saves a step.
	r = v.sub(near, part)
	z := v.sub(r, near)
	low = v.sub(v.sub(near, v.sub(r, z)), v.add(part, z))
	rest := v.block.fma(&asm.FMSUBPD, v.w, k, v.num(scalar.PiHalf2), part)
	low = v.sub(low, v.fma(k, v.num(scalar.PiHalf3), rest))

	big := v.cmp(v.and(x, v.raw(1<<63-1)), v.num(scalar.BigAngle), cmpGe)
	turn, quarters := v.turns(v.mul(x, v.num(scalar.AngleDown)), big)
	bigR := v.mul(turn, v.num(scalar.PiHalf))
	bigLow := v.fma(turn, v.num(scalar.PiHalf2), v.block.fma(&asm.FMSUBPD, v.w, turn, v.num(scalar.PiHalf), bigR))
	return v.pick(big, quarters, k), v.pick(big, bigR, r), v.pick(big, bigLow, low)
}

// turns multiplies the lanes of a mask by 1/2π in pieces.
func (v vec64) turns(x, mask vreg) (fraction, quarters vreg) {
	if v.c.twoOverPi == nil {
		var b []byte
		for _, p := range scalar.Turns64 {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p))
		}
		v.c.twoOverPi = &slot{mem: asm.Labelled(v.c.a.Data(b, 8))}
	}
	fraction = v.cse(inst{form: routineForm, routine: turnsRoutine, width: v.w, size: 8, slot: v.c.twoOverPi,
		imm: uint8(len(scalar.Turns64)), args: [3]vreg{x, mask, none}})
	return fraction, v.further(fraction, 1)
}

func (v vec64) pow(x, y vreg) vreg {
	a := v.and(x, v.raw(1<<63-1))
	normal, grown := v.normal(a)
	m, e, _ := v.splitLog(normal)
	log, logLow := v.logParts(m, v.add(e, grown))
	log = v.logSpecial(a, log)
	product := v.mul(y, log)
	rest := v.fma(y, logLow, v.block.fma(&asm.FMSUBPD, v.w, y, log, product))
	rest = v.and(rest, v.cmp(v.and(product, v.raw(1<<63-1)), v.num(scalar.PowBig), cmpLt))
	k, r := v.reduce(v.atLeast(scalar.ExpMin64, v.atMost(scalar.ExpMax64, product)), 2*1023)
	return v.block.vec(rowprog.F64).signedPower(x, y, v.scale(v.expOf(v.add(r, rest)), k))
}

// logParts is e·log(2) + log(m) in two parts.
func (v vec64) logParts(m, e vreg) (high, low vreg) {
	fms := func(x, y, z vreg) vreg { return v.block.fma(&asm.FMSUBPD, v.w, x, y, z) }
	two := v.num(2)
	f := v.sub(m, v.num(1))
	d := v.add(two, f)
	s := v.div(f, d)
	sLow := v.div(v.fnma(s, v.sub(f, v.sub(d, two)), v.fnma(s, d, f)), d)
	z := v.mul(s, s)
	zLow := v.fma(v.add(s, s), sLow, fms(s, s, z))
	p := v.mul(z, v.poly(z, scalar.PowPoly[:]))
	third := v.num(scalar.TwoThirds)
	c := v.add(third, p)
	cLow := v.add(v.add(v.sub(third, c), p), v.num(scalar.TwoThirdsLo))
	w := v.mul(z, c)
	wLow := v.fma(z, cLow, v.fma(zLow, c, fms(z, c, w)))
	q := v.mul(s, w)
	qLow := v.fma(s, wLow, v.fma(sLow, w, fms(s, w, q)))
	twice := v.add(s, s)
	h := v.add(twice, q)
	hLow := v.add(v.add(v.sub(twice, h), q), v.fma(two, sLow, qLow))
	n := v.mul(e, v.num(scalar.Ln2Hi64))
	g := v.add(n, h)
	gLow := v.add(v.add(v.sub(n, g), h), v.fma(e, v.num(scalar.Ln2Lo64), hLow))
	high = v.add(g, gLow)
	return high, v.add(v.sub(g, high), gLow)
}
