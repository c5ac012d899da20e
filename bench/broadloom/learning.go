package broadloom

import (
	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// contrast is the cross-entropy with which images find their texts among all, and texts their images.
func contrast(in leaves) node {
	side := func(x node, name string) node {
		x = ops.Gelu(in.linear(x, name+"0", "b"+name+"0"))
		return ops.Normalize(in.linear(x, name+"1", "b"+name+"1"), 2, -1, 1e-12)
	}
	image, text := side(in["image"], "i"), side(in["text"], "t")
	logits := ops.Mul(ops.MatMul(image, ops.Transpose(text, 0, 1)), ops.Exp(in["scale"]))
	own := ops.Iota(logits.Graph(), 0, logits.Shape()[0])
	sum := ops.Add(ops.CrossEntropy(logits, own), ops.CrossEntropy(ops.Transpose(logits, 0, 1), own))
	return ops.Mul(sum, graph.Num(0.5))
}

// meta is the cross-entropy of tasks after a step on a few images of each.
func meta(in leaves) node {
	loss := func(in leaves, x, t node) node {
		z := x
		for i := range suite.MetaLayers {
			z = in.batchNorm(in.numberedConv(z, "", i, ops.Padding(1)), "g", "c", i)
			z = ops.MaxPool2D(ops.Relu(z), suite.PoolWindow, suite.PoolWindow)
		}
		return ops.CrossEntropy(in.linear(ops.Flatten(z, 1, 3), "head", "bias"), t)
	}
	names := []string{"head", "bias"}
	for i := range suite.MetaLayers {
		names = append(names, numbered("w", i), numbered("b", i), numbered("g", i), numbered("c", i))
	}
	var sum node
	for task := range suite.MetaTasks {
		slopes := withGradients(loss(in, in[numbered("x", task)], in[numbered("t", task)]), in, names...)[1:]
		learned := leaves{}
		for i, name := range names {
			learned[name] = ops.Sub(in[name], ops.Mul(slopes[i], graph.Num(suite.MetaRate)))
		}
		after := loss(learned, in[numbered("tryx", task)], in[numbered("tryt", task)])
		if sum != nil {
			after = ops.Add(sum, after)
		}
		sum = after
	}
	return ops.Div(sum, graph.Num(float64(suite.MetaTasks)))
}

// player is the difference between the value of moves and their reward plus the value of what came next.
func player(in leaves) node {
	worth := func(z node, net string) node {
		for i, stride := range []int{4, 2, 1} {
			z = ops.Relu(in.conv(z, numbered(net+"w", i), numbered(net+"b", i), ops.Stride(stride)))
		}
		z = ops.Relu(in.linear(ops.Flatten(z, 1, 3), net+"l0", net+"bl0"))
		return in.linear(z, net+"l1", net+"bl1")
	}
	taken := func(worth, move node) node { return ops.Squeeze(ops.Gather(worth, 1, ops.Unsqueeze(move, 1)), 1) }
	next := taken(worth(in["y"], "old"), ops.ArgMax(worth(in["y"], ""), 1))
	target := ops.Add(in["reward"], ops.Mul(ops.Mul(next, in["goes"]), graph.Num(suite.Discount)))
	return ops.Huber(taken(worth(in["x"], ""), in["move"]), ops.StopGradient(target), 1)
}

// gcn is the cross-entropy of layers that sum the features of neighbours.
func gcn(in leaves) node {
	z := in["x"]
	nodes := z.Shape()[0]
	for i := range 3 {
		z = in.numberedLinear(z, "w", "b", i)
		z = ops.SegmentSum(ops.Mul(ops.Take(z, 0, in["from"]), in["counts"]), 0, in["to"], nodes)
		if i < 2 {
			z = ops.Relu(z)
		}
	}
	return ops.CrossEntropy(z, in["t"])
}
