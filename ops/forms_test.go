package ops_test

import (
	"testing"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func (c choiceCase) whole(t *testing.T) (list []int) {
	for _, v := range c.numbers(t) {
		list = append(list, int(v))
	}
	return list
}

func (c choiceCase) dims(t *testing.T) (list []graph.Dim) {
	for _, v := range c.whole(t) {
		list = append(list, graph.Dim(v))
	}
	return list
}

// has reports whether a word stands in the case.
func (c choiceCase) has(word string) bool {
	for _, w := range c.words() {
		if w == word {
			return true
		}
	}
	return false
}

// how is the option of the reduction that a case names.
func (c choiceCase) how() ops.LossOption {
	for _, word := range c.words() {
		if o, is := map[string]ops.LossOption{
			"sum": ops.SumLoss(), "none": ops.EachLoss(), "batchmean": ops.BatchMean()}[word]; is {
			return o
		}
	}
	return nil
}

type formCall = func(t *testing.T, c choiceCase, in []node) []node

func formOf(f func(t *testing.T, c choiceCase, in []node) node) formCall {
	return func(t *testing.T, c choiceCase, in []node) []node { return []node{f(t, c, in)} }
}

func formOfOne(f func(x node) node) formCall {
	return func(_ *testing.T, _ choiceCase, in []node) []node { return []node{f(in[0])} }
}

func formOfAll(f func(xs ...node) node) formCall {
	return func(_ *testing.T, _ choiceCase, in []node) []node { return []node{f(in...)} }
}

func formOfTwo(f func(x, y node, opts ...ops.LossOption) node) formCall {
	return func(_ *testing.T, c choiceCase, in []node) []node { return []node{f(in[0], in[1], c.how())} }
}

// formCalls build the functions of testdata/forms.json.
var formCalls = map[string]formCall{
	"HStack": formOfAll(ops.HStack), "VStack": formOfAll(ops.VStack), "DStack": formOfAll(ops.DStack),
	"ColumnStack": formOfAll(ops.ColumnStack),
	"AtLeast1D":   formOfOne(ops.AtLeast1D), "AtLeast2D": formOfOne(ops.AtLeast2D),
	"AtLeast3D": formOfOne(ops.AtLeast3D),
	"BlockDiag": formOfAll(ops.BlockDiag), "CartesianProd": formOfAll(ops.CartesianProd),
	"BroadcastTensors": func(_ *testing.T, _ choiceCase, in []node) []node { return ops.BroadcastTensors(in...) },
	"TensorSplit": func(t *testing.T, c choiceCase, in []node) []node {
		a := c.whole(t)
		return ops.TensorSplit(in[0], a[0], a[1])
	},
	"SplitAt": func(t *testing.T, c choiceCase, in []node) []node {
		return ops.SplitAt(in[0], c.whole(t)[0], c.dims(t)[1:]...)
	},
	"Rot90": formOf(func(t *testing.T, c choiceCase, in []node) node {
		a := c.whole(t)
		return ops.Rot90(in[0], a[0], a[1], a[2])
	}),

	"SelectScatter": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.SelectScatter(in[0], in[1], c.whole(t)[0], c.dims(t)[1])
	}),
	"SliceScatter": formOf(func(t *testing.T, c choiceCase, in []node) node {
		a, d := c.whole(t), c.dims(t)
		return ops.SliceScatter(in[0], in[1], a[0], d[1], d[2], a[3])
	}),
	"DiagonalScatter": formOf(func(t *testing.T, c choiceCase, in []node) node {
		a := c.whole(t)
		return ops.DiagonalScatter(in[0], in[1], a[0], a[1], a[2])
	}),
	"FillDiagonal": formOfOne(func(x node) node { return ops.FillDiagonal(x, graph.Num(7)) }),
	"DynamicSlice": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.DynamicSlice(in[0], in[1:], c.dims(t)...)
	}),
	"DynamicUpdateSlice": formOf(func(_ *testing.T, _ choiceCase, in []node) node {
		return ops.DynamicUpdateSlice(in[0], in[1], in[2:]...)
	}),
	"TakeFlat": formOf(func(_ *testing.T, _ choiceCase, in []node) node { return ops.TakeFlat(in[0], in[1]) }),
	"PutFlat": formOf(func(_ *testing.T, c choiceCase, in []node) node {
		if c.has("added") {
			return ops.PutFlat(in[0], in[1], in[2], ops.Accumulate())
		}
		return ops.PutFlat(in[0], in[1], in[2])
	}),
	"UnravelIndex": func(t *testing.T, c choiceCase, in []node) []node { return ops.UnravelIndex(in[0], c.dims(t)...) },

	"SoftmaxOver": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.SoftmaxOver(in[0], c.axes(t, 0)...)
	}),
	"LogSoftmaxOver": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.LogSoftmaxOver(in[0], c.axes(t, 0)...)
	}),
	"MaskedSoftmax": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.MaskedSoftmax(in[0], ops.Cast(in[1], graph.Bool), c.axes(t, 0)...)
	}),
	"Sparsemax": formOf(func(t *testing.T, c choiceCase, in []node) node { return ops.Sparsemax(in[0], c.axis(t)) }),
	"WeightNorm": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.WeightNorm(in[0], in[1], c.axis(t))
	}),
	"Renorm": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.Renorm(in[0], c.numbers(t)[0], int(c.numbers(t)[1]), 1.2)
	}),
	"Squareplus":    formOfOne(func(x node) node { return ops.Squareplus(x, 4) }),
	"SparsePlus":    formOfOne(ops.SparsePlus),
	"SparseSigmoid": formOfOne(ops.SparseSigmoid),
	"DepthToSpace": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.DepthToSpace(in[0], c.axis(t))
	}),
	"SpaceToDepth": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.SpaceToDepth(in[0], c.axis(t))
	}),
	"ReverseSequence": formOf(func(t *testing.T, c choiceCase, in []node) node {
		a := c.whole(t)
		return ops.ReverseSequence(in[0], in[1], a[0], a[1])
	}),
	"RotaryEmbedding": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.RotaryEmbedding(in[0], in[1], in[2], c.axis(t) == 1)
	}),

	"CDist": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.CDist(in[0], in[1], c.numbers(t)[0])
	}),
	"PDist": formOf(func(t *testing.T, c choiceCase, in []node) node { return ops.PDist(in[0], c.numbers(t)[0]) }),
	"Bilinear": formOf(func(_ *testing.T, _ choiceCase, in []node) node {
		return ops.Bilinear(in[0], in[1], in[2], in[3])
	}),
	"InstanceNorm": formOf(func(_ *testing.T, _ choiceCase, in []node) node {
		y, _, _ := ops.InstanceNorm(in[0], optional(in, 1), optional(in, 2), 1e-2)
		return y
	}),
	"LocalResponseNorm": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.LocalResponseNorm(in[0], c.whole(t)[0], 0.3, 0.75, 2)
	}),

	"MultiLabelMargin": formOfTwo(ops.MultiLabelMargin),
	"MultiMargin": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.MultiMargin(in[0], in[1], c.whole(t)[0], 1)
	}),
	"TripletMarginWithDistance": formOf(func(_ *testing.T, c choiceCase, in []node) node {
		away := func(x, y node) node { return ops.Sum(ops.Abs(ops.Sub(x, y)), -1) }
		if c.has("swap") {
			return ops.TripletMarginWithDistance(in[0], in[1], in[2], away, 1.3, ops.SwapDistance())
		}
		return ops.TripletMarginWithDistance(in[0], in[1], in[2], away, 1.3)
	}),
	"KLDiv": formOf(func(_ *testing.T, c choiceCase, in []node) node {
		if c.has("plain") {
			return ops.KLDiv(in[0], in[1], c.how())
		}
		return ops.KLDiv(in[0], in[1], c.how(), ops.LogTarget())
	}),
	"LogCosh": formOfTwo(ops.LogCosh), "Hinge": formOfTwo(ops.Hinge), "SquaredHinge": formOfTwo(ops.SquaredHinge),
	"CategoricalHinge":       formOfTwo(ops.CategoricalHinge),
	"MeanAbsolutePercentage": formOfTwo(ops.MeanAbsolutePercentage),
	"MeanSquaredLogarithmic": formOfTwo(ops.MeanSquaredLogarithmic),
	"Dice": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.Dice(in[0], in[1], c.whole(t)[0])
	}),
	"Tversky": formOf(func(t *testing.T, c choiceCase, in []node) node {
		return ops.Tversky(in[0], in[1], c.whole(t)[0], 0.3, 0.7)
	}),
	"PolyCrossEntropy": formOf(func(_ *testing.T, _ choiceCase, in []node) node {
		return ops.PolyCrossEntropy(in[0], in[1], 1.7)
	}),
	"NTXent": formOf(func(_ *testing.T, _ choiceCase, in []node) node { return ops.NTXent(in[0], in[1], 0.3) }),
}

// TestFormsAsPyTorch compares values and gradients with PyTorch's: with scalars, axes of one element or none, ties, NaN
// and repeated indices.
func TestFormsAsPyTorch(t *testing.T) { runCases(t, "forms", formCalls) }
