package reach_test

import (
	"fmt"
	"log"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/reach"
)

// A layer's outputs are divided over two devices, and examples over four.
func ExampleShard() {
	g := graph.New("layer")
	x := g.Input("x", graph.Float32, 64, 32)
	layer := nn.NewLinear(g, "fc", 32, 16)
	y := ops.Relu(layer.Apply(nn.Evaluation(g), x))
	plan, err := reach.Shard(g, reach.NewMesh(reach.Axis("data", 4), reach.Axis("tensor", 2)), reach.Outputs(y),
		reach.Inputs("x", "data", ""), reach.Params("fc.weight", "tensor", ""), reach.Params("fc.bias", "tensor"))
	if err != nil {
		log.Fatal(err)
	}
	sharding, ok := plan.Sharding(layer.Weight)
	fmt.Println(sharding, ok)
	// Output: [tensor, _] true
}
