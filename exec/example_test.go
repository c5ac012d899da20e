package exec_test

import (
	"context"
	"fmt"
	"log"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// A program is compiled once and run with any sizes.
func Example() {
	g := graph.New("scale")
	x := g.Input("x", graph.Float32, g.Dim("rows"), g.Dim("columns"))
	row := g.Input("row", graph.Float32, g.Dim("columns"))
	y := ops.Mul(x, row)
	prog, err := exec.Compile(g, exec.Outputs(y))
	if err != nil {
		log.Fatal(err)
	}
	session := prog.NewSession()
	for _, shape := range [][]int{{1, 2}, {2, 3}} {
		r, err := session.Run(context.Background(), exec.Feed{
			x:   exec.Array{Shape: shape, Data: []float32{1, 2, 3, 4, 5, 6}[:shape[0]*shape[1]]},
			row: exec.Array{Shape: shape[1:], Data: []float32{10, 100, 1000}[:shape[1]]},
		})
		if err != nil {
			log.Fatal(err)
		}
		a, err := r.Array(y)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(a.Shape, a.Data)
	}
	// Output:
	// [1 2] [10 200]
	// [2 3] [10 200 3000 40 500 6000]
}

// Sizes that contradict each other are reported with the places from which they came.
func ExampleSession_Run_sizes() {
	g := graph.New("sizes")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch)
	t := g.Input("t", graph.Float32, batch)
	prog, err := exec.Compile(g, exec.Outputs(ops.MSE(x, t)))
	if err != nil {
		log.Fatal(err)
	}
	_, err = prog.NewSession().Run(context.Background(), exec.Feed{
		x: exec.Array{Shape: []int{3}, Data: []float32{1, 2, 3}},
		t: exec.Array{Shape: []int{2}, Data: []float32{1, 2}},
	})
	fmt.Println(err)
	// Output:
	// example_test.go:54:11: error BL501: 1 requirement not met by the sizes bound
	//       batch = 3   from input x, axis 0   (example_test.go:48:7)
	//       batch = 2   from input t, axis 0   (example_test.go:49:7)
	//       required by MSE(x, t) at example_test.go:50:44
}

// RunWithoutUpdates computes the loss without taking a step.
func ExampleSession_RunWithoutUpdates() {
	g := graph.New("descent")
	w := g.Param("w", graph.Float64)
	loss := ops.Square(ops.Sub(w, graph.Num(3)))
	step := optim.SGD(0.25).Minimize(loss)
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...))
	if err != nil {
		log.Fatal(err)
	}
	session := prog.NewSession()
	for _, run := range []func(context.Context, exec.Feed, ...exec.RunOption) (*exec.Results, error){
		session.RunWithoutUpdates, session.Run, session.Run, session.RunWithoutUpdates} {
		r, err := run(context.Background(), nil)
		if err != nil {
			log.Fatal(err)
		}
		v, err := r.Scalar(loss)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(v)
	}
	// Output:
	// 9
	// 9
	// 2.25
	// 0.5625
}
