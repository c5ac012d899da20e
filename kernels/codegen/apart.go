package codegen

import (
	"encoding/binary"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/asm"
)

// ApartArgs are the arguments of the code of [Apart]: rows of Blocks blocks of [ApartBlock] elements. They are
// contiguous in To and some elements apart in From, where another one must follow. Steps from row to row are in bytes.
type ApartArgs struct {
	To, From       uintptr
	ToRow, FromRow int
	Rows, Blocks   int
	// Ahead is the distance from a block to what is prefetched meanwhile.
	Ahead int
}

const (
	// LeastApart and MostApart bound the steps for which there is code.
	LeastApart, MostApart = 2, 4
	apartBlock            = 8 // of 4 bytes
)

// ApartBlock is the number of elements of a block, of some bytes: those of a vector of 256 bits.
func ApartBlock(size int) int { return asm.W256.Bytes() / size }

// Apart makes code that copies elements of 1, 2 or 4 bytes that are step apart to contiguous memory, in vectors. A step
// of -1 reverses them.
func Apart(target Target, size, step int) (code []byte) {
	const to, from, toRow, fromRow, rows, blocks, at, next = asm.RSI, asm.RCX, asm.R8, asm.R9, asm.RBX, asm.RDX,
		asm.RAX, asm.R10
	const ahead = asm.R11
	a := asm.New(target.Machine())
	var in ApartArgs
	var gather func(next asm.Reg)
	if size < 4 {
		gather = apartBytes(a, size, step)
	} else {
		gather = apartWords(a, step)
	}
	a.MovLoad(to, argument(unsafe.Offsetof(in.To)))
	a.MovLoad(from, argument(unsafe.Offsetof(in.From)))
	a.MovLoad(toRow, argument(unsafe.Offsetof(in.ToRow)))
	a.MovLoad(fromRow, argument(unsafe.Offsetof(in.FromRow)))
	a.MovLoad(rows, argument(unsafe.Offsetof(in.Rows)))
	a.MovLoad(blocks, argument(unsafe.Offsetof(in.Blocks)))
	a.MovLoad(ahead, argument(unsafe.Offsetof(in.Ahead)))
	row := a.Here()
	a.Xor(at, at)
	a.Mov(next, from)
	top := a.Here()
	a.Prefetch(asm.Indexed(next, ahead, 1, 0))
	gather(next)
	a.M(asm.MOVUPSSt, asm.W256, 0, 0, asm.Indexed(to, at, 1, 0))
	bytes := asm.W256.Bytes()
	a.AddImm(at, int32(bytes))
	a.AddImm(next, int32(step*bytes))
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

// apartWords makes what puts a block of elements of 4 bytes, from an address on, into the first register.
func apartWords(a *asm.Asm, step int) (gather func(next asm.Reg)) {
	const w, order = asm.W256, asm.Vec(7)
	a.M(asm.MOVUPS, w, order, 0, asm.Labelled(a.Data(apartOrder(step), apartBlock*4)))
	return func(next asm.Reg) {
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
	}
}

// apartBytes is apartWords for elements of 1 or 2 bytes, in two halves. From each vector that has some of a half's, it
// takes their bytes to their places.
func apartBytes(a *asm.Asm, size, step int) (gather func(next asm.Reg)) {
	const half, places = 16, asm.Vec(8)
	parts, first := step, 0 // of a half, and where these begin
	if step == -1 {
		parts, first = 1, size-half
	}
	for i := range parts {
		place := make([]byte, half, 2*half)
		for k := range place {
			at := k/size*step*size + k%size - first - i*half
			if place[k] = byte(at); at < 0 || at >= half {
				place[k] = 0x80 // none
			}
		}
		place = append(place, place...)
		a.M(asm.MOVUPS, asm.W256, places+asm.Vec(i), 0, asm.Labelled(a.Data(place, len(place))))
	}
	return func(next asm.Reg) {
		for i := range parts {
			r, at := asm.Vec(i), first+i*half
			a.M(asm.MOVUPS, asm.W128, r, 0, asm.At(next, int32(at)))
			a.M(asm.INSERTF128, asm.W256, r, r, asm.At(next, int32(at+step*half)), 1)
			a.R(asm.PSHUFB, asm.W256, r, r, places+r)
			if i > 0 {
				a.R(asm.ORPS, asm.W256, 0, 0, r)
			}
		}
	}
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
