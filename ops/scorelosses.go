package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// The losses here are those of optax and Keras that PyTorch lacks. Their reduction is that of the other losses.

// LogCosh returns the mean of log(cosh(x - target)). For small differences this is about half their square, and for
// large ones their magnitude minus log(2). It is optax's log_cosh and Keras's LogCosh.
func LogCosh(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("LogCosh", x, target)()
	d := difference(refused("LogCosh", x, target))
	return reduceLoss(opts, Sub(LogAddExp(d, Neg(d)), num(0.6931471805599453)))
}

// Hinge returns the mean of max(1 - target*x, 0), for targets of 1 and -1. It is optax's hinge_loss.
func Hinge(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("Hinge", x, target)()
	return reduceLoss(opts, aboveZero(Sub(num(1), Mul(x, target))))
}

// SquaredHinge returns the mean of max(1 - target*x, 0)², for targets of 1 and -1. It is Keras's SquaredHinge; Keras
// first takes the mean over the last axis.
func SquaredHinge(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("SquaredHinge", x, target)()
	return reduceLoss(opts, Square(aboveZero(Sub(num(1), Mul(x, target)))))
}

// CategoricalHinge returns the mean over examples of max(m - x[target] + 1, 0), where m is the greatest score of
// another class. Scores x are [N, C] and targets integers [N], or [C] and []. A target out of range stops the run. It
// is optax's multiclass_hinge_loss.
func CategoricalHinge(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("CategoricalHinge", x, target)()
	if bad := refusedScores("CategoricalHinge", x, target); bad != nil {
		return bad
	}
	index := Unsqueeze(target, -1)
	own := Gather(x, -1, Cast(index, graph.Int64))
	others := Where(NotEqual(Iota(x.Graph(), -1, x.Shape()...), index), Add(x, num(1)), own)
	return reduceLoss(opts, Sub(Max(others, -1), Squeeze(own, -1)))
}

// leastFraction is what denominators count as at least, as Keras's epsilon.
const leastFraction = 1e-7

// MeanAbsolutePercentage returns the mean of 100*|x - target| / max(|target|, 1e-7). It is Keras's
// MeanAbsolutePercentageError.
func MeanAbsolutePercentage(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("MeanAbsolutePercentage", x, target)()
	d := Abs(difference(refused("MeanAbsolutePercentage", x, target)))
	withScalars(nil, opMul, &x, &target)
	return reduceLoss(opts, Mul(Div(d, ClampMin(Abs(target), leastFraction)), num(100)))
}

// MeanSquaredLogarithmic returns the mean of (log(1 + x) - log(1 + target))², where x and target are at least 1e-7.
// It is Keras's MeanSquaredLogarithmicError.
func MeanSquaredLogarithmic(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("MeanSquaredLogarithmic", x, target)()
	withScalars(nil, opMul, &x, &target)
	level := func(v node) node { return Log1p(ClampMin(v, leastFraction)) }
	return reduceLoss(opts, Square(difference(refused("MeanSquaredLogarithmic", level(x), level(target)))))
}

// Dice returns the mean of 1 - 2*sum(x*target) / (sum(x) + sum(target) + 1e-7), with sums over all axes but the first
// batch ones. It is Keras's Dice with axes. Source: F. Milletari and others, V-Net, 2016.
func Dice(x, target *graph.Node, batch int, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("Dice", x, target, batch)()
	return overlap("Dice", x, target, batch, 0.5, 0.5, leastFraction/2, opts)
}

// Tversky returns the mean of 1 - tp / (tp + falsePositive*fp + falseNegative*fn + 1e-7), where tp is sum(x*target),
// fp sum(x*(1-target)) and fn sum((1-x)*target), with sums over all axes but the first batch ones. It is Keras's
// Tversky. Source: S. Salehi and others, Tversky Loss Function for Image Segmentation, 2017.
func Tversky(x, target *graph.Node, batch int, falsePositive, falseNegative float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("Tversky", x, target, batch, falsePositive, falseNegative)()
	return overlap("Tversky", x, target, batch, falsePositive, falseNegative, leastFraction, opts)
}

func overlap(fn string, x, target node, batch int, fp, missed, least float64, opts []LossOption) node {
	call := refused(fn, x, target).with(batch)
	if bad := refusedTarget(call, "the target's shape (%s) must be that of x (%s)"); bad != nil {
		return bad
	}
	both := Mul(x, target)
	if !both.Judged() {
		return both // its own mistake
	}
	if batch < 0 || batch >= both.Rank() {
		return refusal(call,
			&graph.Mistake{Code: graph.CodeAxis,
				Summary: fmt.Sprintf("at least one of the %d axes of %s must remain after the first %d", both.Rank(),
					both.Shape(), batch)})
	}
	var axes []Axis
	for axis := batch; axis < both.Rank(); axis++ {
		axes = append(axes, Axis(axis))
	}
	shared, inX, inTarget := Sum(both, axes...), Sum(x, axes...), Sum(target, axes...)
	wide := Add(Add(Mul(Sub(inX, shared), num(fp)), Mul(Sub(inTarget, shared), num(missed))), shared)
	return reduceLoss(opts, Sub(num(1), Div(shared, Add(wide, num(least)))))
}

// PolyCrossEntropy returns the mean over examples of [CrossEntropy] + epsilon*(1 - softmax(x)[target]). Scores and
// targets are those of CrossEntropy. It is optax's poly_loss_cross_entropy. Source: Z. Leng and others, PolyLoss,
// 2022.
func PolyCrossEntropy(x, target *graph.Node, epsilon float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("PolyCrossEntropy", x, target, epsilon)()
	plain := CrossEntropy(x, target, EachLoss())
	if !plain.Judged() || plain.Err() != nil {
		return plain
	}
	var hit node
	axis := classAxis(x)
	if target.DType().IsFloat() && target.Rank() == x.Rank() {
		hit = Sum(Mul(lined(target, x.Shape()), Softmax(x, axis)), Axis(axis))
	} else {
		hit = Exp(Neg(plain))
	}
	return reduceLoss(opts, Add(plain, Mul(Sub(num(1), hit), num(epsilon))))
}

// NTXent returns the normalized temperature-scaled cross-entropy of vectors x [N, D] with labels [N]: the mean over
// all pairs of vectors with the same label. The loss of a pair is the cross-entropy of their similarity against those
// of the first vector with all vectors of other labels. Similarity is the cosine divided by tau. [EachLoss] returns a
// matrix [N, N], with 0 where there is no pair. It is optax's ntxent. Source: T. Chen and others, A Simple Framework
// for Contrastive Learning of Visual Representations, 2020.
func NTXent(x, labels *graph.Node, tau float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("NTXent", x, labels, tau)()
	call := refused("NTXent", x, labels).with(tau)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if x.Rank() != 2 || labels.Rank() != 1 || !x.DType().IsFloat() || !labels.DType().IsInt() || tau == 0 {
		return refusal(call, &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf(
				"ntxent needs floating-point vectors [N, D], integer labels [N] and a temperature other than 0, but got %s %s with %s %s and %v",
				x.DType(), x.Shape(), labels.DType(), labels.Shape(), tau)})
	}
	g, n := x.Graph(), x.Shape()[0]
	unit := Normalize(x, 2, 1, leastFraction)
	near := Div(MatMul(unit, Transpose(unit, 0, 1)), num(tau))
	same := Equal(Unsqueeze(labels, 1), Unsqueeze(labels, 0)).Silence(graph.CodeMutualExpand)
	isSelf := Equal(Iota(g, 0, n, n), Iota(g, 1, n, n))
	isPair := And(same, Not(isSelf))
	most := StopGradient(Max(Where(isSelf, num(-inf), near), 1, KeepDims()))
	shifted := Sub(near, most)
	others := Sum(Where(same, num(0), Exp(shifted)), 1, KeepDims())
	each := Sub(Log(Add(Exp(shifted), others)), shifted)
	each = Where(isPair, each, num(0))
	if l := lossOf(opts); l.Reduction == "mean" {
		l.Reduction = "sum"
		return Div(l.reduce(each), Sum(Cast(isPair, x.DType())))
	}
	return reduceLoss(opts, each)
}

func init() {
	pair := func(name, doc, jax, keras string, call func(x, target *graph.Node) *graph.Node) {
		composed(name, doc, named("", keras, jax, "", "", func(e *graph.Example) node {
			return call(e.Of("x", "n", "k"), e.Of("target", "n", "k"))
		}))
	}
	pair("LogCosh", "mean(log(cosh(x - target))).", "optax.log_cosh", "keras.losses.LogCosh",
		func(x, t node) node { return LogCosh(x, t) })
	pair("Hinge", "mean(max(1 - target*x, 0)).", "optax.hinge_loss", "keras.losses.Hinge",
		func(x, t node) node { return Hinge(x, t) })
	pair("SquaredHinge", "mean(max(1 - target*x, 0)²).", "", "keras.losses.SquaredHinge", func(x, t node) node {
		return SquaredHinge(x, t)
	})
	pair("MeanAbsolutePercentage", "mean(100 * |x - target| / |target|).", "",
		"keras.losses.MeanAbsolutePercentageError",
		func(x, t node) node { return MeanAbsolutePercentage(x, t) })
	pair("MeanSquaredLogarithmic", "mean((log(1 + x) - log(1 + target))²).", "",
		"keras.losses.MeanSquaredLogarithmicError",
		func(x, t node) node { return MeanSquaredLogarithmic(x, t) })
	pair("Dice", "1 - 2*sum(x*target) / (sum(x) + sum(target)).", "", "keras.losses.Dice",
		func(x, t node) node { return Dice(x, t, 1) })
	pair("Tversky", "1 - tp / (tp + a*fp + b*fn).", "", "keras.losses.Tversky", func(x, t node) node {
		return Tversky(x, t, 1, 0.3, 0.7)
	})
	composed("CategoricalHinge", "mean of the greatest score of another class less the target's plus 1, or 0.",
		named("", "keras.losses.CategoricalHinge", "optax.multiclass_hinge_loss", "", "", func(e *graph.Example) node {
			return CategoricalHinge(e.Of("x", "n", "c"), e.As(graph.Int64, "target", "n"))
		}))
	composed("PolyCrossEntropy", "mean(-log(p) + epsilon*(1 - p)) for the target's probability p = softmax(x)[target].",
		named("", "", "optax.poly_loss_cross_entropy", "", "", func(e *graph.Example) node {
			return PolyCrossEntropy(e.Of("x", "n", "c"), e.As(graph.Int64, "target", "n"), 2)
		}))
	composed("NTXent", "cross-entropy of each pair of vectors of one label among those of other labels.",
		named("", "", "optax.ntxent", "", "", func(e *graph.Example) node {
			return NTXent(e.Of("x", "n", "k"), e.As(graph.Int64, "labels", "n"), 0.07)
		}))
}
