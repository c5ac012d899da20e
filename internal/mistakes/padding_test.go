package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Axes that are padded with elements of their own.
var _ = add(
	mirroredWhole, mirroredOfNamed, turnedTwice, mirroredTransposed,
	mirroredAlmostWhole, turnedWhole, mirroredImages,
)

func mirroredWhole(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 4)
	ops.PadWith(x, 1, 4, 0, ops.PadReflect) // want error BL122 "Padding size should be less than the corresponding input dimension" "padding (4, 0)" "at least 5"
}

func mirroredOfNamed(g *graph.Graph) {
	n := g.Dim("n", graph.AtMost(3))
	ops.PadWith(g.Input("x", graph.Float32, n), 0, 1, 3, ops.PadReflect) // want error BL122 "less than the corresponding input dimension" "padding (1, 3)"
}

func turnedTwice(g *graph.Graph) {
	ops.PadWith(g.Input("x", graph.Float32, 2, 3), -1, 4, 0, ops.PadCircular) // want error BL122 "wrapping around more than once"
}

func mirroredTransposed(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), 4, 8), g.Input("w", graph.Float32, 4, 2, 3)
	ops.ConvTranspose1D(x, w, nil, ops.Padding(1), ops.PadReflect) // want error BL001 "transposed convolution" "PadReflect"
}

func mirroredAlmostWhole(g *graph.Graph) {
	ops.PadWith(g.Input("x", graph.Float32, g.Dim("batch"), 4), 1, 3, 3, ops.PadReflect)
}

func turnedWhole(g *graph.Graph) {
	n := g.Dim("n")
	ops.PadWith(g.Input("x", graph.Float32, n, 3), 0, n, n, ops.PadCircular)
}

func mirroredImages(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), 3, 8, 8), g.Input("w", graph.Float32, 4, 3, 3, 3)
	ops.Add(ops.Conv2D(x, w, nil, ops.Padding(1), ops.PadReflect), g.Input("b", graph.Float32, 4, 8, 8))
}
