package gradcheck_test

import (
	"context"
	"fmt"

	"github.com/broadloom/broadloom/autodiff/gradcheck"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// The gradient of a swish of our own is right, and that of its gradient too.
func ExampleCheck() {
	g := graph.New("check")
	x := g.Input("x", graph.Float64, 3)
	swish := ops.Mul(x, ops.Sigmoid(x))
	feed := exec.Feed{x: exec.Array{Shape: []int{3}, Data: []float64{-0.5, 0.1, 2}}}
	fmt.Println(gradcheck.Check(context.Background(), swish, feed, []*graph.Node{x}, gradcheck.SecondOrder()))
	// Output: <nil>
}
