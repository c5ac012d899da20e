package broadloom

import (
	"math"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// node shortens the builders.
type node = *graph.Node

// leaves are the inputs and parameters of a graph, by name.
type leaves map[string]node

// builder builds a workload's results, and its writes into parameters other than training's. The first result of a
// training workload is its loss.
type builder func(in leaves) (results, updates []node)

// pure is the builder of a workload that only training writes for.
func pure(build func(in leaves) []node) builder {
	return func(in leaves) (results, updates []node) { return build(in), nil }
}

// one is the builder of a workload with one result.
func one(build func(in leaves) node) builder {
	return pure(func(in leaves) []node { return []node{build(in)} })
}

// builders has an entry for every kind that can be expressed.
var builders = map[suite.Kind]builder{
	suite.ChainFwd:      one(chain),
	suite.ChainGrad:     pure(chainGrad),
	suite.BiasGelu:      one(func(in leaves) node { return ops.Gelu(ops.Add(in["x"], in["b"])) }),
	suite.AddFwd:        one(func(in leaves) node { return ops.Add(in["x"], in["y"]) }),
	suite.BlackScholes:  pure(blackScholes),
	suite.Softmax:       one(func(in leaves) node { return ops.Softmax(in["x"], -1) }),
	suite.XentGrad:      pure(xentGrad),
	suite.LayerNormGrad: pure(layerNormGrad),
	suite.ColRowSum:     pure(colRowSum),
	suite.MatMul:        one(func(in leaves) node { return ops.MatMul(in["x"], in["y"]) }),
	suite.AttentionFwd:  one(causalAttention),
	suite.AttentionGrad: pure(attentionGrad),
	suite.MLP:           pure(mlp),
	suite.LogReg:        pure(logReg),
	suite.Transformer:   pure(transformer),
	suite.LeNet:         pure(leNet),
	suite.LSTM:          pure(lstm),
	suite.GPT:           pure(gpt),
	suite.GPTFwd:        one(decoder),
	suite.ResNet:        resNetTraining,
	suite.ResNetFwd:     one(resNetForward),
	suite.SkipGram:      pure(skipGram),
	suite.PINN:          pure(pinn),
	suite.MobileNet:     mobileNetTraining,
	suite.MobileNetFwd:  one(mobileNetForward),
	suite.UNet:          one(uNet),
	suite.VAE:           one(vae),
	suite.GRU:           one(gru),
	suite.ViT:           one(vit),
	suite.DLRM:          one(dlrm),
	suite.Llama:         one(llamaTraining),
	suite.LlamaCached:   llamaCached,
	suite.BERT:          one(bert),
	suite.T5:            one(t5),
	suite.MoEDense:      one(mixture(everyExpert)),
	suite.MoE:           one(mixture(chosenExperts)),
	suite.Translator:    one(translator),
	suite.Mamba:         one(mamba),
	suite.WaveNet:       one(wave),
	suite.Recognizer:    one(recognizer),
	suite.Conformer:     conformer,
	suite.Relative:      one(relative),
	suite.ConvNeXt:      one(convNeXt),
	suite.DCGAN:         one(dcgan),
	suite.DenseNet:      one(denseNet),
	suite.Diffusion:     one(diffusion),
	suite.Swin:          one(swin),
	suite.Mixer:         one(mixer),
	suite.Video:         one(video),
	suite.GAT:           one(gat),
	suite.NeRF:          one(nerf),
	suite.NeuralODE:     one(neuralODE),
	suite.Heat:          one(heat),
	suite.NBody:         one(nbody),
	suite.Gaussian:      one(gaussianProcess),
	suite.Efficient:     efficientNetTraining,
	suite.EfficientFwd:  one(efficientNetForward),
	suite.VGG:           one(vgg),
	suite.VGGFwd:        one(vggForward),
	suite.ShuffleNet:    shuffleNet,
	suite.Inception:     one(inception),
	suite.PointNet:      one(pointNet),
	suite.Spatial:       one(spatial),
	suite.Critic:        one(critic),
	suite.Flow:          one(flow),
	suite.Pixels:        one(pixels),
	suite.Images:        one(images),
	suite.Style:         one(style),
	suite.Resolution:    one(resolution),
	suite.Luong:         one(luong),
	suite.Language:      language,
	suite.Performer:     one(performer),
	suite.RetNet:        one(retNet),
	suite.Perceiver:     one(perceiver),
	suite.Temporal:      one(temporal),
	suite.Contrast:      one(contrast),
	suite.Meta:          one(meta),
	suite.Player:        one(player),
	suite.GCN:           one(gcn),
	suite.Folding:       one(folding),
	suite.Fourier:       one(fourier),
	suite.Splines:       one(splines),
	suite.Capsules:      one(capsules),
	suite.Nowcast:       one(nowcast),
	suite.Tagger:        one(tagger),
	suite.Molecules:     one(molecules),
	suite.Transport:     one(transport),
	suite.Policy:        one(policy),
	suite.Hashed:        one(hashed),
}

// chain is tanh(x*y + b)*x - y.
func chain(in leaves) node {
	x, y := in["x"], in["y"]
	return ops.Sub(ops.Mul(ops.Tanh(ops.Add(ops.Mul(x, y), in["b"])), x), y)
}

func chainGrad(in leaves) []node { return withGradients(ops.Sum(chain(in)), in, "x", "y", "b") }

// withGradients appends the gradients with respect to the named inputs to a loss.
func withGradients(loss node, in leaves, names ...string) []node {
	wrt := make([]node, len(names))
	for i, name := range names {
		wrt[i] = in[name]
	}
	return append([]node{loss}, autodiff.Grad(loss, wrt)...)
}

// blackScholes returns the prices of call options.
func blackScholes(in leaves) []node {
	s, k, t, r, v := in["s"], in["k"], in["t"], in["r"], in["v"]
	deviation := ops.Mul(v, ops.Sqrt(t))
	drift := ops.Mul(ops.Add(r, ops.Div(ops.Mul(v, v), graph.Num(2))), t)
	d1 := ops.Div(ops.Add(ops.Log(ops.Div(s, k)), drift), deviation)
	d2 := ops.Sub(d1, deviation)
	discounted := ops.Mul(k, ops.Exp(ops.Mul(ops.Neg(r), t)))
	return []node{ops.Sub(ops.Mul(s, normalCDF(d1)), ops.Mul(discounted, normalCDF(d2)))}
}

// normalCDF is the distribution function of the standard normal distribution.
func normalCDF(z node) node {
	return ops.Mul(graph.Num(0.5), ops.Add(graph.Num(1.0), ops.Erf(ops.Div(z, graph.Num(math.Sqrt2)))))
}

func xentGrad(in leaves) []node {
	return withGradients(ops.CrossEntropy(in["x"], in["t"]), in, "x")
}

func layerNormGrad(in leaves) []node {
	y := ops.LayerNorm(in["x"], in["g"], in["b"], suite.NormEpsilon)
	return withGradients(ops.Sum(ops.Mul(y, in["u"])), in, "x", "g", "b")
}

func colRowSum(in leaves) []node {
	xy := ops.Mul(in["x"], in["y"])
	return []node{ops.Sum(xy, 0), ops.Sum(xy, 1)}
}

// causalAttention is softmax(q·kᵀ / sqrt(width))·v; each position sees those up to itself.
func causalAttention(in leaves) node {
	return ops.ScaledDotProductAttention(in["q"], in["k"], in["v"], ops.Causal())
}

func attentionGrad(in leaves) []node {
	return withGradients(ops.Sum(ops.Mul(causalAttention(in), in["u"])), in, "q", "k", "v")
}

// mlp is the cross-entropy of layers with ReLU between them.
func mlp(in leaves) []node {
	h := in["x"]
	for i := 0; in[numbered("w", i)] != nil; i++ {
		if i > 0 {
			h = ops.Relu(h)
		}
		h = ops.Add(ops.MatMul(h, in[numbered("w", i)]), in[numbered("b", i)])
	}
	return []node{ops.CrossEntropy(h, in["t"])}
}

// logReg is the binary cross-entropy of logits, written so that nothing overflows:
// max(z, 0) - z*t + log(1 + exp(-|z|)).
func logReg(in leaves) []node {
	z := ops.Add(ops.MatMul(in["x"], in["w"]), in["b"])
	tail := ops.Log1p(ops.Exp(ops.Neg(ops.Abs(z))))
	return []node{ops.Mean(ops.Add(ops.Sub(ops.Relu(z), ops.Mul(z, in["t"])), tail))}
}

// transformer is the mean square of one pre-norm block's output.
func transformer(in leaves) []node {
	x := in["x"]
	n := ops.LayerNorm(x, in["g1"], in["b1"], suite.NormEpsilon)
	x = ops.Add(x, selfAttention(n, in["wqkv"], in["wo"]))
	n = ops.LayerNorm(x, in["g2"], in["b2"], suite.NormEpsilon)
	x = ops.Add(x, ops.MatMul(ops.Gelu(ops.MatMul(n, in["w1"])), in["w2"]))
	return []node{ops.Mean(ops.Square(x))}
}

// selfAttention projects x [batch, length, width] to queries, keys and values, attends,
// and projects back.
func selfAttention(x, wqkv, wo node) node {
	shape, _ := x.Shape().Ints()
	batch, length, width := graph.Dim(shape[0]), graph.Dim(shape[1]), graph.Dim(shape[2])
	head := width / suite.NumberHeads
	qkv := ops.Permute(ops.Reshape(ops.MatMul(x, wqkv), batch, length, 3, suite.NumberHeads, head), 2, 0, 3, 1, 4)
	q, k, v := ops.Select(qkv, 0, 0), ops.Select(qkv, 0, 1), ops.Select(qkv, 0, 2)
	scores := ops.Div(ops.MatMul(q, ops.Transpose(k, -1, -2)), graph.Num(math.Sqrt(float64(head))))
	attended := ops.MatMul(ops.Softmax(scores, -1), v)
	return ops.MatMul(ops.Reshape(ops.Transpose(attended, 1, 2), batch, length, width), wo)
}

// lstm is the loss of a recurrent network, from its output at the last place.
func lstm(in leaves) []node {
	x := in["x"]
	g, shape := x.Graph(), x.Shape()
	hidden, _ := in["w"].Shape()[0].Int()
	width, _ := shape[2].Int()
	y := nn.NewLSTM(g, "lstm", int(width), int(hidden)).Apply(nn.Training(g), x)
	return []node{ops.CrossEntropy(ops.MatMul(ops.Select(y, 1, -1), in["w"]), in["t"])}
}

// leNet is the loss of two convolutions with pooling and three products.
func leNet(in leaves) []node {
	x := in["x"]
	for _, filters := range []string{"c1", "c2"} {
		x = ops.MaxPool2D(ops.Relu(ops.Conv2D(x, in[filters], nil)), suite.PoolWindow, suite.PoolWindow)
	}
	x = ops.Reshape(x, x.Shape()[0], in["w1"].Shape()[0])
	for _, w := range []string{"w1", "w2"} {
		x = ops.Relu(ops.MatMul(x, in[w]))
	}
	return []node{ops.CrossEntropy(ops.MatMul(x, in["w3"]), in["t"])}
}
