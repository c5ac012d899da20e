package codegen

import (
	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// source writes the code of an operation without arguments.
func (e *emitter) source(nd *node, r asm.Vec) {
	in, a := nd.in, e.a
	switch in.form {
	case widenForm:
		if !e.masked {
			a.M(in.op, in.width, r, 0, e.address(nd))
			return
		}
		e.readPacked(nd, r)
		a.R(in.op, in.width, r, 0, r)
	case splatForm:
		m := asm.At(e.base(in.operand), 0)
		switch in.size {
		case 1: // a byte in all places, then the last one of each lane
			a.M(asm.PBROADCASTB, in.width, r, 0, m)
			a.R(asm.PSRLD, in.width, 0, r, r, 24)
		case 2:
			a.M(asm.PBROADCASTW, in.width, r, 0, m)
		case 4:
			a.M(asm.BROADCASTSS, in.width, r, 0, m)
		default:
			a.M(asm.BROADCASTSD, in.width, r, 0, m)
		}
	case indexForm:
		from := index
		if nd.copy > 0 {
			a.Lea(temp, asm.At(index, nd.copy*int32(e.lanes)))
			from = temp
		}
		e.splatInt(in, r, from)
	case axisForm:
		a.MovLoad(temp, inBlock(e.c.layout.End(in.operand)))
		a.SubLoad(temp, inBlock(e.c.layout.Counter(in.operand)))
		e.splatInt(in, r, temp)
	case perRowForm:
		a.M(asm.MOVUPS, in.width, r, 0, nd.perRow())
	case repeatForm:
		rows := e.take()
		a.M(asm.MOVUPS, in.width, rows, 0, asm.Labelled(e.ofBlock.rowNumbers()[e.vector+int(nd.copy)]))
		a.M(asm.PERMPS, in.width, r, rows, inBlock(in.slot.rows))
	}
}

// perRow is where the values of the rows are that a copy processes.
func (nd *node) perRow() asm.Mem {
	return inBlock(nd.in.slot.rows + int(nd.copy)*nd.in.width.Bytes())
}

func (e *emitter) splatInt(in *inst, r asm.Vec, from asm.Reg) {
	op := asm.PBROADCASTQ
	if in.size == 4 {
		op = asm.PBROADCASTD
	}
	e.a.R(asm.MOVQ, asm.W128, r, 0, asm.Vec(from))
	e.a.R(op, in.width, r, 0, r)
}

// effect writes the code of an operation without a value.
func (e *emitter) effect(i int32, nd *node) {
	in, a := nd.in, e.a
	switch in.form {
	case storeForm, packedForm, bytesOutForm, splatOutForm, byteOutForm:
		e.readPending(i, nd.copy)
	}
	x := e.get(nd.args[0])
	switch in.form {
	case setAccForm:
		e.setAcc(nd, x)
	case storeForm:
		e.store(nd, x, e.address(nd))
	case packedForm:
		e.storePacked(nd, x)
	case bytesOutForm:
		e.writeBytes(nd, x)
	case splatOutForm:
		a.M(in.op, asm.W128, x, 0, asm.At(e.base(in.operand), 0), nd.immediate()...)
	case byteOutForm:
		e.signs(nd, x)
		a.AndImm(temp, 1)
		a.MovStore8(asm.At(e.base(in.operand), 0), temp)
	case perRowOutForm:
		a.M(asm.MOVUPSSt, in.width, x, 0, nd.perRow())
	case partialForm:
		e.ofBlock.putPartial(in, x)
	case slotOutForm:
		if e.ofBlock != nil {
			e.ofBlock.putRow(in, x)
			break
		}
		r := e.take()
		op := asm.BROADCASTSS
		if in.size == 8 {
			op = asm.BROADCASTSD
		}
		a.R(op, e.c.target.full(), r, 0, x)
		a.M(asm.MOVUPSSt, e.c.target.full(), r, 0, in.slot.mem)
	case guardForm:
		e.guard(nd, x)
	case deferForm:
		e.tile.results[nd.copy] = x
		e.holds[x] = pinned
	}
	e.settle(nd)
}

// readPending loads the operands that the copy's later operations need before a store that may overlap them. From then
// on, they cannot be read again.
func (e *emitter) readPending(i, copy int32) {
	if e.stored>>copy&1 != 0 {
		return // done already
	}
	e.stored |= 1 << copy // first, so that what is read is not given up for what is read next
	for v := range i {
		nd := &e.nodes[v]
		if nd.in.form == loadForm && nd.copy == copy && e.use[v] != never && !e.inReg(v) && e.slot[v] == 0 {
			e.get(v)
			e.busy = 0
		}
	}
}

// signs puts the sign bits of lanes of 4 bytes into temp.
func (e *emitter) signs(nd *node, x asm.Vec) {
	if !e.c.target.isAVX512() {
		e.a.R(asm.MOVMSKPS, nd.in.width, asm.Vec(temp), 0, x)
		return
	}
	e.a.R(asm.PMOVD2M, nd.in.width, workMask, 0, x)
	e.a.R(asm.KMOVWSt, asm.W128, asm.Vec(temp), 0, workMask)
}

// loadMasked loads the active lanes of an operand; the others become zero.
func (e *emitter) loadMasked(nd *node, r asm.Vec) {
	e.c.loadLanes(r, nd.in.width, nd.in.size, e.address(nd))
}

// loadLanes loads the active lanes of a size; the others become zero.
func (c *compiler) loadLanes(r asm.Vec, w asm.Width, size uint8, m asm.Mem) {
	k := asm.Mask{K: uint8(tailMask), Zero: true}
	switch wide := c.target.isAVX512(); {
	case wide && size == 8:
		c.a.MK(asm.MOVUPD, w, r, 0, m, k)
	case wide:
		c.a.MK(asm.MOVUPS, w, r, 0, m, k)
	case size == 8:
		c.a.M(asm.MASKMOVPD, w, r, c.target.mask8(), m)
	default:
		c.a.M(asm.MASKMOVPS, w, r, c.target.mask4(), m)
	}
}

// storeLanes stores the active lanes of a size, with AVX-512.
func (c *compiler) storeLanes(r asm.Vec, w asm.Width, size uint8, m asm.Mem) {
	op := asm.MOVUPSSt
	if size == 8 {
		op = asm.MOVUPDSt
	}
	c.a.MK(op, w, r, 0, m, asm.Mask{K: uint8(tailMask)})
}

// store writes a vector; if masked, only its active lanes.
func (e *emitter) store(nd *node, x asm.Vec, m asm.Mem) {
	switch in := nd.in; {
	case e.stream:
		e.a.M(asm.MOVNTPS, in.width, x, 0, m)
	case !e.masked:
		e.a.M(asm.MOVUPSSt, in.width, x, 0, m)
	case e.c.target.isAVX512() && !(e.known > 0 && e.c.rewritesRows()):
		e.c.storeLanes(x, in.width, in.size, m)
	default:
		e.storeRest(nd, x, m)
	}
}

// setAcc puts new partial results into their place.
func (e *emitter) setAcc(nd *node, x asm.Vec) {
	switch {
	case e.masked && !e.accReg:
		e.mergeAcc(nd, x)
		return
	case !e.accReg:
		e.store(nd, x, e.accAddress(nd))
		return
	}
	switch r := asm.Vec(e.accs[nd.in.operand].reg + int(nd.copy)); {
	case r == x:
	case e.merges:
		e.mergeRest(nd.in, r, x)
	default:
		e.a.R(asm.MOVAPS, nd.in.width, r, 0, x)
	}
}

// mergeAcc merges new partial results into the active lanes and stores the whole vector. It can then be read again at
// once. A masked store is read only after it has reached the cache, 15 ns later.
func (e *emitter) mergeAcc(nd *node, x asm.Vec) {
	r, m := e.take(), e.accAddress(nd)
	e.a.M(asm.MOVUPS, nd.in.width, r, 0, m)
	e.mergeRest(nd.in, r, x)
	e.a.M(asm.MOVUPSSt, nd.in.width, r, 0, m)
}

// mergeRest copies the active lanes of x into r.
func (e *emitter) mergeRest(in *inst, r, x asm.Vec) {
	switch wide := e.c.target.isAVX512(); {
	case wide && in.size == 8:
		e.a.RK(asm.BLENDMPD, in.width, r, r, x, asm.Mask{K: uint8(tailMask)})
	case wide:
		e.a.RK(asm.BLENDMPS, in.width, r, r, x, asm.Mask{K: uint8(tailMask)})
	case in.size == 8:
		e.a.R(asm.BLENDVPD, in.width, r, r, x, byte(e.c.target.mask8())<<4)
	default:
		e.a.R(asm.BLENDVPS, in.width, r, r, x, byte(e.c.target.mask4())<<4)
	}
}

// guard records a fault unless all lanes are true.
func (e *emitter) guard(nd *node, x asm.Vec) {
	a := e.a
	s := stub{enter: a.NewLabel(), back: a.NewLabel(), code: nd.in.code, first: nd.copy * int32(e.lanes), row: e.row,
		size: nd.in.size}
	if culprit := e.nodes[nd.args[1]].in; culprit.form == slotForm {
		s.home = culprit.slot
	} else {
		s.culprit = e.get(nd.args[1])
	}
	e.signs(nd, x)
	if e.masked {
		if e.c.target.isAVX512() {
			a.R(asm.KMOVWSt, asm.W128, asm.Vec(temp2), 0, tailMask)
		} else {
			a.R(asm.MOVMSKPS, nd.in.width, asm.Vec(temp2), 0, e.c.target.mask4())
		}
		a.Not(temp)
		a.And(temp, temp2)
		e.accIndex = 0
	} else {
		a.XorImm(temp, 1<<e.lanes-1)
	}
	a.JumpIf(asm.NotEqual, s.enter)
	a.Bind(s.back)
	e.c.stubs = append(e.c.stubs, s)
}

// stub is out-of-line code that records a fault. The faulty lanes are set in temp.
type stub struct {
	enter, back asm.Label
	code        rowprog.FaultCode
	first       int32 // lane 0 is so many elements after the current index
	row         bool  // outside of the row, where there is no index
	// The culprit's elements, of a size, are in a register, or all equal in a slot.
	size    uint8
	home    *slot
	culprit asm.Vec
}

// writeStubs writes the code that guards jump to. If a section has several faults, the one with the least index counts.
func (c *compiler) writeStubs() {
	a := c.a
	if len(c.stubs) > 0 {
		c.layout.Culprit = c.layout.room(2 * vectorBytes) // first the lanes; with the last, what follows is read
	}
	for _, s := range c.stubs {
		a.Bind(s.enter)
		if s.row {
			a.Xor(temp, temp)
			a.MovStore(inBlock(offFaultIndex), temp)
			c.noteCulprit(&s)
			a.MovStoreImm(inBlock(offFaultCode), int32(s.code))
			a.MovStoreImm(inBlock(offFaulted), 1)
			a.Jump(c.exit)
			continue
		}
		note := a.NewLabel()
		a.TrailingZeros(temp, temp)
		a.Lea(temp, asm.Indexed(index, temp, 1, s.first))
		a.CmpMemImm(inBlock(offFaulted), 0)
		a.JumpIf(asm.Equal, note)
		a.CmpLoad(temp, inBlock(offFaultIndex))
		a.JumpIf(asm.NotLess, s.back)
		a.Bind(note)
		a.MovStore(inBlock(offFaultIndex), temp)
		a.Sub(temp, index)
		a.SubImm(temp, s.first)
		c.noteCulprit(&s)
		a.MovStoreImm(inBlock(offFaultCode), int32(s.code))
		a.MovStoreImm(inBlock(offFaulted), 1)
		a.Jump(s.back)
	}
}

// noteCulprit records the culprit's element in the lane whose number is in temp.
func (c *compiler) noteCulprit(s *stub) {
	a := c.a
	if s.home != nil {
		a.MovLoad(temp, s.home.mem)
	} else {
		a.M(asm.MOVUPSSt, c.target.full(), s.culprit, 0, inBlock(c.layout.Culprit))
		a.MovLoad(temp, asm.Indexed(args, temp, s.size, int32(c.layout.Culprit)))
	}
	if s.size == 4 {
		a.Shl(temp, 32)
		a.Shr(temp, 32)
	}
	a.MovStore(inBlock(c.layout.Culprit), temp)
}

// writeBytes stores a mask as Bools.
func (e *emitter) writeBytes(nd *node, x asm.Vec) {
	a := e.a
	if e.c.target.isAVX512() {
		e.narrowBytes(nd, x)
		return
	}
	e.accIndex = 0
	a.R(asm.MOVMSKPS, nd.in.width, asm.Vec(temp), 0, x)
	a.SpreadBits(temp, temp, temp2)
	switch m := e.address(nd); {
	case e.masked:
		a.Lea(pointer, m)
		a.Mov(temp2, rest)
		top := a.Here()
		a.MovStore8(asm.At(pointer, 0), temp)
		a.Shr(temp, 8)
		a.AddImm(pointer, 1)
		a.SubImm(temp2, 1)
		a.JumpIf(asm.NotEqual, top)
	case e.lanes == 8:
		a.MovStore(m, temp)
	default:
		a.MovStore32(m, temp)
	}
}

// narrowBytes stores a mask as Bools if lanes can be narrowed by the store.
func (e *emitter) narrowBytes(nd *node, x asm.Vec) {
	r := e.take()
	e.a.R(asm.PSRLD, nd.in.width, 0, r, x, 31)
	k := asm.Mask{}
	if e.masked {
		k.K = uint8(tailMask)
	}
	e.a.MK(asm.PMOVDB, nd.in.width, r, 0, e.address(nd), k)
}
