package optim_test

import (
	"context"
	"fmt"
	"log"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// Updates are given to the compiler with the outputs.
func ExampleOptimizer_Minimize() {
	g := graph.New("descent")
	w := g.Param("w", graph.Float64, 2)
	goal := g.Input("goal", graph.Float64, 2)
	loss := ops.Sum(ops.Square(ops.Sub(w, goal)))
	step := optim.Adam(0.1).Minimize(loss)
	fmt.Printf("%.2f\n", descend(w, step, exec.Feed{goal: exec.Array{Shape: []int{2}, Data: []float64{3, -1}}}))
	// Output:
	// [3.00 -1.00]
}

// Gradients of one's own, such as ones that are clipped to a norm of 1.
func ExampleOptimizer_Updates() {
	g := graph.New("clipped")
	w := g.Param("w", graph.Float64, 2)
	goal := g.Input("goal", graph.Float64, 2)
	loss := ops.Sum(ops.Square(ops.Sub(w, goal)))
	grad := autodiff.Grad(loss, []*graph.Node{w})[0]
	clipped := ops.Div(grad, ops.AtLeast(ops.Norm(grad, 2), graph.Num(1.0)))
	step := optim.SGD(0.05, optim.Momentum(0.5)).Updates([]*graph.Node{w}, []*graph.Node{clipped})
	fmt.Printf("%.2f\n", descend(w, step, exec.Feed{goal: exec.Array{Shape: []int{2}, Data: []float64{3, -1}}}))
	// Output:
	// [3.00 -1.00]
}

// descend returns w after 200 steps.
func descend(w *graph.Node, step []*graph.Node, feed exec.Feed) any {
	prog, err := exec.Compile(w.Graph(), exec.Updates(step...))
	if err != nil {
		log.Fatal(err)
	}
	session := prog.NewSession()
	for range 200 {
		if _, err := session.Run(context.Background(), feed); err != nil {
			log.Fatal(err)
		}
	}
	v, err := session.Param(w)
	if err != nil {
		log.Fatal(err)
	}
	return v.Data
}
