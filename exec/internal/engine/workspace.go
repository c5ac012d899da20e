package engine

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/gather"
	"github.com/broadloom/broadloom/kernels/launch"
)

// Workspace is the memory of a goroutine, in addition to what kernels read and write.
type Workspace struct {
	scratch     backend.Scratch
	products    productScratch
	part        launch.Args    // of a tile that is a part of a call
	accumulated launch.Partial // sums of such a part
	consumer    rowConsumer
	epilogue    epilogue
	reader      panelReader
	chain       chainThread
	rows        gather.Scratch
	arrays      graph.Arrays // of a Go function
	shapes      []int        // of these arrays
	read        []graph.Array
	sums        []uint64 // checksums of read operands
}

// argsOf returns arguments with room for a program with some outer axes and operands.
func (ws *Workspace) argsOf(outer, operands int) *launch.Args {
	a := &ws.part
	a.Outer = resized(a.Outer, outer)
	a.Ptr = resized(a.Ptr, operands)
	a.Stride = resized(a.Stride, operands)
	for i := range a.Stride {
		a.Stride[i] = resized(a.Stride[i], outer+1)
	}
	return a
}

// Reset drops all memory.
func (ws *Workspace) Reset() { *ws = Workspace{} }

// Release drops references to the last tile's memory.
func (ws *Workspace) Release() {
	clear(ws.part.Ptr[:cap(ws.part.Ptr)])
	ws.consumer, ws.chain = rowConsumer{}, chainThread{}
	clear(ws.arrays.In)
	clear(ws.read)
	ws.arrays.Out, ws.arrays.Context, ws.arrays.Print = graph.Array{}, nil, nil
	ws.arrays.StopWhen(nil)
}

// resized returns a slice of n elements: s itself if it has room.
func resized[T any](s []T, n int) []T {
	if n > cap(s) {
		return append(s[:cap(s)], make([]T, n-cap(s))...)
	}
	return s[:n]
}
