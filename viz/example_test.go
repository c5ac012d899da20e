package viz_test

import (
	"bytes"
	"fmt"
	"log"
	"os"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

// A picture of a graph in Graphviz's language; [viz.SVG] draws it at once.
func ExampleDOT() {
	g := graph.New("layer")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 3)
	ops.Tanh(ops.Mul(x, g.Param("w", graph.Float32, 3)))
	var dot bytes.Buffer
	if err := viz.DOT(&dot, viz.Graph(g), viz.LeftToRight()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.HasPrefix(dot.Bytes(), []byte("digraph")), bytes.Contains(dot.Bytes(), []byte("tanh")))
	// Output:
	// true true
}

// The text of a compiled program tells its kernels and what they write to memory.
func ExampleText() {
	g := graph.New("layer")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 3)
	y := ops.Tanh(ops.Mul(x, g.Param("w", graph.Float32, 3)))
	prog, err := exec.Compile(g, exec.Outputs(y))
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Text(os.Stdout, viz.Program(prog)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// graph "layer"
	//   x:f32[batch,3] = input
	//   w:f32[3] = param
	// kernel 0 elementwise over [batch,3]
	//   v2:f32[batch,3] = mul x w<(batch),3>
	//   v3:f32[batch,3] = tanh v2   → buf 0
}
