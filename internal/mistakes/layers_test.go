package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

var _ = add(unetOfOddSizes, residualOfOddLength, gainsOfOtherWidth, channelsBehindTokens, channelsBehindImages,
	vectorsOfOtherChannels,
	weightsOfOtherChannels, biasesOfOtherWidth, batchAsNumber, unetOfDivisibleSizes)

func unet(g *graph.Graph, size graph.Dim) (conv, up func(name string, x *graph.Node, in, out graph.Dim) *graph.Node,
	x *graph.Node) {
	conv = func(name string, x *graph.Node, in, out graph.Dim) *graph.Node {
		return ops.Relu(ops.Conv2D(x, g.Param(name, graph.Float32, out, in, 3, 3), nil, ops.Padding(1)))
	}
	up = func(name string, x *graph.Node, in, out graph.Dim) *graph.Node {
		return ops.ConvTranspose2D(x, g.Param(name, graph.Float32, in, out, 2, 2), nil, ops.Stride(2))
	}
	return conv, up, g.Input("x", graph.Float32, g.Dim("n"), 3, size, size)
}

// The second pooling leaves a row and a column out, which the skip connection has.
func unetOfOddSizes(g *graph.Graph) {
	conv, up, x := unet(g, 358)
	x1 := conv("c1", x, 3, 16)
	x2 := conv("c2", ops.MaxPool2D(x1, 2, 2), 16, 32)
	x3 := conv("c3", ops.MaxPool2D(x2, 2, 2), 32, 64)
	u2 := conv("d2", ops.Concat(1, x2, up("u2", x3, 64, 32)), 64, 32) // want error BL121 "MaxPool2D(x2, 2, 2)" "drops elements: of 179 along axis 2 it keeps 89" "declare x as [n, 3, 360, 360]" "crop: Slice(Slice(x2, 2, 0, 178, 1), 3, 0, 178, 1)"
	ops.Concat(1, x1, up("u1", u2, 32, 16))
}

func unetOfDivisibleSizes(g *graph.Graph) {
	conv, up, x := unet(g, 360)
	x1 := conv("c1", x, 3, 16)
	x2 := conv("c2", ops.MaxPool2D(x1, 2, 2), 16, 32)
	x3 := conv("c3", ops.MaxPool2D(x2, 2, 2), 32, 64)
	u2 := conv("d2", ops.Concat(1, x2, up("u2", x3, 64, 32)), 64, 32)
	ops.Concat(1, x1, up("u1", u2, 32, 16))
}

// A residual around a convolution of stride 2 and its transpose.
func residualOfOddLength(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 8, 101)
	down := ops.Conv1D(x, g.Param("down", graph.Float32, 8, 8, 2), nil, ops.Stride(2))
	up := ops.ConvTranspose1D(down, g.Param("up", graph.Float32, 8, 8, 2), nil, ops.Stride(2))
	ops.Add(x, up) // want error BL101 "drops elements: of 101 along axis 2 it keeps 50" "declare x as [n, 8, 102]"
}

func gainsOfOtherWidth(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), g.Dim("t"), 512)
	wide, narrow := g.Param("wide", graph.Float32, 768), g.Param("narrow", graph.Float32, 512)
	ops.LayerNorm(x, wide, nil, 1e-5)                              // want error BL101 "declare wide as [512]"
	ops.LayerNorm(x, wide, narrow, 1e-5)                           // want error BL101 "declare wide as [512]"
	ops.LayerNorm(x, narrow, wide, 1e-5)                           // want error BL101 "declare wide as [512]"
	ops.LayerNorm(x, wide, g.Param("b", graph.Float32, 768), 1e-5) // want error BL101 "declare wide and b as [512]"
	ops.RMSNorm(x, wide, 1e-6)                                     // want error BL101 "declare wide as [512]"
	ops.LayerNormOver(x, graph.Shape{768}, narrow, nil, 1e-5)      // want error BL101 !"declare"
	ops.LayerNormOver(x, graph.Shape{512}, narrow, narrow, 1e-5)
}

// Told once, with the exchange of axes that was meant.
func channelsBehindTokens(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(2)), g.Dim("seq"), 128)
	ops.BatchNorm(x, g.Param("gain", graph.Float32, 128), g.Param("bias", graph.Float32, 128), 1e-5) // want error BL102 "Transpose(x, 1, 2) gives [n, 128, seq]"
}

func channelsBehindImages(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 32, 32, 64)
	a, b := g.Param("a", graph.Float32, 64), g.Param("b", graph.Float32, 64)
	ops.BatchNorm(x, a, b, 1e-5)                // want error BL101 "Permute(x, 0, 3, 1, 2) gives [n, 64, 32, 32]" !"declare"
	ops.BatchNormInference(x, a, b, a, b, 1e-5) // want error BL101 "Permute(x, 0, 3, 1, 2) gives [n, 64, 32, 32]" !"declare"
	ops.GroupNorm(x, 4, a, b, 1e-5)             // want error BL101 "Permute(x, 0, 3, 1, 2) gives [n, 64, 32, 32]" !"declare"
}

func vectorsOfOtherChannels(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 48, 32, 32)
	fit := g.Param("fit", graph.Float32, 48)
	a, b := g.Param("a", graph.Float32, 64), g.Param("b", graph.Float32, 64)
	ops.BatchNorm(x, fit, b, 1e-5) // want error BL101 "declare b as [48]"
	ops.BatchNorm(x, a, b, 1e-5)   // want error BL101 "declare a and b as [48]"
}

func weightsOfOtherChannels(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 16, 32, 32)
	ops.Conv2D(x, g.Param("k", graph.Float32, 32, 8, 3, 3), nil)                                   // want error BL132 "declare k as [32, 16, 3, 3]"
	ops.Conv2D(x, g.Param("groups", graph.Float32, 32, 16, 3, 3), nil, ops.Groups(2))              // want error BL132 "declare groups as [32, 8, 3, 3]"
	ops.Conv2D(x, g.Param("last", graph.Float32, 3, 3, 16, 32), nil)                               // want error BL132 "Permute(last, 3, 2, 0, 1) gives [32, 16, 3, 3]"
	ops.ConvTranspose2D(x, g.Param("up", graph.Float32, 8, 32, 2, 2), nil, ops.Stride(2))          // want error BL132 "declare up as [16, 32, 2, 2]"
	y := ops.Conv2D(x, g.Param("c", graph.Float32, 3, 16, 3, 3), g.Param("cb", graph.Float32, 16)) // want error BL132 "declare cb as [3]"
	ops.Conv2D(y, g.Param("d", graph.Float32, 8, 16, 3, 3), nil)                                   // want error BL132 "declare d as [8, 3, 3, 3]"
}

func biasesOfOtherWidth(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 100)
	ops.Linear(x, g.Param("w", graph.Float32, 10, 100), g.Param("b", graph.Float32, 12)) // want error BL104 "declare b as [10]"
	ops.Linear(x, g.Param("v", graph.Float32, 10, 64), g.Param("c", graph.Float32, 10))  // want error BL110 "declare v as [10, 100]"
}

// The last batch of an epoch is smaller; what the elements would require is not what was meant.
func batchAsNumber(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 4, 8)
	y := g.Input("y", graph.Float32, g.Dim("batch"), g.Dim("seq"), 8)
	ops.Tanh(ops.Reshape(x, 64, -1))    // want warning BL205 "Reshape(x, batch, -1) gives [batch, 32]"
	ops.Tanh(ops.Reshape(y, 32, -1, 8)) // want warning BL205 "Reshape(y, batch, -1, 8) gives [batch, seq, 8]"
}

var _ = add(widthAfterFlatten, widthsOfLayers)

// The width behind a flatten was counted wrongly.
func widthAfterFlatten(g *graph.Graph) {
	p, x := nn.Training(g), g.Input("x", graph.Float32, g.Dim("batch"), 1, 28, 28)
	h := nn.MaxPool2D(4).Apply(p, nn.NewConv2D(g, "conv", 1, 64, 3, nn.Padding(1)).Apply(p, x))
	flat := ops.Flatten(h, 1, -1)
	nn.NewLinear(g, "fc", 784, 10).Apply(p, flat)            // want error BL170 "with in = 3136 instead of 784, Linear fc takes x" "its 3136 elements are 64·7·7, axes 1 to 3 of h, which Flatten(h, 1, -1) merges"
	nn.NewLinear(g, "fc2", 784, 10).Apply(p, ops.Relu(flat)) // want error BL170 "axes 1 to 3 of h, which Flatten(h, 1, -1) merges"
}

// Channels, features and elements of steps are others than a layer was made for.
func widthsOfLayers(g *graph.Graph) {
	p, b := nn.Training(g), g.Dim("batch")
	x, s := g.Input("x", graph.Float32, b, 64, 7, 7), g.Input("s", graph.Float32, b, g.Dim("t"), 48)
	nn.NewConv2D(g, "conv", 32, 64, 3).Apply(p, x)  // want error BL170 "with in = 64 instead of 32, Conv2D conv takes x"
	nn.NewLayerNorm(g, "norm", 64).Apply(p, s)      // want error BL170 "with size = 48 instead of 64, LayerNorm norm takes x"
	nn.NewLSTM(g, "lstm", 64, 32).Apply(p, s)       // want error BL170 "with in = 48 instead of 64, LSTM lstm takes x"
	nn.NewEmbedding(g, "table", 64, 32).Apply(p, s) // want error BL340 "Cast(s, graph.Int64)"
}
