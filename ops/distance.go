package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// The losses here compare x with a target element by element. They are means over all
// elements unless an option says otherwise. x and target broadcast, with a warning, as in
// PyTorch: that their shapes differ is seldom meant.

// MSE returns the mean of the squared differences.
func MSE(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("MSE", x, target)()
	defer inFloat32(&x, &target)()
	return reduceLoss(opts, Square(difference(refused("MSE", x, target))))
}

// L1 returns the mean of the magnitudes of the differences.
func L1(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("L1", x, target)()
	defer inFloat32(&x, &target)()
	return reduceLoss(opts, Abs(difference(refused("L1", x, target))))
}

// Huber returns the mean over differences d of d²/2 where |d| is less than delta, and of delta*(|d| - delta/2)
// elsewhere.
func Huber(x, target *graph.Node, delta float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("Huber", x, target, delta)()
	defer inFloat32(&x, &target)()
	if !(delta > 0) { // NaN too
		return refusal(refused("Huber", x, target).with(delta), &graph.Mistake{Code: graph.CodeOperand,
			Summary: fmt.Sprintf("huber_loss does not support non-positive values for delta, but it is %v", delta)})
	}
	d := difference(refused("Huber", x, target).with(delta))
	size := Abs(d)
	return reduceLoss(opts,
		Where(Less(size, num(delta)), Mul(num(0.5), Square(d)), Mul(num(delta), Sub(size, num(0.5*delta)))))
}

// SmoothL1 returns the mean over differences d of d²/(2 beta) where |d| is less than beta, and of |d| - beta/2
// elsewhere.
func SmoothL1(x, target *graph.Node, beta float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("SmoothL1", x, target, beta)()
	defer inFloat32(&x, &target)()
	if beta == 0 {
		return L1(x, target, opts...)
	}
	d := difference(refused("SmoothL1", x, target).with(beta))
	size := Abs(d)
	return reduceLoss(opts, Where(Less(size, num(beta)), Mul(num(0.5/beta), Square(d)), Sub(size, num(0.5*beta))))
}

// BCEWithLogits returns the mean of -(t log s + (1-t) log(1-s)), where s is the sigmoid of x and t the target. It is
// accurate even if s is near 0 or 1. The target must have x's shape or be a number.
func BCEWithLogits(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("BCEWithLogits", x, target)()
	defer inFloat32(&x, &target)()
	if bad := refusedTarget(refused("BCEWithLogits", x, target),
		"Target size (torch.Size(%s)) must be the same as input size (torch.Size(%s))"); bad != nil {
		return bad
	}
	withScalars(nil, opMul, &x, &target)
	x = scoresOfBCE.checks(refused("BCEWithLogits", x, target), x)
	in, round := computedWide(x, target)
	x, target = in[0], in[1]
	l, likely := lossOf(opts), LogSigmoid(x)
	if l.positive != nil {
		likely = Mul(likely, Add(Mul(Sub(l.positive, num(1)), target), num(1)))
	}
	return round(l.reduce(Sub(Mul(Sub(num(1), target), x), likely)))
}

func init() {
	composed("BCEWithLogits", "mean(max(x, 0) - x*target + log(1 + exp(-abs(x)))).",
		named("", "torch.nn.functional.binary_cross_entropy_with_logits", "", "", "",
			func(e *graph.Example) node { return BCEWithLogits(e.Of("x", "n"), e.Of("target", "n")) }))
	composed("Huber", "mean of d²/2 where d = |x - target| is less than delta, else delta*(d - delta/2).",
		named("", "torch.nn.functional.huber_loss", "", "", "",
			func(e *graph.Example) node { return Huber(e.Of("x", "n"), e.Of("target", "n"), 1) }))
	composed("L1", "mean(|x - target|).",
		named("", "torch.nn.functional.l1_loss", "", "", "",
			func(e *graph.Example) node { return L1(e.Of("x", "n"), e.Of("target", "n")) }))
	composed("MSE", "mean((x - target)²).",
		named("", "torch.nn.functional.mse_loss", "", "", "",
			func(e *graph.Example) node { return MSE(e.Of("x", "n"), e.Of("target", "n")) }))
	composed("SmoothL1", "mean of d²/(2*beta) where d = |x - target| is less than beta, else d - beta/2.",
		named("", "torch.nn.functional.smooth_l1_loss", "", "", "",
			func(e *graph.Example) node { return SmoothL1(e.Of("x", "n"), e.Of("target", "n"), 1) }))
}
