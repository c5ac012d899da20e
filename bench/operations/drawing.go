package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// drawing are random numbers; the seed is x.
var drawing = []entry{
	{"int64<9", "torch.rand(1000000)", func(x, y, z node) node { return ops.Uniform(x, graph.Float32, 1000000) }},
	{"int64<9", "torch.randn(1000000)", func(x, y, z node) node { return ops.Normal(x, graph.Float32, 1000000) }},
	{"int64<9", "torch.randn(1000000, dtype=torch.float64)", func(x, y, z node) node {
		return ops.Normal(x, graph.Float64, 1000000)
	}},
	{"int64<9", "torch.randint(0, 10, (1000000,))", func(x, y, z node) node {
		return ops.RandInt(x, graph.Int64, 0, 10, 1000000)
	}},
	{"int64<9", "torch.randperm(100000)", func(x, y, z node) node { return ops.Permutation(x, 100000) }},
	{"int64<9; share 1000000", "torch.bernoulli(y)", func(x, y, z node) node { return ops.Bernoulli(x, y) }},
	{"int64<9; 1000000", "F.dropout(y, 0.3)", func(x, y, z node) node { return ops.Dropout(y, 0.3, x) }},
	{"int64<9; 1000000", "F.alpha_dropout(y, 0.3, True)", func(x, y, z node) node {
		return ops.AlphaDropout(y, 0.3, x)
	}},
	{"int64<9; 1000 64 8", "F.dropout1d(y, 0.3)", func(x, y, z node) node { return ops.FeatureDropout(y, 0.3, x) }},
	{"int64<9; 1000000", "F.rrelu(y, training=True)", func(x, y, z node) node { return ops.RRelu(y, 0.125, 1.0/3, x) }},
	{"int64<9", "torch.empty(1000000).exponential_()", func(x, y, z node) node {
		return ops.Exponential(x, graph.Float32, 1000000)
	}},
	{"int64<9; share 200000", "torch.poisson(y * 10)", func(x, y, z node) node {
		return ops.Poisson(x, ops.Mul(y, graph.Num(10)))
	}},
	{"int64<9; share 200000", "torch.poisson(y * 100)", func(x, y, z node) node {
		return ops.Poisson(x, ops.Mul(y, graph.Num(100)))
	}},
	{"int64<9; share 200000", "torch._standard_gamma(y)", func(x, y, z node) node { return ops.RandomGamma(x, y) }},
	{"int64<9; above 200000", "torch._standard_gamma(y)", func(x, y, z node) node { return ops.RandomGamma(x, y) }},
	{"int64<9; above 20000 10", "torch._sample_dirichlet(y)", func(x, y, z node) node { return ops.Dirichlet(x, y) }},
	{"int64<9; share 200000", "torch.binomial(torch.full_like(y, 20), y)", func(x, y, z node) node {
		return ops.Binomial(x, ops.FullLike(y, 20), y)
	}},
	{"int64<9; share 200000", "torch.empty_like(y).geometric_(0.3)", func(x, y, z node) node {
		return ops.Geometric(x, ops.FullLike(y, 0.3))
	}},
	{"int64<9; share 1000 100", "torch.multinomial(y, 10, True)", func(x, y, z node) node {
		return ops.Multinomial(x, y, 10, true)
	}},
	{"int64<9; share 1000 100", "torch.multinomial(y, 10)", func(x, y, z node) node {
		return ops.Multinomial(x, y, 10, false)
	}},
	{"int64<9; share 10000", "torch.multinomial(y, 5000, True)", func(x, y, z node) node {
		return ops.Multinomial(x, y, 5000, true)
	}},
	{"int64<9; share 100000", "torch.multinomial(y, 5000)", func(x, y, z node) node {
		return ops.Multinomial(x, y, 5000, false)
	}},
	{"int64<9; 1000 1000", "torch.distributions.Categorical(logits=y).sample()", func(x, y, z node) node {
		return ops.Categorical(x, y, 1)
	}},
	{"int64<9; 1000 100", "F.gumbel_softmax(y)", func(x, y, z node) node {
		return ops.GumbelSoftmax(y, 1, false, 1, x)
	}},
	{"int64<9; above 100000", "torch.distributions.StudentT(y).sample().clamp(-3, 3)", func(x, y, z node) node {
		return ops.Clamp(ops.StudentT(x, y), -3, 3)
	}},
	{"int64<9; above 100000", "torch.distributions.VonMises(torch.zeros_like(y), y).sample()", func(x, y, z node) node {
		return ops.VonMises(x, y)
	}},
	{"int64<9; above 100000", "torch.distributions.Beta(y, y).sample()", func(x, y, z node) node {
		return ops.RandomBeta(x, y, y)
	}},
	{"int64<9; above 100000", "torch.distributions.Weibull(torch.ones_like(y), y).sample()", func(x, y, z node) node {
		return ops.Weibull(x, y)
	}},
	{"int64<9; above 100000", "torch.distributions.Laplace(torch.zeros_like(y), 1.).sample()", func(x, y, z node) node {
		return ops.Laplace(x, graph.Float32, 100000)
	}},
}
