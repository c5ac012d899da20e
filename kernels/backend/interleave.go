package backend

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/amd64/codegen"
	"github.com/broadloom/broadloom/kernels/jit"
)

// The code says for which rows it is, and where they lie.
const leastInterleaved = codegen.LeastInterleaved

type interleaveArgs = codegen.InterleaveArgs

// interleaver is code that interleaves the elements of two arrays of 4-byte elements, or takes
// them apart.
type interleaver struct {
	code *jit.Code
	at   codegen.Interleaving
}

// interleaving is that code, nil if it cannot be had.
var interleaving = sync.OnceValue(func() *interleaver {
	bytes, at := codegen.Interleave()
	code, err := jit.New(bytes)
	if err != nil {
		return nil
	}
	return &interleaver{code, at}
})

// run puts even and odd together, or takes both apart.
func (c *interleaver) run(args *interleaveArgs, interleave bool) {
	c.code.Call(c.at.At(args.N, interleave), unsafe.Pointer(args))
}
