package codegen

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/asm"
)

// InterleaveArgs are the arguments of the code of [Interleave]. Rows have N elements of 4 bytes in each of Even and
// Odd, and 2·N in Both. All steps are in bytes, from row to row.
type InterleaveArgs struct {
	Even, Odd, Both  uintptr
	PartRow, BothRow int // of Even and Odd, and of Both
	Rows, N          int
}

// LeastInterleaved is the fewest elements of a row for which there is code.
const LeastInterleaved = 4

// Interleaving is where the code of [Interleave] begins, indexed by whether rows have a vector of 8 elements, then by
// whether they are interleaved.
type Interleaving [2][2]int

// At returns where the code for rows of n elements begins.
func (at *Interleaving) At(n int, interleave bool) int {
	wide, back := 0, 0
	if n >= 8 {
		wide = 1
	}
	if interleave {
		back = 1
	}
	return at[wide][back]
}

// Interleave makes code that interleaves the elements of two arrays, and code that separates them again.
func Interleave(target Target) (code []byte, at Interleaving) {
	a := asm.New(target.Machine())
	for wide, w := range []asm.Width{asm.W128, asm.W256} {
		for back := range 2 {
			a.Align(32)
			at[wide][back] = a.Len()
			interleaveRows(a, back == 1, w)
		}
	}
	_, code = a.Finish()
	return code, at
}

// interleaveRows writes the code for one width of vectors. The last vector of a row overlaps the one before it if the
// row does not fill vectors.
func interleaveRows(a *asm.Asm, interleave bool, w asm.Width) {
	const (
		even, odd, both            = asm.RSI, asm.RCX, asm.RDX
		partRow, bothRow, rows, at = asm.R8, asm.R9, asm.RBX, asm.RAX
		last, left                 = asm.R10, asm.R11
	)
	lanes := int32(4)
	if w == asm.W256 {
		lanes = 8
	}
	var in InterleaveArgs
	a.MovLoad(even, argument(unsafe.Offsetof(in.Even)))
	a.MovLoad(odd, argument(unsafe.Offsetof(in.Odd)))
	a.MovLoad(both, argument(unsafe.Offsetof(in.Both)))
	a.MovLoad(partRow, argument(unsafe.Offsetof(in.PartRow)))
	a.MovLoad(bothRow, argument(unsafe.Offsetof(in.BothRow)))
	a.MovLoad(rows, argument(unsafe.Offsetof(in.Rows)))
	a.MovLoad(last, argument(unsafe.Offsetof(in.N)))
	a.SubImm(last, lanes)
	row := a.Here()
	a.Xor(at, at)
	top, done := a.Here(), a.NewLabel()
	parts := [2]asm.Mem{asm.Indexed(even, at, 4, 0), asm.Indexed(odd, at, 4, 0)}
	whole := [2]asm.Mem{asm.Indexed(both, at, 8, 0), asm.Indexed(both, at, 8, 4*lanes)}
	from, to := whole, parts
	if interleave {
		from, to = parts, whole
	}
	a.M(asm.MOVUPS, w, 0, 0, from[0])
	a.M(asm.MOVUPS, w, 1, 0, from[1])
	if interleave {
		a.R(asm.UNPCKLPS, w, 2, 0, 1)
		a.R(asm.UNPCKHPS, w, 3, 0, 1)
		exchangeHalves(a, w, 0, 2)
	} else {
		exchangeHalves(a, w, 2, 0)
		a.R(asm.SHUFPS, w, 0, 2, 3, 0x88)
		a.R(asm.SHUFPS, w, 1, 2, 3, 0xdd)
	}
	a.M(asm.MOVUPSSt, w, 0, 0, to[0])
	a.M(asm.MOVUPSSt, w, 1, 0, to[1])
	a.Mov(left, last)
	a.Sub(left, at)
	a.JumpIf(asm.Equal, done)
	a.AddImm(at, lanes)
	a.SubImm(left, lanes)
	a.JumpIf(asm.NotLess, top)
	a.Mov(at, last)
	a.Jump(top)
	a.Bind(done)
	a.Add(even, partRow)
	a.Add(odd, partRow)
	a.Add(both, bothRow)
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, row)
	a.Zeroupper()
	a.Return()
}

// exchangeHalves combines the lower halves of two registers in dst and the upper ones in the next. Registers of 4
// elements are only moved.
func exchangeHalves(a *asm.Asm, w asm.Width, dst, src asm.Vec) {
	if w == asm.W128 {
		a.R(asm.MOVAPS, w, dst, 0, src)
		a.R(asm.MOVAPS, w, dst+1, 0, src+1)
		return
	}
	a.R(asm.PERM2F128, w, dst, src, src+1, 0x20)
	a.R(asm.PERM2F128, w, dst+1, src, src+1, 0x31)
}
