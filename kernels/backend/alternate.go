package backend

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/amd64"
	"github.com/broadloom/broadloom/kernels/cpu"
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

// way is what is done with such arrays.
type way int

const (
	apart    way = iota // both is read, even and odd are written
	together            // even and odd are read, both is written
	spread              // even is read and written to both; its odd elements stay
	ways
)

// alternating is code for such arrays whose rows fill a vector of 4 or one of 8 elements.
// It is nil if it cannot be had.
var alternating = sync.OnceValue(func() *alternatingCode {
	c := &alternatingCode{}
	var a amd64.Asm
	for w := range ways {
		if w == spread && cpu.Chosen() < cpu.AVX512 {
			continue // masked stores would be slow
		}
		c.can[w] = true
		for i, lanes := range []int32{4, 8} {
			a.Align(32)
			c.offset[w][i] = a.Len()
			alternate(&a, w, lanes)
		}
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
	can    [ways]bool
	offset [ways][2]int // by 4 elements and by 8
}

// run does the work in a way for which there is code.
func (c *alternatingCode) run(args *alternation, w way) {
	by := 0
	if args.n >= 8 {
		by = 1
	}
	c.code.Call(c.offset[w][by], unsafe.Pointer(args))
}

// alternate writes the code. What is left of a row behind whole vectors is done together
// with elements before it once more.
func alternate(a *amd64.Asm, w way, lanes int32) {
	const (
		args, even, odd, both       = amd64.RDI, amd64.RSI, amd64.RCX, amd64.RDX
		apartRow, bothRow, rows, at = amd64.R8, amd64.R9, amd64.RBX, amd64.RAX
		last, left                  = amd64.R10, amd64.R11
		evens                       = 1 // a mask register
	)
	for i, r := range []amd64.Reg{even, odd, both, apartRow, bothRow, rows, last} {
		a.MovLoad(r, amd64.At(args, int32(8*i)))
	}
	a.SubImm(last, lanes)
	if w == spread {
		mask := a.Data([]byte{0x55, 0x55}, 2)
		a.Lea(at, amd64.Labelled(mask))
		a.M(amd64.KMOVW, amd64.W128, evens, 0, amd64.At(at, 0))
	}
	row := a.Here()
	a.Xor(at, at)
	top, done := a.Here(), a.NewLabel()
	width := amd64.W128
	if lanes == 8 {
		width = amd64.W256
	}
	alone := [2]amd64.Mem{amd64.Indexed(even, at, 4, 0), amd64.Indexed(odd, at, 4, 0)}
	whole := [2]amd64.Mem{amd64.Indexed(both, at, 8, 0), amd64.Indexed(both, at, 8, 4*lanes)}
	from, to, mask := alone, whole, amd64.Mask{}
	switch w {
	case apart:
		from, to = whole, alone
	case spread:
		from[1], mask.K = from[0], evens
	}
	a.M(amd64.MOVUPS, width, 0, 0, from[0])
	a.M(amd64.MOVUPS, width, 1, 0, from[1])
	if w == apart {
		exchangeHalves(a, width, 2, 0)
		a.R(amd64.SHUFPS, width, 0, 2, 3, 0x88)
		a.R(amd64.SHUFPS, width, 1, 2, 3, 0xdd)
	} else {
		a.R(amd64.UNPCKLPS, width, 2, 0, 1)
		a.R(amd64.UNPCKHPS, width, 3, 0, 1)
		exchangeHalves(a, width, 0, 2)
	}
	for i, m := range to {
		a.MK(amd64.MOVUPSSt, width, amd64.Vec(i), 0, m, mask)
	}
	a.Mov(left, last)
	a.Sub(left, at)
	a.JumpIf(amd64.Equal, done)
	a.AddImm(at, lanes)
	a.SubImm(left, lanes)
	a.JumpIf(amd64.NotLess, top)
	a.Mov(at, last)
	a.Jump(top)
	a.Bind(done)
	a.Add(even, apartRow)
	a.Add(odd, apartRow)
	a.Add(both, bothRow)
	a.SubImm(rows, 1)
	a.JumpIf(amd64.NotEqual, row)
	a.Zeroupper()
	a.Return()
}

// exchangeHalves puts the lower halves of two registers into dst and the upper ones into
// the next; registers of 4 elements are moved.
func exchangeHalves(a *amd64.Asm, w amd64.Width, dst, src amd64.Vec) {
	if w == amd64.W128 {
		a.R(amd64.MOVAPS, w, dst, 0, src)
		a.R(amd64.MOVAPS, w, dst+1, 0, src+1)
		return
	}
	a.R(amd64.PERM2F128, w, dst, src, src+1, 0x20)
	a.R(amd64.PERM2F128, w, dst+1, src, src+1, 0x31)
}
