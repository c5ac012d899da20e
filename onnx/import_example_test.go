package onnx_test

import (
	"context"
	"fmt"
	"log"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx"
	"github.com/broadloom/broadloom/ops"
)

// A model that was written somewhere is read, and runs for batches of any size.
func ExampleModel_Build() {
	model, err := onnx.Parse(aModel())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Inputs(), model.Outputs())
	net, err := model.Build()
	if err != nil {
		log.Fatal(err)
	}
	prog, err := exec.Compile(net.Graph, exec.Outputs(net.Outputs()...))
	if err != nil {
		log.Fatal(err)
	}
	session := prog.NewSession()
	if err := net.Load(session); err != nil {
		log.Fatal(err)
	}
	results, err := session.Run(context.Background(), exec.Feed{net.Input("x"): [][]float32{{1, 2}, {3, 4}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(exec.Values[float32](results, net.Output("y")))
	// Output:
	// [x float[batch, 2]] [y float[batch, 2]]
	// [2 4 6 8] <nil>
}

// aModel is the file of a model that doubles numbers.
func aModel() []byte {
	g := graph.New("double")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 2)
	data, err := onnx.Encode(g, onnx.WithOutputs(ops.Mul(x, graph.Num(2)).Named("y")))
	if err != nil {
		log.Fatal(err)
	}
	return data
}
