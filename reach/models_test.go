package reach_test

import (
	"math/rand/v2"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/reach"
)

// model is a training step, how it is divided over a mesh of data and tensor, and batches of data.
type model struct {
	g     *graph.Graph
	loss  *graph.Node
	draws *graph.Node // random numbers, which must be the same everywhere; may be nil
	step  []*graph.Node
	rules []reach.Option
	data  map[string]exec.Array // of several steps, along a first axis
}

const batch, batches = 16, 3

// outputs are the loss, and what the model draws.
func (m *model) outputs() []*graph.Node {
	if m.draws == nil {
		return []*graph.Node{m.loss}
	}
	return []*graph.Node{m.loss, m.draws}
}

// feed returns the inputs of a step.
func (m *model) feed(step int) exec.Feed {
	f := exec.Feed{}
	for name, all := range m.data {
		shape := all.Shape[1:]
		from, to := 0, 1
		for _, n := range shape {
			to *= n
		}
		from = step % batches * to
		one := exec.Array{Shape: shape}
		switch x := all.Data.(type) {
		case []float32:
			one.Data = x[from : from+to]
		case []int64:
			one.Data = x[from : from+to]
		}
		f[m.g.ByName(name)] = one
	}
	return f
}

// floats and classes are data of some steps.
func floats(rng *rand.Rand, shape ...int) exec.Array {
	shape = append([]int{batches}, shape...)
	x := make([]float32, product(shape))
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return exec.Array{Shape: shape, Data: x}
}

func classes(rng *rand.Rand, count int64, shape ...int) exec.Array {
	shape = append([]int{batches}, shape...)
	x := make([]int64, product(shape))
	for i := range x {
		x[i] = rng.Int64N(count)
	}
	return exec.Array{Shape: shape, Data: x}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// models are those of the comparison with XLA, by their names.
var models = map[string]func() *model{"mlp": mlp, "lenet": lenet, "block": block, "gpt": gpt}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }

// mlp classifies digits of 8 by 8, by AdamW.
func mlp() *model {
	g := graph.New("mlp")
	x, y := g.Input("x", graph.Float32, g.Dim("batch"), 64), g.Input("y", graph.Int64, g.Dim("batch"))
	p := nn.Training(g)
	h := ops.Relu(nn.NewLinear(g, "up", 64, 32).Apply(p, x))
	loss := ops.CrossEntropy(nn.NewLinear(g, "down", 32, 10).Apply(p, h), y).Named("loss")
	step := optim.AdamW(0.01).Minimize(loss)
	return &model{g: g, loss: loss, step: step,
		data: map[string]exec.Array{"x": floats(newRand(), batch, 64), "y": classes(newRand(), 10, batch)},
		rules: []reach.Option{reach.Params("up.weight", "tensor", ""), reach.Params("up.bias", "tensor"),
			reach.Params("down.weight", "", "tensor"), reach.ZeRO("data")}}
}

// lenet has convolutions, batch normalizations and dropout.
func lenet() *model {
	g := graph.New("lenet")
	x, y := g.Input("x", graph.Float32, g.Dim("batch", graph.AtLeast(2)), 1, 12, 12),
		g.Input("y", graph.Int64, g.Dim("batch"))
	p := nn.Training(g)
	net := nn.Sequential(
		nn.NewConv2D(g, "conv1", 1, 4, 3), nn.NewBatchNorm(g, "norm1", 4), nn.Func(ops.Relu), nn.MaxPool2D(2),
		nn.NewConv2D(g, "conv2", 4, 8, 2), nn.NewBatchNorm(g, "norm2", 8), nn.Func(ops.Relu), nn.MaxPool2D(2),
		nn.Flatten(), nn.NewLinear(g, "full", 32, 16), nn.Func(ops.Relu), nn.Dropout(0.25),
		nn.NewLinear(g, "out", 16, 10))
	loss := ops.CrossEntropy(net.Apply(p, x), y).Named("loss")
	draws := ops.Uniform(g.Input("seed", graph.Int64), graph.Float32, 8, 16).Named("draws")
	step := append(optim.SGD(0.05, optim.Momentum(0.9)).Minimize(loss), p.Updates()...)
	rng := newRand()
	return &model{g: g, loss: loss, draws: draws, step: step,
		data: map[string]exec.Array{"x": floats(rng, batch, 1, 12, 12), "y": classes(rng, 10, batch),
			"seed": classes(rng, 1<<40)},
		rules: []reach.Option{reach.Params("full.weight", "tensor", ""), reach.Params("full.bias", "tensor"),
			reach.Params("out.weight", "", "tensor")}}
}

// quiet keeps an optimiser from making steps of rounding errors: the gradient of the bias of keys, which softmax
// does not see, consists of them alone.
var quiet = optim.Epsilon(1e-5)

// block is a layer of a transformer, with four heads.
func block() *model {
	g := graph.New("block")
	x, y := g.Input("x", graph.Float32, g.Dim("batch"), 6, 16), g.Input("y", graph.Float32, g.Dim("batch"), 6, 16)
	p := nn.Training(g)
	h := nn.NewTransformerEncoderLayer(g, "layer", 16, 4, nn.FeedForward(32), nn.DropoutRate(0.1),
		nn.NormFirst()).Apply(p, x)
	loss := ops.MSE(h, y).Named("loss")
	rng := newRand()
	return &model{g: g, loss: loss, step: append(optim.Adam(0.003, quiet).Minimize(loss), p.Updates()...),
		data:  map[string]exec.Array{"x": floats(rng, batch, 6, 16), "y": floats(rng, batch, 6, 16)},
		rules: transformerRules("layer")}
}

// transformerRules divide the heads and the inner width of each layer.
func transformerRules(layer string) []reach.Option {
	return []reach.Option{reach.Params(layer+".linear1.weight", "tensor", ""),
		reach.Params(layer+".linear1.bias", "tensor"), reach.Params(layer+".linear2.weight", "", "tensor")}
}

// gpt predicts letters, by two layers.
func gpt() *model {
	const seq, width, vocabulary = 8, 16, 12
	g := graph.New("gpt")
	x, y := g.Input("x", graph.Int64, g.Dim("batch"), seq), g.Input("y", graph.Int64, g.Dim("batch"), seq)
	p := nn.Training(g)
	h := nn.NewEmbedding(g, "token", vocabulary, width).Apply(p, x)
	h = nn.NewPositions(g, "position", seq, width).Apply(p, h)
	h = nn.NewTransformerEncoder(g, "layers", 2, width, 2, nn.FeedForward(32), nn.NormFirst(), nn.Causal(),
		nn.DropoutRate(0)).Apply(p, h)
	logits := nn.NewLinear(g, "head", width, vocabulary).Apply(p, nn.NewLayerNorm(g, "norm", width).Apply(p, h))
	loss := ops.CrossEntropy(ops.Reshape(logits, -1, vocabulary), ops.Reshape(y, -1)).Named("loss")
	rng := newRand()
	return &model{g: g, loss: loss, step: append(optim.AdamW(0.003, quiet).Minimize(loss), p.Updates()...),
		data: map[string]exec.Array{"x": classes(rng, vocabulary, batch, seq),
			"y": classes(rng, vocabulary, batch, seq)}, rules: append(transformerRules("layers.*"), reach.ZeRO("data"))}
}
