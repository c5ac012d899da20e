package scalar_test

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// A primitive computes the same bits here as in any kernel.
func ExampleApply() {
	bits := scalar.Apply(rowprog.OpExp, rowprog.F32, scalar.Bits(float32(1)), 0, 0)
	fmt.Printf("%.5f %v\n", scalar.From[float32](bits), scalar.From[float32](bits) == scalar.Exp32(1))
	// Output: 2.71828 true
}

// A quotient is the next whole number below, whatever the signs.
func ExampleFloorDivInt() {
	fmt.Println(scalar.FloorDivInt[int64](-7, 2), scalar.FloorDivInt[int64](7, -2))
	// Output: -4 -4
}
