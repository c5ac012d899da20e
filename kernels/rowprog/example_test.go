package rowprog_test

import (
	"fmt"
	"log"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// The mean of each row, its sum times a share, is subtracted from it: two loops over the row.
func ExampleBuilder() {
	b := rowprog.NewBuilder("center", 1)
	x, share, y := b.In("x", rowprog.F32, rowprog.Vec), b.In("share", rowprog.F32, rowprog.Uniform),
		b.Out("y", rowprog.F32, rowprog.Vec)
	mean := b.Apply(rowprog.OpMul, b.Reduce(rowprog.Sum, b.Load(x)), b.Load(share))
	b.NextStage()
	b.Store(y, b.Apply(rowprog.OpSub, b.Load(x), mean))
	p, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(p)
	// Output:
	// center outer=1
	//   x: f32 in vec
	//   share: f32 in uniform
	//   y: f32 out vec
	// call:
	//   v0:f32 = load share
	// vec 0:
	//   v1:f32 = load x
	//   v2:f32 = reduce sum v1
	// row 1:
	//   v3:f32 = mul v2 v0
	// vec 1:
	//   v4:f32 = load x
	//   v5:f32 = sub v4 v3
	//   store y v5
}
