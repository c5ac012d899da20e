package gomlx

import (
	"fmt"
	"math"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors/images"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/attention"
	"github.com/gomlx/gomlx/ml/nn"
	"github.com/gomlx/gomlx/ml/train/loss"

	"github.com/broadloom/broadloom/bench/suite"
)

// dense is x @ w + b with an activation.
func dense(x, w, b *Node, act activation.Type) *Node {
	return nn.Dense(x, w, b, compute.DenseLayoutInputOutputs, act)
}

// mlp is the loss of a stack of ReLU layers.
func mlp(in *inputs) []*Node {
	x := in.get("x")
	for i := 0; in.has(layer("w", i)); i++ {
		act := activation.TypeRelu
		if !in.has(layer("w", i+1)) {
			act = activation.TypeNone
		}
		x = dense(x, in.get(layer("w", i)), in.get(layer("b", i)), act)
	}
	return []*Node{crossEntropy(x, in.get("t"))}
}

// layer is the name of a layer's parameter.
func layer(prefix string, i int) string { return fmt.Sprintf("%s%d", prefix, i) }

// logReg is the loss of logistic regression.
func logReg(in *inputs) []*Node {
	logits := dense(in.get("x"), in.get("w"), in.get("b"), activation.TypeNone)
	return []*Node{loss.BinaryCrossentropyLogits([]*Node{in.get("t")}, []*Node{logits})}
}

// transformer is the mean square of one pre-norm block's output.
func transformer(in *inputs) []*Node {
	x := in.get("x")
	x = Add(x, selfAttention(layerNorm(x, in.get("g1"), in.get("b1")), in.get("wqkv"), in.get("wo")))
	hidden := dense(layerNorm(x, in.get("g2"), in.get("b2")), in.get("w1"), nil, activation.TypeGelu)
	x = Add(x, dense(hidden, in.get("w2"), nil, activation.TypeNone))
	return []*Node{ReduceAllMean(Square(x))}
}

// selfAttention projects x [batch, length, width] to queries, keys and values,
// attends, and projects back.
func selfAttention(x, wqkv, wo *Node) *Node {
	batch, length, width := x.Shape().Dimensions[0], x.Shape().Dimensions[1], x.Shape().Dimensions[2]
	headWidth := width / suite.NumberHeads
	var qkv [3]*Node
	for i, part := range Split(dense(x, wqkv, nil, activation.TypeNone), -1, 3) {
		qkv[i] = Reshape(part, batch, length, suite.NumberHeads, headWidth)
	}
	attended, _ := attention.Core(qkv[0], qkv[1], qkv[2], attention.LayoutBSHD,
		attention.CoreOptions{Scale: 1 / math.Sqrt(float64(headWidth))})
	return dense(Reshape(attended, batch, length, width), wo, nil, activation.TypeNone)
}

// leNet is the cross-entropy of two convolutions and three products.
func leNet(in *inputs) []*Node {
	x := convPool(in.get("x"), in.get("c1"))
	x = convPool(x, in.get("c2"))
	x = Reshape(x, x.Shape().Dimensions[0], -1)
	x = dense(x, in.get("w1"), nil, activation.TypeRelu)
	x = dense(x, in.get("w2"), nil, activation.TypeRelu)
	x = dense(x, in.get("w3"), nil, activation.TypeNone)
	return []*Node{crossEntropy(x, in.get("t"))}
}

// convPool convolves images [batch, channels, height, width] with filters
// [out, in, height, width], and pools what is positive.
func convPool(x, filters *Node) *Node {
	x = Convolve(x, filters).ChannelsAxis(images.ChannelsFirst).NoPadding().Done()
	return MaxPool(activation.Relu(x)).ChannelsAxis(images.ChannelsFirst).
		Window(suite.PoolWindow).Strides(suite.PoolWindow).NoPadding().Done()
}
