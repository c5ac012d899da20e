package ops

import "github.com/broadloom/broadloom/graph"

// aboveZero is max(x, 0) with the gradient 0 at 0; NaN counts for nothing, as in PyTorch's losses of margins.
func aboveZero(x node) node { return Where(Greater(x, num(0)), x, num(0)) }

// MultiLabelMargin returns the mean over examples of the sum, over the labels a and the other classes b, of max(1 -
// (x[a] - x[b]), 0) / C. Scores x are [N, C] or [C]. The target, Int64 of the same shape, has the labels of each
// example, followed by -1; the rest is not read. A label out of range stops the run. It is PyTorch's
// multilabel_margin_loss.
func MultiLabelMargin(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("MultiLabelMargin", x, target)()
	defer inFloat32(&x)()
	call := refused("MultiLabelMargin", x, target)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	switch {
	case !x.DType().IsFloat():
		return refusal(call,
			&graph.Mistake{Code: graph.CodeDType, Casts: oneFloat(x),
				Summary: "scores are floating-point numbers, and " + x.Called() + " has dtype " + x.DType().String()})
	case target.DType() != graph.Int64:
		return refusal(call,
			&graph.Mistake{Code: graph.CodeDType, Casts: cast(target, graph.Int64),
				Summary: "expected scalar type Long but found " + target.DType().TorchName()})
	case x.Rank() > 2 || x.Rank() != target.Rank():
		return refusal(call, &graph.Mistake{Code: graph.CodeRank,
			Summary: "Expected non-empty vector or matrix with optional 0-dim batch size, but got: " +
				x.Shape().String() + " with targets " + target.Shape().String()})
	}
	var same []sameSize
	for i := range x.Rank() {
		same = append(same, sameSize{a: target, i: i, b: x, j: i, of: "labels of a score",
			says: "inconsistent target size: " + target.Shape().String() + " for input of size: " + x.Shape().String()})
	}
	if bad := call.unequal(graph.CodeSlice, same...); bad != nil {
		return bad
	}
	g, scores := x.Graph(), vector(x)
	axis, labels := scores.Rank()-1, Assert(
		vector(target), GreaterEqual(vector(target), num64(-1)), "a target is out of range")
	requireEqual(labels, same...)
	labels = lined(labels, scores.Shape())
	isLabel := Equal(CumSum(Cast(Less(labels, num64(0)), graph.Int64), axis), num64(0))
	labels = Where(isLabel, labels, num64(0))
	classes := scores.Shape()[axis]
	wide := append(scores.Shape()[:axis:axis], classes, classes) // by label, by class
	isOther := Not(Any(And(Equal(Unsqueeze(labels, -1), Iota(g, -1, wide...)), Unsqueeze(isLabel, -1)), Axis(axis),
		KeepDims()))
	gaps := aboveZero(Add(Sub(num(1), Unsqueeze(Gather(scores, -1, labels), -1)), Unsqueeze(scores, axis)))
	counts := And(Unsqueeze(isLabel, -1), isOther)
	each := Div(Sum(Where(counts, gaps, num(0)), Axis(axis), Axis(axis+1)), Size(g, x.DType(), classes))
	if x.Rank() == 0 {
		each = Reshape(each)
	}
	return reduceLoss(opts, each)
}

// TripletMarginWithDistance is [TripletMargin] with a custom distance: a function of two values [N, …] that returns the
// distances [N]. It is PyTorch's triplet_margin_with_distance_loss.
func TripletMarginWithDistance(anchor, positive, negative *graph.Node, distance func(x, y *graph.Node) *graph.Node,
	margin float64, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("TripletMarginWithDistance", anchor, positive, negative, "distance", margin)()
	if distance == nil {
		return refusal(refused("TripletMarginWithDistance", anchor, positive, negative),
			&graph.Mistake{Code: graph.CodeOperand, Summary: "the distance is nil",
				Help: []string{"pass a function of two values, such as one that calls ops.PairwiseDistance"}})
	}
	away := distance(anchor, negative)
	if lossOf(opts).swap {
		away = Minimum(away, distance(positive, negative))
	}
	return reduceLoss(opts, hinge(Add(Sub(distance(anchor, positive), away), num(margin))))
}

func init() {
	composed("MultiLabelMargin", "mean over examples of sum(max(1 - (x[label] - x[other]), 0)) / classes.",
		named("", "torch.nn.functional.multilabel_margin_loss, torch.nn.MultiLabelMarginLoss", "", "", "",
			func(e *graph.Example) node {
				return MultiLabelMargin(e.Of("x", "n", "m"), e.As(graph.Int64, "target", "n", "m"))
			}))
	composed("TripletMarginWithDistance",
		"mean(max(distance(anchor, positive) - distance(anchor, negative) + margin, 0)).",
		named("", "torch.nn.functional.triplet_margin_with_distance_loss, torch.nn.TripletMarginWithDistanceLoss", "",
			"", "", func(e *graph.Example) node {
				l1 := func(x, y node) node { return PairwiseDistance(x, y, 1, 0) }
				return TripletMarginWithDistance(e.Of("anchor", "n", "k"), e.Of("positive", "n", "k"),
					e.Of("negative", "n", "k"), l1, 1)
			}))
}
