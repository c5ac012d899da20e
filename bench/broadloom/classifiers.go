package broadloom

import (
	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// efficientNetTraining is the loss of EfficientNet-B0, and the updates of its running statistics.
func efficientNetTraining(in leaves) (results, updates []node) {
	logits := efficientNet(in, in.normByBatch(&updates))
	return []node{ops.CrossEntropy(logits, in["t"])}, updates
}

// efficientNetForward is the logits of EfficientNet-B0 by its running statistics.
func efficientNetForward(in leaves) node { return efficientNet(in, in.normByRunning) }

// efficientNet is the logits of EfficientNet-B0 with a way to normalize.
func efficientNet(in leaves, norm normalizer) node {
	conv := in.convolver(norm)
	z := ops.Silu(conv(in["x"], "0", ops.Stride(2), ops.Padding(1)))
	for i, b := range suite.EfficientNet {
		y := z
		if b.Expands() {
			y = ops.Silu(conv(y, numbered("a", i)))
		}
		y = ops.Silu(conv(y, numbered("b", i), ops.Stride(b.Stride), ops.Padding(b.Kernel/2), ops.Groups(b.Hidden)))
		factor := ops.Silu(in.numberedLinear(ops.Mean(y, 2, 3), "s", "bs", i))
		factor = ops.Sigmoid(in.numberedLinear(factor, "e", "be", i))
		y = conv(ops.Mul(y, ops.Unsqueeze(ops.Unsqueeze(factor, -1), -1)), numbered("c", i))
		if b.Adds() {
			y = ops.Add(z, y)
		}
		z = y
	}
	return in.linear(ops.Mean(ops.Silu(conv(z, "last")), 2, 3), "head", "bias")
}

// vggForward is the logits of VGG-11. If the elements to keep are given, the others are dropped.
func vggForward(in leaves) node {
	z, i := in["x"], 0
	for _, channels := range suite.VGG11 {
		if channels == 0 {
			z = ops.MaxPool2D(z, suite.PoolWindow, suite.PoolWindow)
			continue
		}
		z = ops.Relu(in.conv(z, numbered("c", i), numbered("bc", i), ops.Padding(1)))
		i++
	}
	z = ops.Flatten(ops.AdaptiveAvgPool(z, suite.VGGPlaces, suite.VGGPlaces), 1, 3)
	for i := range 2 {
		z = ops.Relu(in.numberedLinear(z, "w", "b", i))
		if stay := in[numbered("stay", i)]; stay != nil {
			z = ops.Mul(ops.Mul(z, stay), graph.Num(2.0))
		}
	}
	return in.numberedLinear(z, "w", "b", 2)
}

// vgg is its cross-entropy.
func vgg(in leaves) node { return ops.CrossEntropy(vggForward(in), in["t"]) }

// shuffleNet is the loss of ShuffleNetV2, and the updates of its running statistics.
func shuffleNet(in leaves) (results, updates []node) {
	conv := in.convolver(in.normByBatch(&updates))
	depthwise := func(x node, suffix string, stride int) node {
		channels, _ := x.Shape()[1].Int()
		return conv(x, suffix, ops.Stride(stride), ops.Padding(1), ops.Groups(int(channels)))
	}
	z := ops.MaxPool2D(ops.Relu(conv(in["x"], "0", ops.Stride(2), ops.Padding(1))), 3, 3, ops.Stride(2), ops.Padding(1))
	block := 0
	for _, stage := range suite.ShuffleStages {
		for i := range stage[1] {
			stride, past, y := 1, z, z
			if i == 0 {
				stride = 2
				past = ops.Relu(conv(depthwise(z, numbered("p", block), stride), numbered("q", block)))
			} else {
				halves := ops.Chunk(z, 1, 2)
				past, y = halves[0], halves[1]
			}
			y = depthwise(ops.Relu(conv(y, numbered("a", block))), numbered("b", block), stride)
			y = ops.Relu(conv(y, numbered("c", block)))
			z = ops.ChannelShuffle(ops.Concat(1, past, y), 2)
			block++
		}
	}
	logits := in.linear(ops.Mean(ops.Relu(conv(z, "last")), 2, 3), "head", "bias")
	return []node{ops.CrossEntropy(logits, in["t"])}, updates
}

// inception is the cross-entropy of blocks of parallel convolutions.
func inception(in leaves) node {
	conv := func(z node, name string, i int, opts ...ops.ConvOption) node {
		return ops.Relu(in.numberedConv(z, name, i, opts...))
	}
	half := func(z node) node { return ops.MaxPool2D(z, 3, 3, ops.Stride(2), ops.Padding(1)) }
	z := half(conv(in["x"], "stem", 0, ops.Stride(2), ops.Padding(3)))
	z = half(conv(z, "stem", 1, ops.Padding(1)))
	for i := range suite.Inceptions {
		if i == 2 {
			z = half(z)
		}
		z = ops.Concat(1, conv(z, "one", i),
			conv(conv(z, "before3_", i), "three", i, ops.Padding(1)),
			conv(conv(z, "before5_", i), "five", i, ops.Padding(2)),
			conv(ops.MaxPool2D(z, 3, 3, ops.Stride(1), ops.Padding(1)), "pool", i))
	}
	return ops.CrossEntropy(in.linear(ops.Mean(z, 2, 3), "head", "bias"), in["t"])
}

// pointNet is the cross-entropy of the maximum over the points of a cloud in each of a thousand channels, after the
// cloud is rotated.
func pointNet(in leaves) node {
	features := func(z node, part string) node {
		for i := range suite.PointWidths {
			z = ops.Relu(in.batchNorm(ops.Conv1D(z, in[numbered(part+"w", i)], nil), part+"g", part+"c", i))
		}
		z = ops.Max(z, -1)
		for i := range 2 {
			z = ops.Relu(in.batchNorm(in.numberedLinear(z, part+"l", part+"b", i), part+"gl", part+"cl", i))
		}
		return z
	}
	x := in["x"]
	turn := ops.Reshape(ops.Linear(features(x, "turn"), in["turn"], nil), x.Shape()[0], 3, 3)
	turn = ops.Add(turn, ops.Eye(x.Graph(), graph.Float32, 3, 3))
	return ops.CrossEntropy(in.linear(features(ops.MatMul(turn, x), "see"), "head", "bias"), in["t"])
}

// spatial is the cross-entropy of convolutions on images that others have moved.
func spatial(in leaves) node {
	conv := func(z node, w, b string) node {
		return ops.Relu(ops.MaxPool2D(in.conv(z, w, b), suite.PoolWindow, suite.PoolWindow))
	}
	x := in["x"]
	shape := x.Shape()
	h := ops.Flatten(conv(conv(x, "p0", "bp0"), "p1", "bp1"), 1, 3)
	h = in.linear(ops.Relu(in.linear(h, "m0", "bm0")), "m1", "bm1")
	moved := ops.AffineGrid(ops.Reshape(h, shape[0], 2, 3), shape[2:])
	z := ops.GridSample(x, moved, ops.ResizeLinear, ops.PadZeros)
	z = ops.Flatten(conv(conv(z, "c0", "bc0"), "c1", "bc1"), 1, 3)
	return ops.CrossEntropy(in.linear(ops.Relu(in.linear(z, "w0", "b0")), "w1", "b1"), in["t"])
}
