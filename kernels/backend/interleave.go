package backend

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/jit"
)

// The code says for which rows it is, and where they lie.
const leastInterleaved = codegen.LeastInterleaved

type interleaveArgs = codegen.InterleaveArgs

// interleaver is code that interleaves two arrays of 4-byte elements, or separates them.
type interleaver struct {
	code *jit.Code
	at   codegen.Interleaving
}

// interleaving is that code; nil if there is no machine code.
var interleaving = sync.OnceValue(func() *interleaver {
	bytes, at := codegen.Interleave(target())
	if code := copying(bytes); code != nil {
		return &interleaver{code, at}
	}
	return nil
})

// run interleaves even and odd, or separates them.
func (c *interleaver) run(args *interleaveArgs, interleave bool) {
	c.code.Call(c.at.At(args.N, interleave), unsafe.Pointer(args))
}

// copyPairs copies two long rows of elements of 4 bytes to interleaved memory, or back. Either of the rows may be one
// of a tile, or a column. It reports whether it did.
func copyPairs(dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps, t tile) bool {
	const size = 4
	code := interleaving()
	if t.columns == 2 {
		t.rows, t.columns = t.columns, t.rows
		to, from = steps{to.column, to.row}, steps{from.column, from.row}
	}
	if code == nil || t.rows != 2 || t.columns < leastInterleaved {
		return false
	}
	args, byTurns := interleaveArgs{Rows: 1, N: t.columns}, steps{1, 2}
	switch {
	case to == byTurns && from.column == 1:
		args.Even, args.Odd, args.Both = uintptr(src), uintptr(unsafe.Add(src, size*from.row)), uintptr(dst)
		code.run(&args, true)
	case from == byTurns && to.column == 1:
		args.Even, args.Odd, args.Both = uintptr(dst), uintptr(unsafe.Add(dst, size*to.row)), uintptr(src)
		code.run(&args, false)
	default:
		return false
	}
	return true
}
