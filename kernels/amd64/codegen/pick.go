package codegen

import (
	"github.com/broadloom/broadloom/kernels/amd64/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// pickWork is how many operations a vector of picked elements counts as: each lane is a load of its own.
const pickWork = 24

// pick reads the elements of an operand at the places that a vector of indices names, and zeros for those beyond a limit.
func (b *block) pick(in *rowprog.Inst) vreg {
	t, size := b.c.p.Insts[in.Args[0]].Type, in.Type.Size()
	index, limit := b.arg(in.Args[0]), b.arg(in.Args[1])
	if t == rowprog.I32 && size == 8 {
		index, limit, t = b.convert(rowprog.I64, t, index), b.convert(rowprog.I64, t, limit), rowprog.I64
	}
	w := b.width(t.Size())
	inside := b.binary(asm.ANDNPS, w, index, b.greater(t, limit, index)) // of masks, signs are all that counts
	op := asm.GATHERDPS
	switch {
	case size == 8:
		op = asm.GATHERQPD
	case t == rowprog.I64:
		if op = asm.GATHERQPS; !b.c.target.isAVX512() {
			inside = b.binaryImm(asm.SHUFPS, asm.W128, inside, b.upper(inside), 0xdd)
		}
	}
	return b.cse(inst{form: pickForm, op: op, width: w, size: uint8(size), operand: in.Operand, args: [3]vreg{index, inside, none}})
}

// pick writes the instruction that picks elements. It clears the mask that it takes.
func (e *emitter) pick(i int32, nd *node) {
	in, a := nd.in, e.a
	index, inside := e.get(nd.args[0]), e.get(nd.args[1])
	r, base := e.take(), e.base(in.operand)
	a.R(asm.XORPS, e.c.target.full(), r, r, r)
	if e.c.target.isAVX512() {
		move, signs := asm.MOVAPS, asm.PMOVD2M
		if in.op != asm.GATHERDPS {
			move, signs = asm.MOVUPD, asm.PMOVQ2M
		}
		if e.masked {
			some := e.take()
			a.RK(move, in.width, some, 0, inside, asm.Mask{K: uint8(tailMask), Zero: true})
			inside = some
		}
		a.R(signs, in.width, workMask, 0, inside)
		a.Gather(in.op, in.width, r, 0, index, base, in.size, asm.Mask{K: uint8(workMask)})
	} else {
		mask, w, tail := inside, in.width, mask4
		switch in.op {
		case asm.GATHERQPS:
			w = asm.W128
		case asm.GATHERQPD:
			tail = mask8
		}
		if !e.dies(nd, 1) {
			mask = e.take()
		}
		if e.masked {
			a.R(asm.ANDPS, w, mask, inside, tail)
		} else if mask != inside {
			a.R(asm.MOVAPS, w, mask, 0, inside)
		}
		a.Gather(in.op, in.width, r, mask, index, base, in.size, asm.Mask{})
	}
	e.settle(nd)
	e.define(i, r)
}
