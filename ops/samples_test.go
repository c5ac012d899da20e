package ops_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// sample is one row of the test of all entries: a call, and what it is called with.
type sample struct {
	// name is the entry's, and words that tell several rows of one entry apart.
	name string
	call func(in ...*graph.Node) *graph.Node
	// outOfPlace is set of a row that writes in place: the same call without writing.
	outOfPlace func(in ...*graph.Node) *graph.Node
	// arity is the number of operands of an elementwise row, which runs through all
	// patterns of broadcasting; other rows give the shapes of their operands.
	arity  int
	shapes [][]int
	// index holds, by operand, the size of which it holds indices.
	index map[int]int
	// truth lists the operands that are truth values.
	truth []int
	// points is the range in which the operation is smooth, where not that of the test.
	points [2]float64
	// cancels says that the result is a small difference of numbers of the size of 1: its
	// last digits are noise.
	cancels bool
	// draws says that each place in the program, and each step of a loop, draws numbers of its own.
	draws bool
	// flat says why gradients are not those of central differences.
	flat string
}

func (s sample) indexOf(i int) int  { return s.index[i] }
func (s sample) isTruth(i int) bool { return slices.Contains(s.truth, i) }
func (s sample) elementwise() bool  { return s.shapes == nil }

type node = *graph.Node

// on is a call of a function of one operand.
func on(f func(x node) node) func(in ...node) node {
	return func(in ...node) node { return f(in[0]) }
}

const internal = "the operation is part of others, which have the gradient"

// samples are the rows of operations that need fixed arguments or certain operands.
var samples = []sample{
	{name: "where", arity: 3, truth: []int{0}, call: func(in ...node) node { return ops.Where(in[0], in[1], in[2]) }},
	{name: "cast float32", arity: 1, flat: "float32 has too few digits for differences",
		call: on(func(x node) node { return ops.Cast(x, graph.Float32) })},
	{name: "cast float64", arity: 1, call: on(func(x node) node { return ops.Cast(x, graph.Float64) })},
	{name: "cast bool", arity: 1, call: on(func(x node) node { return ops.Cast(x, graph.Bool) })},
	{name: "clamp", arity: 1, call: on(func(x node) node { return ops.Clamp(x, -1, 2) })},
	{name: "clamp low", arity: 1, call: on(func(x node) node { return ops.ClampMin(x, 0) })},
	{name: "clamp high", arity: 1, call: on(func(x node) node { return ops.ClampMax(x, 0.47) })},
	{name: "elu", arity: 1, call: on(func(x node) node { return ops.Elu(x, 1.5) })},
	{name: "leaky_relu", arity: 1, call: on(func(x node) node { return ops.LeakyRelu(x, 0.1) })},
	{name: "gelu", arity: 1, cancels: true, call: on(ops.Gelu)},
	{name: "gelu_tanh", arity: 1, cancels: true, call: on(ops.GeluTanh)},
	{name: "pow 2", arity: 1, call: on(func(x node) node { return ops.Pow(x, graph.Num(2)) })},
	{name: "pow 3", arity: 1, call: on(func(x node) node { return ops.Pow(x, graph.Num(3.0)) })},
	{name: "pow 0", arity: 1, call: on(func(x node) node { return ops.Pow(x, graph.Num(0.0)) })},
	{name: "pow 0.5", arity: 1, call: on(func(x node) node { return ops.Pow(x, graph.Num(0.5)) })},
	{name: "pow -1", arity: 1, call: on(func(x node) node { return ops.Pow(x, graph.Num(-1.0)) })},
	{name: "pow -2.5", arity: 1, call: on(func(x node) node { return ops.Pow(x, graph.Num(-2.5)) })},
	{name: "pow", arity: 2, call: func(in ...node) node { return ops.Pow(in[0], in[1]) }},
	{name: "logaddexp2", arity: 2, cancels: true, call: func(in ...node) node { return ops.LogAddExp2(in[0], in[1]) }},
	{name: "stop_gradient", arity: 1, flat: "no gradient flows, on purpose", call: on(ops.StopGradient)},
	{name: "barrier", shapes: [][]int{{3, 4}, {2}}, call: func(in ...node) node { return ops.Barrier(in[0], in[1]) }},
	{name: "full", shapes: [][]int{{3, 2}},
		call: on(func(x node) node { return ops.Add(x, ops.Full(x.Graph(), graph.Int32, 3, 2)) })},
	{name: "iota", shapes: [][]int{{3, 4}},
		call: on(func(x node) node { return ops.Add(x, ops.Iota(x.Graph(), 1, 3, 4)) })},
	{name: "size", shapes: [][]int{{3, 4}},
		call: on(func(x node) node { return ops.Add(x, ops.Size(x.Graph(), graph.Int64, 7)) })},
	{name: "after", shapes: [][]int{{3, 4}, {4}}, call: func(in ...node) node {
		x := ops.Copy(in[0])
		return ops.After(x, ops.AddInPlace(ops.Select(x, 0, 1), in[1]))
	}},
	{name: "copy_", shapes: [][]int{{3, 4}, {4}}, call: func(in ...node) node {
		return ops.CopyInPlace(ops.Copy(in[0]), in[1])
	}},

	{name: "sum", shapes: [][]int{{3, 4, 5}}, call: on(func(x node) node { return ops.Sum(x, 0, 2) })},
	{name: "sum all", shapes: [][]int{{3, 7}}, call: on(func(x node) node { return ops.Sum(x) })},
	{name: "sum of nothing", shapes: [][]int{{3, 0}}, call: on(func(x node) node { return ops.Sum(x, 1) })},
	{name: "sum_to", shapes: [][]int{{3, 4}}, call: on(func(x node) node {
		return ops.SumTo(x, graph.Shape{1, x.Shape()[1]}, []graph.AxisKind{graph.Undecided, graph.Same})
	})},
	{name: "prod", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.Prod(x, 1) })},
	{name: "amax", shapes: [][]int{{3, 4, 2}}, call: on(func(x node) node { return ops.Max(x, 0, 2, ops.KeepDims()) })},
	{name: "amin", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.Min(x) })},
	{name: "amax_or_lowest", shapes: [][]int{{3, 4}}, flat: internal,
		call: on(func(x node) node { return ops.LogSoftmax(x, 1) })},
	{name: "max", shapes: [][]int{{3, 4}}, call: on(func(x node) node { v, _ := ops.MaxIndex(x, 0); return v })},
	{name: "min", shapes: [][]int{{3, 4}},
		call: on(func(x node) node { v, _ := ops.MinIndex(x, 1, ops.KeepDims()); return v })},
	{name: "argmax", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.ArgMax(x, 1) })},
	{name: "argmin", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.ArgMin(x) })},
	{name: "any", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.Any(x, 0) })},
	{name: "all", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.All(x, -1, ops.KeepDims()) })},
	{name: "mean", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.Mean(x, 0) })},
	{name: "var", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.Var(x, 1, 1) })},
	{name: "std", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.Std(x, 0, 0, ops.KeepDims()) })},
	{name: "norm 2", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.Norm(x, 2, 1) })},
	{name: "norm 3", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.Norm(x, 3) })},
	{name: "norm inf", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.Norm(x, math.Inf(1), 0) })},
	{name: "logsumexp", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.LogSumExp(x, 1) })},
	{name: "softmax", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.Softmax(x, 0) })},
	{name: "log_softmax", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.LogSoftmax(x, -1) })},
	{name: "argsort", shapes: [][]int{{3, 5}}, flat: "it gives places",
		call: on(func(x node) node { return ops.ArgSort(x, 1, false) })},
	{name: "argsort descending", shapes: [][]int{{5, 2, 3}}, flat: "it gives places",
		call: on(func(x node) node { return ops.ArgSort(x, 0, true) })},
	{name: "topk", shapes: [][]int{{3, 40}}, flat: "it gives places",
		call: on(func(x node) node { _, at := ops.TopK(x, 3, 1, true); return at })},
	{name: "topk least", shapes: [][]int{{5, 3}}, flat: "it gives places",
		call: on(func(x node) node { _, at := ops.TopK(x, 4, 0, false); return at })},
	{name: "order", shapes: [][]int{{3, 5}}, flat: internal,
		call: on(func(x node) node { return ops.ArgSort(x, -1, true) })},
	{name: "cumsum", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.CumSum(x, 1) })},
	{name: "cummax", shapes: [][]int{{3, 5}}, call: on(func(x node) node { v, _ := ops.CumMax(x, 1); return v })},
	{name: "cummax of places", shapes: [][]int{{5, 2, 3}}, flat: "it gives places",
		call: on(func(x node) node { _, at := ops.CumMax(x, 0); return at })},
	{name: "cummin", shapes: [][]int{{5, 3}}, call: on(func(x node) node { v, _ := ops.CumMin(x, 0); return v })},
	{name: "running_places", shapes: [][]int{{3, 5}}, flat: internal,
		call: on(func(x node) node { _, at := ops.CumMin(x, -1); return at })},
	{name: "logcumsumexp", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.LogCumSumExp(x, 1) })},
	{name: "linear_recurrence", shapes: [][]int{{4, 3}, {4, 3}}, call: func(in ...node) node {
		return ops.LinearRecurrence(in[0], in[1], 0)
	}},
	{name: "recur", shapes: [][]int{{3, 4}, {3, 4}}, flat: internal, call: func(in ...node) node {
		return ops.LinearRecurrence(in[0], in[1], 1)
	}},
	{name: "searchsorted", shapes: [][]int{{3, 6}, {3, 4}}, flat: "it gives places", call: func(in ...node) node {
		sorted, _ := ops.Sort(in[0], 1, false)
		return ops.SearchSorted(sorted, in[1], false)
	}},
	{name: "searchsorted right", shapes: [][]int{{6}, {3, 4}}, flat: "it gives places", call: func(in ...node) node {
		sorted, _ := ops.Sort(in[0], 0, false)
		return ops.Bucketize(in[1], sorted, true)
	}},
	{name: "quantile", shapes: [][]int{{3, 6}, {4}}, call: func(in ...node) node {
		return ops.Quantile(in[0], ops.Sigmoid(in[1]), 1, ops.QuantileLinear)
	}},
	{name: "quantile between", shapes: [][]int{{6, 3}},
		call: on(func(x node) node { return ops.Quantile(x, graph.Num(0.3), 0, ops.QuantileMidpoint) })},
	{name: "nanquantile", shapes: [][]int{{3, 6}},
		call: on(func(x node) node { return ops.NanQuantile(x, graph.Num(0.3), 1, ops.QuantileNearest) })},
	{name: "argsort of a median", shapes: [][]int{{3, 6}},
		call: on(func(x node) node { v, _ := ops.Median(x, 1); return v })},
	{name: "argsort of a mode", shapes: [][]int{{3, 6}}, flat: "differences change what is equal",
		call: on(func(x node) node { v, _ := ops.Mode(ops.Round(x), 1); return v })},
	{name: "argsort of different values", shapes: [][]int{{3, 4}}, call: on(func(x node) node {
		values, _, _ := ops.Unique(x, 13, graph.Num(0))
		return values
	})},
	{name: "row_order of different slices", shapes: [][]int{{4, 3, 2}}, call: on(func(x node) node {
		values, _, _ := ops.UniqueAlong(x, 1, 3, graph.Num(0))
		return values
	})},
	{name: "row_order of equal rows", shapes: [][]int{{7, 3}}, flat: "it gives places", call: on(func(x node) node {
		_, inverse, _ := ops.UniqueAlong(ops.Greater(x, graph.Num(0)), 0, 7, graph.Num(0))
		return inverse
	})},
	{name: "bit_cast", shapes: [][]int{{3, 8}}, flat: "bits have no slope",
		call: on(func(x node) node { return ops.BitCast(x, graph.Uint8) })},
	{name: "bit_cast of bytes", shapes: [][]int{{3, 8}}, flat: "bits have no slope",
		call: on(func(x node) node { return ops.BitCast(ops.BitCast(x, graph.Uint8), graph.Int64) })},
	{name: "searchsorted of a histogram", shapes: [][]int{{3, 4}, {6}, {4}}, flat: "it jumps",
		call: func(in ...node) node {
			edges, _ := ops.Sort(in[1], 0, false)
			return ops.Histogram(in[0], edges, in[2])
		}},
	{name: "segment_sum of a count", shapes: [][]int{{7}, {7}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.Bincount(in[1], 4, in[0])
	}},
	{name: "cumprod", shapes: [][]int{{3, 5}}, call: on(func(x node) node { return ops.CumProd(x, 0) })},

	{name: "reshape", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.Reshape(x, 2, -1) })},
	{name: "squeeze", shapes: [][]int{{3, 1, 4}}, call: on(func(x node) node { return ops.Squeeze(x) })},
	{name: "unsqueeze", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.Unsqueeze(x, -1) })},
	{name: "expand", shapes: [][]int{{3, 1}}, call: on(func(x node) node { return ops.Expand(x, 2, -1, 4) })},
	{name: "permute", shapes: [][]int{{3, 4, 2}}, call: on(func(x node) node { return ops.Permute(x, 2, 0, 1) })},
	{name: "transpose", shapes: [][]int{{3, 4, 2}}, call: on(func(x node) node { return ops.Transpose(x, 0, -1) })},
	{name: "slice", shapes: [][]int{{3, 9}}, call: on(func(x node) node { return ops.Slice(x, 1, 1, -1, 3) })},
	{name: "select", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.Select(x, 0, -1) })},
	{name: "flip", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.Flip(x, 0, 1) })},
	{name: "diagonal", shapes: [][]int{{4, 3, 2}}, call: on(func(x node) node { return ops.Diagonal(x, -1, 0, 1) })},
	{name: "as_strided", shapes: [][]int{{3, 4}},
		call: on(func(x node) node { return ops.AsStrided(x, graph.Shape{3, 3}, []graph.Dim{2, 1}, 1) })},
	{name: "window", shapes: [][]int{{2, 9}}, call: on(func(x node) node { return ops.Window(x, 1, 3, 2, 1) })},
	{name: "fold of large windows", shapes: [][]int{{2, 4, 40}},
		call: on(func(x node) node { return ops.Fold(x, 1, 80, 12, 1) })},
	{name: "fold of large windows along the first axis", shapes: [][]int{{3, 2, 36}},
		call: on(func(x node) node { return ops.Fold(x, 0, 60, 12, 1) })},
	{name: "fold", shapes: [][]int{{2, 4, 3}}, call: on(func(x node) node { return ops.Fold(x, 1, 9, 2, 1) })},
	{name: "pad", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.Pad(x, 1, 2, 1, 3) })},
	{name: "concat", shapes: [][]int{{3, 2}, {3, 1}, {3, 4}}, call: func(in ...node) node {
		return ops.Concat(1, in...)
	}},
	{name: "stack", shapes: [][]int{{3, 2}, {3, 2}}, call: func(in ...node) node { return ops.Stack(1, in...) }},
	{name: "triu", shapes: [][]int{{3, 4}}, call: on(func(x node) node { return ops.Triu(x, 1) })},
	{name: "tril", shapes: [][]int{{2, 3, 3}}, call: on(func(x node) node { return ops.Tril(x, 0) })},

	{name: "matmul", shapes: [][]int{{3, 4}, {4, 5}}, call: func(in ...node) node { return ops.MatMul(in[0], in[1]) }},
	{name: "matmul of batches", shapes: [][]int{{2, 1, 3, 4}, {3, 4, 2}}, call: func(in ...node) node {
		return ops.MatMul(in[0], in[1])
	}},
	{name: "matmul of a vector", shapes: [][]int{{4}, {2, 4, 3}}, call: func(in ...node) node {
		return ops.MatMul(in[0], in[1])
	}},
	{name: "conv1d", shapes: [][]int{{2, 2, 7}, {3, 2, 3}, {3}}, call: func(in ...node) node {
		return ops.Conv1D(in[0], in[1], in[2], ops.Stride(2), ops.Padding(1))
	}},
	{name: "conv2d", shapes: [][]int{{1, 4, 4, 3}, {4, 2, 2, 2}}, call: func(in ...node) node {
		return ops.Conv2D(in[0], in[1], nil, ops.Groups(2))
	}},
	{name: "conv3d", shapes: [][]int{{1, 2, 3, 4, 3}, {3, 2, 2, 2, 2}, {3}}, call: func(in ...node) node {
		return ops.Conv3D(in[0], in[1], in[2], ops.Padding(0, 1, 0))
	}},
	{name: "max_pool1d", shapes: [][]int{{1, 2, 7}},
		call: on(func(x node) node { return ops.MaxPool1D(x, 3, ops.Stride(2), ops.Padding(1)) })},
	{name: "max_pool2d", shapes: [][]int{{1, 1, 5, 5}},
		call: on(func(x node) node { return ops.MaxPool2D(x, 2, 2, ops.CeilMode()) })},
	{name: "max_pool3d", shapes: [][]int{{1, 1, 3, 4, 5}},
		call: on(func(x node) node { return ops.MaxPool3D(x, 2, 2, 3, ops.Stride(1, 2, 2)) })},
	{name: "avg_pool1d", shapes: [][]int{{1, 2, 7}}, call: on(func(x node) node { return ops.AvgPool1D(x, 3) })},
	{name: "avg_pool2d", shapes: [][]int{{1, 1, 5, 4}},
		call: on(func(x node) node { return ops.AvgPool2D(x, 2, 2, ops.Padding(1), ops.ExcludePadding()) })},
	{name: "avg_pool2d dilated", shapes: [][]int{{1, 2, 6, 7}}, call: on(func(x node) node {
		return ops.AvgPool2D(x, 3, 2, ops.Stride(2), ops.Dilation(2, 3), ops.Padding(1), ops.CeilMode(),
			ops.ExcludePadding())
	})},
	{name: "avg_pool3d", shapes: [][]int{{1, 1, 3, 4, 5}},
		call: on(func(x node) node { return ops.AvgPool3D(x, 2, 2, 3, ops.Stride(1, 2, 2), ops.Padding(1)) })},
	{name: "adaptive_max_pool", shapes: [][]int{{1, 2, 5, 4}},
		call: on(func(x node) node { return ops.AdaptiveMaxPool(x, 3, 2) })},
	{name: "adaptive_avg_pool", shapes: [][]int{{2, 2, 7}},
		call: on(func(x node) node { return ops.AdaptiveAvgPool(x, 3) })},

	{name: "take", shapes: [][]int{{4, 3}, {2, 2}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.Take(in[0], 0, in[1])
	}},
	{name: "segment_sum", shapes: [][]int{{5, 3}, {5}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.SegmentSum(in[0], 0, in[1], 4)
	}},
	{name: "segment_prod", shapes: [][]int{{5, 3}, {5}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.SegmentProd(in[0], 0, in[1], 4)
	}},
	{name: "segment_max", shapes: [][]int{{7, 3}, {7}}, index: map[int]int{1: 2}, call: func(in ...node) node {
		return ops.SegmentMax(in[0], 0, in[1], 2)
	}},
	{name: "segment_min", shapes: [][]int{{7, 3}, {7}}, index: map[int]int{1: 2}, call: func(in ...node) node {
		return ops.SegmentMin(in[0], 0, in[1], 2)
	}},
	{name: "segment_max of batches", shapes: [][]int{{2, 3, 2, 3}, {3, 2}}, index: map[int]int{1: 2},
		call: func(in ...node) node { return ops.SegmentMax(in[0], -2, in[1], 2) }},
	{name: "segment_sum of a mean", shapes: [][]int{{5, 3}, {5}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.SegmentMean(in[0], 0, in[1], 4) }},
	{name: "segment_sum of a softmax", shapes: [][]int{{3, 5}, {5}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.SegmentSoftmax(in[0], 1, in[1], 4) }},
	{name: "scatter", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.Scatter(in[0], 0, in[1], in[2])
	}},
	{name: "scatter_add", shapes: [][]int{{2, 4}, {2, 5}, {2, 6}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.ScatterAdd(in[0], -1, in[1], in[2]) }},
	{name: "index_copy", shapes: [][]int{{4, 3}, {5}, {5, 3}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.IndexCopy(in[0], 0, in[1], in[2])
	}},
	{name: "index_add", shapes: [][]int{{2, 4, 2}, {5}, {2, 5, 2}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.IndexAdd(in[0], 1, in[1], in[2]) }},
	{name: "index_copy of a fill", shapes: [][]int{{2, 4}, {3}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.IndexFill(in[0], 1, in[1], graph.Num(7))
	}},
	{name: "gather along an axis", shapes: [][]int{{1, 4, 2}, {3, 2, 1}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.TakeAlongAxis(in[0], 1, ops.Sub(in[1], graph.Num(2)))
		}},
	{name: "scatter_reduce by sum", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterReduce(in[0], 0, in[1], in[2], ops.ReduceSum)
		}},
	{name: "scatter_reduce by sum without self", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterReduce(in[0], 0, in[1], in[2], ops.ReduceSum, ops.ExcludeSelf())
		}},
	{name: "scatter_reduce by prod", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterReduce(in[0], 0, in[1], in[2], ops.ReduceProd)
		}},
	{name: "scatter_reduce by prod without self", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterReduce(in[0], 0, in[1], in[2], ops.ReduceProd, ops.ExcludeSelf())
		}},
	{name: "scatter_reduce by mean", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterReduce(in[0], 0, in[1], in[2], ops.ReduceMean)
		}},
	{name: "scatter_reduce by mean without self", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterReduce(in[0], 0, in[1], in[2], ops.ReduceMean, ops.ExcludeSelf())
		}},
	{name: "scatter_reduce by max", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterReduce(in[0], 0, in[1], in[2], ops.ReduceMax)
		}},
	{name: "scatter_reduce by max without self", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterReduce(in[0], 0, in[1], in[2], ops.ReduceMax, ops.ExcludeSelf())
		}},
	{name: "scatter_reduce by min", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterReduce(in[0], 0, in[1], in[2], ops.ReduceMin)
		}},
	{name: "scatter_reduce by min without self", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterReduce(in[0], 0, in[1], in[2], ops.ReduceMin, ops.ExcludeSelf())
		}},
	{name: "index_reduce", shapes: [][]int{{2, 4}, {5}, {2, 5}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.IndexReduce(in[0], 1, in[1], in[2], ops.ReduceMax)
	}},
	{name: "gather_nd", shapes: [][]int{{4, 4, 2}, {3, 2}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.GatherND(in[0], in[1], 0)
	}},
	{name: "gather_nd of batches", shapes: [][]int{{2, 4, 3}, {2, 3, 1}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.GatherND(in[0], ops.Sub(in[1], graph.Num(4)), 1)
		}},
	{name: "scatter_nd", shapes: [][]int{{4, 4, 2}, {3, 2}, {3, 2}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.ScatterND(in[0], in[1], in[2]) }},
	{name: "scatter_nd_reduce by sum", shapes: [][]int{{4, 2}, {3, 3, 1}, {3, 3, 2}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterNDReduce(in[0], ops.Sub(in[1], graph.Num(4)), in[2], ops.ReduceSum)
		}},
	{name: "scatter_nd_reduce by max", shapes: [][]int{{4, 2}, {5, 1}, {5, 2}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.ScatterNDReduce(in[0], in[1], in[2], ops.ReduceMax, ops.ExcludeSelf())
		}},
	{name: "index", shapes: [][]int{{2, 4, 4}, {3, 1}, {2}}, index: map[int]int{1: 4, 2: 4},
		call: func(in ...node) node {
			return ops.Index(in[0], nil, in[1], ops.Sub(in[2], graph.Num(4)))
		}},
	{name: "index of axes apart", shapes: [][]int{{4, 2, 4}, {3}, {}}, index: map[int]int{1: 4, 2: 4},
		call: func(in ...node) node {
			return ops.Index(in[0], in[1], nil, in[2])
		}},
	{name: "index_put", shapes: [][]int{{2, 4, 4}, {3, 1}, {2}, {3, 1}}, index: map[int]int{1: 4, 2: 4},
		call: func(in ...node) node {
			return ops.IndexPut(in[0], []node{nil, in[1], ops.Sub(in[2], graph.Num(4))}, in[3])
		}},
	{name: "index_put added", shapes: [][]int{{4, 2, 4}, {3}, {1}, {3, 2}}, index: map[int]int{1: 4, 2: 4},
		call: func(in ...node) node {
			return ops.IndexPut(in[0], []node{in[1], nil, in[2]}, in[3], ops.Accumulate())
		}},
	{name: "index_put in place", shapes: [][]int{{4, 2}, {3}, {2}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.IndexPutInPlace(ops.Copy(in[0]), []node{in[1]}, in[2], ops.Accumulate())
		}},
	{name: "embedding_bag", shapes: [][]int{{2, 3}, {5, 2}, {2, 3}}, index: map[int]int{0: 5},
		call: func(in ...node) node {
			return ops.EmbeddingBag(in[0], in[1], ops.ReduceSum, ops.PerSampleWeights(in[2]), ops.PaddingIndex(1))
		}},
	{name: "embedding_bag of a mean", shapes: [][]int{{7}, {5, 2}, {4}}, index: map[int]int{0: 5, 2: 3},
		call: func(in ...node) node {
			return ops.EmbeddingBag(in[0], in[1], ops.ReduceMean,
				ops.Offsets(ops.Sub(ops.CumSum(in[2], 0), ops.Select(in[2], 0, 0))), ops.PaddingIndex(-2))
		}},
	{name: "embedding_bag of the greatest", shapes: [][]int{{3, 4}, {5, 2}}, index: map[int]int{0: 5},
		call: func(in ...node) node {
			return ops.EmbeddingBag(in[0], in[1], ops.ReduceMax, ops.PaddingIndex(1))
		}},
	{name: "compress", shapes: [][]int{{4, 3}, {4}}, truth: []int{1}, call: func(in ...node) node {
		slices, _ := ops.Compress(in[0], 0, in[1], 5, graph.Num(7))
		return slices
	}},
	{name: "compress of a table", shapes: [][]int{{2, 3, 2, 2}, {3, 2}}, truth: []int{1}, call: func(in ...node) node {
		slices, _ := ops.Compress(in[0], -2, in[1], 6, graph.Num(7))
		return slices
	}},
	{name: "repeat_interleave", shapes: [][]int{{2, 3}, {3}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		repeated, _ := ops.RepeatInterleaveBy(in[0], 1, in[1], 10, graph.Num(7))
		return repeated
	}},
	{name: "masked_scatter", shapes: [][]int{{2, 3}, {4, 1, 3}, {5, 6}}, truth: []int{1}, call: func(in ...node) node {
		return ops.MaskedScatter(in[0], in[1], in[2])
	}},
	{name: "segment_min of a mask", shapes: [][]int{{4, 3}, {3}}, truth: []int{1}, call: func(in ...node) node {
		values, _ := ops.MaskedSelect(in[0], in[1], 13, graph.Num(7))
		return values
	}},
	{name: "segment_min of places", shapes: [][]int{{4, 3}}, flat: "it gives places", call: on(func(x node) node {
		index, count := ops.Nonzero(ops.ClampMin(x, 1), 12, graph.Num(-1))
		return ops.Add(index, count)
	})},
	{name: "index_select", shapes: [][]int{{3, 4}, {5}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.IndexSelect(in[0], 1, in[1])
	}},
	{name: "gather", shapes: [][]int{{3, 4}, {3, 6}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.Gather(in[0], 1, in[1])
	}},
	{name: "embedding", shapes: [][]int{{2, 3}, {5, 2}}, index: map[int]int{0: 5},
		flat: "no gradient flows to the padding row",
		call: func(in ...node) node { return ops.Embedding(in[0], in[1], 1) }},
	{name: "cross_entropy", shapes: [][]int{{4, 3}, {4}}, index: map[int]int{1: 3}, call: func(in ...node) node {
		return ops.CrossEntropy(in[0], in[1])
	}},
	{name: "cross_entropy without class 0", shapes: [][]int{{4, 3}, {4}}, index: map[int]int{1: 3},
		call: func(in ...node) node {
			return ops.CrossEntropy(in[0], in[1], ops.IgnoreIndex(0), ops.SumLoss())
		}},
	{name: "cross_entropy with class weights", shapes: [][]int{{4, 3, 2}, {4, 2}, {3}}, index: map[int]int{1: 3},
		call: func(in ...node) node {
			return ops.CrossEntropy(in[0], in[1], ops.ClassWeights(in[2]), ops.IgnoreIndex(1))
		}},
	{name: "cross_entropy of each with class weights", shapes: [][]int{{4, 3}, {4}, {3}}, index: map[int]int{1: 3},
		call: func(in ...node) node {
			return ops.CrossEntropy(in[0], in[1], ops.ClassWeights(in[2]), ops.EachLoss())
		}},
	{name: "cross_entropy of one with class weights", shapes: [][]int{{3}, {}, {3}}, index: map[int]int{1: 3},
		call: func(in ...node) node {
			return ops.CrossEntropy(in[0], in[1], ops.ClassWeights(in[2]), ops.SumLoss())
		}},
	{name: "nll_loss with class weights", shapes: [][]int{{4, 3}, {4}, {3}}, index: map[int]int{1: 3},
		call: func(in ...node) node {
			return ops.NLL(in[0], in[1], ops.ClassWeights(in[2]))
		}},
	{name: "nll_loss", shapes: [][]int{{4, 3, 2}, {4, 2}}, index: map[int]int{1: 3}, call: func(in ...node) node {
		return ops.NLL(in[0], in[1], ops.EachLoss())
	}},
	{name: "soft_cross_entropy", shapes: [][]int{{4, 3}, {4, 3}, {3}}, call: func(in ...node) node {
		return ops.CrossEntropy(in[0], in[1], ops.ClassWeights(in[2]))
	}},
	{name: "is_class", shapes: [][]int{{4, 3}, {4}}, index: map[int]int{1: 3}, flat: internal,
		call: func(in ...node) node { return ops.CrossEntropy(in[0], in[1]) }},
	{name: "class_of", shapes: [][]int{{4, 3}, {4}}, index: map[int]int{1: 3}, flat: internal,
		call: func(in ...node) node { return ops.NLL(ops.Copy(in[0]), in[1]) }},
	{name: "check_index", shapes: [][]int{{4, 3}, {4, 3}}, index: map[int]int{1: 4}, flat: internal,
		call: func(in ...node) node { return ops.Gather(in[0], 0, in[1]) }},
}

// values feeds an operand: random numbers, or those on which implementations differ.
func (s sample) values(x node, shape []int, i int, kind string) reference.Value {
	count := 1
	for _, d := range shape {
		count *= d
	}
	rng := rand.New(rand.NewPCG(uint64(i), uint64(count)))
	data := make([]float64, count)
	choice := s.specials(x.DType())
	for k := range data {
		switch {
		case s.indexOf(i) > 0:
			data[k] = float64(rng.IntN(s.indexOf(i)))
		case x.DType() == graph.Bool:
			data[k] = float64(rng.IntN(2))
		case kind == "special":
			data[k] = choice[(k+i)%len(choice)]
		case x.DType().IsInt():
			data[k] = float64(rng.IntN(19) - 9)
		default:
			data[k] = rng.NormFloat64() * 2
		}
	}
	return reference.FromFloats(x.DType(), data, shape...)
}

// specials are the numbers at the edges of a dtype. Sums of the greatest depend on their
// order, so that only elementwise rows have them.
func (s sample) specials(t graph.DType) []float64 {
	if t.IsInt() {
		return []float64{0, 1, -1, 2, -7, math.MaxInt32, math.MinInt32}
	}
	list := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0.5, 1.5, -2.5, 1e-40,
		-1e-310}
	if s.elementwise() {
		list = append(list, 1e30, -1e30, 88.8, -104, 709.9, -746)
	}
	return list
}
