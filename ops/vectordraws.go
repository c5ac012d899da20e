package ops

import (
	"github.com/broadloom/broadloom/graph"
)

// Distributions of vectors and matrices; see [MultivariateNormal].

// OneHotCategorical returns, for scores [..., c], one-hot vectors of their shape and dtype, with the 1 at an index
// drawn with the probabilities of their Softmax. They have no gradient; see [OneHotCategoricalStraightThrough].
func OneHotCategorical(seed, logits *graph.Node) *graph.Node {
	defer building("OneHotCategorical", seed, logits)()
	if bad := refusedCategories(refused("OneHotCategorical", seed, logits), logits); bad != nil {
		return bad
	}
	return oneHotDraw(seed, logits)
}

func refusedCategories(call refusedCall, logits node) node {
	if bad := refusedParameter(call, logits); bad != nil {
		return bad
	}
	if logits.Rank() < 1 {
		return call.wrong(graph.CodeRank, "scores must have a last axis of categories, but %s is a scalar",
			logits.Called())
	}
	return nil
}

func oneHotDraw(seed, logits node) node {
	return OneHot(Categorical(seed, StopGradient(logits), -1), lastSize(logits), logits.DType())
}

// OneHotCategoricalStraightThrough is [OneHotCategorical] with the gradient of Softmax(logits). Source: Bengio,
// Léonard and Courville, Estimating or Propagating Gradients Through Stochastic Neurons, 2013.
func OneHotCategoricalStraightThrough(seed, logits *graph.Node) *graph.Node {
	defer building("OneHotCategoricalStraightThrough", seed, logits)()
	if bad := refusedCategories(refused("OneHotCategoricalStraightThrough", seed, logits), logits); bad != nil {
		return bad
	}
	p := Softmax(logits, -1)
	return Add(oneHotDraw(seed, logits), Sub(p, StopGradient(p)))
}

// RelaxedOneHotCategorical returns, for scores [..., c], vectors of positive numbers with sum 1, which are nearer to
// those of [OneHotCategorical] for a lower temperature: Softmax of (logits + [Gumbel]) / temperature. Logits have
// gradients. Source: Jang, Gu and Poole, Categorical Reparameterization with Gumbel-Softmax, 2017.
func RelaxedOneHotCategorical(seed, logits *graph.Node, temperature float64) *graph.Node {
	defer building("RelaxedOneHotCategorical", seed, logits, temperature)()
	call := refused("RelaxedOneHotCategorical", seed, logits).with(temperature)
	if bad := refusedCategories(call, logits); bad != nil {
		return bad
	}
	if !(temperature > 0) {
		return call.wrong(graph.CodeOperand, "the temperature must be above 0, but it is %v", temperature)
	}
	wide := widened(logits)
	return rounded(Softmax(Div(Add(wide, Gumbel(seed, wide.DType(), wide.Shape()...)), num(temperature)), -1), logits)
}

// LowRankMultivariateNormal returns vectors mean + W·z + sqrt(D)·e from the normal distribution with the covariances
// W·Wᵀ + diag(D), where z and e are standard normal. mean and the variances D are [..., n], and the factor W is [...,
// n, k]. Leading axes broadcast, and all have gradients.
func LowRankMultivariateNormal(seed, mean, factor, variances *graph.Node) *graph.Node {
	defer building("LowRankMultivariateNormal", seed, mean, factor, variances)()
	call := refused("LowRankMultivariateNormal", seed, mean, factor, variances)
	if bad := refusedDraw(call, mean, factor, variances); bad != nil {
		return bad
	}
	if mean.Rank() < 1 || factor.Rank() < 2 || variances.Rank() < 1 {
		return call.wrong(graph.CodeRank,
			"mean and variances must be vectors and the factor a matrix, but their shapes are %s, %s and %s",
			mean.Shape(), variances.Shape(), factor.Shape())
	}
	whole := Add(Mul(Sum(factor, -1), num(0)), Add(mean, variances))
	if whole.Err() != nil || !whole.Judged() {
		return whole
	}
	lead := whole.Shape()[:whole.Rank()-1]
	z := Normal(seed, whole.DType(), append(lead[:len(lead):len(lead)], lastSize(factor))...)
	along := Squeeze(MatMul(factor, Unsqueeze(z, -1)), -1)
	return Add(Add(mean, along), Mul(Sqrt(variances), Normal(seed, whole.DType(), whole.Shape()...)))
}

// MixtureSameFamily returns draws from a mixture, [..., event...]: it selects from the draws of its k components,
// [..., k, event...], with the probabilities of the Softmax of logits, [..., k]. Both have the same axes before k.
// The selected draws get the gradient; logits get none.
func MixtureSameFamily(seed, logits, draws *graph.Node) *graph.Node {
	defer building("MixtureSameFamily", seed, logits, draws)()
	call := refused("MixtureSameFamily", seed, logits, draws)
	if bad := refusedCategories(call, logits); bad != nil {
		return bad
	}
	if bad := notTensors(call); bad != nil {
		return bad
	}
	axis, events := logits.Rank()-1, draws.Rank()-logits.Rank()
	if events < 0 {
		return call.wrong(graph.CodeRank,
			"draws of components must start with the axes of the scores, but the shapes are %s and %s", draws.Shape(),
			logits.Shape())
	}
	isDrawn := along(Equal(oneHotDraw(seed, logits), num(1)), events)
	return Sum(Where(isDrawn, draws, num(0)), Axis(axis))
}

// ContinuousBernoulli returns numbers between 0 and 1 whose density is proportional to p^x·(1-p)^(1-x). For p = 1/2
// it is uniform. p has gradients. Source: Loaiza-Ganem and Cunningham, The continuous Bernoulli: fixing a pervasive
// error in variational autoencoders, 2019.
func ContinuousBernoulli(seed, p *graph.Node) *graph.Node {
	return ofParameter("ContinuousBernoulli", seed, p, func(p node) node {
		q := Cast(p, graph.Float64)
		slope := Sub(Log(q), Log1p(Neg(q))) // of the logarithm of the density
		rises := Greater(slope, num(0))
		u := awayFromZero(seed, graph.Float64, q.Shape())
		// mirrored, so that exponentials are at most 1
		u, fall := Where(rises, Sub(num(1), u), u), Where(rises, Neg(slope), slope)
		isFlat := Greater(fall, num(-1e-4))
		safe := Where(isFlat, num(-1), fall)
		x := Div(Log1p(Mul(u, Expm1(safe))), safe)
		bend := Mul(Mul(u, Sub(num(1), u)), fall)
		flat := Add(u, Add(Mul(num(0.5), bend), Mul(Mul(bend, Sub(num(1), Mul(num(2), u))), Div(fall, num(6)))))
		x = Where(isFlat, flat, x)
		return Cast(Where(rises, Sub(num(1), x), x), p.DType())
	})
}

// LogisticNormal returns vectors [..., k+1] of positive numbers with sum 1, from normal vectors x [..., k] with the
// given means and deviations. These broadcast and have gradients. Element i is the fraction Sigmoid(x[i] - log(k-i))
// of what the elements before it leave, as in PyTorch, and the last element is the rest.
func LogisticNormal(seed, mean, deviation *graph.Node) *graph.Node {
	defer building("LogisticNormal", seed, mean, deviation)()
	call := refused("LogisticNormal", seed, mean, deviation)
	if bad := refusedDraw(call, mean, deviation); bad != nil {
		return bad
	}
	whole := Add(mean, deviation)
	if whole.Err() != nil || !whole.Judged() {
		return whole
	}
	if whole.Rank() < 1 {
		return call.wrong(graph.CodeRank, "means and deviations must have a last axis, but they are scalars")
	}
	t, g, k := whole.DType(), whole.Graph(), lastSize(whole)
	x := Add(mean, Mul(deviation, Normal(seed, t, whole.Shape()...)))
	left := Cast(Sub(Size(g, graph.Int64, k), Iota(g, 0, k)), t)
	x = Sub(x, Log(left))
	share, rest := Pad(Sigmoid(x), -1, 0, 1, 1), Pad(CumProd(Sigmoid(Neg(x)), -1), -1, 1, 0, 1)
	return Mul(share, rest)
}

// Wishart returns matrices [..., n, n] from the Wishart distribution with the given degrees of freedom, [...], above
// n - 1: sums of x·xᵀ of that many vectors x from [MultivariateNormal]. scale are the lower triangular matrices L, as
// from [Cholesky], [..., n, n], of covariances L·Lᵀ. Leading axes broadcast. scale has a gradient, and freedom that
// of [RandomGamma]. Source: the decomposition of M. Bartlett, 1933.
func Wishart(seed, freedom, scale *graph.Node) *graph.Node {
	defer building("Wishart", seed, freedom, scale)()
	call := refused("Wishart", seed, freedom, scale)
	if bad := refusedDraw(call, freedom, scale); bad != nil {
		return bad
	}
	if scale.Rank() < 2 || scale.Shape()[scale.Rank()-2] != lastSize(scale) {
		return call.wrong(graph.CodeRank, "scales must be square matrices, but %s has shape %s", scale.Called(),
			scale.Shape())
	}
	rows := Add(Unsqueeze(freedom, -1), Mul(Select(scale, -1, 0), num(0))) // of the shape to which both are repeated
	if rows.Err() != nil || !rows.Judged() {
		return rows
	}
	t, n := rows.DType(), lastSize(scale)
	place := Cast(Iota(seed.Graph(), 0, n), t)
	diagonal := rounded(Sqrt(chiSquare(seed, widened(Sub(rows, place)))), rows)
	below := Tril(Normal(seed, t, append(rows.Shape()[:rows.Rank():rows.Rank()], n)...), -1)
	factor := MatMul(Tril(scale, 0), Add(below, diagonalOf(diagonal)))
	return MatMul(factor, transposed(factor))
}

// LKJCholesky returns lower triangular matrices [..., n, n], as from [Cholesky], of correlation matrices whose
// density is proportional to their determinant to the power of concentration - 1. With concentration 1 all are
// equally likely. Concentrations, [...], are above 0 and have the gradient of [RandomBeta]. All correlations have the
// same distribution; in PyTorch those from the third row on are larger. Source: Lewandowski, Kurowicka and Joe,
// Generating random correlation matrices based on vines and extended onion method, 2009 (the onion method).
func LKJCholesky(seed *graph.Node, n graph.Dim, concentration *graph.Node) *graph.Node {
	defer building("LKJCholesky", seed, n, concentration)()
	call := refused("LKJCholesky", seed, concentration).with(n)
	if bad := refusedDraw(call, concentration); bad != nil {
		return bad
	}
	if size, known := n.Int(); known && size < 2 {
		return call.wrong(graph.CodeOperand, "a correlation matrix must have at least two rows, but has %d", size)
	}
	t, shape := concentration.DType(), append(concentration.Shape()[:concentration.Rank():concentration.Rank()], n)
	most := Sub(Unsqueeze(concentration, -1), num(1))
	if most.Err() != nil || !most.Judged() {
		return most
	}
	g := seed.Graph()
	before := Cast(ClampMin(Sub(Iota(g, 0, n), num64(1)), 0), t) // rows between the first and this one
	none := Zeros(g, t, shape...)
	size := Cast(Size(g, graph.Int64, n), t)
	length := RandomBeta(seed, Add(none, Mul(num(0.5), Add(before, num(1)))),
		Add(none, Add(most, Mul(num(0.5), Sub(size, before)))))
	isFirst := Equal(Iota(g, 0, n), num64(0))
	length = Where(isFirst, num(0), length)
	z := Tril(Normal(seed, t, append(shape[:len(shape):len(shape)], n)...), -1)
	squares := Sum(Square(z), Axis(-1))
	direction := Mul(z, Unsqueeze(Rsqrt(Where(isFirst, num(1), squares)), -1))
	w := Mul(Unsqueeze(Sqrt(Where(isFirst, num(1), length)), -1), direction)
	return Add(w, diagonalOf(Sqrt(Sub(num(1), length))))
}

func init() {
	seed := func(e *graph.Example) node { return e.As(graph.Int64, "seed") }
	composed("OneHotCategorical", "1 at a place drawn by softmax(logits), else 0.",
		flat("it jumps", "", "torch.distributions.OneHotCategorical", "", "", "",
			func(e *graph.Example) node { return OneHotCategorical(seed(e), e.Of("logits", "n", "c")) }))
	composed("OneHotCategoricalStraightThrough",
		"1 at a place drawn by softmax(logits), else 0, with the gradient of softmax(logits).",
		named("", "torch.distributions.OneHotCategoricalStraightThrough", "", "", "",
			func(e *graph.Example) node {
				return OneHotCategoricalStraightThrough(seed(e), e.Of("logits", "n", "c"))
			}))
	composed("RelaxedOneHotCategorical", "softmax((logits + gumbel) / temperature).",
		named("", "torch.distributions.RelaxedOneHotCategorical", "", "", "",
			func(e *graph.Example) node { return RelaxedOneHotCategorical(seed(e), e.Of("logits", "n", "c"), 0.5) }))
	composed("LowRankMultivariateNormal", "mean + factor·z + sqrt(variances)·e of normal numbers z and e.",
		named("", "torch.distributions.LowRankMultivariateNormal", "", "", "", func(e *graph.Example) node {
			return LowRankMultivariateNormal(seed(e), e.Of("mean", "n"), e.Of("factor", "n", "k"),
				e.Of("variances", "n"))
		}))
	composed("MixtureSameFamily", "the draws of components that are drawn by softmax(logits).",
		named("", "torch.distributions.MixtureSameFamily", "", "", "",
			func(e *graph.Example) node {
				return MixtureSameFamily(seed(e), e.Of("logits", "n", "k"), e.Of("draws", "n", "k"))
			}))
	composed("ContinuousBernoulli", "log(1 + u·(exp(s) - 1)) / s with s = logit(p).",
		named("", "torch.distributions.ContinuousBernoulli", "", "", "",
			func(e *graph.Example) node { return ContinuousBernoulli(seed(e), e.Of("p", "n")) }))
	composed("LogisticNormal", "shares of 1, one after the other, of normal numbers.",
		named("", "torch.distributions.LogisticNormal", "", "", "",
			func(e *graph.Example) node { return LogisticNormal(seed(e), e.Of("mean", "n"), e.Of("deviation", "n")) }))
	composed("Wishart", "the sum of x·xᵀ over the given number of normal vectors x.",
		named("", "torch.distributions.Wishart", "", "", "",
			func(e *graph.Example) node { return Wishart(seed(e), e.Of("freedom"), e.Of("scale", "n", "n")) }))
	composed("LKJCholesky", "the lower triangle of a random matrix of correlations.",
		named("", "torch.distributions.LKJCholesky", "", "", "",
			func(e *graph.Example) node { return LKJCholesky(seed(e), 3, e.Of("concentration", "n")) }))
}
