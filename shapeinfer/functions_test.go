package shapeinfer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// sizedCall is a call of a function, of values whose sizes are a and b.
type sizedCall struct {
	name string
	call func(g *graph.Graph, a, b graph.Dim)
}

func floats(g *graph.Graph, name string, s ...graph.Dim) *graph.Node { return g.Input(name, f32, s...) }

func indices(g *graph.Graph, name string, s ...graph.Dim) *graph.Node {
	return g.Input(name, graph.Int64, s...)
}

var sizedCalls = slices.Concat(sizedWindows, sizedLosses, sizedSelections, sizedMatrices, sizedMovements)

var sizedWindows = []sizedCall{
	{"MaxPool2D", func(g *graph.Graph, a, b graph.Dim) { ops.MaxPool2D(floats(g, "x", 1, 2, a, b), 2, 3) }},
	{"MaxPool2D ceil", func(g *graph.Graph, a, b graph.Dim) {
		ops.MaxPool2D(floats(g, "x", 1, 2, a, b), 3, 2, ops.Stride(2), ops.Padding(1), ops.CeilMode())
	}},
	{"AvgPool1D", func(g *graph.Graph, a, b graph.Dim) { ops.AvgPool1D(floats(g, "x", a, 2, b), 3, ops.Stride(2)) }},
	{"AvgPool2D excluded", func(g *graph.Graph, a, b graph.Dim) {
		ops.AvgPool2D(floats(g, "x", 2, a, b), 2, 2, ops.Padding(1), ops.ExcludePadding())
	}},
	{"MaxPool1D dilated", func(g *graph.Graph, a, b graph.Dim) {
		ops.MaxPool1D(floats(g, "x", a, 2, b), 2, ops.Dilation(2))
	}},
	{"AdaptiveAvgPool", func(g *graph.Graph, a, b graph.Dim) { ops.AdaptiveAvgPool(floats(g, "x", 2, 3, a, b), 3, 2) }},
	{"AdaptiveMaxPool", func(g *graph.Graph, a, b graph.Dim) { ops.AdaptiveMaxPool(floats(g, "x", a, 3, b), 2) }},
	{"Conv1D", func(g *graph.Graph, a, b graph.Dim) {
		ops.Conv1D(floats(g, "x", a, 4, b), floats(g, "w", 6, 4, 3), nil, ops.Stride(2), ops.Padding(1))
	}},
	{"Conv2D", func(g *graph.Graph, a, b graph.Dim) {
		ops.Conv2D(floats(g, "x", 1, 4, a, b), floats(g, "w", 6, 2, 3, 2), nil, ops.Groups(2), ops.Dilation(2))
	}},
	{"Conv2D same", func(g *graph.Graph, a, b graph.Dim) {
		ops.Conv2D(floats(g, "x", 1, 4, a, b), floats(g, "w", 6, 4, 3, 3), nil, ops.SamePadding())
	}},
	{"Conv1D of kernels", func(g *graph.Graph, a, b graph.Dim) {
		ops.Conv1D(floats(g, "x", 2, 4, a), floats(g, "w", 6, 4, b), nil)
	}},
	{"ConvTranspose1D", func(g *graph.Graph, a, b graph.Dim) {
		ops.ConvTranspose1D(floats(g, "x", a, 4, b), floats(g, "w", 4, 6, 3), nil, ops.Stride(2), ops.Padding(1),
			ops.OutputPadding(1))
	}},
	{"Im2Col", func(g *graph.Graph, a, b graph.Dim) { ops.Im2Col(floats(g, "x", 2, 3, a, b), 2, 2, ops.Stride(2)) }},
	{"Window", func(g *graph.Graph, a, b graph.Dim) { ops.Window(floats(g, "x", a, b), 1, 3, 2, 1) }},
	{"Resize", func(g *graph.Graph, a, b graph.Dim) {
		ops.ResizeBy(floats(g, "x", 1, 2, a, b), ops.ResizeLinear, []float64{2, 0.5})
	}},
	{"PixelShuffle", func(g *graph.Graph, a, b graph.Dim) { ops.PixelShuffle(floats(g, "x", a, 8, b, 3), 2) }},
	{"PixelUnshuffle", func(g *graph.Graph, a, b graph.Dim) { ops.PixelUnshuffle(floats(g, "x", 1, 2, a, b), 2) }},
	{"ChannelShuffle", func(g *graph.Graph, a, b graph.Dim) { ops.ChannelShuffle(floats(g, "x", 1, a, b, 2), 2) }},
	{"PadWith reflect", func(g *graph.Graph, a, b graph.Dim) {
		ops.PadWith(floats(g, "x", a, b), 1, 2, 1, ops.PadReflect)
	}},
	{"PadWith edge", func(g *graph.Graph, a, b graph.Dim) {
		ops.PadWith(floats(g, "x", a, b), 1, 2, 1, ops.PadReplicate)
	}},
	{"PadWith wrap", func(g *graph.Graph, a, b graph.Dim) {
		ops.PadWith(floats(g, "x", a, b), 1, 2, 1, ops.PadCircular)
	}},
	{"STFT", func(g *graph.Graph, a, b graph.Dim) { ops.STFT(floats(g, "x", a, b), 4, ops.STFTHop(2)) }},
	{"RFFT", func(g *graph.Graph, a, b graph.Dim) { ops.RFFT(floats(g, "x", a, b)) }},
	{"Convolve", func(g *graph.Graph, a, b graph.Dim) {
		ops.Convolve(floats(g, "x", a), floats(g, "y", b), ops.ConvolveValid)
	}},
	{"Convolve full", func(g *graph.Graph, a, b graph.Dim) {
		ops.Convolve(floats(g, "x", a), floats(g, "y", b), ops.ConvolveFull)
	}},
	{"Diff", func(g *graph.Graph, a, b graph.Dim) { ops.Diff(floats(g, "x", a, b), 2, 1) }},
	{"GradientAlong", func(g *graph.Graph, a, b graph.Dim) {
		ops.GradientAlong(floats(g, "x", a, b), graph.Num(1), 1, 1)
	}},
}

var sizedLosses = []sizedCall{
	{"CrossEntropy", func(g *graph.Graph, a, b graph.Dim) {
		ops.CrossEntropy(floats(g, "x", a, b), indices(g, "y", a))
	}},
	{"CrossEntropy of images", func(g *graph.Graph, a, b graph.Dim) {
		ops.CrossEntropy(floats(g, "x", 2, a, b), indices(g, "y", 2, b))
	}},
	{"CrossEntropy of others", func(g *graph.Graph, a, b graph.Dim) {
		ops.CrossEntropy(floats(g, "x", a, 5), indices(g, "y", b))
	}},
	{"NLL", func(g *graph.Graph, a, b graph.Dim) {
		ops.NLL(floats(g, "x", a, b), indices(g, "y", a), ops.EachLoss())
	}},
	{"MSE", func(g *graph.Graph, a, b graph.Dim) { ops.MSE(floats(g, "x", a, b), floats(g, "y", a, b)) }},
	{"BCE", func(g *graph.Graph, a, b graph.Dim) { ops.BCE(floats(g, "x", a, 3), floats(g, "y", b, 3)) }},
	{"KLDiv", func(g *graph.Graph, a, b graph.Dim) {
		ops.KLDiv(floats(g, "x", a, b), floats(g, "y", a, b), ops.BatchMean())
	}},
	{"CosineSimilarity", func(g *graph.Graph, a, b graph.Dim) {
		ops.CosineSimilarity(floats(g, "x", a, b), floats(g, "y", a, b), 1, 1e-6)
	}},
	{"BatchNorm", func(g *graph.Graph, a, b graph.Dim) { ops.BatchNorm(floats(g, "x", a, 3, b), nil, nil, 1e-5) }},
	{"InstanceNorm", func(g *graph.Graph, a, b graph.Dim) {
		ops.InstanceNorm(floats(g, "x", a, 3, b), nil, nil, 1e-5)
	}},
	{"GroupNorm", func(g *graph.Graph, a, b graph.Dim) { ops.GroupNorm(floats(g, "x", 2, a, b), 3, nil, nil, 1e-5) }},
	{"LayerNorm", func(g *graph.Graph, a, b graph.Dim) { ops.LayerNorm(floats(g, "x", a, b), nil, nil, 1e-5) }},
	{"Softmax", func(g *graph.Graph, a, b graph.Dim) { ops.Softmax(floats(g, "x", a, b), 1) }},
	{"Standardize", func(g *graph.Graph, a, b graph.Dim) { ops.Standardize(floats(g, "x", a, b), 1e-5, 1) }},
	{"Max", func(g *graph.Graph, a, b graph.Dim) { ops.Max(floats(g, "x", a, b), 1) }},
	{"Max of all", func(g *graph.Graph, a, b graph.Dim) { ops.Max(floats(g, "x", a, b)) }},
	{"LogSumExp", func(g *graph.Graph, a, b graph.Dim) { ops.LogSumExp(floats(g, "x", a, b), 0) }},
	{"Var", func(g *graph.Graph, a, b graph.Dim) { ops.Var(floats(g, "x", a, b), 0, 1) }},
	{"Attention", func(g *graph.Graph, a, b graph.Dim) {
		ops.ScaledDotProductAttention(floats(g, "q", 2, a, 4), floats(g, "k", 2, b, 4), floats(g, "v", 2, b, 4))
	}},
	{"Attention causal", func(g *graph.Graph, a, b graph.Dim) {
		ops.ScaledDotProductAttention(floats(g, "q", 2, a, 4), floats(g, "k", 2, b, 4), floats(g, "v", 2, b, 4),
			ops.Causal())
	}},
	{"GLU", func(g *graph.Graph, a, b graph.Dim) { ops.GLU(floats(g, "x", a, b), 1) }},
}

var sizedSelections = []sizedCall{
	{"TopK", func(g *graph.Graph, a, b graph.Dim) { ops.TopK(floats(g, "x", a, b), 2, 1, true) }},
	{"TopK of named", func(g *graph.Graph, a, b graph.Dim) { ops.TopK(floats(g, "x", 2, a), b, 1, true) }},
	{"KthValue", func(g *graph.Graph, a, b graph.Dim) { ops.KthValue(floats(g, "x", a, b), 2, 1) }},
	{"Median", func(g *graph.Graph, a, b graph.Dim) { ops.Median(floats(g, "x", a, b), 1) }},
	{"Quantile", func(g *graph.Graph, a, b graph.Dim) {
		ops.Quantile(floats(g, "x", a, b), graph.Num(0.3), 1, ops.QuantileLinear)
	}},
	{"ArgMax", func(g *graph.Graph, a, b graph.Dim) { ops.ArgMax(floats(g, "x", a, b), 1) }},
	{"Sort", func(g *graph.Graph, a, b graph.Dim) { ops.Sort(floats(g, "x", a, b), 1, true) }},
	{"CumMax", func(g *graph.Graph, a, b graph.Dim) { ops.CumMax(floats(g, "x", a, b), 1) }},
	{"Embedding", func(g *graph.Graph, a, b graph.Dim) { ops.Embedding(indices(g, "i", a), floats(g, "t", b, 3)) }},
	{"IndexSelect", func(g *graph.Graph, a, b graph.Dim) {
		ops.IndexSelect(floats(g, "x", a, 3), 0, indices(g, "i", b))
	}},
	{"Gather", func(g *graph.Graph, a, b graph.Dim) { ops.Gather(floats(g, "x", a, 3), 1, indices(g, "i", b, 2)) }},
	{"ScatterAdd", func(g *graph.Graph, a, b graph.Dim) {
		ops.ScatterAdd(floats(g, "x", a, 3), 0, indices(g, "i", b, 3), floats(g, "s", b, 3))
	}},
	{"ScatterAdd of rows", func(g *graph.Graph, a, b graph.Dim) {
		ops.ScatterAdd(floats(g, "x", 4, a), 0, indices(g, "i", 2, b), floats(g, "s", 2, b))
	}},
	{"SegmentSum", func(g *graph.Graph, a, b graph.Dim) {
		ops.SegmentSum(floats(g, "x", a, 3), 0, indices(g, "i", a), b)
	}},
	{"TakeAlongAxis", func(g *graph.Graph, a, b graph.Dim) {
		ops.TakeAlongAxis(floats(g, "x", a, b), 1, indices(g, "i", a, 2))
	}},
	{"Slice", func(g *graph.Graph, a, b graph.Dim) { ops.Slice(floats(g, "x", a, b), 1, 1, 3, 1) }},
	{"Slice to the end", func(g *graph.Graph, a, b graph.Dim) { ops.Slice(floats(g, "x", a, b), 1, 1, b, 2) }},
	{"Slice of named", func(g *graph.Graph, a, b graph.Dim) { ops.Slice(floats(g, "x", a, 3), 0, 0, b, 1) }},
	{"Select", func(g *graph.Graph, a, b graph.Dim) { ops.Select(floats(g, "x", a, b), 1, 2) }},
	{"Select last", func(g *graph.Graph, a, b graph.Dim) { ops.Select(floats(g, "x", a, b), 1, b.Minus(1)) }},
	{"Narrow", func(g *graph.Graph, a, b graph.Dim) { ops.Narrow(floats(g, "x", a, 3), 0, 1, b) }},
	{"Unique", func(g *graph.Graph, a, b graph.Dim) { ops.Unique(indices(g, "x", a), b, graph.Num(0)) }},
	{"SearchSorted", func(g *graph.Graph, a, b graph.Dim) {
		ops.SearchSorted(floats(g, "x", 2, a), floats(g, "v", 2, b), true)
	}},
	{"Bincount", func(g *graph.Graph, a, b graph.Dim) { ops.Bincount(indices(g, "x", a), b, nil) }},
	{"OneHot", func(g *graph.Graph, a, b graph.Dim) { ops.OneHot(indices(g, "x", a), b, f32) }},
}

var sizedMatrices = []sizedCall{
	{"MatMul", func(g *graph.Graph, a, b graph.Dim) { ops.MatMul(floats(g, "x", 2, a), floats(g, "y", b, 3)) }},
	{"MatMul of batches", func(g *graph.Graph, a, b graph.Dim) {
		ops.MatMul(floats(g, "x", a, 2, b), floats(g, "y", a, b, 3))
	}},
	{"Einsum", func(g *graph.Graph, a, b graph.Dim) {
		ops.Einsum("ij,jk,ik->i", floats(g, "x", a, b), floats(g, "y", b, 3), floats(g, "z", a, 3))
	}},
	{"Linear", func(g *graph.Graph, a, b graph.Dim) { ops.Linear(floats(g, "x", a, b), floats(g, "w", 3, b), nil) }},
	{"Bilinear", func(g *graph.Graph, a, b graph.Dim) {
		ops.Bilinear(floats(g, "x", a, 3), floats(g, "y", a, b), floats(g, "w", 2, 3, b), nil)
	}},
	{"CDist", func(g *graph.Graph, a, b graph.Dim) { ops.CDist(floats(g, "x", a, 3), floats(g, "y", b, 3), 2) }},
	{"PDist", func(g *graph.Graph, a, b graph.Dim) { ops.PDist(floats(g, "x", a, b), 2) }},
	{"Cholesky", func(g *graph.Graph, a, b graph.Dim) { ops.Cholesky(floats(g, "x", a, b, b)) }},
	{"Inv", func(g *graph.Graph, a, b graph.Dim) { ops.Inv(floats(g, "x", a, b)) }},
	{"Det", func(g *graph.Graph, a, b graph.Dim) { ops.Det(floats(g, "x", b, a, a)) }},
	{"Solve", func(g *graph.Graph, a, b graph.Dim) { ops.Solve(floats(g, "x", a, a), floats(g, "y", b, 2)) }},
	{"QR", func(g *graph.Graph, a, b graph.Dim) { ops.QR(floats(g, "x", a, b)) }},
	{"SVD", func(g *graph.Graph, a, b graph.Dim) { ops.SVD(floats(g, "x", a, b)) }},
	{"Diagonal", func(g *graph.Graph, a, b graph.Dim) { ops.Diagonal(floats(g, "x", a, b), 1, 0, 1) }},
	{"Diagonal below", func(g *graph.Graph, a, b graph.Dim) { ops.Diagonal(floats(g, "x", a, b), -2, 0, 1) }},
	{"DiagEmbed", func(g *graph.Graph, a, b graph.Dim) { ops.DiagEmbed(floats(g, "x", a, b), 1) }},
	{"Trace", func(g *graph.Graph, a, b graph.Dim) { ops.Trace(floats(g, "x", a, b)) }},
	{"Kron", func(g *graph.Graph, a, b graph.Dim) { ops.Kron(floats(g, "x", a, 2), floats(g, "y", b, 3)) }},
	{"Outer", func(g *graph.Graph, a, b graph.Dim) { ops.Outer(floats(g, "x", a), floats(g, "y", b)) }},
	{"Cross", func(g *graph.Graph, a, b graph.Dim) { ops.Cross(floats(g, "x", a, b), floats(g, "y", a, b), 1) }},
	{"Cov", func(g *graph.Graph, a, b graph.Dim) { ops.Cov(floats(g, "x", a, b), 1, nil, nil) }},
}

var sizedMovements = []sizedCall{
	{"Reshape", func(g *graph.Graph, a, b graph.Dim) { ops.Reshape(floats(g, "x", a, b), -1, 2) }},
	{"Reshape with the rest", func(g *graph.Graph, a, b graph.Dim) { ops.Reshape(floats(g, "x", a, b, 3), a, -1) }},
	{"Reshape to named", func(g *graph.Graph, a, b graph.Dim) { ops.Reshape(floats(g, "x", a, 6), b, 2) }},
	{"Unflatten", func(g *graph.Graph, a, b graph.Dim) { ops.Unflatten(floats(g, "x", a, b), 1, -1, 2) }},
	{"Split", func(g *graph.Graph, a, b graph.Dim) { ops.SplitSizes(floats(g, "x", a, 5), 1, 2, b) }},
	{"Chunk", func(g *graph.Graph, a, b graph.Dim) { ops.Chunk(floats(g, "x", a, b), 1, 2) }},
	{"TensorSplit", func(g *graph.Graph, a, b graph.Dim) { ops.TensorSplit(floats(g, "x", a, b), 1, 3) }},
	{"Concat", func(g *graph.Graph, a, b graph.Dim) { ops.Concat(0, floats(g, "x", a, 3), floats(g, "y", b, 3)) }},
	{"Concat of others", func(g *graph.Graph, a, b graph.Dim) {
		ops.Concat(1, floats(g, "x", a, 3), floats(g, "y", b, 3))
	}},
	{"Stack", func(g *graph.Graph, a, b graph.Dim) { ops.Stack(0, floats(g, "x", a, 3), floats(g, "y", b, 3)) }},
	{"Expand", func(g *graph.Graph, a, b graph.Dim) { ops.Expand(floats(g, "x", a, 1), b, 3) }},
	{"Tile", func(g *graph.Graph, a, b graph.Dim) { ops.Tile(floats(g, "x", a), b) }},
	{"RepeatInterleave", func(g *graph.Graph, a, b graph.Dim) { ops.RepeatInterleave(floats(g, "x", a, 3), 1, b) }},
	{"Roll", func(g *graph.Graph, a, b graph.Dim) { ops.Roll(floats(g, "x", a, b), 1, 2) }},
	{"Tril", func(g *graph.Graph, a, b graph.Dim) { ops.Tril(floats(g, "x", a, b), -1) }},
	{"Pad", func(g *graph.Graph, a, b graph.Dim) { ops.Pad(floats(g, "x", a, b), 1, -1, 2, 0) }},
	{"Add", func(g *graph.Graph, a, b graph.Dim) { ops.Add(floats(g, "x", a, 1), floats(g, "y", b)) }},
	{"Squeeze", func(g *graph.Graph, a, b graph.Dim) {
		ops.Add(ops.Squeeze(floats(g, "x", a, 1), 1), floats(g, "y", b))
	}},
	{"LinearRecurrence", func(g *graph.Graph, a, b graph.Dim) {
		ops.LinearRecurrence(floats(g, "x", a, b), floats(g, "y", a, b), 1)
	}},
	{"Scan", func(g *graph.Graph, a, b graph.Dim) {
		ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, f32, b)}, Over: []*graph.Node{floats(g, "x", a, b)}},
			func(c, x []*graph.Node) (next, out []*graph.Node) {
				return []*graph.Node{ops.Add(c[0], x[0])}, []*graph.Node{ops.Max(x[0], 0)}
			})
	}},
}

// otherwise tells for which sizes numbers are judged otherwise than names on purpose.
var otherwise = map[string]func(a, b int64) bool{
	// Indices of no rows stop the run; of numbers they are refused.
	"Embedding":     func(a, b int64) bool { return b == 0 && a > 0 },
	"IndexSelect":   func(a, b int64) bool { return a == 0 && b > 0 },
	"TakeAlongAxis": func(a, b int64) bool { return b == 0 },
	// The bounds of slices of named sizes lie inside, as do the neighbours of differences; those of numbers are cut.
	"Slice":            func(_, b int64) bool { return b < 3 },
	"Slice to the end": func(_, b int64) bool { return b < 1 },
	"Slice of named":   func(a, b int64) bool { return b > a },
	"Diff":             func(_, b int64) bool { return b < 2 },
	// The number of parts is known when the graph is built, and so is which operand lies in the other one, and that
	// vectors have three elements.
	"Chunk":         func(_, b int64) bool { return b == 1 },
	"Convolve":      func(a, b int64) bool { return a < b },
	"Convolve full": func(a, b int64) bool { return a == 0 || b == 0 },
	"Cross":         func(_, b int64) bool { return b == 3 },
	// No named size is repeated because it turns out to be 1.
	"Expand":  func(a, _ int64) bool { return a == 1 },
	"Squeeze": func(a, b int64) bool { return a == 1 || b == 1 },
}

// What is refused for named sizes is refused for all numbers, what is proved is right for all, and what is left to
// binding is refused for those for which the call of numbers is.
func TestFunctionsOfNamedSizesAgreeWithNumbers(t *testing.T) {
	numbers := []int64{0, 1, 2, 3, 7}
	for _, c := range sizedCalls {
		t.Run(c.name, func(t *testing.T) {
			named := graph.New("named", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
			a, b := named.Dim("a", graph.AtLeast(0)), named.Dim("b", graph.AtLeast(0))
			c.call(named, a, b)
			report := shapeinfer.Check(named)
			for _, m := range numbers {
				for _, n := range numbers {
					if differs := otherwise[c.name]; differs != nil && differs(m, n) {
						continue
					}
					g := graph.New("numbers")
					c.call(g, graph.Dim(m), graph.Dim(n))
					right := shapeinfer.Check(g).Err()
					said := report.Err()
					if said == nil {
						_, said = shapeinfer.Bind(named, nil, report.Requirements, shapeinfer.Sizes{"a": m, "b": n})
					}
					switch at := fmt.Sprintf("a = %d, b = %d", m, n); {
					case said == nil && right != nil:
						t.Errorf("%s: bound, and refused of numbers: %v", at, right)
					case said != nil && right == nil:
						t.Errorf("%s: refused, and right of numbers: %v", at, said)
					}
				}
			}
		})
	}
}
