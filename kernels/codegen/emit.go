package codegen

import "github.com/broadloom/broadloom/kernels/asm"

// address is an operand's vector at the current index, for the copy of a node. It may use the register pointer.
func (e *emitter) address(nd *node) asm.Mem {
	base, on := pointer, nd.copy*int32(e.lanes)
	if nd.in.slot == nil {
		base = e.base(nd.in.operand)
	} else { // of a row that is picked
		e.a.MovLoad(pointer, nd.in.slot.mem)
	}
	if e.tile != nil {
		return e.tile.address(base, nd.in, on)
	}
	return asm.Indexed(base, index, nd.in.size, on*int32(nd.in.size))
}

// base is a register with an operand's address.
func (e *emitter) base(operand int) asm.Reg {
	if operand < len(e.c.bases) {
		return e.c.bases[operand]
	}
	e.a.MovLoad(pointer, inBlock(e.c.layout.Pointer(operand)))
	return pointer
}

// accAddress is the place for the current index among the lanes of a reduction. It uses temp2.
func (e *emitter) accAddress(nd *node) asm.Mem {
	if size := nd.in.size; e.accIndex != size {
		e.a.Mov(temp2, index)
		e.a.Shl(temp2, log2(size))
		e.a.AndImm(temp2, laneBytes-1)
		e.accIndex = size
	}
	room := e.accs[nd.in.operand].room
	return asm.Indexed(args, temp2, 1, int32(room)+nd.copy*int32(nd.in.width.Bytes()))
}

func log2(size uint8) uint8 {
	n := uint8(0)
	for 1<<n < size {
		n++
	}
	return n
}

// run writes the code of all nodes.
func (e *emitter) run() {
	for i := range e.nodes {
		e.busy, e.at = 0, int32(i)
		e.node(int32(i))
		e.leave(&e.nodes[i])
	}
}

func (e *emitter) node(i int32) {
	nd := &e.nodes[i]
	in := nd.in
	e.lend(nd)
	switch in.form {
	case slotForm:
	case accForm:
		if e.accReg {
			e.reg[i] = int8(e.accs[in.operand].reg + int(nd.copy))
		}
	case loadForm: // read where it is used first
		if e.use[i] != never && e.stored>>nd.copy&1 != 0 {
			e.get(i)
		}
	case widenForm, splatForm, indexForm, axisForm, perRowForm, repeatForm:
		r := e.take()
		e.source(nd, r)
		e.define(i, r)
	case apartForm:
		e.apart(i, nd)
	case unaryForm:
		e.unary(i, nd)
	case binaryForm:
		e.binary(i, nd)
	case shiftForm:
		x := e.get(nd.args[0])
		e.settle(nd)
		r := e.result(i)
		e.a.R(in.op, in.width, 0, r, x, in.imm)
		e.define(i, r)
	case upperForm:
		x := e.get(nd.args[0])
		e.settle(nd)
		r := e.result(i)
		e.a.R(in.op, in.width, x, 0, r, nd.immediate()...)
		e.define(i, r)
	case blendForm:
		e.blend(i, nd)
	case pickForm:
		e.pick(i, nd)
	case fusedForm:
		e.fused(i, nd)
	case fusedWhereForm:
		e.fusedWhere(i, nd)
	case routineForm:
		e.routine(i, nd)
	case furtherForm: // its register was defined with the first
		e.settle(nd)
	default:
		e.effect(i, nd)
	}
}

// result is the register for a node's value: its accumulator's, or a free one.
func (e *emitter) result(i int32) asm.Vec {
	if e.accReg && !e.merges {
		if j := e.use[i]; j != never {
			if nd := &e.nodes[j]; nd.in.form == setAccForm && nd.lastUse(0) && e.oldIsDead(j) {
				return asm.Vec(e.accs[nd.in.operand].reg + int(nd.copy))
			}
		}
	}
	return e.take()
}

// oldIsDead reports whether the accumulator that node j sets is no longer read.
func (e *emitter) oldIsDead(j int32) bool {
	set := &e.nodes[j]
	for v := j - 1; v >= 0; v-- {
		if nd := &e.nodes[v]; nd.in.form == accForm && nd.in.operand == set.in.operand && nd.copy == set.copy {
			return e.use[v] == never
		}
	}
	return false
}

func (nd *node) immediate() []byte {
	if nd.in.hasImm {
		return []byte{nd.in.imm}
	}
	return nil
}

// place is a register or memory from which an instruction takes an argument.
type place struct {
	reg      asm.Vec
	inMemory bool
}

// operand decides where argument k is taken from. It is a register if the value is in one, or is a vector that is
// needed again.
func (e *emitter) operand(nd *node, k int) place {
	if e.foldable(nd, k) {
		return place{inMemory: true}
	}
	return place{reg: e.get(nd.args[k])}
}

// write writes an instruction with argument k as its last operand.
func (e *emitter) write(op *asm.Op, nd *node, dst, v asm.Vec, p place, k int, imm ...byte) {
	if p.inMemory {
		e.a.M(op, nd.in.width, dst, v, e.memory(nd.args[k]), imm...)
		return
	}
	e.a.R(op, nd.in.width, dst, v, p.reg, imm...)
}

func (e *emitter) unary(i int32, nd *node) {
	p := e.operand(nd, 0)
	e.settle(nd)
	r := e.result(i)
	e.write(nd.in.op, nd, r, 0, p, 0, nd.immediate()...)
	e.define(i, r)
}

func (e *emitter) binary(i int32, nd *node) {
	in := nd.in
	if in.flips && !e.inReg(nd.args[0]) && (e.inReg(nd.args[1]) || !e.foldable(nd, 1)) {
		nd.args[0], nd.args[1] = nd.args[1], nd.args[0]
		nd.next[0], nd.next[1] = nd.next[1], nd.next[0]
	}
	x := e.get(nd.args[0])
	y := e.operand(nd, 1)
	e.settle(nd)
	if k, size := compareOp(in.op); k != nil && e.c.target.isAVX512() {
		e.compare(i, nd, k, size, x, y)
		return
	}
	r := e.result(i)
	e.write(in.op, nd, r, x, y, 1, nd.immediate()...)
	e.define(i, r)
}

// compare writes a comparison that gives a mask register. The mask stays there if it is only used by a blend; otherwise
// it is expanded to a vector.
func (e *emitter) compare(i int32, nd *node, op *asm.Op, size int, x asm.Vec, y place) {
	if k := e.freeMask(); k != 0 && e.onlyBlends(i) {
		e.write(op, nd, asm.Vec(k), x, y, 1, nd.immediate()...)
		e.inMask[i] = k
		e.taken |= 1 << k
		return
	}
	r := e.result(i)
	e.write(op, nd, workMask, x, y, 1, nd.immediate()...)
	spread := asm.PMOVM2D
	if size == 8 {
		spread = asm.PMOVM2Q
	}
	e.a.R(spread, nd.in.width, r, 0, workMask)
	e.define(i, r)
}

// freeMask returns a free mask register, or 0.
func (e *emitter) freeMask() uint8 {
	for k := uint8(tailMask) + 1; k < 8; k++ {
		if e.taken>>k&1 == 0 {
			return k
		}
	}
	return 0
}

// onlyBlends reports whether a value is used once, as the mask of a blend or of a fused multiply-add
// of lanes of the same size.
func (e *emitter) onlyBlends(i int32) bool {
	j := e.use[i]
	if j == never {
		return false
	}
	nd := &e.nodes[j]
	return (nd.in.form == blendForm || nd.in.form == fusedWhereForm) && nd.args[2] == i && nd.args[0] != i &&
		nd.args[1] != i && nd.lastUse(2) &&
		nd.in.width == e.nodes[i].in.width
}

// foldable reports whether argument k can be a memory operand. A vector of an operand that is needed again is better
// loaded into a register.
func (e *emitter) foldable(nd *node, k int) bool {
	v := nd.args[k]
	if e.inReg(v) || !e.inMemory(v) {
		return false
	}
	return e.nodes[v].in.form != loadForm || e.slot[v] != 0 || nd.lastUse(k)
}

func (e *emitter) blend(i int32, nd *node) {
	if e.c.target.isAVX512() {
		e.blendByMask(i, nd)
		return
	}
	mask := e.get(nd.args[2])
	x := e.get(nd.args[0])
	y := e.operand(nd, 1)
	e.settle(nd)
	r := e.result(i)
	number := byte(mask) << 4
	if k, _ := compareOp(e.nodes[nd.args[2]].in.op); k != nil && e.c.target == NEON {
		number |= 1 // all bits of lanes of a comparison are alike
	}
	e.write(nd.in.op, nd, r, x, y, 1, number)
	e.define(i, r)
}

// blendByMask writes a blend by a mask register. If the mask is in a vector, it is made from the vector's signs.
func (e *emitter) blendByMask(i int32, nd *node) {
	blend, signs := blendOp(nd.in.op)
	k := asm.Mask{K: e.maskOf(nd, signs)}
	x := e.get(nd.args[0])
	y := e.operand(nd, 1)
	e.settle(nd)
	r := e.result(i)
	if y.inMemory {
		e.a.MK(blend, nd.in.width, r, x, e.memory(nd.args[1]), k)
	} else {
		e.a.RK(blend, nd.in.width, r, x, y.reg, k)
	}
	e.define(i, r)
}

// maskOf is the mask register of a node's last argument.
func (e *emitter) maskOf(nd *node, signs *asm.Op) uint8 {
	if k := e.inMask[nd.args[2]]; k != 0 {
		return k
	}
	mask := e.get(nd.args[2])
	e.a.R(signs, nd.in.width, workMask, 0, mask)
	return uint8(workMask)
}

// The forms of fused instructions.
const (
	form132 = iota // dst = dst*src + v
	form213        // dst = v*dst + src
	form231        // dst = v*src + dst
)

// fused picks the form by the argument that dies: its register takes the result.
func (e *emitter) fused(i int32, nd *node) {
	in := nd.in
	if x, y := nd.args[0], nd.args[1]; !e.dies(nd, 0) && e.dies(nd, 1) ||
		x != y && !e.inReg(x) && e.inReg(y) && !e.dies(nd, 0) {
		nd.args[0], nd.args[1] = y, x
		nd.next[0], nd.next[1] = nd.next[1], nd.next[0]
	}
	x, y, z := nd.args[0], nd.args[1], nd.args[2]
	form, dst, v, k := form231, asm.Vec(0), asm.Vec(0), 1
	switch {
	case e.c.target == NEON && !(e.dies(nd, 2) && z != x && z != y): // which has no other form
		v = e.get(x)
		dst = e.take()
		e.copyTo(z, dst, in.width)
	case e.dies(nd, 0) && x != y && x != z:
		dst = e.get(x)
		if e.foldable(nd, 1) && !e.foldable(nd, 2) {
			form, v = form132, e.get(z)
		} else {
			form, v, k = form213, e.get(y), 2
		}
	case e.dies(nd, 2) && z != x && z != y:
		dst = e.get(z)
		v = e.get(x)
	case e.foldable(nd, 2) && !e.foldable(nd, 0) && !e.foldable(nd, 1) || !e.inReg(x) && e.inReg(z):
		form, v, k = form213, e.get(y), 2
		dst = e.take()
		e.copyTo(x, dst, in.width)
	default:
		v = e.get(x)
		dst = e.take()
		e.copyTo(z, dst, in.width)
	}
	p := e.operand(nd, k)
	e.write(in.fused[form], nd, dst, v, p, k)
	e.settle(nd)
	e.define(i, dst)
}

// fusedWhere multiplies and adds if a mask is set, and gives zero elsewhere.
func (e *emitter) fusedWhere(i int32, nd *node) {
	k := asm.Mask{K: e.maskOf(nd, asm.PMOVD2M), Zero: true}
	y := e.get(nd.args[1])
	var dst asm.Vec
	if e.dies(nd, 0) && nd.args[0] != nd.args[1] {
		dst = e.get(nd.args[0])
	} else {
		dst = e.take()
		e.copyTo(nd.args[0], dst, nd.in.width)
	}
	if z := e.pins.of(nd.in.slot); z >= 0 {
		e.a.RK(nd.in.fused[form213], nd.in.width, dst, y, asm.Vec(z), k)
	} else {
		e.a.MK(nd.in.fused[form213], nd.in.width, dst, y, nd.in.slot.mem, k)
	}
	e.settle(nd)
	e.define(i, dst)
}

// dies reports whether argument k is in a register that may be overwritten.
func (e *emitter) dies(nd *node, k int) bool {
	r := e.reg[nd.args[k]]
	return nd.lastUse(k) && r >= 0 && e.holds[r] == nd.args[k]
}
