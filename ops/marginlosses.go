package ops

import (
	"github.com/broadloom/broadloom/graph"
)

// The losses here compare distances, angles or scores, and are zero past a margin. Their reduction is
// that of the other losses: the mean unless an option says otherwise.

// cosineEpsilon is added to the squares of lengths, as in PyTorch.
const cosineEpsilon = 1e-12

// hinge is max(x, 0), with the gradient 1 at 0.
func hinge(x node) node { return ClampMin(x, 0) }

// CosineSimilarity returns the cosine of the angle between x and y along an axis: sum(x*y) / (max(|x|, eps) *
// max(|y|, eps)). Both broadcast.
func CosineSimilarity(x, y *graph.Node, axis int, eps float64) *graph.Node {
	defer building("CosineSimilarity", x, y, axis, eps)()
	unit := func(v node) node { return Div(v, ClampMin(Norm(v, 2, Axis(axis), KeepDims()), eps)) }
	return Sum(Mul(unit(x), unit(y)), Axis(axis))
}

// Normalize returns x divided by the greater of eps and its norm of order p along an axis.
func Normalize(x *graph.Node, p float64, axis int, eps float64) *graph.Node {
	defer building("Normalize", x, p, axis, eps)()
	return Div(x, ClampMin(Norm(x, p, Axis(axis), KeepDims()), eps))
}

// PairwiseDistance returns the norm of order p of x - y + eps along the last axis.
func PairwiseDistance(x, y *graph.Node, p, eps float64) *graph.Node {
	defer building("PairwiseDistance", x, y, p, eps)()
	return Norm(Add(Sub(x, y), num(eps)), p, -1)
}

// CosineEmbedding returns the mean over examples of 1 - c where the target is 1, and of max(c - margin, 0) where it
// is -1. c is the cosine of the angle between x [N, D] and y [N, D], and the target is [N]. For vectors [D] the
// target is a scalar.
func CosineEmbedding(x, y, target *graph.Node, margin float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("CosineEmbedding", x, y, target, margin)()
	defer inFloat32(&x, &y)()
	withScalars(nil, opMul, &x, &y, &target)
	square := func(v node) node { return Add(Sum(Square(v), -1), num(cosineEpsilon)) }
	cosine := Div(Sum(Mul(x, y), -1), Sqrt(Mul(square(x), square(y))))
	unlike := Where(Equal(target, num(-1)), hinge(Sub(cosine, num(margin))), num(0))
	return reduceLoss(opts, Where(Equal(target, num(1)), Sub(num(1), cosine), unlike))
}

// HingeEmbedding returns the mean of x where the target is 1, and of max(margin - x, 0) where it is -1.
func HingeEmbedding(x, target *graph.Node, margin float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("HingeEmbedding", x, target, margin)()
	defer inFloat32(&x)()
	withScalars(nil, opMul, &x, &target)
	far := Where(NotEqual(target, num(1)), hinge(Sub(num(margin), x)), num(0))
	near := Where(NotEqual(target, num(-1)), x, num(0))
	return reduceLoss(opts, Add(far, near))
}

// MarginRanking returns the mean of max(margin - target*(x - y), 0). The target is 1 where x should rank above y, and
// -1 where y should rank above x.
func MarginRanking(x, y, target *graph.Node, margin float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("MarginRanking", x, y, target, margin)()
	defer inFloat32(&x, &y)()
	withScalars(nil, opMul, &x, &y, &target)
	return reduceLoss(opts, hinge(Add(Mul(Neg(target), Sub(x, y)), num(margin))))
}

// tripletEpsilon is added to differences in the distances of TripletMargin, as in PyTorch.
const tripletEpsilon = 1e-6

// TripletMargin returns the mean over examples of max(|anchor - positive| - |anchor - negative| + margin, 0), with
// the norm of order p along the last axis. [SwapDistance] uses |positive - negative| if that is less than |anchor -
// negative|.
func TripletMargin(anchor, positive, negative *graph.Node, margin, p float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("TripletMargin", anchor, positive, negative, margin, p)()
	defer inFloat32(&anchor, &positive, &negative)()
	distance := func(x, y node) node { return Norm(Add(Sub(x, y), num(tripletEpsilon)), p, -1) }
	away := distance(anchor, negative)
	if lossOf(opts).swap {
		away = Minimum(away, distance(positive, negative))
	}
	return reduceLoss(opts, hinge(Add(Sub(distance(anchor, positive), away), num(margin))))
}

// MultiMargin returns the mean over examples of the sum, over the classes other than the target, of max(margin -
// x[target] + x[class], 0)^p / C. Scores x are [N, C], and targets integers [N]. p is 1 or 2. [ClassWeights] multiply
// by the weight of the target's class, before the power.
func MultiMargin(x, target *graph.Node, p int, margin float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("MultiMargin", x, target, p, margin)()
	defer inFloat32(&x)()
	l := lossOf(opts)
	if bad := refusedScores("MultiMargin", x, target); bad != nil {
		return bad
	}
	if p != 1 && p != 2 {
		return refusal(refused("MultiMargin", x, target).with(p, margin),
			&graph.Mistake{Code: graph.CodeOperand, Summary: "only p == 1 and p == 2 supported"})
	}
	index := Unsqueeze(target, -1)
	gaps := aboveZero(Add(Sub(x, Gather(x, -1, index)), num(margin)))
	if p == 2 {
		gaps = Square(gaps)
	}
	if l.weights != nil {
		gaps = Mul(gaps, Unsqueeze(Take(l.weights, 0, target), -1))
	}
	classes := x.Shape()[x.Rank()-1]
	others := NotEqual(Iota(x.Graph(), -1, x.Shape()...), index)
	each := Div(Sum(Where(others, gaps, num(0)), -1), Size(x.Graph(), x.DType(), classes))
	return reduceLoss(opts, each)
}

// notTensors returns the refusal of a call with an operand that has a mistake of its own, is a number or has a
// storage-only dtype; nil if no operand does.
func notTensors(call refusedCall) node {
	if bad := notNodes(call); bad != nil {
		return bad
	}
	for _, v := range call.in {
		if v.DType().IsStorage() {
			return refusal(call, v.StorageMistake(call.fn))
		}
	}
	return nil
}

// notNodes is notTensors for a call that converts its operands.
func notNodes(call refusedCall) node {
	for _, v := range call.in {
		switch {
		case v == nil || !v.Judged():
			return refusal(call, nil)
		case v.Graph() == nil:
			return refusal(call, &graph.Mistake{
				Code: graph.CodeOperand, Summary: v.Called() + " is a number, but must be a tensor",
				Help: []string{"use Graph.Scalar to make a tensor of a number"}})
		}
	}
	return nil
}

// refusedScores refuses operands other than scores [N, C] or [C] with integer targets [N] or []; nil where
// they are such, or have a mistake of their own.
func refusedScores(fn string, x, target node) node {
	call := refused(fn, x, target)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	switch {
	case !x.DType().IsFloat():
		return refusal(call,
			&graph.Mistake{Code: graph.CodeDType, Casts: oneFloat(x),
				Summary: "scores are floating-point numbers, and " + x.Called() + " has dtype " + x.DType().String()})
	case !target.DType().IsIndex():
		return refusal(call,
			&graph.Mistake{Code: graph.CodeDType, Casts: cast(target, graph.Int64),
				Summary: "expected scalar type Long but found " + target.DType().TorchName()})
	case x.Rank() < 1 || x.Rank() > 2 || target.Rank() != x.Rank()-1:
		return refusal(call, &graph.Mistake{Code: graph.CodeRank,
			Summary: "scores must be [N, C] with targets [N], or [C] with a scalar, but are " + x.Shape().String() +
				" with " + target.Shape().String()})
	}
	return nil
}

// SoftMargin returns the mean of log(1 + exp(-target*x)), for targets of 1 and -1.
func SoftMargin(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("SoftMargin", x, target)()
	defer inFloat32(&x, &target)()
	return reduceLoss(opts, Neg(LogSigmoid(Mul(target, x))))
}

// MultiLabelSoftMargin returns the mean over examples of the mean over the last axis of the cross-entropy of
// Sigmoid(x) with targets of 0 and 1. [ClassWeights] and [ElementWeights] multiply the terms of the inner mean.
func MultiLabelSoftMargin(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("MultiLabelSoftMargin", x, target)()
	x = scoresOfLabels.checks(refused("MultiLabelSoftMargin", x, target), x)
	each := Neg(Add(Mul(target, LogSigmoid(x)), Mul(Sub(num(1), target), LogSigmoid(Neg(x)))))
	l := lossOf(opts)
	for _, w := range []node{l.weights, l.elementWeights} {
		if w != nil {
			each = Mul(each, w)
		}
	}
	l.elementWeights = nil
	return l.reduce(Mean(each, -1))
}

func init() {
	composed("CosineSimilarity", "sum(x*y) / (max(|x|, eps) * max(|y|, eps)) along an axis.",
		named("", "torch.nn.functional.cosine_similarity", "", "", "",
			func(e *graph.Example) node {
				return CosineSimilarity(e.Of("x", "n", "k"), e.Of("y", "n", "k"), 1, 1e-8)
			}))
	composed("Normalize", "x / max(|x|, eps) along an axis.",
		named("", "torch.nn.functional.normalize", "", "LpNormalization", "",
			func(e *graph.Example) node { return Normalize(e.Of("x", "n", "k"), 2, 1, 1e-12) }))
	composed("PairwiseDistance", "|x - y + eps| along the last axis.",
		named("", "torch.nn.functional.pairwise_distance", "", "", "",
			func(e *graph.Example) node {
				return PairwiseDistance(e.Of("x", "n", "k"), e.Of("y", "n", "k"), 2, 1e-6)
			}))
	composed("CosineEmbedding",
		"mean of 1 - cos(x, y) where the target is 1, of max(cos(x, y) - margin, 0) where it is -1.",
		named("", "torch.nn.functional.cosine_embedding_loss", "", "", "", func(e *graph.Example) node {
			return CosineEmbedding(e.Of("x", "n", "k"), e.Of("y", "n", "k"), e.As(graph.Int64, "target", "n"), 0.5)
		}))
	composed("HingeEmbedding", "mean of x where the target is 1, of max(margin - x, 0) where it is -1.",
		named("", "torch.nn.functional.hinge_embedding_loss", "", "", "",
			func(e *graph.Example) node {
				return HingeEmbedding(e.Of("x", "n"), e.As(graph.Int64, "target", "n"), 1)
			}))
	composed("MarginRanking", "mean(max(margin - target*(x - y), 0)).",
		named("", "torch.nn.functional.margin_ranking_loss", "", "", "", func(e *graph.Example) node {
			return MarginRanking(e.Of("x", "n"), e.Of("y", "n"), e.As(graph.Int64, "target", "n"), 0.5)
		}))
	composed("TripletMargin", "mean(max(|anchor - positive| - |anchor - negative| + margin, 0)).",
		named("", "torch.nn.functional.triplet_margin_loss", "", "", "", func(e *graph.Example) node {
			return TripletMargin(e.Of("anchor", "n", "k"), e.Of("positive", "n", "k"), e.Of("negative", "n", "k"), 1, 2)
		}))
	composed("MultiMargin", "mean over examples of sum(max(margin - x[target] + x[class], 0)^p) / classes.",
		named("", "torch.nn.functional.multi_margin_loss", "", "", "",
			func(e *graph.Example) node {
				return MultiMargin(e.Of("x", "n", "c"), e.As(graph.Int64, "target", "n"), 1, 1)
			}))
	composed("SoftMargin", "mean(log(1 + exp(-target*x))).",
		named("", "torch.nn.functional.soft_margin_loss", "", "", "",
			func(e *graph.Example) node { return SoftMargin(e.Of("x", "n"), e.As(graph.Int64, "target", "n")) }))
	composed("MultiLabelSoftMargin", "mean of the cross-entropy of sigmoid(x) with targets of 0 and 1.",
		named("", "torch.nn.functional.multilabel_soft_margin_loss", "", "", "",
			func(e *graph.Example) node {
				return MultiLabelSoftMargin(e.Of("x", "n", "c"), e.Of("target", "n", "c"))
			}))
}
