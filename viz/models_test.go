package viz_test

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// ordinary are networks as people write them; each gives its loss.
var ordinary = []struct {
	name  string
	build func(*graph.Graph) *graph.Node
}{
	{"lenet", leNet},
	{"lstm3", lstm(3)},
	{"lstm5", lstm(5)},
	{"lstm10", lstm(10)},
	{"lstm20", lstm(20)},
	{"lstm50", lstm(50)},
	{"resnet4", resNet(4)},
	{"resnet8", resNet(8)},
	{"gpt1", gpt(1)},
	{"gpt2", gpt(2)},
	{"gpt4", gpt(4)},
}

// modes are what is made of a loss: nothing, its gradient, or a step of training.
var modes = []struct {
	name  string
	build func(g *graph.Graph, loss *graph.Node) (updates []*graph.Node)
}{
	{"forward", func(*graph.Graph, *graph.Node) []*graph.Node { return nil }},
	{"grad", func(g *graph.Graph, loss *graph.Node) []*graph.Node {
		autodiff.Grad(loss, g.Params())
		return nil
	}},
	{"sgd", func(_ *graph.Graph, loss *graph.Node) []*graph.Node { return optim.SGD(0.1).Minimize(loss) }},
	{"momentum", func(_ *graph.Graph, loss *graph.Node) []*graph.Node {
		return optim.SGD(0.1, optim.Momentum(0.9)).Minimize(loss)
	}},
	{"adam", func(_ *graph.Graph, loss *graph.Node) []*graph.Node { return optim.Adam(1e-3).Minimize(loss) }},
}

// leNet is LeNet-5 on images of 28x28 pixels.
func leNet(g *graph.Graph) *graph.Node {
	batch := g.Dim("batch")
	h := g.Input("image", graph.Float32, batch, 1, 28, 28)
	label := g.Input("label", graph.Int64, batch)
	h = ops.MaxPool2D(ops.Relu(conv(g, "conv1", h, 6, 5, ops.Padding(2))), 2, 2)
	h = ops.MaxPool2D(ops.Relu(conv(g, "conv2", h, 16, 5)), 2, 2)
	h = ops.Reshape(h, batch, 400)
	h = ops.Relu(testmodel.Linear(g, "fc1", h, 120))
	h = ops.Relu(testmodel.Linear(g, "fc2", h, 84))
	return ops.CrossEntropy(testmodel.Linear(g, "fc3", h, 10), label).Named("loss")
}

func conv(g *graph.Graph, name string, x *graph.Node, out, size int, opts ...ops.ConvOption) (y *graph.Node) {
	g.Scope(name, func() {
		o, k := graph.Dim(out), graph.Dim(size)
		w := g.ParamInit("weight", graph.Float32, nn.KaimingNormal(), o, x.Shape()[1], k, k)
		y = ops.Conv2D(x, w, g.ParamInit("bias", graph.Float32, nn.Zeros(), o), opts...)
	})
	return y
}

// lstm is one layer unrolled over the given steps, without scopes.
func lstm(steps int) func(*graph.Graph) *graph.Node {
	return func(g *graph.Graph) *graph.Node {
		const in, hidden = 8, 32
		batch := g.Dim("batch")
		x := g.Input("x", graph.Float32, batch, graph.Dim(steps), in)
		target := g.Input("target", graph.Float32, batch)
		wx := g.ParamInit("wx", graph.Float32, nn.XavierUniform(), in, 4*hidden)
		wh := g.ParamInit("wh", graph.Float32, nn.XavierUniform(), hidden, 4*hidden)
		b := g.ParamInit("b", graph.Float32, nn.Zeros(), 4*hidden)
		h, c := ops.Zeros(g, graph.Float32, batch, hidden), ops.Zeros(g, graph.Float32, batch, hidden)
		for i, xt := range ops.Unbind(x, 1) {
			g.Scope(fmt.Sprintf("step%d", i), func() {
				gate := ops.Chunk(ops.Add(ops.Add(ops.MatMul(xt, wx), ops.MatMul(h, wh)), b), 1, 4)
				c = ops.Add(ops.Mul(ops.Sigmoid(gate[1]), c), ops.Mul(ops.Sigmoid(gate[0]), ops.Tanh(gate[2])))
				h = ops.Mul(ops.Sigmoid(gate[3]), ops.Tanh(c))
			})
		}
		return ops.MSE(ops.Squeeze(testmodel.Linear(g, "out", h, 1), 1), target).Named("loss")
	}
}

// resNet has residual blocks in two stages.
func resNet(blocks int) func(*graph.Graph) *graph.Node {
	return func(g *graph.Graph) *graph.Node {
		batch := g.Dim("batch")
		h := g.Input("image", graph.Float32, batch, 3, 32, 32)
		label := g.Input("label", graph.Int64, batch)
		h = ops.Relu(batchNorm(g, "norm", conv(g, "stem", h, 16, 3, ops.Padding(1))))
		for stage := range 2 {
			g.Scope(fmt.Sprintf("stage%d", stage), func() {
				for i := range blocks / 2 {
					stride := 1 + stage*max(0, 1-i)
					g.Scope(fmt.Sprintf("block%d", i), func() { h = residualBlock(g, h, 16<<stage, stride) })
				}
			})
		}
		return ops.CrossEntropy(testmodel.Linear(g, "head", ops.Mean(h, 2, 3), 10), label).Named("loss")
	}
}

func residualBlock(g *graph.Graph, x *graph.Node, out, stride int) *graph.Node {
	h := ops.Relu(batchNorm(g, "norm1", conv(g, "conv1", x, out, 3, ops.Padding(1), ops.Stride(stride))))
	h = batchNorm(g, "norm2", conv(g, "conv2", h, out, 3, ops.Padding(1)))
	if stride > 1 {
		x = conv(g, "shortcut", x, out, 1, ops.Stride(stride))
	}
	return ops.Relu(ops.Add(h, x))
}

func batchNorm(g *graph.Graph, name string, x *graph.Node) (y *graph.Node) {
	g.Scope(name, func() {
		gain := g.ParamInit("gain", graph.Float32, nn.Ones(), x.Shape()[1])
		y, _, _ = ops.BatchNorm(x, gain, g.ParamInit("bias", graph.Float32, nn.Zeros(), x.Shape()[1]), 1e-5)
	})
	return y
}

// gpt is a language model that predicts each next token.
func gpt(layers int) func(*graph.Graph) *graph.Node {
	return func(g *graph.Graph) *graph.Node {
		const width, vocabulary, length = 64, 96, 64
		batch, seq := g.Dim("batch"), g.Dim("seq", graph.AtMost(length))
		tokens := g.Input("tokens", graph.Int64, batch, seq)
		target := g.Input("target", graph.Int64, batch, seq)
		table := g.ParamInit("table", graph.Float32, nn.Normal(0.02), vocabulary, width)
		places := g.ParamInit("places", graph.Float32, nn.Normal(0.02), length, width)
		h := ops.Add(ops.Embedding(tokens, table), ops.Narrow(places, 0, 0, seq))
		for i := range layers {
			g.Scope(fmt.Sprintf("block%d", i), func() {
				h = ops.Add(h, causalAttention(g, norm(g, "norm1", h)))
				wide := testmodel.Linear(g, "up", norm(g, "norm2", h), 4*width)
				h = ops.Add(h, testmodel.Linear(g, "down", ops.Gelu(wide), width))
			})
		}
		scores := ops.MatMul(norm(g, "norm", h), ops.Transpose(table, 0, 1))
		return ops.CrossEntropy(ops.Flatten(scores, 0, 1), ops.Flatten(target, 0, 1)).Named("loss")
	}
}

func norm(g *graph.Graph, name string, x *graph.Node) (y *graph.Node) {
	g.Scope(name, func() {
		gain := g.ParamInit("gain", graph.Float32, nn.Ones(), x.Shape()[2])
		y = ops.LayerNorm(x, gain, g.ParamInit("shift", graph.Float32, nn.Zeros(), x.Shape()[2]), 1e-5)
	})
	return y
}

func causalAttention(g *graph.Graph, x *graph.Node) (y *graph.Node) {
	const heads, each = 4, 16
	b, t := x.Shape()[0], x.Shape()[1]
	g.Scope("attention", func() {
		qkv := testmodel.Linear(g, "qkv", x, 3*heads*each)
		head := func(i int) *graph.Node {
			part := ops.Narrow(qkv, -1, graph.Dim(i*heads*each), heads*each)
			return ops.Transpose(ops.Reshape(part, b, t, heads, each), 1, 2)
		}
		scores := ops.Mul(ops.MatMul(head(0), ops.Transpose(head(1), -1, -2)), graph.Num(1/math.Sqrt(each)))
		later := ops.Greater(ops.Iota(g, 1, t, t), ops.Iota(g, 0, t, t))
		mixed := ops.MatMul(ops.Softmax(ops.MaskedFill(scores, later, graph.Num(math.Inf(-1))), -1), head(2))
		y = testmodel.Linear(g, "proj", ops.Reshape(ops.Transpose(mixed, 1, 2), b, t, heads*each), heads*each)
	})
	return y
}
