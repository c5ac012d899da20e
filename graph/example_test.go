package graph_test

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func Example() {
	g := graph.New("layer")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 784)
	w := g.Param("w", graph.Float32, 784, 10)
	b := g.Param("b", graph.Float32, 10)
	h := ops.Tanh(ops.Add(ops.MatMul(x, w), b)).Named("h")
	fmt.Println(h.DType(), h.Shape())
	fmt.Print(g)
	// Output:
	// float32 [batch, 10]
	// graph "layer"
	//   x:f32[batch,784] = input
	//   w:f32[784,10] = param
	//   b:f32[10] = param
	//   v3:f32[batch,10] = matmul x w
	//   v4:f32[batch,10] = add v3 b<(batch),10>
	//   h:f32[batch,10] = tanh v4
}

// Sizes are whole numbers or expressions over names; the same size has one form.
func ExampleDim() {
	g := graph.New("sizes")
	n := g.Dim("n")
	fmt.Println(n.Plus(1).Times(2), n.Times(n).Minus(1), n.Plus(3).FloorDiv(2))
	fmt.Println(n.Plus(1).Times(2) == n.Times(2).Plus(2), n == 7, graph.Dim(7) == 7)
	// Output:
	// 2*n+2 n*n-1 floor((n+1)/2)+1
	// true false true
}

// Building never fails: all independent mistakes of a program are reported together.
func ExampleGraph_Err() {
	g := graph.New("mistakes")
	a := g.Input("a", graph.Float32, 2, 3)
	b := g.Input("b", graph.Float32, 4)
	sum := ops.Add(a, b)
	ops.Exp(sum) // silent: it follows from the first
	ops.MatMul(a, a)
	for _, m := range g.Mistakes() {
		fmt.Println(m.Code, graph.Describe(m.Node))
	}
	fmt.Println(g.Err() != nil)
	// Output:
	// BL101 Add(a, b)
	// BL110 MatMul(a, a)
	// true
}
