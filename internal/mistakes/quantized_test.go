package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

var _ = add(quantizedConvolution, quantizedBiasOfFloats, quantizedConvolutionOfFloats, quantizedChannels,
	quantizedAsOther, quantizedWide, quantizedBits, unsaturatedIntegers, quantizedBytes, dequantizedFloats,
	dequantizedByIntegers, dequantizedByTruth)

func quantizedImages(g *graph.Graph) (x, w, zero, scale *graph.Node) {
	return g.Input("x", graph.Uint8, g.Dim("n"), 4, 8, 8), g.Param("w", graph.Int8, 6, 4, 3, 3),
		g.Scalar(graph.Uint8, 128), g.Scalar(graph.Float32, 0.5)
}

func quantizedConvolution(g *graph.Graph) {
	x, w, zero, scale := quantizedImages(g)
	ops.ConvInteger(x, w, zero, nil, ops.Padding(1))
	ops.QLinearConv(x, scale, zero, w, g.Param("scales", graph.Float32, 6), g.Param("zeros", graph.Int8, 6), scale,
		zero, g.Param("b", graph.Int32, 6))
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

// What is quantised keeps to what the options say, and options contradict neither the zero point nor each other.
func quantizedAsOther(g *graph.Graph) {
	x, scale := g.Input("x", graph.Float32, 4), g.Param("scale", graph.Float32)
	ops.Quantize(x, scale, nil, ops.QuantizedDType(graph.Int8), ops.QuantizedBits(4))
	ops.Quantize(x, scale, nil, ops.QuantizedDType(graph.Float8E5M2), ops.Unsaturated())
	ops.Quantize(x, scale, g.Scalar(graph.Int8, 3), ops.QuantizedDType(graph.Uint8)) // want error BL340 "should be uint8, but the zero point"
}

func quantizedWide(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 4)
	ops.Quantize(x, g.Param("scale", graph.Float32), nil, ops.QuantizedDType(graph.Int64)) // want error BL340 "Float8E4M3FN or Float8E5M2, but are int64"
}

func quantizedBits(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 4)
	ops.Quantize(x, g.Param("scale", graph.Float32), nil, ops.QuantizedBits(9)) // want error BL001 "must be from 2 to the bits of uint8, 8" "QuantizedBits(9)"
}

func unsaturatedIntegers(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 4)
	ops.QuantizeBlocks(x, g.Param("scale", graph.Float32, 2), nil, 0, 2, ops.Unsaturated()) // want error BL001 "integers are always clamped"
}

func quantizedBytes(g *graph.Graph) {
	x := g.Input("x", graph.Float8E5M2, 4)
	ops.Quantize(x, g.Param("scale", graph.Float32), nil) // want error BL340 "ops.Cast"
}

func dequantizedFloats(g *graph.Graph) {
	x := g.Input("x", graph.Float16, 4)
	ops.Dequantize(x, g.Param("scale", graph.Float32), nil) // want error BL340 "Float8E4M3FN or Float8E5M2, and x has dtype float16"
}

func dequantizedByIntegers(g *graph.Graph) {
	q := g.Input("q", graph.Int8, 4)
	ops.Dequantize(q, g.Scalar(graph.Float32, 2), nil)
	ops.Dequantize(q, g.Param("scale", graph.Int32), nil) // want error BL340 "a scale is of floating-point numbers" "scale has dtype int32" "ops.Cast"
}

func dequantizedByTruth(g *graph.Graph) {
	q := g.Input("q", graph.Int8, 4, 2)
	ops.DequantizeBlocks(q, g.Param("scale", graph.Bool, 2, 2), nil, 0, 2) // want error BL340 "a scale is of floating-point numbers" "bool"
}
