package broadloom

import (
	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// linear is a layer with the named weight and bias.
func (in leaves) linear(x node, weight, bias string) node {
	return ops.Linear(x, in[weight], in[bias])
}

// mobileNetTraining is the loss of MobileNetV2, and the updates of its running statistics.
func mobileNetTraining(in leaves) (results, updates []node) {
	logits := mobileNet(in, in.normByBatch(&updates))
	return []node{ops.CrossEntropy(logits, in["t"])}, updates
}

// mobileNetForward is the logits of MobileNetV2 by its running statistics.
func mobileNetForward(in leaves) node { return mobileNet(in, in.normByRunning) }

// mobileNet is the logits of MobileNetV2 with a way to normalize.
func mobileNet(in leaves, norm normalizer) node {
	conv := in.convolver(norm)
	z := ops.Relu6(conv(in["x"], "0", ops.Stride(2), ops.Padding(1)))
	for i, b := range suite.MobileNetV2 {
		y := z
		if b.Expands() {
			y = ops.Relu6(conv(y, numbered("a", i)))
		}
		y = ops.Relu6(conv(y, numbered("b", i), ops.Stride(b.Stride), ops.Padding(1), ops.Groups(b.Hidden)))
		y = conv(y, numbered("c", i))
		if b.Adds() {
			y = ops.Add(z, y)
		}
		z = y
	}
	return in.linear(ops.Mean(ops.Relu6(conv(z, "last")), 2, 3), "head", "bias")
}

// uNet is the mean square of a network that halves images twice and doubles them again, with skip connections at each
// size.
func uNet(in leaves) node {
	level := func(z node, first int) node {
		for i := range 2 {
			of := func(name string) node { return in[numbered(name, first+i)] }
			z = ops.Conv2D(z, of("w"), of("b"), ops.Padding(1))
			z = ops.Silu(ops.GroupNorm(z, suite.NormGroups, of("g"), of("c"), suite.NormEpsilon))
		}
		return z
	}
	half := func(z node) node { return ops.MaxPool2D(z, suite.PoolWindow, suite.PoolWindow) }
	beside := func(z, before node) node {
		return ops.Concat(1, ops.ResizeBy(z, ops.ResizeNearest, []float64{2, 2}), before)
	}
	fine := level(in["x"], 0)
	middle := level(half(fine), 2)
	coarse := level(half(middle), 4)
	up := level(beside(level(beside(coarse, middle), 6), fine), 8)
	return ops.Mean(ops.Square(ops.Conv2D(up, in["wlast"], in["blast"])))
}

// vae is the binary cross-entropy of decoded images, and the divergence of their codes from standard normal ones:
// the mean of -(1 + log v - m² - v) / 2.
func vae(in leaves) node {
	x := in["x"]
	opts := []ops.ConvOption{ops.Stride(2), ops.Padding(1)}
	h := ops.Relu(ops.Conv2D(x, in["e0"], in["be0"], opts...))
	h = ops.Relu(ops.Conv2D(h, in["e1"], in["be1"], opts...))
	flat := ops.Flatten(h, 1, 3)
	mean, logvar := in.linear(flat, "mean", "bmean"), in.linear(flat, "logvar", "blogvar")
	code := ops.Add(mean, ops.Mul(in["eps"], ops.Exp(ops.Mul(logvar, graph.Num(0.5)))))
	h = ops.Reshape(ops.Relu(in.linear(code, "back", "bback")), h.Shape()...)
	h = ops.Relu(ops.ConvTranspose2D(h, in["d0"], in["bd0"], opts...))
	decoded := ops.ConvTranspose2D(h, in["d1"], in["bd1"], opts...)
	divergence := ops.Sub(ops.Sub(ops.Add(logvar, graph.Num(1.0)), ops.Square(mean)), ops.Exp(logvar))
	return ops.Sub(ops.BCEWithLogits(decoded, x), ops.Mul(ops.Mean(divergence), graph.Num(0.5)))
}

// gru is the loss of two recurrent layers in both directions, from the mean of their outputs at all places.
func gru(in leaves) node {
	x := in["x"]
	width, _ := x.Shape()[2].Int()
	both, _ := in["head"].Shape()[1].Int()
	layers := nn.NewGRU(x.Graph(), "gru", int(width), int(both)/2, nn.Layers(2), nn.Bidirectional())
	y := ops.Mean(layers.Apply(nn.Training(x.Graph()), x), 1)
	return ops.CrossEntropy(in.linear(y, "head", "bias"), in["t"])
}

// vit is the cross-entropy of pre-norm blocks on a token and the patches of images.
func vit(in leaves) node {
	patch, positions := in["patch"], in["positions"].Shape()
	size, _ := patch.Shape()[2].Int()
	z := ops.Transpose(ops.Flatten(ops.Conv2D(in["x"], patch, in["bpatch"], ops.Stride(int(size))), 2, 3), 1, 2)
	token := ops.Expand(in["token"], z.Shape()[0], 1, positions[2])
	z = blocks(in, ops.Add(ops.Concat(1, token, z), in["positions"]))
	z = ops.LayerNorm(ops.Select(z, 1, 0), in["g"], in["c"], suite.NormEpsilon)
	return ops.CrossEntropy(in.linear(z, "head", "bias"), in["t"])
}

// dlrm is the binary cross-entropy of layers on products of pairs of vectors; one vector comes from numbers and the
// others from tables.
func dlrm(in leaves) node {
	layer := func(z node, i int) node { return in.linear(z, numbered("w", i), numbered("b", i)) }
	h := ops.Relu(layer(ops.Relu(layer(in["x"], 0)), 1))
	vectors := []node{h}
	for i := 0; in[numbered("e", i)] != nil; i++ {
		vectors = append(vectors, ops.Embedding(in[numbered("i", i)], in[numbered("e", i)]))
	}
	all := ops.Stack(1, vectors...)
	pairs := ops.Flatten(ops.MatMul(all, ops.Transpose(all, 1, 2)), 1, 2)
	z := ops.Relu(layer(ops.Concat(1, h, pairs), 2))
	return ops.BCEWithLogits(layer(ops.Relu(layer(z, 3)), 4), in["t"])
}
