package codegen

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/asm"
)

// TransposeArgs is the arguments of the code of [Transpose]: Count blocks of 8 lines of
// 8 elements of 4 bytes are transposed. All steps are in bytes: SrcLine and DstLine from
// line to line of a block, SrcStep and DstStep from block to block.
type TransposeArgs struct {
	Dst, Src         uintptr
	DstLine, SrcLine int
	DstStep, SrcStep int
	Count            int
	// Ahead leads from a block to one whose lines are fetched meanwhile.
	Ahead int
}

// Transpose makes code that transposes blocks in registers.
func Transpose(target Target) []byte {
	const (
		dst, dst4, dstLine, dstLine3 = asm.RCX, asm.R11, asm.R9, asm.R10
		src, src4, srcLine, srcLine3 = asm.RSI, asm.R8, asm.RDX, asm.RAX
		count                        = asm.RBX
		ahead, far, far4             = asm.R12, asm.R13, asm.R14
	)
	var in TransposeArgs
	a := asm.New(target.Machine())
	a.MovLoad(dst, argument(unsafe.Offsetof(in.Dst)))
	a.MovLoad(src, argument(unsafe.Offsetof(in.Src)))
	a.MovLoad(dstLine, argument(unsafe.Offsetof(in.DstLine)))
	a.MovLoad(srcLine, argument(unsafe.Offsetof(in.SrcLine)))
	a.MovLoad(count, argument(unsafe.Offsetof(in.Count)))
	a.MovLoad(ahead, argument(unsafe.Offsetof(in.Ahead)))
	a.Lea(dstLine3, asm.Indexed(dstLine, dstLine, 2, 0))
	a.Lea(srcLine3, asm.Indexed(srcLine, srcLine, 2, 0))
	top := a.Here()
	a.Lea(src4, asm.Indexed(src, srcLine, 4, 0))
	a.Lea(dst4, asm.Indexed(dst, dstLine, 4, 0))
	line := func(i int, first, fifth, step, step3 asm.Reg) asm.Mem {
		base := first
		if i >= 4 {
			base = fifth
		}
		switch i % 4 {
		case 0:
			return asm.At(base, 0)
		case 3:
			return asm.Indexed(base, step3, 1, 0)
		}
		return asm.Indexed(base, step, uint8(i%4), 0)
	}
	a.Lea(far, asm.Indexed(src, ahead, 1, 0))
	a.Lea(far4, asm.Indexed(src4, ahead, 1, 0))
	for i := range 8 {
		a.M(asm.MOVUPS, asm.W256, asm.Vec(i), 0, line(i, src, src4, srcLine, srcLine3))
		a.Prefetch(line(i, far, far4, srcLine, srcLine3))
	}
	// Pairs of lines, then of pairs, exchange elements within halves of registers.
	pair := func(low, high *asm.Op, dst, x, y asm.Vec) {
		a.R(low, asm.W256, dst, x, y)
		a.R(high, asm.W256, dst+1, x, y)
	}
	for i := asm.Vec(0); i < 8; i += 2 {
		pair(asm.UNPCKLPS, asm.UNPCKHPS, 8+i, i, i+1)
	}
	for i := asm.Vec(0); i < 8; i += 4 {
		pair(asm.UNPCKLPD, asm.UNPCKHPD, i, 8+i, 10+i)
		pair(asm.UNPCKLPD, asm.UNPCKHPD, i+2, 9+i, 11+i)
	}
	for i := asm.Vec(0); i < 4; i++ {
		a.R(asm.PERM2F128, asm.W256, 8+i, i, i+4, 0x20)
		a.R(asm.PERM2F128, asm.W256, 12+i, i, i+4, 0x31)
	}
	for i := range 8 {
		a.M(asm.MOVUPSSt, asm.W256, asm.Vec(8+i), 0, line(i, dst, dst4, dstLine, dstLine3))
	}
	a.AddLoad(dst, argument(unsafe.Offsetof(in.DstStep)))
	a.AddLoad(src, argument(unsafe.Offsetof(in.SrcStep)))
	a.SubImm(count, 1)
	a.JumpIf(asm.NotEqual, top)
	a.Zeroupper()
	a.Return()
	_, code := a.Finish()
	return code
}

// argument is the memory of a field of the arguments, by its offset in their struct.
func argument(offset uintptr) asm.Mem { return asm.At(args, int32(offset)) }
