package backend

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/jit"
)

// mostFetchedRow is the bytes of rows from which on the processor itself fetches enough. Of shorter ones, the next row
// is fetched ahead.
const mostFetchedRow = 2 << 10

// leastApartBlocks is how many blocks a row must have for code that takes one at a time and leaves the last elements.
const leastApartBlocks = 3

// apart is code for elements that are apart, by the logarithm of their bytes and by their distance and 1: that of
// reversed rows is -1. It is nil if there is no machine code, and there are distances without a function.
var apart [3][codegen.MostApart + 2]func() *jit.Code

func init() {
	for k := range apart {
		for step := -1; step <= codegen.MostApart; step++ {
			if step == -1 || step >= codegen.LeastApart {
				apart[k][step+1] = sync.OnceValue(func() *jit.Code {
					return copying(codegen.Apart(target(), 1<<k, step))
				})
			}
		}
	}
}

// copyApart copies elements of up to 4 bytes that are 2 to 4 apart, or reversed, to contiguous memory, except the last
// ones of each row, a block of them at most. It returns how many elements of a row it has copied.
func copyApart(size int, dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps, t tile) int {
	block := codegen.ApartBlock(size)
	if from.column < -1 || from.column > codegen.MostApart || to.column != 1 || t.columns < leastApartBlocks*block ||
		t.rows == 0 {
		return 0
	}
	compile := apart[size/2][from.column+1]
	if compile == nil {
		return 0
	}
	code := compile()
	if code == nil {
		return 0
	}
	args := codegen.ApartArgs{To: uintptr(dst), From: uintptr(src), ToRow: size * to.row, FromRow: size * from.row,
		Rows: t.rows, Blocks: (t.columns - 1) / block}
	if size*t.columns*max(from.column, -from.column) < mostFetchedRow {
		args.Ahead = args.FromRow
	}
	code.Call(0, unsafe.Pointer(&args))
	return args.Blocks * block
}
