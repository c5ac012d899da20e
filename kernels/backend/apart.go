package backend

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/jit"
)

// leastApartRow is how many elements a row must have for code that takes 8 at a time and leaves the last ones.
const leastApartRow = 24

// apart is code for elements of 4 bytes by their distance; -1 is for reversed rows. It is nil if there is no machine
// code.
var apart = map[int]func() *jit.Code{}

func init() {
	for step := -1; step <= codegen.MostApart; step++ {
		if step == -1 || step >= codegen.LeastApart {
			apart[step] = sync.OnceValue(func() *jit.Code { return copying(codegen.Apart(target(), step)) })
		}
	}
}

// copyApart copies elements of 4 bytes that are 2 to 4 apart, or reversed, to contiguous memory, except the last 1 to 8
// of each row. It returns how many elements of a row it has copied.
func copyApart(dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps, t tile) int {
	const size, block = 4, 8
	compile := apart[from.column]
	if compile == nil || to.column != 1 || t.columns < leastApartRow || t.rows == 0 {
		return 0
	}
	code := compile()
	if code == nil {
		return 0
	}
	args := codegen.ApartArgs{To: uintptr(dst), From: uintptr(src), ToRow: size * to.row, FromRow: size * from.row,
		Rows: t.rows, Blocks: (t.columns - 1) / block}
	code.Call(0, unsafe.Pointer(&args))
	return args.Blocks * block
}
