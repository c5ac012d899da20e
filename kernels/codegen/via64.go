package codegen

import (
	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// Functions of float32 that are computed in float64, on half of the lanes at a time, as
// package scalar does.

// in64 converts half of the lanes to float64.
func (v vec64) in64(x vreg) vreg { return v.unary(asm.CVTPS2PD, v.w, x) }

// out32 converts back.
func (v vec64) out32(x vreg) vreg { return v.unary(asm.CVTPD2PS, v.w, x) }

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
