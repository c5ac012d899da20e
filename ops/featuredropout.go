package ops

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// The functions here drop more than single elements, or put other numbers than 0 in their place.

// dropping judges the call of a kind of dropout, and returns where x is kept: a mask over the leading axes, of size 1
// on the others, or over all where the number of axes is -1. The mask is nil where nothing, or everything, is dropped.
func dropping(fn string, x node, p float64, seed node, axes, least int) (keep, bad node) {
	call := refused(fn, x).with(p)
	switch {
	case x == nil || !x.Judged() || seed == nil || !seed.Judged():
		return nil, Dropout(x, p, seed) // its own mistake
	case !x.DType().IsFloat():
		return nil, refusal(call, &graph.Mistake{Code: graph.CodeDType, Casts: oneFloat(x),
			Summary: fmt.Sprintf("dropout needs floating-point numbers, but %s has dtype %s", x.Called(), x.DType())})
	case !(p >= 0 && p <= 1): // NaN too
		return nil, refusal(
			call, &graph.Mistake{Code: graph.CodeOperand,
				Summary: fmt.Sprintf("dropout probability has to be between 0 and 1, but got %v", p)})
	case x.Rank() < least:
		return nil, refusal(call, &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf("Feature dropout requires at least %d dimensions in the input, and %s has shape %s",
				least, x.Called(), x.Shape())})
	case p == 0 || p == 1:
		return nil, nil
	}
	shape := append(graph.Shape{}, x.Shape()...)
	for axis := range shape {
		if axes >= 0 && axis >= axes {
			shape[axis] = 1
		}
	}
	return GreaterEqual(Uniform(seed, x.DType().Computed(), shape...), num(p)), nil
}

// dropped is 0 where x is not kept, and x/(1-p) elsewhere.
func dropped(x, keep, bad node, p float64) node {
	switch {
	case bad != nil:
		return bad
	case keep != nil:
		return Where(keep, Mul(x, num(1/(1-p))), num(0))
	}
	return Mul(x, num(1-p)) // all of it, or nothing
}

// FeatureDropout is [Dropout] of whole channels of x, [N, C, …]. It is PyTorch's dropout1d, 2d and 3d; for one
// example, [C, …], use [Unsqueeze]. Source: J. Tompson and others, Efficient Object Localization Using Convolutional
// Networks, 2015.
func FeatureDropout(x *graph.Node, p float64, seed *graph.Node) *graph.Node {
	defer building("FeatureDropout", x, p, seed)()
	keep, bad := dropping("FeatureDropout", x, p, seed, 2, 2)
	return dropped(x, keep, bad, p)
}

// StochasticDepth is [Dropout] of whole examples of x, [N, …], for the branch of a residual block. It is also known
// as DropPath, and is torchvision's stochastic_depth by rows. Source: G. Huang and others, Deep Networks with
// Stochastic Depth, 2016.
func StochasticDepth(x *graph.Node, p float64, seed *graph.Node) *graph.Node {
	defer building("StochasticDepth", x, p, seed)()
	keep, bad := dropping("StochasticDepth", x, p, seed, 1, 1)
	return dropped(x, keep, bad, p)
}

// seluFloor is what Selu tends to where x is small: -scale*alpha of G. Klambauer and others, Self-Normalizing Neural
// Networks, 2017.
const seluFloor = -1.7580993408473766

// AlphaDropout replaces each element with probability p by the infimum of [Selu], and scales and shifts all elements
// so that mean 0 and variance 1 are preserved: a*(x or the infimum) + b. The seed is that of [Uniform]. It is
// PyTorch's alpha_dropout.
func AlphaDropout(x *graph.Node, p float64, seed *graph.Node) *graph.Node {
	defer building("AlphaDropout", x, p, seed)()
	keep, bad := dropping("AlphaDropout", x, p, seed, -1, 0)
	return alphaDropped(x, keep, bad, p)
}

// FeatureAlphaDropout is [AlphaDropout] of whole channels of x, [N, C, …].
func FeatureAlphaDropout(x *graph.Node, p float64, seed *graph.Node) *graph.Node {
	defer building("FeatureAlphaDropout", x, p, seed)()
	keep, bad := dropping("FeatureAlphaDropout", x, p, seed, 2, 2)
	return alphaDropped(x, keep, bad, p)
}

func alphaDropped(x, keep, bad node, p float64) node {
	if keep == nil {
		return dropped(x, keep, bad, p)
	}
	a := 1 / math.Sqrt((seluFloor*seluFloor*p+1)*(1-p))
	b := -seluFloor * a * p
	return Where(keep, Add(Mul(x, num(a)), num(b)), num(a*seluFloor+b))
}

// GumbelSoftmax returns Softmax((logits + noise) / tau) along an axis, with noise from [Gumbel]: nearly one-hot
// vectors, the nearer the smaller tau is, distributed as if drawn by Softmax(logits). With hard they are one-hot,
// with the 1 at the first greatest element, and have the gradient of the soft ones. The seed is that of [Uniform]. It
// is PyTorch's gumbel_softmax. Source: E. Jang, S. Gu, B. Poole, Categorical Reparameterization with Gumbel-Softmax,
// 2016.
func GumbelSoftmax(logits *graph.Node, tau float64, hard bool, axis int, seed *graph.Node) *graph.Node {
	defer building("GumbelSoftmax", logits, tau, hard, axis, seed)()
	call := refused("GumbelSoftmax", logits, seed).with(tau, hard, axis)
	switch {
	case logits != nil && logits.Judged() && seed == nil:
		return refusal(refused("GumbelSoftmax", logits).with(tau, hard, axis, "nil"), noSeed("the seed is nil"))
	case logits == nil || !logits.Judged() || !seed.Judged():
		return refusal(call, nil)
	case !(tau > 0): // NaN too
		return refusal(call,
			&graph.Mistake{Code: graph.CodeOperand,
				Summary: fmt.Sprintf("the temperature tau must be more than 0, but it is %v", tau)})
	case !logits.DType().IsFloat() || !hasAxis(logits, axis):
		return Softmax(logits, axis) // its own mistake
	}
	wide := widened(logits)
	soft := rounded(Softmax(Div(Add(wide, Gumbel(seed, wide.DType(), wide.Shape()...)), num(tau)), axis), logits)
	if !hard || !soft.Judged() {
		return soft
	}
	return Add(Hardmax(soft, axis), Sub(soft, StopGradient(soft)))
}

// Hardmax returns 1 at the first greatest element along an axis, and 0 elsewhere, in x's dtype. No gradient flows. It
// is ONNX's Hardmax.
func Hardmax(x *graph.Node, axis int) *graph.Node {
	defer building("Hardmax", x, axis)()
	if !hasAxis(x, axis) || x.Rank() == 0 {
		return ArgMax(x, Axis(axis)) // its own mistake
	}
	most := ArgMax(x, Axis(axis), KeepDims())
	if !most.Judged() {
		return most
	}
	return Cast(Equal(most, Iota(x.Graph(), axis, x.Shape()...)), x.DType())
}

func init() {
	seed := func(e *graph.Example) node { return e.As(graph.Int64, "seed") }
	composed("FeatureDropout", "0 instead of a whole channel with probability p, else x / (1-p).",
		named(
			"",
			"torch.nn.functional.dropout1d, torch.nn.functional.dropout2d, torch.nn.functional.dropout3d, torch.feature_dropout, "+
				"torch.nn.Dropout1d, torch.nn.Dropout2d, torch.nn.Dropout3d", "", "", "",
			func(e *graph.Example) node { return FeatureDropout(e.Of("x", "n", "c", "h", "w"), 0.5, seed(e)) }))
	composed("StochasticDepth", "0 instead of a whole example with probability p, else x / (1-p).",
		named("", "torchvision.ops.stochastic_depth, torchvision.ops.StochasticDepth, timm.layers.DropPath", "", "", "",
			func(e *graph.Example) node { return StochasticDepth(e.Of("x", "n", "k"), 0.5, seed(e)) }))
	composed("AlphaDropout",
		"the least value of selu with probability p, else x; scaled and shifted to keep mean and variance.",
		named("", "torch.nn.functional.alpha_dropout, torch.nn.AlphaDropout", "", "", "",
			func(e *graph.Example) node { return AlphaDropout(e.Of("x", "n"), 0.5, seed(e)) }))
	composed("FeatureAlphaDropout", "alpha dropout of whole channels.",
		named("", "torch.nn.functional.feature_alpha_dropout, torch.nn.FeatureAlphaDropout", "", "", "",
			func(e *graph.Example) node { return FeatureAlphaDropout(e.Of("x", "n", "c", "h"), 0.5, seed(e)) }))
	composed("GumbelSoftmax", "softmax((logits + Gumbel noise) / tau), or its greatest element as 1 among zeros.",
		named("", "torch.nn.functional.gumbel_softmax", "", "", "",
			func(e *graph.Example) node { return GumbelSoftmax(e.Of("logits", "n", "c"), 1, false, 1, seed(e)) }))
	composed("Hardmax", "1 at the greatest element along an axis, 0 elsewhere.",
		flat(flatBetweenJumps, "", "", "", "Hardmax", "", func(e *graph.Example) node {
			return Hardmax(e.Of("x", "n", "k"), 1)
		}))
}
