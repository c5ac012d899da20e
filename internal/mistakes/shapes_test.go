package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

// Shapes that do not fit, and reshapes that mix axes.
var _ = add(
	layerAfterFlatten, keptNoAxis, meanOfMask, transposedWeight, convOfChannelsLast, classNumbersAsFloats,
	classWithAxis, biasAlongRows,
	headsWithoutTranspose, reshapedToSequenceFirst, oddUpsampling, fixedBatch, normOfSequence, gatherOfRank,
	scatterTooFar, addedSlicesWithoutIndex, scatterOfRank, scatterOfSmallIndices, scatterOfOtherDType, pairsForTriples,
	updatesForOtherRows, tuplesOfAnySize, pointsOfTwoLengths, maskAsIndex, valuesOfOtherShape, pointsAtOnce,
	maskOfNumbers, maskOfOtherShape, selectedWithFill, bagsWithoutOffsets, weightsOfAMean, weightsOfOtherBags,
	bagsOfBothForms, searchedInOtherBatch, decayOfOtherLength, boundariesOfEach, quantileOfIntegers, quantilesInTable,
	histogramWithoutEdges, seenTwice, twoMistakes, joinedAfterAMistake,
)

func layerAfterFlatten(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 3, 32, 32)
	h := ops.MaxPool2D(conv(g, "a", x, 10), 2, 2)
	ops.Linear(ops.Flatten(h, 1, -1), g.Param("w", graph.Float32, 10, 490), nil) // want error BL110 "2560" "490"
}

func keptNoAxis(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("features"))
	ops.Div(x, ops.Norm(x, 2, 1)) // want error BL102 "KeepDims()"
}

func meanOfMask(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	h, mask := g.Input("h", graph.Float32, b, t, 64), g.Input("mask", graph.Float32, b, t)
	sum := ops.Sum(ops.Mul(h, ops.Unsqueeze(mask, -1)), 1)
	ops.Div(sum, ops.Sum(mask, 1)) // want error BL102 "Sum(mask, 1, KeepDims())"
}

func transposedWeight(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 784)
	ops.MatMul(x, g.Param("w", graph.Float32, 128, 784)) // want error BL110 "Transpose(w, 0, 1)"
}

func convOfChannelsLast(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 64, 64, 3)
	ops.Conv2D(x, g.Param("k", graph.Float32, 8, 3, 3, 3), nil) // want error BL132
}

func classNumbersAsFloats(g *graph.Graph) {
	b := g.Dim("batch")
	ops.CrossEntropy(g.Input("x", graph.Float32, b, 10), g.Input("y", graph.Float32, b)) // want error BL340 "expected scalar type Long but found Float"
}

func classWithAxis(g *graph.Graph) {
	b := g.Dim("batch")
	ops.CrossEntropy(g.Input("x", graph.Float32, b, 10), g.Input("y", graph.Int64, b, 1)) // want error BL103 "Squeeze(y, -1)"
}

func biasAlongRows(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 256, 16, 16)
	ops.Add(x, g.Param("bias", graph.Float32, 256)) // want error BL101 "Reshape(bias, 256, 1, 1)"
}

func headsWithoutTranspose(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	y := g.Input("y", graph.Float32, b, 8, t, 64)
	ops.Reshape(y, b, t, -1) // want warning BL205 "Transpose(y, 1, 2)"
}

func reshapedToSequenceFirst(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x := g.Input("x", graph.Float32, t, b, 64)
	ops.Reshape(x, b, t, 64) // want warning BL205 "Transpose(x, 0, 1)"
}

func oddUpsampling(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 8, 25, 25)
	low := ops.AvgPool2D(x, 2, 2)
	ops.Concat(1, x, ops.RepeatInterleave(ops.RepeatInterleave(low, 2, 2), 3, 2)) // want error BL121 "24" "25"
}

func fixedBatch(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 32)
	ops.Add(x, g.Input("state", graph.Float32, 64, 32)) // want error BL102
}

func normOfSequence(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("seq"), 128)
	ops.LayerNorm(x, g.Param("gain", graph.Float32, 64), nil, 1e-5) // want error BL101 "normalized_shape"
}

func gatherOfRank(g *graph.Graph) {
	b := g.Dim("batch")
	q, action := g.Input("q", graph.Float32, b, 4), g.Input("action", graph.Int64, b)
	ops.Gather(q, 1, action) // want error BL103 "Unsqueeze(action"
}

func scatterTooFar(g *graph.Graph) {
	x, index := g.Input("x", graph.Float32, 4, 3), g.Input("index", graph.Int64, 2, 5)
	ops.ScatterAdd(x, 0, index, g.Input("src", graph.Float32, 2, 5)) // want error BL101 "no larger than self [4, 3] apart from dimension 0"
}

func addedSlicesWithoutIndex(g *graph.Graph) {
	x, index := g.Input("x", graph.Float32, 4, 3), g.Input("index", graph.Int64, 2)
	ops.IndexAdd(x, 0, index, g.Input("src", graph.Float32, 5, 3)) // want error BL101 "Number of indices (2) should be equal"
}

func scatterOfRank(g *graph.Graph) {
	x, index := g.Input("x", graph.Float32, 4, 3), g.Input("index", graph.Int64, 2)
	ops.Scatter(x, 0, index, g.Input("src", graph.Float32, 2)) // want error BL103 "same number of dimensions as self"
}

func scatterOfSmallIndices(g *graph.Graph) {
	x, index := g.Input("x", graph.Float32, 4, 3), g.Input("index", graph.Int32, 2, 3)
	ops.ScatterReduce(x, 0, index, g.Input("src", graph.Float32, 2, 3), ops.ReduceMax) // want error BL340 "Expected dtype int64 for index"
}

func scatterOfOtherDType(g *graph.Graph) {
	x, index := g.Input("x", graph.Float32, 4, 3), g.Input("index", graph.Int64, 2, 3)
	ops.ScatterAdd(x, 0, index, g.Input("src", graph.Float64, 2, 3)) // want error BL340 "self.dtype to be equal to src.dtype"
}

func pairsForTriples(g *graph.Graph) {
	image, points := g.Input("image", graph.Float32, 28, 28), g.Input("points", graph.Int64, g.Dim("n"), 3)
	ops.GatherND(image, points, 0) // want error BL103 "has 3 elements, one for each indexed axis, but the operand has 2"
}

func updatesForOtherRows(g *graph.Graph) {
	table, index := g.Input("table", graph.Float32, 100, 8), g.Input("index", graph.Int64, g.Dim("n"), 1)
	ops.ScatterND(table, index, g.Input("rows", graph.Float32, g.Dim("n"), 4)) // want error BL101 "need updates [n, 8], but they are [n, 4]"
}

func tuplesOfAnySize(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 4, 3)
	ops.GatherND(x, g.Input("index", graph.Int64, 5, g.Dim("k")), 0) // want error BL003 "is not known"
}

func pointsOfTwoLengths(g *graph.Graph) {
	image := g.Input("image", graph.Float32, 28, 28)
	ops.Index(image, g.Input("rows", graph.Int64, 5), g.Input("columns", graph.Int64, 4)) // want error BL101 "size of tensor a (5) must match the size of tensor b (4)"
}

func maskAsIndex(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 3)
	ops.IndexPut(x, []*graph.Node{ops.Less(ops.Sum(x, 1), graph.Num(0))}, graph.Num(0)) // want error BL340 "ops.MaskedFill"
}

func valuesOfOtherShape(g *graph.Graph) {
	x, rows := g.Input("x", graph.Float32, g.Dim("n"), 3), g.Input("rows", graph.Int64, 5)
	ops.IndexPut(x, []*graph.Node{rows}, g.Input("src", graph.Float32, 5)) // want error BL101 "value tensor of shape [5] cannot be broadcast to indexing result of shape [5, 3]"
}

func maskOfNumbers(g *graph.Graph) {
	x, mask := g.Input("x", graph.Float32, 4, 3), g.Input("mask", graph.Float32, 4, 3)
	ops.MaskedScatter(x, mask, g.Input("src", graph.Float32, 12)) // want error BL340 "only supports boolean masks"
}

func maskOfOtherShape(g *graph.Graph) {
	x, mask := g.Input("x", graph.Float32, 4, 3), g.Input("mask", graph.Bool, 4)
	ops.MaskedSelect(x, mask, 12, graph.Num(0)) // want error BL101 "it selects slices, not elements"
}

func selectedWithFill(g *graph.Graph) {
	tokens, n := g.Input("tokens", graph.Int64, g.Dim("n")), g.Dim("n")
	kept := ops.NotEqual(tokens, graph.Num(0))
	ops.MaskedSelect(tokens, kept, n, ops.Sum(ops.Cast(tokens, graph.Float32))) // want error BL001 "the fill must be a number or a scalar of dtype int64"
}

func bagsWithoutOffsets(g *graph.Graph) {
	words, table := g.Input("words", graph.Int64, g.Dim("n")), g.Param("table", graph.Float32, 100, 8)
	ops.EmbeddingBag(words, table, ops.ReduceSum) // want error BL103 "offsets has to be a 1D Tensor but got None"
}

func weightsOfAMean(g *graph.Graph) {
	words, table := g.Input("words", graph.Int64, g.Dim("n"), 4), g.Param("table", graph.Float32, 100, 8)
	w := g.Input("w", graph.Float32, g.Dim("n"), 4)
	ops.EmbeddingBag(words, table, ops.ReduceMean, ops.PerSampleWeights(w)) // want error BL001 "only supported for mode='sum'"
}

func weightsOfOtherBags(g *graph.Graph) {
	words, table := g.Input("words", graph.Int64, g.Dim("n"), 4), g.Param("table", graph.Float32, 100, 8)
	ops.EmbeddingBag(words, table, ops.ReduceSum, ops.PerSampleWeights(g.Input("w", graph.Float32, g.Dim("n"), 5))) // want error BL101 "the same shape as the input"
}

func bagsOfBothForms(g *graph.Graph) {
	table, words := g.Param("table", graph.Float32, 100, 8), g.Input("words", graph.Int64, g.Dim("n"))
	rows := ops.EmbeddingBag(g.Input("rows", graph.Int32, g.Dim("bags"), 4), table, ops.ReduceMax, ops.PaddingIndex(-1))
	ends := g.Input("offsets", graph.Int64, g.Dim("bags").Plus(1))
	ops.Add(rows, ops.EmbeddingBag(words, table, ops.ReduceMean, ops.Offsets(ends), ops.IncludeLastOffset()))
}

// Indices of different shapes make a table, and a number is a value for all.
func pointsAtOnce(g *graph.Graph) {
	n := g.Dim("n")
	x, rows, columns := g.Input("x", graph.Float32, n, g.Dim("k")), g.Input("rows", graph.Int32, g.Dim("r"), 1),
		g.Input("columns", graph.Int64, g.Dim("c"))
	at := []*graph.Node{rows, columns}
	ops.IndexPut(ops.IndexPut(x, at, ops.Index(x, at...), ops.Accumulate()), at, graph.Num(0))
}

// A node with a mistake has one message only.
func seenTwice(g *graph.Graph) {
	image := g.Input("image", graph.Float32, 1, 28, 28).Mutable()
	ops.SubInPlace(image, g.Input("mean", graph.Float32, 3, 1, 1)) // want error BL301
}

// All mistakes of a program are found at once.
func twoMistakes(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 8), g.Input("y", graph.Float32, b)
	ops.MatMul(x, g.Param("w", graph.Float32, 7, 4)) // want error BL110
	pred := testmodel.Linear(g, "out", x, 1)
	ops.MSE(pred, y)    // want warning BL202
	ops.Softmax(x, 2)   // want error BL130
	ops.Std(x, 1, 0)    // want note BL211
	ops.Concat(0, x, y) // want error BL121
}

// What a mistake leaves unknown is no mistake of what is computed from it.
func joinedAfterAMistake(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x, cos := g.Input("x", graph.Float32, b, 8, t, 64), g.Param("cos", graph.Float32, 64)
	turned, rest := ops.Slice(x, -1, 0, 48, 1), ops.Slice(x, -1, 48, 64, 1)
	turned = ops.Mul(turned, cos) // want error BL101
	y := ops.Concat(-1, turned, rest)
	ops.Softmax(ops.Pad(ops.Stack(0, y, y), -1, 1, 1, 0), -1)
}

func searchedInOtherBatch(g *graph.Graph) {
	sorted := g.Input("sorted", graph.Float32, 4, 10)
	ops.SearchSorted(sorted, g.Input("x", graph.Float32, 5, 3), true) // want error BL101 "axis 0 has sizes 4 and 5"
}

func decayOfOtherLength(g *graph.Graph) {
	decay := g.Input("decay", graph.Float32, 8, 15)
	ops.LinearRecurrence(decay, g.Input("x", graph.Float32, 8, 16), 1) // want error BL101 "axis 1 has sizes 15 and 16"
}

func boundariesOfEach(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 8, 16)
	ops.Bucketize(x, g.Input("bounds", graph.Float32, 8, 4), false) // want error BL103 "boundaries tensor must be 1 dimension"
}

func quantileOfIntegers(g *graph.Graph) {
	ops.Quantile(g.Input("x", graph.Int64, 8), graph.Num(0.5), 0, ops.QuantileLinear) // want error BL340 "quantile() input tensor must be either float or double dtype"
}

func quantilesInTable(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 8, 16)
	ops.Quantile(x, g.Input("q", graph.Float32, 2, 2), 1, ops.QuantileLinear) // want error BL103 "q must be a scalar or 1D tensor"
}

func histogramWithoutEdges(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 8)
	ops.Histogram(x, g.Scalar(graph.Float32, 10), nil) // want error BL103 "boundaries tensor must be 1 dimension"
}
