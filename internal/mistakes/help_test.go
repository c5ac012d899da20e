package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

var _ = add(
	maskOfTokens, maskOfGroups, flattenedBatch, flattenedLargerImages, joinedExamples, stateOfOneBatch, bilinearForm,
	onlyAxisOfVector, flattenedAway, imagesChannelsLast, kernelsLast, weightOfLayer, lettersOfEinsum, batchesOfMatrices,
	windowsOfWords,
	lastOfBatch, meanOverBatch, stateOfSequence, allFlattened, channelsBeforeLayerNorm, wordsChannelsLast, fewerHeads,
	wholeTable, rowsOfClasses,
	kernelOfGroups, shuffledByReshape,
)

// A mask of tokens meets the scores of several heads.
func maskOfTokens(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	scores, mask := g.Input("scores", graph.Float32, b, 8, n, n), g.Input("mask", graph.Bool, b, n)
	ops.MaskedFill(scores, mask, graph.Num(-1e9)) // want error BL102 "MaskedFill(scores, mask, -1e+09):" "Reshape(mask, b, 1, 1, n)" !"Transpose" !"Where("
}

// A mask lacks the axis of groups of heads.
func maskOfGroups(g *graph.Graph) {
	b, n, s := g.Dim("b"), g.Dim("n"), g.Dim("s")
	scores, mask := g.Input("scores", graph.Float32, b, 4, 2, n, s), g.Input("mask", graph.Float32, b, 1, n, s)
	ops.Add(scores, mask) // want error BL102 "Unsqueeze(mask, 1) gives [b, 1, 1, n, s]" !"Transpose"
}

// The same of images that are larger than the layer was written for.
func flattenedLargerImages(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 16, 14, 14), g.Input("y", graph.Int64, b)
	rows := ops.Reshape(x, -1, 400) // want error BL101 "keep the axis of batch: Reshape(x, batch, -1)"
	ops.CrossEntropy(ops.Linear(rows, g.Param("w", graph.Float32, 10, 400), nil), y)
}

// A reshape takes the batch too, which shows in the loss.
func flattenedBatch(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 16, 4, 4), g.Input("y", graph.Int64, b)
	h := ops.Reshape(x, -1, 128) // want error BL101 "Reshape(x, batch, -1) gives [batch, 256]" "CrossEntropy(Linear(h, w, nil), y)" !"declare y"
	w := g.Param("w", graph.Float32, 10, 128)
	ops.CrossEntropy(ops.Linear(h, w, nil), y)
}

// Two views of the examples are joined along the batch.
func joinedExamples(g *graph.Graph) {
	b := g.Dim("b")
	x, y := g.Input("x", graph.Float32, b, 16), g.Input("y", graph.Float32, b)
	z := ops.Concat(0, x, ops.Neg(x)) // want error BL101 "has 2*b where" "meets" !"help: declare"
	ops.Sub(ops.Sum(z, 1), y)
}

// A state is made for one size of batch.
func stateOfOneBatch(g *graph.Graph) {
	x, h := g.Input("x", graph.Float32, g.Dim("batch"), 256), g.Input("h", graph.Float32, 64, 256)
	ops.Add(x, h) // want error BL102 "declare h as [batch, 256]" !"g.Equal"
}

// The last factor of a bilinear form is taken for a matrix.
func bilinearForm(g *graph.Graph) {
	b, d := g.Dim("b"), g.Dim("d")
	x, y, w := g.Input("x", graph.Float32, b, d), g.Input("y", graph.Float32, b, d), g.Input("w", graph.Float32, d, d)
	ops.MatMul(ops.MatMul(x, w), y) // want error BL102 !"Transpose" !"g.Equal"
}

// A vector has no axis 1.
func onlyAxisOfVector(g *graph.Graph) {
	ops.Softmax(g.Input("scores", graph.Float32, g.Dim("vocab")), 1) // want error BL130 "Softmax(scores, -1) gives [vocab]"
}

// Nothing is left of the batch that is summed over.
func flattenedAway(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("b"), 3, 4)
	ops.Sum(ops.Flatten(x, 0, -1), 1) // want error BL130 "Reshape(x, b, -1) gives [b, 12]"
}

// Images have their channels last.
func imagesChannelsLast(g *graph.Graph) {
	x, k := g.Input("x", graph.Float32, g.Dim("n"), 32, 32, 3), g.Param("k", graph.Float32, 8, 3, 3, 3)
	ops.Conv2D(x, k, nil) // want error BL132 "Permute(x, 0, 3, 1, 2) gives [n, 3, 32, 32]"
}

// Kernels have theirs last.
func kernelsLast(g *graph.Graph) {
	x, k := g.Input("x", graph.Float32, g.Dim("n"), 3, 32, 32), g.Param("k", graph.Float32, 5, 5, 3, 8)
	ops.Conv2D(x, k, nil) // want error BL132 "Permute(k, 3, 2, 0, 1) gives [8, 3, 5, 5]"
}

// The weight of a layer was made for another size.
func weightOfLayer(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, g.Dim("b"), 490), g.Param("w", graph.Float32, 10, 441)
	ops.Linear(x, w, nil) // want error BL110 "Linear(x, w, nil):" "declare w as [10, 490]" !"MatMul" !"Transpose"
}

// A letter stands for two sizes, and the number of elements would fit.
func lettersOfEinsum(g *graph.Graph) {
	b, h, d := g.Dim("b"), g.Dim("h"), g.Dim("d")
	p, q := g.Input("p", graph.Float32, b, h, d), g.Input("q", graph.Float32, b, h, d)
	ops.Einsum("bhd,bdh->b", p, q) // want error BL102 "in operand 0 and" !"Reshape" !"MatMul" !"Permute"
}

// The batches of two matrices differ, and their inner sizes.
func batchesOfMatrices(g *graph.Graph) {
	x, y := g.Input("x", graph.Float32, g.Dim("n"), 4, 3, 5), g.Input("y", graph.Float32, g.Dim("m"), 4, 6, 7)
	ops.MatMul(x, y) // want error BL102 "meet on axis -4" "the inner sizes 5 and 6 differ as well"
}

// Windows of several lengths want one bound of the sentence's length.
func windowsOfWords(g *graph.Graph) {
	t := g.Dim("t")
	x := g.Input("x", graph.Float32, 1, 16, t)
	ops.Max(ops.Conv1D(x, g.Param("k3", graph.Float32, 8, 16, 3), nil), 2)
	ops.Max(ops.Conv1D(x, g.Param("k5", graph.Float32, 8, 16, 5), nil), 2) // want note BL401 "t >= 5" "graph.AtLeast(5)"
	ops.Slice(g.Param("pos", graph.Float32, 512, 16), 0, 0, t, 1)          // want note BL401 "t <= 512" "graph.AtMost(512)"
}

// The last step of a sequence is taken along the axis of examples.
func lastOfBatch(g *graph.Graph) {
	b := g.Dim("b")
	h, y := g.Input("h", graph.Float32, b, g.Dim("t"), 32), g.Input("y", graph.Int64, b)
	last := ops.Select(h, 0, -1)
	w := g.Param("w", graph.Float32, 5, 32)
	ops.CrossEntropy(ops.Linear(last, w, nil), y) // want error BL102 "keep the axis of b: Select(h, 1, -1) gives [b, 32]" !"g.Equal" !"help: declare"
}

// A pooling over time takes the examples instead.
func meanOverBatch(g *graph.Graph) {
	b := g.Dim("b")
	h, y := g.Input("h", graph.Float32, b, g.Dim("t"), 32), g.Input("y", graph.Float32, b, 32)
	pooled := ops.Tanh(ops.Mean(h, 0))
	ops.Sub(pooled, y) // want error BL102 "keep the axis of b: Mean(h, 1) gives [b, 32]" !"g.Equal"
}

// A first state is made with the wrong axis of an input that has both.
func stateOfSequence(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("t"), g.Dim("b"), 16)
	state := ops.Zeros(g, graph.Float32, x.Shape()[0], 16)
	ops.Add(ops.Select(x, 0, 0), state) // want error BL102 !"g.Equal" !"Select(x, 1"
}

// All axes are flattened, those of examples too.
func allFlattened(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("b"), 3, 8, 8)
	flat := ops.Flatten(x, 0, -1) // want error BL102 "meets 192 in MatMul(flat, w)" "keep the axis of b: Reshape(x, b, -1) gives [b, 192]"
	w := g.Param("w", graph.Float32, 192, 10)
	ops.MatMul(flat, w)
}

// A layer normalisation of channels that stand before the axes of an image.
func channelsBeforeLayerNorm(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("b"), 96, 14, 14)
	gain, bias := g.Param("gain", graph.Float32, 96), g.Param("bias", graph.Float32, 96)
	ops.LayerNorm(x, gain, bias, 1e-5) // want error BL101 "Permute(x, 0, 2, 3, 1) gives [b, 14, 14, 96]" !"declare"
}

// Words of a sequence of any length are fed with their features last.
func wordsChannelsLast(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, g.Dim("b"), g.Dim("t"), 40), g.Param("w", graph.Float32, 64, 40, 5)
	ops.Conv1D(x, w, nil) // want error BL102 "Transpose(x, 1, 2) gives [b, 40, t]" !"Slice("
}

// Heads of keys are fewer than those of queries, and not repeated.
func fewerHeads(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	q, k := g.Input("q", graph.Float32, b, 8, t, 64), g.Input("k", graph.Float32, b, 2, 64, t)
	ops.MatMul(q, k) // want error BL101 "RepeatInterleave(k, 1, 4) gives [b, 8, 64, t]" !"declare"
}

// All positions of a table are added, not those that a sequence has.
func wholeTable(g *graph.Graph) {
	x, table := g.Input("x", graph.Float32, g.Dim("b"), g.Dim("t"), 64), g.Param("table", graph.Float32, 512, 64)
	ops.Add(x, table) // want error BL102 "Slice(table, 0, 0, t, 1) gives [t, 64]"
}

// The scores are flattened, the classes are not.
func rowsOfClasses(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x, y := g.Input("x", graph.Float32, b, t, 100), g.Input("y", graph.Int64, b, t)
	ops.CrossEntropy(ops.Reshape(x, -1, 100), y) // want error BL103 "Reshape(y, -1) gives [b*t]"
}

// A kernel for each channel has the channels of all.
func kernelOfGroups(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, g.Dim("b"), 32, 8, 8), g.Param("w", graph.Float32, 32, 32, 3, 3)
	ops.Conv2D(x, w, nil, ops.Groups(32)) // want error BL132 "declare w as [32, 1, 3, 3]"
}

// Channels become pixels by a reshape alone: what has the same shape again is no help.
func shuffledByReshape(g *graph.Graph) {
	b, h, w := g.Dim("b"), g.Dim("h"), g.Dim("w")
	x := g.Input("x", graph.Float32, b, 12, h, w)
	ops.Reshape(x, b, 3, h.Times(2), w.Times(2)) // want warning BL205 !"keep the first axis"
}
