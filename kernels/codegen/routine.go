package codegen

import "github.com/broadloom/broadloom/kernels/asm"

// A routine is a micro-operation that contains a loop, which runs until all lanes are done. It works in registers of
// its own and returns one to three of them as results.
type routine uint8

const (
	_ routine = iota // none

	// powerRoutine gives, for integers x and y >= 0 and an argument of ones, x to the
	// power of y.
	powerRoutine

	// reduceRoutine computes, for floats x, y >= 0, x minus the nearest multiple of y or the next to it, exactly; NaN
	// for an infinite or zero y. The last argument is a large power of two.
	reduceRoutine

	// turnsRoutine computes, for a float64 x and a mask, for the lanes of the mask: the fraction of a quarter turn,
	// relative to the nearest one, and the quarters.
	turnsRoutine

	// angleRoutine computes, for a float32 x and a mask, for the lanes of the mask: the reduced angle, in two parts,
	// and the quarter turns that were subtracted.
	angleRoutine
)

// routineRegs is the number of registers that a routine works in. The first are its arguments.
var routineRegs = [...]int{powerRoutine: 6, reduceRoutine: 6, turnsRoutine: 8, angleRoutine: 8}

// routineArgs is the number of arguments in registers that are overwritten.
var routineArgs = [...]int{powerRoutine: 3, reduceRoutine: 2, turnsRoutine: 1, angleRoutine: 1}

// routineWork is the most operations that a routine takes.
var routineWork = [...]int{powerRoutine: 64 * 25, reduceRoutine: 42 * 25, turnsRoutine: 22 * 22,
	angleRoutine: 2 * (8*4 + 12)}

// work is the state of the code of a routine.
type work struct {
	*emitter
	nd   *node
	w    asm.Width
	size uint8
	r    [8]asm.Vec
}

// routine writes a routine.
func (e *emitter) routine(i int32, nd *node) {
	k := nd.in.routine
	c := work{emitter: e, nd: nd, w: nd.in.width, size: nd.in.size}
	for n := range routineRegs[k] {
		c.r[n] = e.take()
	}
	for n := range routineArgs[k] {
		e.copyTo(nd.args[n], c.r[n], c.w)
	}
	switch k {
	case powerRoutine:
		c.power()
	case reduceRoutine:
		c.reduce()
	case turnsRoutine:
		c.turns()
	case angleRoutine:
		c.angle()
	}
	e.settle(nd)
	if k == powerRoutine {
		e.define(i, c.r[2])
		return
	}
	e.define(i, c.r[0])
	for j := i + 1; int(j) < len(e.nodes); j++ {
		if further := &e.nodes[j]; further.in.form == furtherForm && further.args[0] == i {
			e.define(j, c.r[further.in.imm])
		}
	}
}

// op is dst = op x, y.
func (c *work) op(op *asm.Op, dst, x, y asm.Vec, imm ...byte) {
	c.a.R(op, c.w, dst, x, y, imm...)
}

// withLast is dst = op x and the last argument, which is a constant.
func (c *work) withLast(op *asm.Op, dst, x asm.Vec) {
	last := c.nd.args[2]
	if r := c.reg[last]; r >= 0 {
		c.op(op, dst, x, asm.Vec(r))
		return
	}
	c.a.M(op, c.w, dst, x, c.memory(last))
}

// round is dst = x rounded to an integer.
func (c *work) round(op *asm.Op, dst, x asm.Vec) {
	if c.c.target.isAVX512() {
		op = roundOp(op)
	}
	c.op(op, dst, 0, x, roundEven)
}

// compare is dst = a mask of a comparison.
func (c *work) compare(op *asm.Op, dst, x, y asm.Vec, imm ...byte) {
	if !c.c.target.isAVX512() {
		c.op(op, dst, x, y, imm...)
		return
	}
	k, size := compareOp(op)
	c.op(k, workMask, x, y, imm...)
	spread := asm.PMOVM2D
	if size == 8 {
		spread = asm.PMOVM2Q
	}
	c.op(spread, dst, 0, workMask)
}

// blend is dst = yes if the mask's sign is set, else no.
func (c *work) blend(dst, no, yes, mask asm.Vec) {
	op := asm.BLENDVPS
	if c.size == 8 {
		op = asm.BLENDVPD
	}
	if !c.c.target.isAVX512() {
		c.op(op, dst, no, yes, byte(mask)<<4)
		return
	}
	blend, signs := blendOp(op)
	c.op(signs, workMask, 0, mask)
	c.a.RK(blend, c.w, dst, no, yes, asm.Mask{K: uint8(workMask)})
}

// jumpIfAny jumps to a label if a lane of a mask is set.
func (c *work) jumpIfAny(mask asm.Vec, l asm.Label) {
	c.signs(c.nd, mask)
	c.a.Test(temp, temp)
	c.a.JumpIf(asm.NotEqual, l)
}

// power squares x and halves y, until y is 0.
func (c *work) power() {
	x, y, result, product, t, mask := c.r[0], c.r[1], c.r[2], c.r[3], c.r[4], c.r[5]
	left, right, greater, last := asm.PSLLD, asm.PSRLD, asm.PCMPGTD, byte(31)
	if c.size == 8 {
		left, right, greater, last = asm.PSLLQ, asm.PSRLQ, asm.PCMPGTQ, 63
	}
	top := c.a.Here()
	c.multiply(product, result, x, t, mask)
	c.op(left, 0, mask, y, last)
	c.blend(result, result, product, mask)
	c.multiply(x, x, x, product, t)
	c.op(right, 0, y, y, 1)
	c.op(asm.XORPS, t, t, t)
	c.compare(greater, mask, y, t)
	c.jumpIfAny(mask, top)
}

// multiply is dst = x*y of integers. It overwrites t and u.
func (c *work) multiply(dst, x, y, t, u asm.Vec) {
	switch {
	case c.size == 4:
		c.op(asm.PMULLD, dst, x, y)
		return
	case c.c.target.isAVX512():
		c.op(asm.PMULLQ, dst, x, y)
		return
	}
	c.op(asm.PSRLQ, 0, t, x, 32)
	c.op(asm.PMULUDQ, t, t, y)
	c.op(asm.PSRLQ, 0, u, y, 32)
	c.op(asm.PMULUDQ, u, u, x)
	c.op(asm.PADDQ, t, t, u)
	c.op(asm.PSLLQ, 0, t, t, 32)
	c.op(asm.PMULUDQ, dst, x, y)
	c.op(asm.PADDQ, dst, dst, t)
}

// reduce subtracts the nearest multiple of y, as far as the few bits of a quotient give it, until |x| < y. Such a
// difference has no more bits than x and y, so it is exact. If x is much greater, y is multiplied by a power of two, so
// that quotients stay finite.
func (c *work) reduce() {
	x, y, step, q, size, t := c.r[0], c.r[1], c.r[2], c.r[3], c.r[4], c.r[5]
	f := &float32Ops
	if c.size == 8 {
		f = &float64Ops
	}
	c.op(asm.MOVAPS, size, 0, x)
	top := c.a.Here()
	c.op(asm.MOVAPS, step, 0, y)
	for range 2 {
		c.withLast(f.mul, q, step)
		c.compare(f.cmp, t, size, q, cmpGe)
		c.blend(step, step, q, t)
	}
	c.op(f.div, q, x, step)
	c.round(f.round, q, q)
	c.op(f.fnmadd[form231], x, q, step)
	c.op(asm.XORPS, t, t, t)
	c.op(f.sub, t, t, x)
	c.op(f.max, size, x, t)
	c.compare(f.cmp, t, size, y, cmpGe)
	c.jumpIfAny(t, top)
}

// turns is scalar.reduceBig without its end.
func (c *work) turns() {
	x, sum, second, third := c.r[0], c.r[1], c.r[2], c.r[3]
	high, low, t, u := c.r[4], c.r[5], c.r[6], c.r[7]
	skip := c.a.NewLabel()
	c.jumpIfNone(t, skip)
	for _, r := range []asm.Vec{sum, second, third} {
		c.op(asm.XORPS, r, r, r)
	}
	c.eachPiece(low, func() {
		c.op(asm.MULPD, high, x, low)
		c.op(asm.FMSUBPD[form132], low, high, x)
		for _, v := range []asm.Vec{high, low} {
			c.round(asm.ROUNDPD, t, v)
			c.op(asm.SUBPD, v, v, t)
			c.twoSum(sum, v, t, u)
			c.twoSum(second, v, t, u)
			c.op(asm.ADDPD, third, third, v)
		}
	})
	c.round(asm.ROUNDPD, t, sum)
	c.op(asm.SUBPD, sum, sum, t)
	for _, r := range []asm.Vec{sum, second, third} { // of quarters
		c.op(asm.ADDPD, r, r, r)
		c.op(asm.ADDPD, r, r, r)
	}
	c.round(asm.ROUNDPD, high, sum)
	c.op(asm.SUBPD, sum, sum, high)
	c.twoSum(sum, second, t, u)
	c.op(asm.ADDPD, second, second, third)
	c.op(asm.ADDPD, x, sum, second)
	c.op(asm.MOVAPS, sum, 0, high)
	c.a.Bind(skip)
}

// eachPiece writes a loop over the pieces of 1/2π, each in all lanes of a register. At the end, pointer is after them.
func (c *work) eachPiece(piece asm.Vec, each func()) {
	c.a.Lea(pointer, c.nd.in.slot.mem)
	c.a.MovImm(temp, uint64(c.nd.in.imm))
	top := c.a.Here()
	c.a.M(asm.BROADCASTSD, c.w, piece, 0, asm.At(pointer, 0))
	each()
	c.a.AddImm(pointer, 8)
	c.a.SubImm(temp, 1)
	c.a.JumpIf(asm.NotEqual, top)
}

// jumpIfNone jumps to a label if no lane of the mask in the second argument is set; t is for a copy of it.
func (c *work) jumpIfNone(t asm.Vec, l asm.Label) {
	c.copyTo(c.nd.args[1], t, c.w)
	c.signs(c.nd, t)
	c.a.Test(temp, temp)
	c.a.JumpIf(asm.Equal, l)
}

// angle is scalar.reduceBig32, in float64 for half of the lanes at a time.
func (c *work) angle() {
	x, low, quarters, r, part, partLow, partQuarters := c.r[0], c.r[1], c.r[2], c.r[3], c.r[4], c.r[5], c.r[6]
	skip, full := c.a.NewLabel(), c.c.target.full()
	c.jumpIfNone(r, skip)
	wide := *c
	wide.w = full
	wide.halfAngle(x)
	c.op(asm.MOVAPS, r, 0, part)
	c.op(asm.MOVAPS, low, 0, partLow)
	c.op(asm.MOVAPS, quarters, 0, partQuarters)
	if c.w == full {
		extract, insert := asm.EXTRACTF128, asm.INSERTF128
		if c.c.target.isAVX512() {
			extract, insert = asm.EXTRACTF256, asm.INSERTF256
		}
		c.op(extract, x, 0, part, 1) // what it reads and writes are the other way about
		wide.halfAngle(part)
		c.op(insert, r, r, part, 1)
		c.op(insert, low, low, partLow, 1)
		c.op(insert, quarters, quarters, partQuarters, 1)
	}
	c.op(asm.MOVAPS, x, 0, r)
	c.a.Bind(skip)
}

// halfAngle is [work.angle] for the float32 in the lower half of x: the reduced angle, its error, and the quarters, in
// lower halves.
func (c *work) halfAngle(x asm.Vec) {
	angle, sum, t, u := c.r[4], c.r[5], c.r[6], c.r[7]
	c.op(asm.CVTPS2PD, angle, 0, x)
	c.op(asm.XORPS, sum, sum, sum)
	c.eachPiece(u, func() {
		c.op(asm.MULPD, u, angle, u)
		c.round(asm.ROUNDPD, t, u)
		c.op(asm.SUBPD, u, u, t)
		c.op(asm.ADDPD, sum, sum, u)
	})
	for range 2 { // of quarters
		c.op(asm.ADDPD, sum, sum, sum)
	}
	c.round(asm.ROUNDPD, t, sum)
	c.op(asm.SUBPD, sum, sum, t)
	c.a.M(asm.BROADCASTSD, c.w, u, 0, asm.At(pointer, 0)) // π/2
	c.op(asm.MULPD, sum, sum, u)
	c.op(asm.CVTPD2PS, angle, 0, sum)
	c.op(asm.CVTPS2PD, u, 0, angle)
	c.op(asm.SUBPD, sum, sum, u)
	c.op(asm.CVTPD2PS, sum, 0, sum)
	c.op(asm.CVTPD2PS, t, 0, t)
}

// twoSum adds v to s and sets v to the rounding error of the sum.
func (c *work) twoSum(s, v, t, u asm.Vec) {
	c.op(asm.ADDPD, t, s, v)
	c.op(asm.SUBPD, u, t, s)
	c.op(asm.SUBPD, v, v, u)
	c.op(asm.SUBPD, u, t, u)
	c.op(asm.SUBPD, u, s, u)
	c.op(asm.ADDPD, v, u, v)
	c.op(asm.MOVAPS, s, 0, t)
}
