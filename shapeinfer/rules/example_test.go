package rules_test

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// hypotenuse is an operation of a user whose operands broadcast.
var hypotenuse = &graph.Op{
	Name: "hypotenuse", Func: "Hypotenuse", Doc: "sqrt(a*a + b*b).", Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), rules.BroadcastOperands(c) },
	Emit: func(e graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value {
		square := func(v graph.Value) graph.Value { return e.Prim(graph.PrimMul, v, v) }
		return e.Prim(graph.PrimSqrt, e.Prim(graph.PrimAdd, square(x[0]), square(x[1])))
	},
}

func ExampleBroadcastOperands() {
	g := graph.New("rules")
	column, row := g.Input("column", graph.Float32, g.Dim("n"), 1), g.Input("row", graph.Float32, 5)
	fmt.Println(graph.Apply(hypotenuse, nil, column, row).Shape(), g.Err())
	// Output: [n, 5] <nil>
}

// There are windows of 3 elements, 2 apart, in a row of 10, and next to each other in one of n.
func ExampleWindowCount() {
	n := graph.New("windows").Dim("n")
	fmt.Println(rules.WindowCount(10, 3, 2, 1), rules.WindowCount(n, 3, 1, 1))
	// Output: 4 n-2
}
