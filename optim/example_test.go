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

// Gradients are clipped to a norm of 1 before the optimiser takes them.
func ExampleClipNorm() {
	g := graph.New("clipped")
	w := g.Param("w", graph.Float64, 2)
	goal := g.Input("goal", graph.Float64, 2)
	loss := ops.Sum(ops.Square(ops.Sub(w, goal)))
	params := optim.Trainable(g)
	clipped, _ := optim.ClipNorm(autodiff.Grad(loss, params), 1)
	step := optim.SGD(0.05, optim.Momentum(0.5)).Updates(params, clipped)
	fmt.Printf("%.2f\n", descend(w, step, exec.Feed{goal: exec.Array{Shape: []int{2}, Data: []float64{3, -1}}}))
	// Output:
	// [3.00 -1.00]
}

// Groups of parameters have options of their own: here one is frozen, and learns nothing.
func ExampleFor() {
	g := graph.New("groups")
	w, frozen := g.Param("w", graph.Float64, 2), g.Param("frozen", graph.Float64, 2)
	goal := g.Input("goal", graph.Float64, 2)
	loss := ops.Sum(ops.Square(ops.Sub(ops.Add(w, frozen), goal)))
	step := optim.Adam(0.1, optim.For([]*graph.Node{frozen}, optim.Frozen())).Minimize(loss)
	feed := exec.Feed{goal: exec.Array{Shape: []int{2}, Data: []float64{3, -1}}}
	fmt.Printf("%.2f\n", descend(w, step, feed))
	// Output:
	// [3.00 -1.00]
}

// The rate rises for 20 steps, and then falls along half a cosine.
func ExampleWarmUp() {
	g := graph.New("schedule")
	w := g.Param("w", graph.Float64, 2)
	goal := g.Input("goal", graph.Float64, 2)
	loss := ops.Sum(ops.Square(ops.Sub(w, goal)))
	step := optim.Adam(optim.WarmUp(20, 0.01, optim.Cosine(0.2, 0, 180))).Minimize(loss)
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
