package autodiff_test

import (
	"context"
	"fmt"
	"log"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// The gradient of a bias is summed over the rows along which it was repeated.
func ExampleGrad() {
	g := graph.New("bias")
	x := g.Input("x", graph.Float64, g.Dim("batch"), 2)
	b := g.Input("b", graph.Float64, 2)
	loss := ops.Sum(ops.Square(ops.Add(x, b)))
	db := autodiff.Grad(loss, []*graph.Node{b})[0]

	prog, err := exec.Compile(g, exec.Outputs(db))
	if err != nil {
		log.Fatal(err)
	}
	r, err := prog.NewSession().Run(context.Background(), exec.Feed{
		x: exec.Array{Shape: []int{3, 2}, Data: []float64{1, 2, 3, 4, 5, 6}},
		b: exec.Array{Shape: []int{2}, Data: []float64{1, 0}},
	})
	if err != nil {
		log.Fatal(err)
	}
	sums, err := r.Array(db)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sums.Shape, sums.Data)
	// Output:
	// [2] [24 24]
}

// Gradients are nodes, so that they have gradients too: the third derivative of x⁴ at 2.
func ExampleGrad_ofGradients() {
	g := graph.New("derivatives")
	x := g.Input("x", graph.Float64)
	y := ops.Pow(x, graph.Num(4))
	for range 3 {
		y = autodiff.Grad(y, []*graph.Node{x})[0]
	}
	prog, err := exec.Compile(g, exec.Outputs(y))
	if err != nil {
		log.Fatal(err)
	}
	r, err := prog.NewSession().Run(context.Background(), exec.Feed{x: 2})
	if err != nil {
		log.Fatal(err)
	}
	third, err := r.Scalar(y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(third)
	// Output:
	// 48
}
