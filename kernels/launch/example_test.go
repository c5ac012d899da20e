package launch_test

import (
	"fmt"
	"log"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Contiguous rows become one.
func ExampleCoalesce() {
	b := rowprog.NewBuilder("double", 1)
	x, y := b.In("x", rowprog.F32, rowprog.Vec), b.Out("y", rowprog.F32, rowprog.Vec)
	b.Store(y, b.Apply(rowprog.OpMul, b.Load(x), b.Const(rowprog.F32, 2)))
	p, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	from, to := make([]float32, 100*64), make([]float32, 100*64)
	a := launch.New(p)
	a.N, a.Outer[0] = 64, 100
	for i, data := range [][]float32{from, to} {
		a.Ptr[i], a.Stride[i] = unsafe.Pointer(&data[0]), []int{64, 1}
	}
	one := launch.Coalesce(p, a)
	fmt.Println(one.Outer, one.N, launch.Check(p, one))
	// Output: [1] 6400 <nil>
}

// Arguments are checked before a kernel sees them.
func ExampleCheck() {
	b := rowprog.NewBuilder("axpy", 0)
	x, y := b.In("x", rowprog.F32, rowprog.Vec), b.InOut("y", rowprog.F32, rowprog.Vec)
	b.Store(y, b.Apply(rowprog.OpFMA, b.Const(rowprog.F32, 2), b.Load(x), b.Load(y))) // y += 2x
	p, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	xs, ys := []float32{1, 2, 3}, []float32{10, 20, 30}
	a := launch.New(p)
	a.N = len(xs)
	a.Ptr[x], a.Ptr[y] = unsafe.Pointer(&xs[0]), unsafe.Pointer(&ys[0])
	a.Stride[x][0], a.Stride[y][0] = 1, 1
	a.Stride[y][0] = 0 // all results would lie in one place
	fmt.Println(launch.Check(p, a))
	// Output: launch: axpy: operand y: stride 0 along axis 0, so that elements would be written twice
}
