package ops_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() { samples = append(samples, formSamples...) }

// seedOf is a seed for functions that draw.
func seedOf(x node) node { return ops.Size(x.Graph(), graph.Int64, 3) }

const drawnFlat = "each place in the program draws numbers of its own"

// formSamples are the rows of functions that join, split and replace parts, of norms, and of losses.
var formSamples = []sample{
	{name: "hstack", shapes: [][]int{{3, 2}, {3, 4}}, call: func(in ...node) node { return ops.HStack(in...) }},
	{name: "vstack", shapes: [][]int{{4}, {3, 4}}, call: func(in ...node) node { return ops.VStack(in...) }},
	{name: "dstack", shapes: [][]int{{3}, {1, 3, 2}}, call: func(in ...node) node { return ops.DStack(in...) }},
	{name: "column_stack", shapes: [][]int{{3}, {3, 2}}, call: func(in ...node) node { return ops.ColumnStack(in...) }},
	{name: "atleast_3d", shapes: [][]int{{3, 4}}, call: on(ops.AtLeast3D)},
	{name: "tensor_split", shapes: [][]int{{7, 2}}, call: on(func(x node) node { return ops.TensorSplit(x, 0, 3)[1] })},
	{name: "split_at", shapes: [][]int{{7, 2}}, call: on(func(x node) node { return ops.SplitAt(x, 0, 2, -2)[1] })},
	{name: "rot90", shapes: [][]int{{2, 3}}, call: on(func(x node) node { return ops.Rot90(x, -1, 0, 1) })},
	{name: "block_diag", shapes: [][]int{{2, 3}, {2}}, call: func(in ...node) node { return ops.BlockDiag(in...) }},
	{name: "cartesian_prod", shapes: [][]int{{2}, {3}}, call: func(in ...node) node {
		return ops.CartesianProd(in...)
	}},
	{name: "broadcast_tensors", shapes: [][]int{{2, 1}, {3}}, call: func(in ...node) node {
		return ops.BroadcastTensors(in...)[1]
	}},

	{name: "select_scatter", shapes: [][]int{{3, 4}, {3}}, call: func(in ...node) node {
		return ops.SelectScatter(in[0], in[1], 1, -2)
	}},
	{name: "slice_scatter", shapes: [][]int{{7, 2}, {3, 2}}, call: func(in ...node) node {
		return ops.SliceScatter(in[0], in[1], 0, 1, 7, 2)
	}},
	{name: "diagonal_scatter", shapes: [][]int{{3, 4}, {3}}, call: func(in ...node) node {
		return ops.DiagonalScatter(in[0], in[1], 1, 0, 1)
	}},
	{name: "fill_diagonal", shapes: [][]int{{3, 4}},
		call: on(func(x node) node { return ops.FillDiagonal(x, graph.Num(2)) })},
	{name: "dynamic_slice", shapes: [][]int{{5, 4}, {2}}, index: map[int]int{1: 5}, call: func(in ...node) node {
		return ops.DynamicSlice(in[0], ops.Unbind(in[1], 0), 2, 3)
	}},
	{name: "dynamic_update_slice", shapes: [][]int{{5, 4}, {2, 3}, {2}}, index: map[int]int{2: 5},
		call: func(in ...node) node {
			return ops.DynamicUpdateSlice(in[0], in[1], ops.Unbind(in[2], 0)...)
		}},
	{name: "take_flat", shapes: [][]int{{3, 4}, {2, 3}}, index: map[int]int{1: 12}, call: func(in ...node) node {
		return ops.TakeFlat(in[0], in[1])
	}},
	{name: "put_flat", shapes: [][]int{{3, 4}, {5}, {5}}, index: map[int]int{1: 12}, call: func(in ...node) node {
		return ops.PutFlat(in[0], in[1], in[2], ops.Accumulate())
	}},
	{name: "unravel_index", shapes: [][]int{{5}}, index: map[int]int{0: 12}, flat: "it gives places",
		call: on(func(x node) node { return ops.UnravelIndex(x, 3, 4)[1] })},

	{name: "cdist", shapes: [][]int{{4, 3}, {2, 5, 3}}, call: func(in ...node) node {
		return ops.CDist(in[0], in[1], 2)
	}},
	{name: "cdist 3", shapes: [][]int{{4, 3}, {5, 3}}, call: func(in ...node) node {
		return ops.CDist(in[0], in[1], 3)
	}},
	{name: "pdist", shapes: [][]int{{4, 3}}, call: on(func(x node) node { return ops.PDist(x, 2) })},
	{name: "bilinear", shapes: [][]int{{2, 3}, {2, 4}, {2, 3, 4}, {2}}, call: func(in ...node) node {
		return ops.Bilinear(in[0], in[1], in[2], in[3])
	}},
	{name: "instance_norm", shapes: [][]int{{2, 3, 4}, {3}, {3}}, call: func(in ...node) node {
		y, _, _ := ops.InstanceNorm(in[0], in[1], in[2], 1e-2)
		return y
	}},
	{name: "local_response_norm", shapes: [][]int{{2, 4, 3}},
		call: on(func(x node) node { return ops.LocalResponseNorm(x, 3, 0.3, 0.75, 2) })},

	{name: "feature_dropout", draws: true, shapes: [][]int{{3, 4, 5}}, flat: drawnFlat,
		call: on(func(x node) node { return ops.FeatureDropout(x, 0.5, seedOf(x)) })},
	{name: "stochastic_depth", draws: true, shapes: [][]int{{6, 5}}, flat: drawnFlat,
		call: on(func(x node) node { return ops.StochasticDepth(x, 0.5, seedOf(x)) })},
	{name: "alpha_dropout", draws: true, shapes: [][]int{{6, 5}}, flat: drawnFlat,
		call: on(func(x node) node { return ops.AlphaDropout(x, 0.5, seedOf(x)) })},
	{name: "feature_alpha_dropout", draws: true, shapes: [][]int{{6, 5}}, flat: drawnFlat,
		call: on(func(x node) node { return ops.FeatureAlphaDropout(x, 0.5, seedOf(x)) })},
	{name: "gumbel_softmax", draws: true, shapes: [][]int{{6, 5}}, flat: drawnFlat,
		call: on(func(x node) node { return ops.GumbelSoftmax(x, 0.7, true, 1, seedOf(x)) })},
	{name: "hardmax", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.Hardmax(x, -1) })},

	{name: "multilabel_margin_loss", shapes: [][]int{{3, 4}}, call: on(func(x node) node {
		labels := graph.Constant(x.Graph(), []int64{2, 0, -1, 3, 1, 1, 1, 1, -1, 0, 0, 0}, 3, 4)
		return ops.MultiLabelMargin(x, labels)
	})},
	{name: "triplet_margin_with_distance_loss", shapes: [][]int{{3, 4}, {3, 4}, {3, 4}}, call: func(in ...node) node {
		away := func(x, y node) node { return ops.PairwiseDistance(x, y, 2, 1e-6) }
		return ops.TripletMarginWithDistance(in[0], in[1], in[2], away, 1.3, ops.SwapDistance())
	}},
	{name: "kl_div of logarithms", shapes: [][]int{{3, 4}, {3, 4}}, call: func(in ...node) node {
		return ops.KLDiv(in[0], in[1], ops.LogTarget(), ops.BatchMean())
	}},
	{name: "log_cosh", shapes: [][]int{{3, 4}, {3, 4}}, cancels: true, call: func(in ...node) node {
		return ops.LogCosh(in[0], in[1])
	}},
	{name: "hinge_loss", shapes: [][]int{{3, 4}, {3, 4}}, call: func(in ...node) node {
		return ops.Hinge(in[0], in[1])
	}},
	{name: "squared_hinge", shapes: [][]int{{3, 4}, {3, 4}}, call: func(in ...node) node {
		return ops.SquaredHinge(in[0], in[1])
	}},
	{name: "categorical_hinge", shapes: [][]int{{3, 4}, {3}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.CategoricalHinge(in[0], in[1])
	}},
	{name: "mean_absolute_percentage", shapes: [][]int{{3, 4}, {3, 4}}, points: [2]float64{0.2, 2},
		call: func(in ...node) node {
			return ops.MeanAbsolutePercentage(in[0], in[1])
		}},
	{name: "mean_squared_logarithmic", shapes: [][]int{{3, 4}, {3, 4}}, points: [2]float64{0.2, 2},
		call: func(in ...node) node {
			return ops.MeanSquaredLogarithmic(in[0], in[1])
		}},
	{name: "dice", shapes: [][]int{{3, 4}, {3, 4}}, points: [2]float64{0.1, 0.9}, call: func(in ...node) node {
		return ops.Dice(in[0], in[1], 1)
	}},
	{name: "tversky", shapes: [][]int{{3, 4}, {3, 4}}, points: [2]float64{0.1, 0.9}, call: func(in ...node) node {
		return ops.Tversky(in[0], in[1], 0, 0.3, 0.7)
	}},
	{name: "poly_cross_entropy", shapes: [][]int{{3, 4}, {3}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.PolyCrossEntropy(in[0], in[1], 1.7)
	}},
	{name: "ntxent", shapes: [][]int{{4, 3}, {4}}, index: map[int]int{1: 2}, call: func(in ...node) node {
		return ops.NTXent(in[0], in[1], 0.5)
	}},

	{name: "softmax_over", shapes: [][]int{{2, 3, 4}}, call: on(func(x node) node { return ops.SoftmaxOver(x, 0, 2) })},
	{name: "log_softmax_over", shapes: [][]int{{2, 3, 4}},
		call: on(func(x node) node { return ops.LogSoftmaxOver(x, 0, 2) })},
	{name: "masked_softmax", shapes: [][]int{{3, 4}, {3, 4}}, truth: []int{1}, call: func(in ...node) node {
		return ops.MaskedSoftmax(in[0], in[1], 1)
	}},
	{name: "sparsemax", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.Sparsemax(x, 1) })},
	{name: "weight_norm", shapes: [][]int{{3, 4}, {3, 1}}, call: func(in ...node) node {
		return ops.WeightNorm(in[0], in[1], 0)
	}},
	{name: "renorm", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.Renorm(x, 2, 0, 0.7) })},
	{name: "squareplus", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.Squareplus(x, 4) })},
	{name: "sparse_plus", shapes: [][]int{{3, 4}}, call: on(ops.SparsePlus)},
	{name: "sparse_sigmoid", shapes: [][]int{{3, 4}}, call: on(ops.SparseSigmoid)},
	{name: "depth_to_space", shapes: [][]int{{1, 8, 2, 3}},
		call: on(func(x node) node { return ops.DepthToSpace(x, 2) })},
	{name: "space_to_depth", shapes: [][]int{{1, 2, 4, 6}},
		call: on(func(x node) node { return ops.SpaceToDepth(x, 2) })},
	{name: "reverse_sequence", shapes: [][]int{{3, 4, 2}, {3}}, index: map[int]int{1: 5}, call: func(in ...node) node {
		return ops.ReverseSequence(in[0], in[1], 0, 1)
	}},
	{name: "rotary_embedding", shapes: [][]int{{2, 3, 5}, {3, 2}, {3, 2}}, call: func(in ...node) node {
		return ops.RotaryEmbedding(in[0], in[1], in[2], true)
	}},
}
