package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// PoissonNLL returns the mean of exp(x) - target*x, the negative log-likelihood of counts under Poisson distributions
// with rates exp(x). [Rates] says that x holds the rates themselves. [ConstantTerms] adds Stirling's approximation of
// log(target!) where the target is above 1.
func PoissonNLL(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("PoissonNLL", x, target)()
	defer inFloat32(&x, &target)()
	withScalars(nil, opMul, &x, &target)
	l := lossOf(opts)
	each := Sub(Exp(x), Mul(target, x))
	if l.rates {
		each = Sub(x, Mul(target, Log(Add(x, num(rateEpsilon)))))
	}
	if l.full {
		safe := ClampMin(target, 1)
		stirling := Add(Sub(Mul(safe, Log(safe)), safe), Mul(num(0.5), Log(Mul(num(2*math.Pi), safe))))
		each = Add(each, Where(Greater(target, num(1)), stirling, num(0)))
	}
	return l.reduce(each)
}

// rateEpsilon keeps the logarithm of a rate finite, and leastGaussianVariance a variance above 0, as
// PyTorch's defaults do.
const (
	rateEpsilon           = 1e-8
	leastGaussianVariance = 1e-6
)

// GaussianNLL returns the mean of (log(variance) + (x - target)²/variance)/2, the negative log-likelihood of the
// target under normal distributions with mean x. The variance is one number, or has x's shape, where its last axis
// may be 1 or missing: then it holds for all elements along that axis, as in PyTorch. It is clamped to at least 1e-6,
// with the gradient of a variance that is not clamped. [ConstantTerms] adds log(2π)/2. The target broadcasts.
func GaussianNLL(x, target, variance *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("GaussianNLL", x, target, variance)()
	l := lossOf(opts)
	if x != nil && variance != nil && x.Judged() && variance.Judged() {
		if _, isNumber := variance.Literal(); isNumber {
			variance = x.Graph().Convert(variance, asFloat(x).DType())
		}
	}
	if x != nil && variance != nil && x.Judged() && variance.Judged() && variance.Rank() > 0 {
		given, before := variance.Shape(), x.Shape()[:max(x.Rank()-1, 0)]
		switch {
		case given.Equal(before):
			variance = Unsqueeze(variance, -1)
		case !given.Equal(x.Shape()) && !given.Equal(append(slices.Clone(before), 1)):
			return refusal(refused("GaussianNLL", x, target, variance), &graph.Mistake{Code: graph.CodeBroadcast,
				Summary: fmt.Sprintf("var is of incorrect size: it is %s, but x is %s", given, x.Shape())})
		}
	}
	least := Add(Sub(variance, StopGradient(variance)), num(leastGaussianVariance))
	v := Where(Less(variance, num(leastGaussianVariance)), least, variance)
	each := Mul(num(0.5), Add(Log(v), Div(Square(Sub(x, target)), v)))
	if l.full {
		each = Add(each, num(0.5*math.Log(2*math.Pi)))
	}
	return l.reduce(each)
}

// SigmoidFocal returns the focal loss: the mean of alphaₜ (1 - pₜ)^gamma times the binary cross-entropy of p =
// Sigmoid(x) with targets of 0 and 1. For target 1, pₜ is p and alphaₜ is alpha; for target 0 they are 1 - p and 1 -
// alpha. A negative alpha leaves out the factor alphaₜ. Source: Lin and others, Focal Loss for Dense Object
// Detection, 2017.
func SigmoidFocal(x, target *graph.Node, alpha, gamma float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("SigmoidFocal", x, target, alpha, gamma)()
	defer inFloat32(&x, &target)()
	withScalars(nil, opMul, &x, &target)
	x = scoresOfLabels.checks(refused("SigmoidFocal", x, target), x)
	entropy := Sub(Mul(Sub(num(1), target), x), LogSigmoid(x))
	p := Sigmoid(x)
	wrong := Add(Mul(Sub(num(1), p), target), Mul(p, Sub(num(1), target)))
	each := Mul(entropy, Pow(wrong, num(gamma)))
	if alpha >= 0 {
		each = Mul(each, Add(Mul(num(2*alpha-1), target), num(1-alpha)))
	}
	return reduceLoss(opts, each)
}

func init() {
	composed("PoissonNLL", "mean(exp(x) - target*x).",
		named("", "torch.nn.functional.poisson_nll_loss", "", "", "",
			func(e *graph.Example) node { return PoissonNLL(e.Of("x", "n"), e.Of("target", "n")) }))
	composed("GaussianNLL", "mean(log(variance) + (x - target)²/variance) / 2.",
		named("", "torch.nn.functional.gaussian_nll_loss", "", "", "", func(e *graph.Example) node {
			return GaussianNLL(e.Of("x", "n"), e.Of("target", "n"), e.Of("variance", "n"))
		}))
	composed("SigmoidFocal", "mean(alphaₜ * (1 - pₜ)^gamma * -log(pₜ)).",
		named("", "torchvision.ops.sigmoid_focal_loss", "", "", "",
			func(e *graph.Example) node { return SigmoidFocal(e.Of("x", "n"), e.Of("target", "n"), 0.25, 2) }))
}
