package broadloom

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// conv is a convolution with the named filters and bias.
func (in leaves) conv(z node, weight, bias string, opts ...ops.ConvOption) node {
	return ops.Conv2D(z, in[weight], in[bias], opts...)
}

// numberedConv is a convolution with numbered filters and bias.
func (in leaves) numberedConv(z node, name string, i int, opts ...ops.ConvOption) node {
	return in.conv(z, numbered("w"+name, i), numbered("b"+name, i), opts...)
}

// critic is the difference of a critic's scores of generated and true images, and the deviation of its gradients
// between both from the length 1.
func critic(in leaves) node {
	judge := func(z node) node {
		for i := range 3 {
			z = ops.LeakyRelu(in.numberedConv(z, "", i, ops.Stride(2), ops.Padding(1)), 0.2)
		}
		return in.linear(ops.Flatten(z, 1, 3), "head", "bias")
	}
	x, y := in["x"], in["y"]
	middle := ops.Add(ops.Mul(in["between"], x), ops.Mul(ops.Sub(graph.Num(1.0), in["between"]), y))
	slope := autodiff.Grad(ops.Sum(judge(middle)), []node{middle})[0]
	length := ops.Norm(ops.Flatten(slope, 1, 3), 2, 1)
	penalty := ops.Mean(ops.Square(ops.Sub(length, graph.Num(1.0))))
	difference := ops.Sub(ops.Mean(judge(y)), ops.Mean(judge(x)))
	return ops.Add(difference, ops.Mul(penalty, graph.Num(suite.PenaltyWeight)))
}

// flow is the negative logarithm of the likelihood of images for each number, by steps that can be undone.
func flow(in leaves) node {
	z := in["x"]
	count := 1.0
	for _, d := range z.Shape()[1:] {
		count *= float64(d)
	}
	var sum node // of each image's logarithms
	add := func(x node) {
		if sum != nil {
			x = ops.Add(sum, x)
		}
		sum = x
	}
	normal := func(z node) { add(ops.Mul(ops.Sum(ops.Square(z), 1, 2, 3), graph.Num(-0.5))) }
	for level := range suite.FlowLevels {
		z = ops.PixelUnshuffle(z, 2)
		shape := z.Shape()
		places := graph.Num(float64(shape[2] * shape[3]))
		for i := level * suite.FlowSteps; i < (level+1)*suite.FlowSteps; i++ {
			scale, mix := in[numbered("scale", i)], in[numbered("mix", i)]
			z = ops.Mul(ops.Add(z, in[numbered("shift", i)]), ops.Exp(scale))
			add(ops.Mul(ops.Sum(scale), places))
			z = ops.Conv2D(z, ops.Unsqueeze(ops.Unsqueeze(mix, -1), -1), nil)
			_, volume := ops.SlogDet(mix)
			add(ops.Mul(volume, places))
			halves := ops.Chunk(z, 1, 2)
			h := ops.Relu(in.numberedConv(halves[0], "a", i, ops.Padding(1)))
			h = ops.Relu(in.numberedConv(h, "b", i))
			both := ops.Chunk(in.numberedConv(h, "c", i, ops.Padding(1)), 1, 2)
			gate := ops.Add(both[0], graph.Num(2.0))
			z = ops.Concat(1, halves[0], ops.Mul(ops.Add(halves[1], both[1]), ops.Sigmoid(gate)))
			add(ops.Sum(ops.LogSigmoid(gate), 1, 2, 3))
		}
		if level < suite.FlowLevels-1 {
			halves := ops.Chunk(z, 1, 2)
			normal(halves[1])
			z = halves[0]
		}
	}
	normal(z)
	return ops.Neg(ops.Div(ops.Mean(sum), graph.Num(count)))
}

// before is 1 for elements of a square filter before its middle, row by row, and with middle also there.
func before(g *graph.Graph, size graph.Dim, middle bool) node {
	place := ops.Add(ops.Mul(ops.Iota(g, 0, size, 1), graph.Num(int(size))), ops.Iota(g, 0, size))
	last := int(size * size / 2)
	if middle {
		last++
	}
	return ops.Cast(ops.Less(place, graph.Num(last)), graph.Float32)
}

// pixels is the cross-entropy of pixels by those before them.
func pixels(in leaves) node {
	x := in["x"]
	g := x.Graph()
	z := ops.Conv2D(x, ops.Mul(in["first"], before(g, 7, false)), in["bfirst"], ops.Padding(3))
	for i := range suite.PixelLayers {
		y := in.numberedConv(ops.Relu(z), "a", i)
		y = ops.Conv2D(ops.Relu(y), ops.Mul(in[numbered("wb", i)], before(g, 3, true)), in[numbered("bb", i)],
			ops.Padding(1))
		z = ops.Add(z, in.numberedConv(ops.Relu(y), "c", i))
	}
	z = in.conv(ops.Relu(z), "middle", "bmiddle")
	return ops.CrossEntropy(in.conv(ops.Relu(z), "last", "blast"), in["t"])
}

// mirrored pads images by reflection.
func mirrored(z node, width graph.Dim) node {
	return ops.PadWith(ops.PadWith(z, 2, width, width, ops.PadReflect), 3, width, width, ops.PadReflect)
}

// images is how far translated images are from those that they are to be.
func images(in leaves) node {
	norm := func(z node, name string, i int) node {
		y, _, _ := ops.InstanceNorm(z, in[numbered("g"+name, i)], in[numbered("c"+name, i)], suite.NormEpsilon)
		return y
	}
	conv := func(z node, name string, i int, opts ...ops.ConvOption) node {
		return norm(ops.Conv2D(z, in[numbered("w"+name, i)], nil, opts...), name, i)
	}
	z := ops.Relu(conv(mirrored(in["x"], 3), "in", 0))
	for i := range 2 {
		z = ops.Relu(conv(z, "down", i, ops.Stride(2), ops.Padding(1)))
	}
	for i := range suite.TranslatorBlocks {
		y := ops.Relu(conv(mirrored(z, 1), "a", i))
		z = ops.Add(z, conv(mirrored(y, 1), "b", i))
	}
	for i := range 2 {
		z = ops.ConvTranspose2D(z, in[numbered("wup", i)], nil, ops.Stride(2), ops.Padding(1), ops.OutputPadding(1))
		z = ops.Relu(norm(z, "up", i))
	}
	return ops.L1(ops.Tanh(in.conv(mirrored(z, 3), "last", "blast")), in["y"])
}

// style is how far an image is from the contents of another and from the style of a third.
func style(in leaves) node {
	features := func(z node) (all []node) {
		for i := range suite.StyleChannels {
			if i > 0 {
				z = ops.AvgPool2D(z, suite.PoolWindow, suite.PoolWindow)
			}
			z = ops.Relu(in.numberedConv(z, "", i, ops.Padding(1)))
			all = append(all, z)
		}
		return all
	}
	gram := func(z node) node {
		z = ops.Flatten(ops.Select(z, 0, 0), 1, 2)
		shape := z.Shape()
		return ops.Div(ops.MatMul(z, ops.Transpose(z, 0, 1)), graph.Num(float64(shape[0]*shape[1])))
	}
	x, content, other := features(in["x"]), features(in["content"]), features(in["style"])
	loss := ops.MSE(x[2], content[2])
	for i := range x {
		loss = ops.Add(loss, ops.Mul(ops.MSE(gram(x[i]), gram(other[i])), graph.Num(100.0)))
	}
	return loss
}

// resolution is how far enlarged images are from large ones.
func resolution(in leaves) node {
	same := ops.Padding(1)
	first := in.conv(in["x"], "first", "bfirst", same)
	z := first
	for i := range suite.ResolutionBlocks {
		y := ops.Relu(in.numberedConv(z, "a", i, same))
		z = ops.Add(z, ops.Mul(in.numberedConv(y, "b", i, same), graph.Num(0.1)))
	}
	z = ops.Add(in.conv(z, "middle", "bmiddle", same), first)
	for i := range 2 {
		z = ops.PixelShuffle(in.numberedConv(z, "up", i, same), 2)
	}
	return ops.L1(in.conv(z, "last", "blast", same), in["y"])
}
