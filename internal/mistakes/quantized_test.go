package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

var _ = add(quantizedConvolution, quantizedBiasOfFloats, quantizedConvolutionOfFloats, quantizedChannels)

func quantizedImages(g *graph.Graph) (x, w, zero, scale *graph.Node) {
	return g.Input("x", graph.Uint8, g.Dim("n"), 4, 8, 8), g.Param("w", graph.Int8, 6, 4, 3, 3), g.Scalar(graph.Uint8, 128), g.Scalar(graph.Float32, 0.5)
}

func quantizedConvolution(g *graph.Graph) {
	x, w, zero, scale := quantizedImages(g)
	ops.ConvInteger(x, w, zero, nil, ops.Padding(1))
	ops.QLinearConv(x, scale, zero, w, g.Param("scales", graph.Float32, 6), g.Param("zeros", graph.Int8, 6), scale, zero, g.Param("b", graph.Int32, 6))
}

func quantizedBiasOfFloats(g *graph.Graph) {
	x, w, zero, scale := quantizedImages(g)
	b := g.Param("b", graph.Float32, 6)
	ops.QLinearConv(x, scale, zero, w, scale, g.Scalar(graph.Int8, 0), scale, zero, b) // want error BL340 "a bias is Int32 with an element for each output channel, and b is float32[6]"
}

func quantizedConvolutionOfFloats(g *graph.Graph) {
	_, w, _, _ := quantizedImages(g)
	x := g.Input("floats", graph.Float32, 1, 4, 8, 8)
	ops.ConvInteger(x, w, nil, nil) // want error BL340 "Int8, Uint8, Int16 or Uint16, and floats has dtype float32"
}

// The weights are of another number of channels than the images.
func quantizedChannels(g *graph.Graph) {
	x, _, zero, _ := quantizedImages(g)
	ops.ConvInteger(x, g.Param("v", graph.Int8, 6, 3, 3, 3), zero, nil) // want error BL132 "ConvInteger" "to have 3 channels"
}
