package backend

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/amd64/asm"
	"github.com/broadloom/broadloom/kernels/jit"
)

// alternation is two arrays of elements of 4 bytes whose rows alternate, element by
// element, in the rows of a third one. All steps are in bytes.
type alternation struct {
	even, odd, both   uintptr
	apartRow, bothRow int // from row to row of even and of odd, and of both
	rows, n           int // n elements of even and of odd in a row
}

// shortestAlternation is the length of rows from which on there is code.
const shortestAlternation = 4

// alternating is code that takes such arrays apart or puts them together, for rows that
// fill a vector of 4 or one of 8 elements. It is nil if it cannot be had.
var alternating = sync.OnceValue(func() *alternatingCode {
	c := &alternatingCode{}
	var a asm.Asm
	for i := range c.offset {
		a.Align(32)
		c.offset[i] = a.Len()
		alternate(&a, i&1 != 0, 4<<(i>>1))
	}
	_, bytes := a.Finish()
	var err error
	if c.code, err = jit.New(bytes); err != nil {
		return nil
	}
	return c
})

type alternatingCode struct {
	code   *jit.Code
	offset [4]int // to take apart and to put together, by 4 elements and by 8
}

// run takes both apart or puts even and odd together.
func (c *alternatingCode) run(args *alternation, together bool) {
	at := 0
	if together {
		at++
	}
	if args.n >= 8 {
		at += 2
	}
	c.code.Call(c.offset[at], unsafe.Pointer(args))
}

// alternate writes the code. What is left of a row behind whole vectors is done together
// with elements before it once more.
func alternate(a *asm.Asm, together bool, lanes int32) {
	const (
		args, even, odd, both       = asm.RDI, asm.RSI, asm.RCX, asm.RDX
		apartRow, bothRow, rows, at = asm.R8, asm.R9, asm.RBX, asm.RAX
		last, left                  = asm.R10, asm.R11
	)
	for i, r := range []asm.Reg{even, odd, both, apartRow, bothRow, rows, last} {
		a.MovLoad(r, asm.At(args, int32(8*i)))
	}
	a.SubImm(last, lanes)
	row := a.Here()
	a.Xor(at, at)
	top, done := a.Here(), a.NewLabel()
	w := asm.W128
	if lanes == 8 {
		w = asm.W256
	}
	apart := [2]asm.Mem{asm.Indexed(even, at, 4, 0), asm.Indexed(odd, at, 4, 0)}
	whole := [2]asm.Mem{asm.Indexed(both, at, 8, 0), asm.Indexed(both, at, 8, 4*lanes)}
	from, to := whole, apart
	if together {
		from, to = apart, whole
	}
	a.M(asm.MOVUPS, w, 0, 0, from[0])
	a.M(asm.MOVUPS, w, 1, 0, from[1])
	switch {
	case together:
		a.R(asm.UNPCKLPS, w, 2, 0, 1)
		a.R(asm.UNPCKHPS, w, 3, 0, 1)
		exchangeHalves(a, w, 0, 2)
	default:
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
	a.Add(even, apartRow)
	a.Add(odd, apartRow)
	a.Add(both, bothRow)
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, row)
	a.Zeroupper()
	a.Return()
}

// exchangeHalves puts the lower halves of two registers into dst and the upper ones into
// the next; registers of 4 elements are moved.
func exchangeHalves(a *asm.Asm, w asm.Width, dst, src asm.Vec) {
	if w == asm.W128 {
		a.R(asm.MOVAPS, w, dst, 0, src)
		a.R(asm.MOVAPS, w, dst+1, 0, src+1)
		return
	}
	a.R(asm.PERM2F128, w, dst, src, src+1, 0x20)
	a.R(asm.PERM2F128, w, dst+1, src, src+1, 0x31)
}
