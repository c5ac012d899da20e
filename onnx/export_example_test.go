package onnx_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/onnx"
	"github.com/broadloom/broadloom/ops"
)

// A network is written with its parameters, for batches of any size.
func ExampleExport() {
	g := graph.New("digits")
	image := g.Input("image", graph.Float32, g.Dim("batch"), 64)
	network := nn.Sequential(nn.NewLinear(g, "hidden", 64, 128), nn.Func(ops.Relu), nn.NewLinear(g, "output", 128, 10))
	shares := ops.Softmax(network.Apply(nn.Evaluation(g), image), 1).Named("shares")
	prog, err := exec.Compile(g, exec.Outputs(shares))
	if err != nil {
		log.Fatal(err)
	}
	session := prog.NewSession() // load trained parameters into it
	folder, err := os.MkdirTemp("", "model")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "digits.onnx")
	if err := onnx.Export(path, g, onnx.WithOutputs(shares), onnx.WithParams(session)); err != nil {
		log.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Size() > 30000)
	// Output: true
}
