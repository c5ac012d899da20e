package backend_test

import (
	"fmt"
	"log"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// A program becomes machine code if the processor is supported, and gives the same bits elsewhere.
func ExampleCompile() {
	b := rowprog.NewBuilder("axpy", 0)
	x, y := b.In("x", rowprog.F32, rowprog.Vec), b.InOut("y", rowprog.F32, rowprog.Vec)
	b.Store(y, b.Apply(rowprog.OpFMA, b.Const(rowprog.F32, 2), b.Load(x), b.Load(y))) // y += 2x
	p, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := backend.Compile(p)
	if err != nil {
		log.Fatal(err)
	}
	xs, ys := []float32{1, 2, 3}, []float32{10, 20, 30}
	a := launch.New(p)
	a.N = len(xs)
	a.Ptr[x], a.Ptr[y] = unsafe.Pointer(&xs[0]), unsafe.Pointer(&ys[0])
	a.Stride[x][0], a.Stride[y][0] = 1, 1
	if err := launch.Check(p, a); err != nil {
		log.Fatal(err)
	}
	var scratch backend.Scratch
	_, ok := kernel.Run(a, &scratch)
	fmt.Println(ys, ok)
	// Output: [12 24 36] true
}
