package codegen

import (
	"encoding/binary"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/asm"
)

// ApartArgs are the arguments of the code of [Apart]: rows of Blocks·8 elements of 4 bytes. They are contiguous in To
// and some elements apart in From, where another one must follow. Steps from row to row are in bytes.
type ApartArgs struct {
	To, From       uintptr
	ToRow, FromRow int
	Rows, Blocks   int
}

const (
	// LeastApart and MostApart bound the steps for which there is code.
	LeastApart, MostApart = 2, 4
	apartBlock            = 8
)

// Apart makes code that copies elements that are step apart to contiguous memory, in vectors. A step of -1 reverses
// them.
func Apart(target Target, step int) (code []byte) {
	const to, from, toRow, fromRow, rows, blocks, at, next = asm.RSI, asm.RCX, asm.R8, asm.R9, asm.RBX, asm.RDX,
		asm.RAX, asm.R10
	const w, order = asm.W256, asm.Vec(7)
	a := asm.New(target.Machine())
	var in ApartArgs
	a.M(asm.MOVUPS, w, order, 0, asm.Labelled(a.Data(apartOrder(step), apartBlock*4)))
	a.MovLoad(to, argument(unsafe.Offsetof(in.To)))
	a.MovLoad(from, argument(unsafe.Offsetof(in.From)))
	a.MovLoad(toRow, argument(unsafe.Offsetof(in.ToRow)))
	a.MovLoad(fromRow, argument(unsafe.Offsetof(in.FromRow)))
	a.MovLoad(rows, argument(unsafe.Offsetof(in.Rows)))
	a.MovLoad(blocks, argument(unsafe.Offsetof(in.Blocks)))
	row := a.Here()
	a.Xor(at, at)
	a.Mov(next, from)
	top := a.Here()
	a.Prefetch(asm.Indexed(next, fromRow, 1, 0)) // rows are too short for what the processor fetches by itself
	if step == -1 {
		a.M(asm.MOVUPS, w, 0, 0, asm.At(next, -(apartBlock-1)*4))
	}
	for i := range step {
		a.M(asm.MOVUPS, w, asm.Vec(i), 0, asm.At(next, int32(i*apartBlock*4)))
	}
	switch step {
	case 2: // 0 2 8 10 and 4 6 12 14 become halves
		a.R(asm.SHUFPS, w, 0, 0, 1, 0x88)
	case 4: // 0 4, 8 12, 16 20 and 24 28 are in halves of vectors
		a.R(asm.UNPCKLPS, w, 0, 0, 1)
		a.R(asm.UNPCKLPS, w, 2, 2, 3)
		a.R(asm.UNPCKLPD, w, 0, 0, 2)
	default: // each is at a place of its own, whichever vector it is in
		for i := 1; i < step; i++ {
			lanes := byte(0)
			for k := range apartBlock {
				if k*step/apartBlock == i {
					lanes |= 1 << (k * step % apartBlock)
				}
			}
			a.R(asm.BLENDPS, w, 0, 0, asm.Vec(i), lanes)
		}
	}
	a.R(asm.PERMPS, w, 0, order, 0)
	a.M(asm.MOVUPSSt, w, 0, 0, asm.Indexed(to, at, 1, 0))
	a.AddImm(at, apartBlock*4)
	a.AddImm(next, int32(step*apartBlock*4))
	a.SubImm(blocks, 1)
	a.JumpIf(asm.NotEqual, top)
	a.MovLoad(blocks, argument(unsafe.Offsetof(in.Blocks)))
	a.Add(to, toRow)
	a.Add(from, fromRow)
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, row)
	a.Zeroupper()
	a.Return()
	_, code = a.Finish()
	return code
}

// apartOrder returns, for each element, its place in the vector before the last instruction, which puts them in order.
func apartOrder(step int) (order []byte) {
	for k := range apartBlock {
		at := k * step % apartBlock
		switch step {
		case 2:
			at = k&^6 | k>>1&2 | k<<1&4 // 0 1 4 5 2 3 6 7
		case 4:
			at = k%2*4 + k/2
		case -1:
			at = apartBlock - 1 - k
		}
		order = binary.LittleEndian.AppendUint32(order, uint32(at))
	}
	return order
}
