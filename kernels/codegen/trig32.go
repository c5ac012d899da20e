package codegen

import (
	"encoding/binary"
	"math"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/scalar"
)

func (v vec32) sin(x vreg) vreg { return v.pick(v.cmp(x, v.num(0), cmpEq), x, v.wave(x, 0)) }
func (v vec32) cos(x vreg) vreg { return v.wave(x, 1) }

// wave is sin(x + quarters·π/2).
func (v vec32) wave(x vreg, quarters uint32) vreg {
	k, r, low := v.reduceAngle(x)
	square := v.mul(r, r)
	sin := v.add(r, v.fma(v.mul(square, r), v.poly(square, scalar.SinPoly[:]), low))
	half := v.mul(v.num(0.5), square)
	whole := v.sub(v.num(1), half)
	lost := v.sub(v.sub(v.num(1), whole), half)
	tail := v.fma(v.mul(square, square), v.poly(square, scalar.CosPoly[:]), v.sub(lost, v.mul(r, low)))
	cos := v.add(whole, tail)
	q := v.add(k, v.num(scalar.Magic32))
	if quarters != 0 {
		q = v.either(asm.PADDD, v.w, q, v.raw(quarters))
	}
	y := v.pick(v.shift(asm.PSLLD, v.w, q, 31), cos, sin)
	return v.either(asm.XORPS, v.w, y, v.and(v.shift(asm.PSLLD, v.w, q, 30), v.sign()))
}

func (v vec32) reduceAngle(x vreg) (k, r, low vreg) {
	k = v.sub(v.fma(x, v.num(scalar.TwoOverPi32), v.num(scalar.Magic32)), v.num(scalar.Magic32))
	near := v.fnma(k, v.num(scalar.PiHalf32), x)
	part := v.mul(k, v.num(scalar.PiHalf2At32))
	// Knuth's sum of near and -part, with signs flipped if that saves a step.
	r = v.sub(near, part)
	z := v.sub(r, near)
	low = v.sub(v.sub(near, v.sub(r, z)), v.add(part, z))
	rest := v.block.fma(&asm.FMSUBPS, v.w, k, v.num(scalar.PiHalf2At32), part)
	low = v.sub(low, v.fma(k, v.num(scalar.PiHalf3At32), rest))

	big := v.cmp(v.and(x, v.raw(1<<31-1)), v.num(scalar.BigAngle32), cmpGe)
	bigR, bigLow, quarters := v.turns(x, big)
	return v.pick(big, quarters, k), v.pick(big, bigR, r), v.pick(big, bigLow, low)
}

// turns is scalar.reduceBig32 for the lanes of a mask.
func (v vec32) turns(x, mask vreg) (r, low, quarters vreg) {
	if v.c.turns == nil {
		var b []byte
		for _, p := range append(scalar.Turns[:], math.Pi/2) {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p))
		}
		v.c.turns = &slot{mem: asm.Labelled(v.c.a.Data(b, 8))}
	}
	r = v.cse(inst{form: routineForm, routine: angleRoutine, width: v.w, size: 4, slot: v.c.turns,
		imm: uint8(len(scalar.Turns)), args: [3]vreg{x, mask, none}})
	return r, v.further(r, 1), v.further(r, 2)
}
