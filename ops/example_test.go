package ops_test

import (
	"context"
	"fmt"
	"log"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Operands are lined up from the right; sizes of 1 and missing sizes are repeated.
func Example() {
	g := graph.New("broadcast")
	a := g.Input("a", graph.Float32, 5, 1, 4, 1)
	b := g.Input("b", graph.Float32, 3, 1, 1)
	fmt.Println(ops.Add(a, b).Shape())
	fmt.Println(ops.Mul(a, graph.Num(0.5)).Shape())
	// Output:
	// [5, 3, 4, 1]
	// [5, 1, 4, 1]
}

func ExampleSoftmax() {
	g := graph.New("softmax")
	x := g.Input("x", graph.Float64, g.Dim("n"), 2)
	show(ops.Softmax(x, 1), exec.Feed{x: exec.Array{Shape: []int{2, 2}, Data: []float64{0, 0, 1000, 0}}})
	// Output:
	// [2 2] [0.5 0.5 1 0]
}

func ExampleMean() {
	g := graph.New("mean")
	x := g.Input("x", graph.Float64, 2, g.Dim("n"))
	centred := ops.Sub(x, ops.Mean(x, 1, ops.KeepDims()))
	show(centred, exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: []float64{1, 2, 3, 4, 4, 7}}})
	// Output:
	// [2 3] [-1 0 1 -1 -1 2]
}

// A write gives a node of the new value; it is carried out after what reads the old one.
func ExampleAddInPlace() {
	g := graph.New("in place")
	x := g.Input("x", graph.Float64, 2, 2)
	table := ops.Mul(x, graph.Num(10))
	row := ops.Select(table, 0, 1)
	written := ops.AddInPlace(row, graph.Num(1))
	show(ops.After(table, written), exec.Feed{x: exec.Array{Shape: []int{2, 2}, Data: []float64{1, 2, 3, 4}}})
	// Output:
	// [2 2] [10 20 31 41]
}

func show(y *graph.Node, feed exec.Feed) {
	prog, err := exec.Compile(y.Graph(), exec.Outputs(y))
	if err != nil {
		log.Fatal(err)
	}
	r, err := prog.NewSession().Run(context.Background(), feed)
	if err != nil {
		log.Fatal(err)
	}
	a, err := r.Array(y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Shape, a.Data)
}
