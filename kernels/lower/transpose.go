package lower

import "github.com/broadloom/broadloom/kernels/amd64"

// TransposeArgs is the arguments of the code of [Transpose]: Count blocks of 8 lines of
// 8 elements of 4 bytes are transposed. All steps are in bytes: SrcLine and DstLine from
// line to line of a block, SrcStep and DstStep from block to block.
type TransposeArgs struct {
	Dst, Src         uintptr
	DstLine, SrcLine int
	DstStep, SrcStep int
	Count            int
}

// Transpose makes code that transposes blocks in registers.
func Transpose() []byte {
	const (
		dst, dst4, dstLine, dstLine3 = amd64.RCX, amd64.R11, amd64.R9, amd64.R10
		src, src4, srcLine, srcLine3 = amd64.RSI, amd64.R8, amd64.RDX, amd64.RAX
		count                        = amd64.RBX
	)
	var a amd64.Asm
	for i, r := range []amd64.Reg{dst, src, dstLine, srcLine} {
		a.MovLoad(r, amd64.At(args, int32(8*i)))
	}
	a.MovLoad(count, amd64.At(args, 48))
	a.Lea(dstLine3, amd64.Indexed(dstLine, dstLine, 2, 0))
	a.Lea(srcLine3, amd64.Indexed(srcLine, srcLine, 2, 0))
	top := a.Here()
	a.Lea(src4, amd64.Indexed(src, srcLine, 4, 0))
	a.Lea(dst4, amd64.Indexed(dst, dstLine, 4, 0))
	line := func(i int, first, fifth, step, step3 amd64.Reg) amd64.Mem {
		base := first
		if i >= 4 {
			base = fifth
		}
		switch i % 4 {
		case 0:
			return amd64.At(base, 0)
		case 3:
			return amd64.Indexed(base, step3, 1, 0)
		}
		return amd64.Indexed(base, step, uint8(i%4), 0)
	}
	for i := range 8 {
		a.M(amd64.MOVUPS, amd64.W256, amd64.Vec(i), 0, line(i, src, src4, srcLine, srcLine3))
	}
	// Pairs of lines, then of pairs, exchange elements within halves of registers.
	pair := func(low, high *amd64.Op, dst, x, y amd64.Vec) {
		a.R(low, amd64.W256, dst, x, y)
		a.R(high, amd64.W256, dst+1, x, y)
	}
	for i := amd64.Vec(0); i < 8; i += 2 {
		pair(amd64.UNPCKLPS, amd64.UNPCKHPS, 8+i, i, i+1)
	}
	for i := amd64.Vec(0); i < 8; i += 4 {
		pair(amd64.UNPCKLPD, amd64.UNPCKHPD, i, 8+i, 10+i)
		pair(amd64.UNPCKLPD, amd64.UNPCKHPD, i+2, 9+i, 11+i)
	}
	for i := amd64.Vec(0); i < 4; i++ {
		a.R(amd64.PERM2F128, amd64.W256, 8+i, i, i+4, 0x20)
		a.R(amd64.PERM2F128, amd64.W256, 12+i, i, i+4, 0x31)
	}
	for i := range 8 {
		a.M(amd64.MOVUPSSt, amd64.W256, amd64.Vec(8+i), 0, line(i, dst, dst4, dstLine, dstLine3))
	}
	a.AddLoad(dst, amd64.At(args, 32))
	a.AddLoad(src, amd64.At(args, 40))
	a.SubImm(count, 1)
	a.JumpIf(amd64.NotEqual, top)
	a.Zeroupper()
	a.Return()
	_, code := a.Finish()
	return code
}
