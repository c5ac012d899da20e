package shapetest_test

import (
	"testing"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/shapetest"
)

func classifier() *graph.Graph {
	g := graph.New("classifier")
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), 8), g.Param("w", graph.Float32, 8, 3)
	ops.Softmax(ops.MatMul(x, w), -1)
	return g
}

// A test checks the shapes of a model, and tries some sizes.
func ExampleCheck() {
	testShapes := func(t *testing.T) { // TestShapes, in a package of one's own
		shapetest.Check(t, classifier(), shapetest.Sizes(shapeinfer.Sizes{"batch": 1}), shapetest.AllProved())
	}
	_ = testShapes
}
