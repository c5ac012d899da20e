package broadloom

import (
	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// layerNorm normalizes the last axis by the numbered parameters.
func (in leaves) layerNorm(z node, gain, bias string, i int) node {
	return ops.LayerNorm(z, in[numbered(gain, i)], in[numbered(bias, i)], suite.NormEpsilon)
}

// batchNorm normalizes channels by statistics of the batch.
func (in leaves) batchNorm(z node, gain, bias string, i int) node {
	y, _, _ := ops.BatchNorm(z, in[numbered(gain, i)], in[numbered(bias, i)], suite.NormEpsilon)
	return y
}

// numberedLinear is a linear layer with numbered parameters.
func (in leaves) numberedLinear(z node, weight, bias string, i int) node {
	return in.linear(z, numbered(weight, i), numbered(bias, i))
}

// feedForward is two linear layers with GELU between them.
func (in leaves) feedForward(z node, up, down string, i int) node {
	z = ops.Gelu(in.numberedLinear(z, "w"+up, "b"+up, i))
	return in.numberedLinear(z, "w"+down, "b"+down, i)
}

// convNeXt is the cross-entropy of stages of blocks whose norms and linear layers see channels last.
func convNeXt(in leaves) node {
	last := func(z node) node { return ops.Permute(z, 0, 2, 3, 1) }
	first := func(z node) node { return ops.Permute(z, 0, 3, 1, 2) }
	z, block := in["x"], 0
	for i, stage := range suite.ConvNeXtStages {
		w, b := in[numbered("wd", i)], in[numbered("bd", i)]
		if i == 0 {
			z = first(in.layerNorm(last(ops.Conv2D(z, w, b, ops.Stride(4))), "gd", "cd", 0))
		} else {
			z = ops.Conv2D(first(in.layerNorm(last(z), "gd", "cd", i)), w, b, ops.Stride(2))
		}
		for range stage[1] {
			y := in.conv(z, numbered("w", block), numbered("b", block), ops.Padding(3), ops.Groups(stage[0]))
			y = in.feedForward(in.layerNorm(last(y), "g", "c", block), "up", "down", block)
			z = ops.Add(z, first(ops.Mul(y, in[numbered("scale", block)])))
			block++
		}
	}
	z = in.layerNorm(ops.Mean(z, 2, 3), "glast", "clast", 0)
	return ops.CrossEntropy(in.linear(z, "head", "bias"), in["t"])
}

// dcgan is how far a critic takes generated images for true ones.
func dcgan(in leaves) node {
	opts := []ops.ConvOption{ops.Stride(2), ops.Padding(1)}
	z := ops.Relu(ops.Reshape(in.linear(in["x"], "start", "bstart"), in["x"].Shape()[0], 256, 4, 4))
	for i := range 3 {
		z = ops.ConvTranspose2D(z, in[numbered("up", i)], nil, opts...)
		if i < 2 {
			z = ops.Relu(in.batchNorm(z, "gup", "cup", i))
		}
	}
	z = ops.Tanh(in.batchNorm(z, "gup", "cup", 2))
	for i := range 3 {
		z = ops.Conv2D(z, in[numbered("down", i)], nil, opts...)
		z = ops.LeakyRelu(in.batchNorm(z, "gdown", "cdown", i), 0.2)
	}
	logits := in.linear(ops.Flatten(z, 1, 3), "end", "bend")
	return ops.BCEWithLogits(logits, ops.OnesLike(logits))
}

// denseNet is the cross-entropy of blocks whose layers read the outputs of all layers before them.
func denseNet(in leaves) node {
	relu := func(z node, gain, bias string, i int) node { return ops.Relu(in.batchNorm(z, gain, bias, i)) }
	z := ops.Conv2D(in["x"], in["first"], nil, ops.Padding(1))
	for b := range suite.DenseBlocks {
		for i := range suite.DenseLayers {
			layer := b*suite.DenseLayers + i
			y := ops.Conv2D(relu(z, "ga", "ca", layer), in[numbered("wa", layer)], nil)
			y = ops.Conv2D(relu(y, "gb", "cb", layer), in[numbered("wb", layer)], nil, ops.Padding(1))
			z = ops.Concat(1, z, y)
		}
		if b < suite.DenseBlocks-1 {
			z = ops.AvgPool2D(ops.Conv2D(relu(z, "gt", "ct", b), in[numbered("wt", b)], nil), 2, 2)
		}
	}
	return ops.CrossEntropy(in.linear(ops.Mean(relu(z, "g", "c", 0), 2, 3), "head", "bias"), in["t"])
}

// diffusion is how far the noise that a network sees in images is from the noise that is there.
func diffusion(in leaves) node {
	bands := in["t0"].Shape()[1] / 2
	band := ops.Cast(ops.Iota(in["x"].Graph(), 0, bands), graph.Float32)
	angles := ops.Mul(in["time"], ops.Exp(ops.Mul(band, graph.Num(-9.2/float64(bands)))))
	time := in.linear(ops.Silu(in.linear(ops.Concat(1, ops.Sin(angles), ops.Cos(angles)), "t0", "bt0")), "t1", "bt1")
	norm := func(z node, gain, bias string, i int) node {
		return ops.GroupNorm(z, suite.NormGroups, in[numbered(gain, i)], in[numbered(bias, i)], suite.NormEpsilon)
	}
	residual := func(z node, i int) node {
		y := in.conv(ops.Silu(norm(z, "ga", "ca", i)), numbered("wa", i), numbered("ba", i), ops.Padding(1))
		shift := in.numberedLinear(ops.Silu(time), "wtime", "btime", i)
		y = ops.Add(y, ops.Unsqueeze(ops.Unsqueeze(shift, -1), -1))
		y = in.conv(ops.Silu(norm(y, "gb", "cb", i)), numbered("wb", i), numbered("bb", i), ops.Padding(1))
		if in[numbered("wp", i)] != nil {
			z = in.conv(z, numbered("wp", i), numbered("bp", i))
		}
		return ops.Add(z, y)
	}
	first := in.conv(in["x"], "first", "bfirst", ops.Padding(1))
	fine := residual(first, 0)
	z := residual(in.conv(fine, "down", "bdown", ops.Stride(2), ops.Padding(1)), 1)
	z = residual(ops.Add(z, in.attendPlaces(norm(z, "gq", "cq", 0))), 2)
	z = residual(z, 3)
	z = in.conv(ops.ResizeBy(z, ops.ResizeNearest, []float64{2, 2}), "up", "bup", ops.Padding(1))
	z = residual(ops.Concat(1, residual(ops.Concat(1, z, fine), 4), first), 5)
	z = in.conv(ops.Silu(norm(z, "glast", "clast", 0)), "last", "blast", ops.Padding(1))
	return ops.MSE(z, in["noise"])
}

// attendPlaces lets the places of images attend to each other.
func (in leaves) attendPlaces(z node) node {
	shape := z.Shape()
	q, k, v := heads(in.linear(ops.Transpose(ops.Flatten(z, 2, 3), 1, 2), "wqkv", "bqkv"))
	y := ops.Transpose(ops.ScaledDotProductAttention(q, k, v), 1, 2)
	y = in.linear(ops.Flatten(y, 2, 3), "wo", "bo")
	return ops.Reshape(ops.Transpose(y, 1, 2), shape...)
}

// mixer is the cross-entropy of blocks of layers across places and across channels.
func mixer(in leaves) node {
	patch := in["patch"]
	size, _ := patch.Shape()[2].Int()
	z := ops.Transpose(ops.Flatten(ops.Conv2D(in["x"], patch, in["bpatch"], ops.Stride(int(size))), 2, 3), 1, 2)
	for i := 0; in[numbered("wp", i)] != nil; i++ {
		y := ops.Transpose(in.layerNorm(z, "g1_", "c1_", i), 1, 2)
		z = ops.Add(z, ops.Transpose(in.feedForward(y, "p", "q", i), 1, 2))
		z = ops.Add(z, in.feedForward(in.layerNorm(z, "g2_", "c2_", i), "1_", "2_", i))
	}
	z = ops.Mean(in.layerNorm(z, "g", "c", 0), 1)
	return ops.CrossEntropy(in.linear(z, "head", "bias"), in["t"])
}

// video is the cross-entropy of 3-D convolutions with pools between them.
func video(in leaves) node {
	z := in["x"]
	for i := 0; in[numbered("w", i)] != nil; i++ {
		z = ops.Relu(ops.Conv3D(z, in[numbered("w", i)], in[numbered("b", i)], ops.Padding(1)))
		if depth := min(i+1, 2); i < 3 {
			z = ops.MaxPool3D(z, depth, 2, 2)
		}
	}
	return ops.CrossEntropy(in.linear(ops.Mean(z, 2, 3, 4), "head", "bias"), in["t"])
}
