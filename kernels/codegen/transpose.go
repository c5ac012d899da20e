package codegen

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/asm"
)

// TransposeArgs are the arguments of the code of [Transpose], which transposes Count blocks of 8 lines of 8 elements.
// All steps are in bytes: SrcLine and DstLine from line to line of a block, SrcStep and DstStep from block to block.
type TransposeArgs struct {
	Dst, Src         uintptr
	DstLine, SrcLine int
	DstStep, SrcStep int
	Count            int
	// Ahead is the distance from a block to one whose lines are prefetched meanwhile.
	Ahead int
}

// Transpose makes code that transposes blocks in registers, of elements of 1, 2, 4 or 8 bytes.
func Transpose(target Target, size int) []byte {
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
	line := func(i int, first, fifth, step, step3 asm.Reg, offset int32) asm.Mem {
		base := first
		if i >= 4 {
			base = fifth
		}
		switch i % 4 {
		case 0:
			return asm.At(base, offset)
		case 3:
			return asm.Indexed(base, step3, 1, offset)
		}
		return asm.Indexed(base, step, uint8(i%4), offset)
	}
	a.Lea(far, asm.Indexed(src, ahead, 1, 0))
	a.Lea(far4, asm.Indexed(src4, ahead, 1, 0))
	t := transposer{a,
		func(i int, offset int32) asm.Mem { return line(i, src, src4, srcLine, srcLine3, offset) },
		func(i int) { a.Prefetch(line(i, far, far4, srcLine, srcLine3, 0)) },
		func(i int, offset int32) asm.Mem { return line(i, dst, dst4, dstLine, dstLine3, offset) }}
	switch size {
	case 1:
		t.bytes()
	case 2:
		t.words()
	case 4:
		t.doubleWords()
	case 8:
		t.quadWords()
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

// transposer writes the code that transposes one block: it loads and stores its lines, from a byte on, and prefetches
// those of a block ahead.
type transposer struct {
	a     *asm.Asm
	from  func(line int, offset int32) asm.Mem
	fetch func(line int)
	to    func(line int, offset int32) asm.Mem
}

// pair interleaves elements of two registers: dst gets those of their lower halves, or of the lower halves of their
// halves, and the next register those of the upper ones.
func (t transposer) pair(ops [2]*asm.Op, w asm.Width, dst, x, y asm.Vec) {
	t.a.R(ops[0], w, dst, x, y)
	t.a.R(ops[1], w, dst+1, x, y)
}

var (
	unpackWords   = [2]*asm.Op{asm.PUNPCKLWD, asm.PUNPCKHWD}
	unpackDoubles = [2]*asm.Op{asm.UNPCKLPS, asm.UNPCKHPS}
	unpackQuads   = [2]*asm.Op{asm.UNPCKLPD, asm.UNPCKHPD}
)

// bytes transposes elements of 1 byte, with two lines of the result in a register.
func (t transposer) bytes() {
	const w = asm.W128
	for i := range 8 {
		t.a.M(asm.MOVSD, w, asm.Vec(i), 0, t.from(i, 0))
		t.fetch(i)
	}
	for i := asm.Vec(0); i < 4; i++ {
		t.a.R(asm.PUNPCKLBW, w, 8+i, 2*i, 2*i+1)
	}
	t.pair(unpackWords, w, 0, 8, 9)
	t.pair(unpackWords, w, 2, 10, 11)
	t.pair(unpackDoubles, w, 8, 0, 2)
	t.pair(unpackDoubles, w, 10, 1, 3)
	for i := range 4 {
		t.a.M(asm.MOVSDSt, w, asm.Vec(8+i), 0, t.to(2*i, 0))
		t.a.R(asm.UNPCKHPD, w, 0, asm.Vec(8+i), asm.Vec(8+i))
		t.a.M(asm.MOVSDSt, w, 0, 0, t.to(2*i+1, 0))
	}
}

func (t transposer) words() {
	const w = asm.W128
	for i := range 8 {
		t.a.M(asm.MOVUPS, w, asm.Vec(i), 0, t.from(i, 0))
		t.fetch(i)
	}
	for i := asm.Vec(0); i < 8; i += 2 {
		t.pair(unpackWords, w, 8+i, i, i+1)
	}
	for i := asm.Vec(0); i < 8; i += 4 {
		t.pair(unpackDoubles, w, i, 8+i, 10+i)
		t.pair(unpackDoubles, w, i+2, 9+i, 11+i)
	}
	for i := asm.Vec(0); i < 4; i++ {
		t.pair(unpackQuads, w, 8+2*i, i, i+4)
	}
	for i := range 8 {
		t.a.M(asm.MOVUPSSt, w, asm.Vec(8+i), 0, t.to(i, 0))
	}
}

// doubleWords exchanges elements between pairs of lines, then between pairs of these, within halves of registers.
func (t transposer) doubleWords() {
	const w = asm.W256
	for i := range 8 {
		t.a.M(asm.MOVUPS, w, asm.Vec(i), 0, t.from(i, 0))
		t.fetch(i)
	}
	for i := asm.Vec(0); i < 8; i += 2 {
		t.pair(unpackDoubles, w, 8+i, i, i+1)
	}
	for i := asm.Vec(0); i < 8; i += 4 {
		t.pair(unpackQuads, w, i, 8+i, 10+i)
		t.pair(unpackQuads, w, i+2, 9+i, 11+i)
	}
	for i := asm.Vec(0); i < 4; i++ {
		t.a.R(asm.PERM2F128, w, 8+i, i, i+4, 0x20)
		t.a.R(asm.PERM2F128, w, 12+i, i, i+4, 0x31)
	}
	for i := range 8 {
		t.a.M(asm.MOVUPSSt, w, asm.Vec(8+i), 0, t.to(i, 0))
	}
}

// quadWords transposes four blocks of 4x4.
func (t transposer) quadWords() {
	const w, half = asm.W256, 32
	for block := range 4 {
		row, column := block/2, block%2
		for i := range 4 {
			t.a.M(asm.MOVUPS, w, asm.Vec(i), 0, t.from(4*row+i, int32(half*column)))
			if column == 0 {
				t.fetch(4*row + i)
			}
		}
		t.pair(unpackQuads, w, 4, 0, 1)
		t.pair(unpackQuads, w, 6, 2, 3)
		for i := range 2 {
			low, high := asm.Vec(4+i), asm.Vec(6+i)
			t.a.R(asm.PERM2F128, w, asm.Vec(i), low, high, 0x20)
			t.a.R(asm.PERM2F128, w, asm.Vec(i+2), low, high, 0x31)
		}
		for i := range 4 {
			t.a.M(asm.MOVUPSSt, w, asm.Vec(i), 0, t.to(4*column+i, int32(half*row)))
		}
	}
}

// argument is the memory of a field of the arguments, by its offset in their struct.
func argument(offset uintptr) asm.Mem { return asm.At(args, int32(offset)) }
