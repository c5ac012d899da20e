package importer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"MatMul":  two(ops.MatMul),
		"Gemm":    func(c *call) []node { return []node{gemm(c)} },
		"Einsum":  func(c *call) []node { return []node{ops.Einsum(c.text("equation", ""), c.all()...)} },
		"Det":     one(ops.Det),
		"Dropout": dropout,
		"Bernoulli": with(func(c *call, x node) node {
			return ops.Cast(ops.Bernoulli(c.seed(), x), c.dtype("dtype", x.DType()))
		}),
		"RandomUniformLike": with(func(c *call, x node) node {
			return c.uniform(c.dtype("dtype", x.DType()), x.Shape())
		}),
		"RandomNormalLike": with(func(c *call, x node) node {
			return c.normal(c.dtype("dtype", x.DType()), x.Shape())
		}),
		"RandomUniform": func(c *call) []node {
			return []node{c.uniform(c.dtype("dtype", graph.Float32), dims(c.ints("shape")))}
		},
		"RandomNormal": func(c *call) []node {
			return []node{c.normal(c.dtype("dtype", graph.Float32), dims(c.ints("shape")))}
		},
		"Multinomial": with(func(c *call, x node) node {
			return ops.Cast(ops.Multinomial(c.seed(), ops.Softmax(x, -1), c.int("sample_size", 1), true),
				c.dtype("dtype", graph.Int32))
		}),
		"BatchNormalization": batchNorm,
		"InstanceNormalization": func(c *call) []node { // of one element too, which PyTorch's function refuses
			return []node{ops.GroupNorm(c.in(0), c.size(c.in(1), 0), c.in(1), c.in(2), c.float("epsilon", 1e-5))}
		},
		"GroupNormalization": func(c *call) []node {
			scale, bias, groups := c.in(1), c.in(2), c.int("num_groups", 0)
			if c.version < 21 && groups > 0 { // of each group, and later of each channel
				each := c.in(0).Shape()[1].FloorDiv(int64(groups))
				scale, bias = ops.RepeatInterleave(scale, 0, each), ops.RepeatInterleave(bias, 0, each)
			}
			return []node{ops.GroupNorm(c.in(0), groups, scale, bias, c.float("epsilon", 1e-5))}
		},
		"LayerNormalization": layerNorm,
		"RMSNormalization": with(func(c *call, x node) node {
			over := behind(c.axis(-1), x.Rank())
			y := ops.Div(x, ops.Sqrt(ops.Add(ops.Mean(ops.Square(x), over...), graph.Num(c.float("epsilon", 1e-5)))))
			return ops.Mul(y, c.in(1))
		}),
		"LpNormalization": with(func(c *call, x node) node {
			norm := ops.Norm(x, float64(c.int("p", 2)), ops.Axis(c.axis(-1)), ops.KeepDims())
			return ops.Where(ops.Equal(norm, graph.Num(0)), graph.Num(0), ops.Div(x, norm))
		}),
		"MeanVarianceNormalization": with(func(c *call, x node) node {
			return ops.Standardize(x, 1e-9, axes(c.ints("axes", 0, 2, 3))...)
		}),
		"LRN": with(func(c *call, x node) node { return lrn(c, x) }),
		"NegativeLogLikelihoodLoss": func(c *call) []node {
			return []node{ops.NLL(c.in(0), c.in(1), c.lossOptions()...)}
		},
		"SoftmaxCrossEntropyLoss": func(c *call) []node {
			return []node{ops.CrossEntropy(c.in(0), c.in(1), c.lossOptions()...), ops.LogSoftmax(c.in(0), 1)}
		},
	})
}

// seed is what draws depend on.
func (c *call) seed() node {
	if c.Seed != nil {
		return c.Seed
	}
	return ops.Zeros(c.g, graph.Int64)
}

func (c *call) uniform(t graph.DType, shape graph.Shape) node {
	low, high := c.float("low", 0), c.float("high", 1)
	return ops.Add(times(ops.Uniform(c.seed(), t, shape...), high-low), graph.Num(low))
}

func (c *call) normal(t graph.DType, shape graph.Shape) node {
	return ops.Add(times(ops.Normal(c.seed(), t, shape...), c.float("scale", 1)), graph.Num(c.float("mean", 0)))
}

func gemm(c *call) node {
	a, b := c.in(0), c.in(1)
	if c.int("transA", 0) == 1 {
		a = ops.Transpose(a, 0, 1)
	}
	if c.int("transB", 0) == 1 {
		b = ops.Transpose(b, 0, 1)
	}
	y := times(ops.MatMul(a, b), c.float("alpha", 1))
	if bias := c.at(2); bias != nil {
		y = ops.Add(y, times(bias, c.float("beta", 1)))
	}
	return y
}

func times(x node, by float64) node {
	if by == 1 {
		return x
	}
	return ops.Mul(x, graph.Num(by))
}

// behind are the axes from one on, which a reduction keeps.
func behind(axis, rank int) []ops.Axis {
	over := []ops.Axis{ops.KeepDims()}
	for ; axis < rank; axis++ {
		over = append(over, ops.Axis(axis))
	}
	return over
}

func (c *call) lossOptions() (opts []ops.LossOption) {
	switch c.text("reduction", "mean") {
	case "none":
		opts = append(opts, ops.EachLoss())
	case "sum":
		opts = append(opts, ops.SumLoss())
	}
	if w := c.at(2); w != nil {
		opts = append(opts, ops.ClassWeights(w))
	}
	if c.given("ignore_index") {
		opts = append(opts, ops.IgnoreIndex(c.int("ignore_index", 0)))
	}
	return opts
}

// dropout with a probability drops what no other library drops: of training, only the mask's dtype and shape are
// compared.
func dropout(c *call) []node {
	x, p := c.in(0), c.float("ratio", 0.5)
	if list := c.floats(1); len(list) > 0 {
		p = list[0]
	}
	if training := c.floats(2); len(training) == 0 || training[0] == 0 {
		p = 0
	}
	if p == 0 {
		if c.wants(1) {
			return []node{x, ops.OnesLike(ops.Cast(x, graph.Bool))}
		}
		return []node{x}
	}
	seed := c.seed()
	return []node{ops.Dropout(x, p, seed), ops.NotEqual(ops.Dropout(ops.OnesLike(x), p, seed), graph.Num(0))}
}

func batchNorm(c *call) []node {
	x, eps := c.in(0), c.float("epsilon", 1e-5)
	if c.int("training_mode", 0) == 0 {
		return []node{ops.BatchNormInference(x, c.state(3), c.state(4), c.in(1), c.in(2), eps)}
	}
	y, mean, variance := ops.BatchNorm(x, c.in(1), c.in(2), eps)
	old := c.float("momentum", 0.9)
	running := func(before, now node) node {
		return ops.Add(ops.Mul(before, graph.Num(old)), ops.Mul(now, graph.Num(1-old)))
	}
	return []node{y, running(c.in(3), mean), running(c.in(4), variance)}
}

func layerNorm(c *call) []node {
	x, eps := c.in(0), graph.Num(c.float("epsilon", 1e-5))
	axis := c.axis(-1)
	over := behind(axis, x.Rank())
	mean := ops.Mean(x, over...)
	inverse := ops.Rsqrt(ops.Add(ops.Var(x, 0, over...), eps))
	shape := slices.Clone(x.Shape()[axis:])
	if isWhole := func(w node) bool { return w == nil || w.Shape().Equal(shape) }; isWhole(c.in(1)) &&
		isWhole(c.at(2)) {
		return []node{ops.LayerNormOver(x, shape, c.in(1), c.at(2), c.float("epsilon", 1e-5)), mean, inverse}
	}
	y := ops.Mul(ops.Mul(ops.Sub(x, mean), inverse), c.in(1)) // they are broadcast
	if b := c.at(2); b != nil {
		y = ops.Add(y, b)
	}
	return []node{y, mean, inverse}
}

// lrn has, of an even size, the channel more behind an element that PyTorch has before it.
func lrn(c *call, x node) node {
	size, alpha, beta, k := c.int("size", 0), c.float("alpha", 1e-4), c.float("beta", 0.75), c.float("bias", 1)
	if size%2 == 0 {
		return ops.Flip(ops.LocalResponseNorm(ops.Flip(x, 1), size, alpha, beta, k), 1)
	}
	return ops.LocalResponseNorm(x, size, alpha, beta, k)
}
