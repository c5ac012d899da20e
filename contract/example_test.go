package contract_test

import (
	"fmt"

	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// A function says once what it takes and gives, and the check proves it for all sizes.
func ExampleContract() {
	attention := func(g *graph.Graph, q, k, v *graph.Node) *graph.Node {
		c := contract.New(g, "attention")
		q, k, v = c.Takes("q", q, "b t d"), c.Takes("k", k, "b s d"), c.Takes("v", v, "b s dv")
		weights := ops.Softmax(ops.MatMul(q, ops.Transpose(k, 1, 2)), -1)
		return c.Gives(ops.MatMul(weights, v), "b t dv")
	}
	g := graph.New("attends")
	batch := g.Dim("batch")
	words, picture := g.Input("words", graph.Float32, batch, g.Dim("length"), 64),
		g.Input("picture", graph.Float32, batch, 49, 64)
	y := attention(g, words, picture, picture)
	fmt.Println(y.Shape(), shapeinfer.Check(g).Err())
	// Output: [batch, length, 64] <nil>
}

func ExampleExpect() {
	g := graph.New("expects")
	image := g.Input("image", graph.Float32, g.Dim("batch"), 3, 32, 32)
	rows := contract.Expect(ops.Flatten(image, 2, 3), "b channels 32*32")
	fmt.Println(rows.Shape(), g.Err())
	// Output: [batch, 3, 1024] <nil>
}
