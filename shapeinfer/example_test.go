package shapeinfer_test

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// The check judges a graph without compiling or running it.
func ExampleCheck() {
	g := graph.New("model")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 8)
	ops.MatMul(x, g.Param("w", graph.Float32, 4, 2))
	err := shapeinfer.Check(g).Err()
	fmt.Println(shapeinfer.IsMistake(err, graph.CodeMatMul))
	// Output: true
}

// Bind finds the named sizes of a run from the shapes of its inputs.
func ExampleBind() {
	g := graph.New("model")
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("width"))
	sizes, err := shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: []int{32, 10}}}, nil)
	fmt.Println(sizes["batch"], sizes["width"], err)
	// Output: 32 10 <nil>
}
