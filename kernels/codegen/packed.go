package codegen

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// A type for memory alone is held as its computed type, which has the same values. Loads widen it. Stores find it
// rounded already, and drop the bytes or bits that it does not have.

// isPacked reports whether elements are smaller in memory than in their lanes. A U64 is held as it is.
func isPacked(t rowprog.Type) bool { return t.Computed() != t && t.Size() < laneSize(t) }

// widenOps are the instructions that widen a vector of elements to lanes.
var widenOps = map[rowprog.Type]*asm.Op{
	rowprog.U8: asm.PMOVZXBD, rowprog.I8: asm.PMOVSXBD, rowprog.U16: asm.PMOVZXWD, rowprog.I16: asm.PMOVSXWD,
	rowprog.U32: asm.PMOVZXDQ, rowprog.F16: asm.CVTPH2PS, rowprog.BF16: asm.PMOVZXWD, rowprog.F8E4M3: asm.PMOVZXBD,
	rowprog.F8E5M2: asm.PMOVZXBD}

// loadPacked reads an operand of a packed type.
func (b *block) loadPacked(in *rowprog.Inst) vreg {
	t := in.Type
	w := b.width(laneSize(t))
	ld := inst{form: widenForm, op: widenOps[t], width: w, size: uint8(t.Size()), operand: in.Operand,
		args: [3]vreg{none, none, none}}
	if in.Domain == rowprog.Vec {
		switch x := b.add(ld); t {
		case rowprog.BF16:
			return b.shift(asm.PSLLD, w, x, 16)
		case rowprog.F8E4M3, rowprog.F8E5M2:
			return b.fromFloat8(t, x)
		default:
			return x
		}
	}
	ld.form, ld.op = splatForm, nil
	x := b.add(ld) // of 2 and 4 bytes in all places, beside each other
	switch t {
	case rowprog.F16:
		return b.unary(asm.CVTPH2PS, w, x)
	case rowprog.BF16:
		return b.shift(asm.PSLLD, w, x, 16)
	case rowprog.F8E4M3, rowprog.F8E5M2:
		return b.fromFloat8(t, b.either(asm.ANDPS, w, x, b.bits(rowprog.I32, 0xff)))
	}
	return b.rounded(t, x)
}

// rounded rounds a value of the computed type of t to the values of t: integers wrap around, numbers are rounded half
// to even.
func (b *block) rounded(t rowprog.Type, x vreg) vreg {
	w, u := b.width(laneSize(t)), t.Computed()
	switch t {
	case rowprog.U8, rowprog.U16, rowprog.U32:
		b.rounds = true
		return b.either(asm.ANDPS, w, x, b.bits(u, 1<<(8*t.Size())-1))
	case rowprog.I8, rowprog.I16:
		b.rounds = true
		left := uint8(32 - 8*t.Size())
		return b.shift(asm.PSRAD, w, b.shift(asm.PSLLD, w, x, left), left)
	case rowprog.F16:
		b.rounds = true
		return b.unary(asm.CVTPH2PS, w, b.half(w, x))
	case rowprog.BF16:
		b.rounds = true
		return b.upperHalf(w, x)
	case rowprog.F8E4M3, rowprog.F8E5M2:
		return b.roundedToFloat8(t, x)
	}
	return x
}

// half converts to contiguous F16s.
func (b *block) half(w asm.Width, x vreg) vreg {
	return b.cse(inst{form: upperForm, op: asm.CVTPS2PH, width: w, hasImm: true, args: [3]vreg{x, none, none}})
}

// upperHalf rounds to BF16. The addend carries into the upper half from one half on, or from more than one half if the
// upper half is even. A NaN stays a NaN, and becomes quiet.
func (b *block) upperHalf(w asm.Width, x vreg) vreg {
	t := rowprog.I32
	last := b.either(asm.ANDPS, w, b.shift(asm.PSRLD, w, x, 16), b.bits(t, 1))
	number := b.either(asm.PADDD, w, b.either(asm.PADDD, w, x, b.bits(t, 0x7fff)), last)
	isNaN := b.binaryImm(float32Ops.cmp, w, x, x, cmpUnord)
	r := b.choose(w, 4, isNaN, b.either(asm.ORPS, w, x, b.bits(t, 0x400000)), number)
	return b.either(asm.ANDPS, w, r, b.bits(t, 0xffff0000))
}

// unrounded is a value that x was rounded from and that is stored as the same element of a type, or x itself.
func (b *block) unrounded(t rowprog.Type, x vreg) vreg {
	in := &b.insts[x]
	if in.args[0] == none {
		return x
	}
	from := &b.insts[in.args[0]]
	narrows := b.c.target.isAVX512() // with instructions that leave out upper bytes
	switch {
	case t == rowprog.F16 && in.op == asm.CVTPH2PS && from.op == asm.CVTPS2PH:
		return from.args[0]
	case t == rowprog.BF16 && in.op == asm.ANDPS && in.args[1] == b.bits(rowprog.I32, 0xffff0000):
		return in.args[0] // the lower half is shifted out
	case narrows && (t == rowprog.U8 || t == rowprog.U16) && in.op == asm.ANDPS &&
		in.args[1] == b.bits(rowprog.I32, 1<<(8*t.Size())-1):
		return in.args[0]
	case narrows && (t == rowprog.I8 || t == rowprog.I16) && in.op == asm.PSRAD && from.op == asm.PSLLD &&
		in.imm == from.imm && int(in.imm) == 32-8*t.Size():
		return from.args[0]
	}
	return x
}

// dropUnused drops operations whose values are not used, such as conversions of values that were stored unrounded.
func (b *block) dropUnused() {
	used := make([]bool, len(b.insts))
	var order []int
	for i := len(b.insts) - 1; i >= 0; i-- {
		in := &b.insts[i]
		if !used[i] && hasNoEffect(in.form) {
			continue
		}
		order = append(order, i)
		for _, x := range in.args {
			if x != none {
				used[x] = true
			}
		}
	}
	slices.Reverse(order)
	b.reorder(order)
}

// hasNoEffect reports whether a micro-operation has no side effects.
func hasNoEffect(f form) bool {
	switch f {
	case unaryForm, upperForm, binaryForm, shiftForm, blendForm:
		return true
	}
	return false
}

// packedStore makes st the store of a value to an operand of a packed type.
func (b *block) packedStore(st *inst, o *rowprog.Operand, x vreg) {
	x = b.unrounded(o.Type, x)
	switch o.Type {
	case rowprog.BF16:
		x = b.shift(asm.PSRLD, st.width, x, 16)
	case rowprog.F8E4M3, rowprog.F8E5M2:
		x = b.float8Of(o.Type, x)
	}
	switch {
	case o.Domain != rowprog.Vec:
		b.firstElement(st, o.Type, x)
	case b.c.target.isAVX512():
		b.narrowingStore(st, o.Type, x)
	default:
		st.form, st.width, st.args[0] = packedForm, asm.W128, b.packed(o.Type, st.width, x)
	}
}

// firstElement makes st the store of the element in the first lane: its first bytes.
func (b *block) firstElement(st *inst, t rowprog.Type, x vreg) {
	if t == rowprog.F16 {
		x = b.half(st.width, x)
	}
	st.form, st.args[0] = splatOutForm, x
	switch t.Size() {
	case 1:
		st.op, st.hasImm = asm.PEXTRBSt, true
	case 2:
		st.op, st.hasImm = asm.PEXTRWSt, true
	default:
		st.op = asm.MOVSSSt
	}
}

// narrowingStore makes st a store that drops the upper bytes of lanes, or rounds them.
func (b *block) narrowingStore(st *inst, t rowprog.Type, x vreg) {
	st.form, st.args[0] = packedForm, x
	switch {
	case t == rowprog.F16:
		st.op, st.hasImm = asm.CVTPS2PH, true
	case t.Size() == 1:
		st.op = asm.PMOVDB
	case t.Size() == 2:
		st.op = asm.PMOVDW
	default:
		st.op = asm.PMOVQD
	}
}

// packed is the elements in lanes of a width, contiguous in 16 bytes at most.
func (b *block) packed(t rowprog.Type, w asm.Width, x vreg) vreg {
	switch t {
	case rowprog.F16:
		return b.half(w, x)
	case rowprog.U32:
		return b.narrow(x)
	}
	words, bytes := asm.PACKUSDW, asm.PACKUSWB
	if t == rowprog.I8 || t == rowprog.I16 {
		words, bytes = asm.PACKSSDW, asm.PACKSSWB
	}
	upper := x
	if w == asm.W256 {
		upper = b.upper(x)
	}
	x = b.binary(words, asm.W128, x, upper)
	if t.Size() == 1 {
		x = b.binary(bytes, asm.W128, x, x)
	}
	return x
}

// readPacked loads the contiguous elements of the active lanes; the other lanes become zero.
func (e *emitter) readPacked(nd *node, r asm.Vec) {
	a, size := e.a, nd.in.size
	switch {
	case e.c.target.isAVX512():
		read := map[uint8]*asm.Op{1: asm.MOVDQU8, 2: asm.MOVDQU16, 4: asm.MOVUPS}[size]
		w := asm.W128
		if e.lanes*int(size) > w.Bytes() {
			w = asm.W256
		}
		a.MK(read, w, r, 0, e.address(nd), asm.Mask{K: uint8(tailMask), Zero: true})
	case size == 4:
		a.M(asm.MASKMOVPS, asm.W128, r, e.c.target.mask4(), e.address(nd))
	case size == 2:
		e.readWords(nd, r)
	default:
		e.readBytes(nd)
		a.R(asm.MOVQ, asm.W128, r, 0, asm.Vec(temp))
	}
}

// readBytes collects the remaining bytes in temp.
func (e *emitter) readBytes(nd *node) {
	a := e.a
	a.Lea(pointer, e.address(nd))
	a.Mov(temp2, rest)
	a.Xor(temp, temp)
	top := a.Here()
	a.Shl(temp, 8)
	a.MovLoad8(temp, asm.Indexed(pointer, temp2, 1, -1))
	a.SubImm(temp2, 1)
	a.JumpIf(asm.NotEqual, top)
	e.accIndex = 0
}

// readWords collects the remaining elements of 2 bytes, from the last one on.
func (e *emitter) readWords(nd *node, r asm.Vec) {
	a := e.a
	a.Lea(pointer, e.address(nd))
	a.Mov(temp2, rest)
	a.R(asm.XORPS, asm.W128, r, r, r)
	top := a.Here()
	a.R(asm.PSLLDQ, asm.W128, 0, r, r, 2)
	a.M(asm.PINSRW, asm.W128, r, r, asm.Indexed(pointer, temp2, 2, -2), 0)
	a.SubImm(temp2, 1)
	a.JumpIf(asm.NotEqual, top)
	e.accIndex = 0
}

// storePacked stores packed elements; if masked, only those of the active lanes.
func (e *emitter) storePacked(nd *node, x asm.Vec) {
	m := e.address(nd)
	switch bytes := e.lanes * int(nd.in.size); {
	case e.c.target.isAVX512():
		k := asm.Mask{}
		if e.masked {
			k.K = uint8(tailMask)
		}
		e.a.MK(nd.in.op, nd.in.width, x, 0, m, k, nd.immediate()...)
	case e.masked:
		e.storeRest(nd, x, m)
	case bytes == 16:
		e.a.M(asm.MOVUPSSt, asm.W128, x, 0, m)
	case bytes == 8:
		e.a.M(asm.MOVSDSt, asm.W128, x, 0, m)
	default:
		e.a.M(asm.MOVSSSt, asm.W128, x, 0, m)
	}
}

// storeRest stores the contiguous elements of the active lanes piece by piece. AVX2 has an instruction for that, but
// many processors take more than ten cycles for it, and some take forty to read what it has written.
func (e *emitter) storeRest(nd *node, x asm.Vec, m asm.Mem) {
	a, r := e.a, e.take()
	a.Lea(pointer, m)
	a.R(asm.MOVAPS, nd.in.width, r, 0, x)
	upper := asm.EXTRACTF128
	if e.c.target.isAVX512() {
		upper = asm.EXTRACTF32X4
	}
	for lanes := e.lanes / 2; lanes > 0; lanes /= 2 {
		skip := a.NewLabel()
		switch {
		case e.known > 0 && e.known&lanes == 0:
			continue
		case e.known == 0:
			a.Mov(temp, rest)
			a.AndImm(temp, int32(lanes))
			a.JumpIf(asm.Equal, skip)
		}
		bytes := lanes * int(nd.in.size)
		switch at := asm.At(pointer, 0); bytes {
		case 32:
			a.M(asm.MOVUPSSt, asm.W256, r, 0, at)
			a.R(asm.EXTRACTF256, asm.W512, r, 0, r, 1)
		case 16:
			a.M(asm.MOVUPSSt, asm.W128, r, 0, at)
			a.R(upper, asm.W256, r, 0, r, 1)
		case 8:
			a.M(asm.MOVSDSt, asm.W128, r, 0, at)
			a.R(asm.UNPCKHPD, asm.W128, r, r, r)
		case 4:
			a.M(asm.MOVSSSt, asm.W128, r, 0, at)
		case 2:
			a.M(asm.PEXTRWSt, asm.W128, r, 0, at, 0)
		default:
			a.M(asm.PEXTRBSt, asm.W128, r, 0, at, 0)
		}
		if lanes > 1 {
			a.AddImm(pointer, int32(bytes))
			if bytes < 8 {
				a.R(asm.PSRLQ, asm.W128, 0, r, r, byte(8*bytes))
			}
		}
		a.Bind(skip)
	}
}
