package mistakes_test

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

var _ = add(printedOnTheWay, gradientThroughCall, gradientOfTooFew, callWithoutFunction, callOfNothing,
	callOfOtherShape)

// nothing is a function that gives what lies in its result.
func nothing(*graph.Arrays) error { return nil }

func printedOnTheWay(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, g.Dim("n"), 4), g.Param("w", graph.Float32, 4)
	y := ops.Print(ops.Mul(x, w), "y")
	scale := ops.Callback("Scale", []*graph.Node{y}, graph.Float32, graph.Shape{}, nothing, nil)
	autodiff.Grad(ops.Sum(ops.Mul(y, ops.StopGradient(scale))), []*graph.Node{w})
}

// A function of Go has no gradient of itself.
func gradientThroughCall(g *graph.Graph) {
	w := g.Param("w", graph.Float32, 4)
	y := ops.Callback("Scale", []*graph.Node{w}, graph.Float32, w.Shape(), nothing, nil) // want error BL350 "no gradient is defined through Callback" "pass a backward function to the call"
	autodiff.Grad(ops.Sum(y), []*graph.Node{w})
}

func gradientOfTooFew(g *graph.Graph) {
	v, w := g.Param("v", graph.Float32, 4), g.Param("w", graph.Float32, 4)
	y := ops.Callback("Scale", []*graph.Node{v, w}, graph.Float32, w.Shape(), nothing, // want error BL350 "the backward function of Scale returns 1 gradients for 2 operands"
		func(_, dy *graph.Node, _ []*graph.Node) []*graph.Node { return []*graph.Node{dy} })
	autodiff.Grad(ops.Sum(y), []*graph.Node{w})
}

func callWithoutFunction(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 4)
	ops.Callback("Scale", []*graph.Node{x}, graph.Float32, x.Shape(), nil, nil) // want error BL001 "the function of Scale is nil"
}

func callOfNothing(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 4)
	ops.Callback("Scale", []*graph.Node{x, nil}, graph.Float32, x.Shape(), nothing, nil) // want error BL001 "operand 1 is nil"
}

// What a function returns has the shape that was named, and meets others as it.
func callOfOtherShape(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(2)), 4)
	y := ops.Callback("Means", []*graph.Node{x}, graph.Float32, x.Shape()[:1], nothing, nil)
	ops.Sub(x, y) // want error BL102 "Unsqueeze"
}
