package gather_test

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/gather"
)

// Rows 2, 0 and 2 of a table of three rows of two elements.
func ExampleTake() {
	table, index := []float32{0, 1, 10, 11, 20, 21}, []int64{2, 0, 2}
	rows := make([]float32, 6)
	bad := gather.Take(gather.Shape{Outer: 1, Size: 3, Count: 3, Inner: 2}, rows, table, index)
	fmt.Println(rows, bad)
	// Output: [20 21 0 1 20 21] -1
}

// Rows with the same index are added up, in their order. An index outside of the table is reported.
func ExampleScatter() {
	shape := gather.Shape{Outer: 1, Size: 3, Count: 3, Inner: 1}
	sums := make([]float64, 3)
	var m gather.Scratch
	fmt.Println(gather.Scatter(gather.Sum, shape, sums, []float64{1, 2, 3}, []int32{2, 0, 2}, &m), sums)
	fmt.Println(gather.Scatter(gather.Sum, shape, sums, []float64{1, 2, 3}, []int32{2, 0, 3}, &m))
	// Output:
	// -1 [2 0 4]
	// 2
}
