package codegen

import (
	"encoding/binary"

	"github.com/broadloom/broadloom/kernels/asm"
)

// Elements of a row that are 2 or 4 elements apart are loaded with what is between them, in 2 or 4 vectors, and then
// put together. Like all code, this reads nothing behind the last element: the last vector begins earlier, so that it
// ends there.

// loadApart makes a load of elements that are as far apart as the operand says.
func (b *block) loadApart(ld inst) vreg {
	step := b.c.p.Operands[ld.operand].Step
	ld.form, ld.imm = apartForm, uint8(step)
	if ld.width != asm.W128 { // whose elements come in order
		ld.args[0] = b.at(b.c.orderOf(step, ld.width))
	}
	return b.add(ld)
}

// orderOf has the place of each element before the last instruction of [emitter.apart], which puts them in order.
func (c *compiler) orderOf(step int, w asm.Width) *slot {
	const lane = 4 // elements of a part that most instructions do not cross
	if c.orders == nil {
		c.orders = map[int]*slot{}
	}
	key := step<<8 | int(w)
	if c.orders[key] == nil {
		lanes := w.Bytes() / 4
		each := lanes / step // elements from one vector
		var order []byte
		for k := range c.target.bytes() / 4 {
			vector, at := k%lanes/each, k%each*step
			order = binary.LittleEndian.AppendUint32(order, uint32(at/lane*lane+vector*(lane/step)+at%lane/step))
		}
		c.orders[key] = &slot{mem: asm.Labelled(c.a.Data(order, len(order)))}
	}
	return c.orders[key]
}

// apart loads elements that are 2 or 4 elements apart.
func (e *emitter) apart(i int32, nd *node) {
	a, w, step := e.a, nd.in.width, int(nd.in.imm)
	ordered := nd.args[0] >= 0
	var order asm.Vec
	if ordered {
		order = e.get(nd.args[0])
	}
	var parts [4]asm.Vec
	for k := range step {
		parts[k] = e.take()
	}
	e.loadParts(nd, parts[:step])
	r := parts[0]
	if step == 2 { // the elements at even places of the first vector, and at odd ones of the other
		a.R(asm.SHUFPS, w, r, parts[0], parts[1], 0xd8)
	} else { // the first of each four, and the last of the last vector's
		a.R(asm.SHUFPS, w, r, parts[0], parts[1], 0x00)
		a.R(asm.SHUFPS, w, parts[2], parts[2], parts[3], 0xf0)
		a.R(asm.SHUFPS, w, r, r, parts[2], 0x88)
	}
	if ordered {
		a.R(asm.PERMPS, w, r, order, r)
	}
	e.settle(nd)
	e.define(i, r)
}

// loadParts loads the vectors in which the elements are.
func (e *emitter) loadParts(nd *node, parts []asm.Vec) {
	a, w, step := e.a, nd.in.width, len(parts)
	lanes := w.Bytes() / 4
	base, first := e.base(nd.in.operand), int(nd.copy)*e.lanes*step
	scale := uint8(8)
	if step == 4 {
		a.Lea(pointer, asm.Indexed(base, index, 8, 0))
		base = pointer
	}
	var masks asm.Vec
	if e.masked {
		masks = e.beginTails(step, w)
	}
	for k, r := range parts {
		at := first + k*lanes
		if k == step-1 {
			at = first + k*(lanes-1)
		}
		m := asm.Indexed(base, index, scale, int32(4*at))
		switch tail := asm.At(temp, int32(k*lanes*tailBytes)); {
		case !e.masked:
			a.M(asm.MOVUPS, w, r, 0, m)
		case e.c.target.isAVX512():
			a.M(asm.KMOVW, asm.W128, workMask, 0, tail)
			a.MK(asm.MOVUPS, w, r, 0, m, asm.Mask{K: uint8(workMask), Zero: true})
		default:
			a.M(asm.MOVUPS, w, masks, 0, tail)
			a.M(asm.MASKMOVPS, w, r, masks, m)
		}
	}
}

// tailBytes is the size of an entry of the tables of [emitter.beginTails].
const tailBytes = 32

// beginTails sets temp to the entries, in a table of masks, for the elements that are left of a row: one for each
// vector, which says what is needed of it. It returns a register for masks, if they need one.
func (e *emitter) beginTails(step int, w asm.Width) (masks asm.Vec) {
	a, lanes, wide := e.a, w.Bytes()/4, e.c.target.isAVX512()
	var table []byte
	for k := range step {
		from := k * lanes
		if k == step-1 {
			from = k * (lanes - 1)
		}
		for left := range lanes {
			active := min(lanes, max(0, step*(left-1)+1-from))
			entry := make([]byte, tailBytes)
			if wide {
				binary.LittleEndian.PutUint16(entry, uint16(1<<active-1))
			} else {
				for n := range 4 * active {
					entry[n] = 0xff
				}
			}
			table = append(table, entry...)
		}
	}
	a.Mov(temp2, rest)
	a.Shl(temp2, log2(tailBytes))
	a.Lea(temp, asm.Labelled(a.Data(table, tailBytes)))
	a.Add(temp, temp2)
	e.accIndex = 0
	if !wide {
		masks = e.take()
	}
	return masks
}
