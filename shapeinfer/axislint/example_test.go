package axislint_test

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/axislint"
)

// Sizes that agree by chance do not hide that a vector of examples stands under the features.
func ExampleFind() {
	g := graph.New("scale")
	x := g.Input("x", graph.Float32, 8, 8)
	ops.Div(x, ops.Sum(x, 1)) // KeepDims was forgotten
	found, _ := axislint.Find(g, func(graph.Code) bool { return true })
	for _, m := range found {
		fmt.Println(m.Code, m.Node.Op().Name)
	}
	// Output: BL230 div
}
