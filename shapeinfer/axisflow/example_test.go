package axisflow_test

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// A softmax along the axis of examples makes each example depend on all others.
func ExampleIndependent() {
	g := graph.New("examples")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 10)
	examples := []graph.AxisOf{{Node: x, Axis: 0}}
	fmt.Println(axisflow.Independent(ops.Softmax(x, 1), 0, examples) == nil)
	fmt.Println(axisflow.Independent(ops.Softmax(x, 0), 0, examples) == nil)
	// Output:
	// true
	// false
}
