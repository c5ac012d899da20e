package broadloom

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// gpt is the cross-entropy of a decoder.
func gpt(in leaves) []node {
	logits := decoder(in)
	shape := logits.Shape()
	flat := ops.Reshape(logits, shape[0].Times(shape[1]), shape[2])
	return []node{ops.CrossEntropy(flat, ops.Reshape(in["t"], flat.Shape()[0]))}
}

// decoder is the logits of pre-norm blocks between an embedding and the same table again.
func decoder(in leaves) node {
	z := ops.Add(ops.Embedding(in["x"], in["tokens"]), in["positions"])
	z = blocks(in, z, ops.Causal())
	return ops.Linear(ops.LayerNorm(z, in["g"], in["c"], suite.NormEpsilon), in["tokens"], nil)
}

// blocks are pre-norm transformer blocks on z, [batch, length, width], with options of their attention.
func blocks(in leaves, z node, opts ...ops.AttentionOption) node {
	for i := 0; in[numbered("wo", i)] != nil; i++ {
		of := func(name string) node { return in[numbered(name, i)] }
		n := ops.LayerNorm(z, of("g1_"), of("c1_"), suite.NormEpsilon)
		q, k, v := heads(ops.Add(ops.MatMul(n, of("wqkv")), of("bqkv")))
		a := ops.Transpose(ops.ScaledDotProductAttention(q, k, v, opts...), 1, 2)
		z = ops.Add(ops.Add(z, ops.MatMul(ops.Reshape(a, z.Shape()...), of("wo"))), of("bo"))
		n = ops.LayerNorm(z, of("g2_"), of("c2_"), suite.NormEpsilon)
		n = ops.Gelu(ops.Add(ops.MatMul(n, of("w1_")), of("b1_")))
		z = ops.Add(ops.Add(z, ops.MatMul(n, of("w2_"))), of("b2_"))
	}
	return z
}

// heads cuts [batch, length, 3·width] into queries, keys and values, each [batch, heads, length, 64].
func heads(qkv node) (q, k, v node) {
	shape := qkv.Shape()
	qkv = ops.Reshape(qkv, shape[0], shape[1], 3, shape[2]/3/suite.HeadWidth, suite.HeadWidth)
	qkv = ops.Permute(qkv, 2, 0, 3, 1, 4)
	return ops.Select(qkv, 0, 0), ops.Select(qkv, 0, 1), ops.Select(qkv, 0, 2)
}

// resNetTraining is the loss of ResNet-18, and the updates of its running statistics.
func resNetTraining(in leaves) (results, updates []node) {
	logits := resNet(in, in.normByBatch(&updates))
	return []node{ops.CrossEntropy(logits, in["t"])}, updates
}

// resNetForward is the logits of ResNet-18 by its running statistics.
func resNetForward(in leaves) node { return resNet(in, in.normByRunning) }

// normalizer normalizes the channels of x by the parameters with a suffix.
type normalizer func(x node, suffix string) node

// normByBatch normalizes by statistics of the batch, and collects the updates of the running ones.
func (in leaves) normByBatch(updates *[]node) normalizer {
	return func(x node, suffix string) node {
		y, mean, variance := ops.BatchNorm(x, in["g"+suffix], in["b"+suffix], suite.NormEpsilon)
		shape := x.Shape()
		count := float64(shape[0].Times(shape[2]).Times(shape[3]))
		unbiased := ops.Mul(variance, graph.Num(count/(count-1)))
		lerp := ops.Lookup("lerp")
		*updates = append(*updates, ops.InPlace(lerp, nil, in["mean"+suffix], mean, graph.Num(suite.Momentum)),
			ops.InPlace(lerp, nil, in["variance"+suffix], unbiased, graph.Num(suite.Momentum)))
		return y
	}
}

// normByRunning normalizes by running statistics.
func (in leaves) normByRunning(x node, suffix string) node {
	return ops.BatchNormInference(x, in["mean"+suffix], in["variance"+suffix], in["g"+suffix], in["b"+suffix],
		suite.NormEpsilon)
}

// convolver makes convolutions without a bias, with the filters of a suffix, that are normalized then.
func (in leaves) convolver(norm normalizer) func(x node, suffix string, opts ...ops.ConvOption) node {
	return func(x node, suffix string, opts ...ops.ConvOption) node {
		return norm(ops.Conv2D(x, in["w"+suffix], nil, opts...), suffix)
	}
}

// resNet is the logits of ResNet-18 with a way to normalize.
func resNet(in leaves, norm normalizer) node {
	normed := in.convolver(norm)
	conv := func(x node, suffix string, stride, padding int) node {
		return normed(x, suffix, ops.Stride(stride), ops.Padding(padding))
	}
	z := ops.MaxPool2D(ops.Relu(conv(in["x"], "0", 2, 3)), 3, 3, ops.Stride(2), ops.Padding(1))
	for i, b := range suite.ResNet18 {
		y := ops.Relu(conv(z, numbered("a", i), b.Stride, 1))
		y = conv(y, numbered("b", i), 1, 1)
		if b.Projects() {
			z = conv(z, numbered("p", i), b.Stride, 0)
		}
		z = ops.Relu(ops.Add(y, z))
	}
	return ops.Add(ops.MatMul(ops.Mean(z, 2, 3), in["head"]), in["bias"])
}

// skipGram is the binary cross-entropy of products of centres with their contexts.
func skipGram(in leaves) []node {
	centres := ops.Unsqueeze(ops.Embedding(in["i"], in["centres"]), 1)
	scores := ops.Sum(ops.Mul(ops.Embedding(in["j"], in["contexts"]), centres), -1)
	return []node{ops.BCEWithLogits(scores, in["y"])}
}

// pinn is the residual of the heat equation u_t = u_xx, and how far u is from sin x.
func pinn(in leaves) []node {
	x, u := in["x"], in["x"]
	for i := 0; in[numbered("w", i)] != nil; i++ {
		if i > 0 {
			u = ops.Tanh(u)
		}
		u = ops.Add(ops.MatMul(u, in[numbered("w", i)]), in[numbered("b", i)])
	}
	du := autodiff.Grad(ops.Sum(u), []node{x})[0]
	uxx := ops.Select(autodiff.Grad(ops.Sum(ops.Select(du, 1, 0)), []node{x})[0], 1, 0)
	residual := ops.Mean(ops.Square(ops.Sub(ops.Select(du, 1, 1), uxx)))
	fit := ops.Mean(ops.Square(ops.Sub(ops.Select(u, 1, 0), ops.Sin(ops.Select(x, 1, 0)))))
	return []node{ops.Add(residual, fit)}
}
