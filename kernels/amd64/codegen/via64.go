package codegen

import (
	"math"

	"github.com/broadloom/broadloom/kernels/amd64/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// Functions of float32 that are computed in float64, on half of the lanes at a time, as
// package scalar does.

// in64 converts half of the lanes to float64.
func (v vec64) in64(x vreg) vreg { return v.unary(asm.CVTPS2PD, v.w, x) }

// out32 converts back.
func (v vec64) out32(x vreg) vreg { return v.unary(asm.CVTPD2PS, v.w, x) }

func (v vec32) sin(x vreg) vreg {
	y := v.wave(x, 0)
	return v.pick(v.cmp(x, v.num(0), cmpEq), x, y)
}

func (v vec32) cos(x vreg) vreg { return v.wave(x, 1) }

// wave is sin(x + quarters·π/2).
func (v vec32) wave(x vreg, quarters uint64) vreg {
	return v.halves(x, x, func(x, _ vreg) vreg {
		v := vec64{v.block, v.c.target.full()}
		x = v.in64(x)
		turn := none
		for _, p := range scalar.Turns {
			u := v.mul(x, v.num(p))
			u = v.sub(u, v.unaryImm(asm.ROUNDPD, v.w, u, roundEven))
			if turn == none {
				turn = v.add(v.num(0), u)
			} else {
				turn = v.add(turn, u)
			}
		}
		quarter, magic := v.mul(v.num(4), turn), v.num(scalar.Magic64)
		k := v.add(quarter, magic)
		t := v.mul(v.sub(quarter, v.sub(k, magic)), v.num(math.Pi/2))
		square := v.mul(t, t)
		sin := v.fma(v.mul(square, t), v.poly(square, scalar.SinPoly[:]), t)
		cos := v.fma(square, v.poly(square, scalar.CosPoly[:]), v.num(1))
		q := k
		if quarters != 0 {
			q = v.either(asm.PADDQ, v.w, k, v.raw(quarters))
		}
		y := v.pick(v.shift(asm.PSLLQ, v.w, q, 63), cos, sin)
		negative := v.and(v.shift(asm.PSLLQ, v.w, q, 62), v.sign())
		return v.out32(v.either(asm.XORPS, v.w, y, negative))
	})
}

func (v vec32) pow(x, y vreg) vreg {
	r := v.halves(v.and(x, v.raw(1<<31-1)), y, func(a, y vreg) vreg {
		v := vec64{v.block, v.c.target.full()}
		a, y = v.in64(a), v.in64(y)
		m, e, _ := v.splitLog(a)
		f := v.sub(m, v.num(1))
		log := v.fma(e, v.num(scalar.Ln2Hi64), v.sub(f, v.logTail(f, v.mul(e, v.num(scalar.Ln2Lo64)))))
		log = v.logSpecial(a, log)
		return v.out32(v.exp(v.atLeast(scalar.ExpMin64, v.atMost(scalar.ExpMax64, v.mul(y, log)))))
	})
	return v.block.vec(rowprog.F32).signedPower(x, y, r)
}
