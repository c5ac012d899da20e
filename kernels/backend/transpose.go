package backend

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/amd64/codegen"
	"github.com/broadloom/broadloom/kernels/jit"
)

// transposer is code that transposes blocks of 8x8 elements, nil if it cannot be had.
var transposer = sync.OnceValue(func() *jit.Code {
	code, err := jit.New(codegen.Transpose())
	if err != nil {
		return nil
	}
	return code
})

// transposed copies as many columns of 8 rows of elements of 4 bytes as make up whole
// blocks, where rows lie side by side on one side and columns on the other. It tells how
// many.
func transposed(dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps, columns int) int {
	blocks := columns / packRows
	if blocks == 0 || to.row*from.row == 0 {
		return 0
	}
	const size = 4
	args := codegen.TransposeArgs{Dst: uintptr(dst), Src: uintptr(src), Count: blocks}
	switch {
	case from.row == 1 && to.column == 1: // into rows
		args.SrcLine, args.DstLine = size*from.column, size*to.row
	case to.row == 1 && from.column == 1: // out of rows
		args.SrcLine, args.DstLine = size*from.row, size*to.column
	default:
		return 0
	}
	code := transposer()
	if code == nil {
		return 0
	}
	args.SrcStep, args.DstStep = size*packRows*from.column, size*packRows*to.column
	code.Call(0, unsafe.Pointer(&args))
	return blocks * packRows
}
