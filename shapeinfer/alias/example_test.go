package alias_test

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// A transpose shows the elements of its operand where they lie.
func ExampleLayoutOf() {
	g := graph.New("views")
	x := g.Input("x", graph.Float32, 4, 3)
	y := ops.Transpose(x, 0, 1)
	fmt.Println(alias.IsView(y), alias.Storage(y) == x, alias.LayoutOf(y).Strides)
	fmt.Println(alias.IsView(ops.Neg(x)))
	// Output:
	// true true [1 3]
	// false
}

// A write comes after all that reads what it destroys.
func ExampleWrites() {
	g := graph.New("order")
	w := g.Param("w", graph.Float32, 3)
	write := ops.AddInPlace(w, graph.Num(1))
	old := ops.Neg(w) // the value before the write, though it stands behind it
	fmt.Println(alias.FindWrites(g.Nodes()).Before(write)[0] == old)
	// Output: true
}
