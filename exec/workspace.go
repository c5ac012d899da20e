package exec

import (
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/bind"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// workspace is the memory that a goroutine needs besides what a kernel reads and writes.
type workspace struct {
	scratch  backend.Scratch
	products productScratch
	part     bind.Args // of a tile that is a part of a row
	follower follower
	epilogue epilogue
}

// argsOf gives arguments with room for a program.
func (ws *workspace) argsOf(p *rowprog.Program) *bind.Args {
	a := &ws.part
	a.Outer = resized(a.Outer, p.Outer)
	a.Ptr = resized(a.Ptr, len(p.Operands))
	a.Stride = resized(a.Stride, len(p.Operands))
	for i := range a.Stride {
		a.Stride[i] = resized(a.Stride[i], p.Outer+1)
	}
	return a
}

// release forgets the memory of the last tile, so that it is not kept alive.
func (ws *workspace) release() {
	clear(ws.part.Ptr[:cap(ws.part.Ptr)])
	ws.follower = follower{}
}

// resized gives a slice of n elements, s itself where it has room.
func resized[T any](s []T, n int) []T {
	if n > cap(s) {
		return append(s[:cap(s)], make([]T, n-cap(s))...)
	}
	return s[:n]
}
