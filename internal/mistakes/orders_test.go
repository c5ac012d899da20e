package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// Values that are flattened, and copies of examples, in one order and in different ones.
var _ = add(
	labelsOfOtherOrder, targetsOfOtherOrder, maskOfOtherHeads, beamsOfOtherOrder, stepsJoinedInOtherOrder,
	weightsOfOtherOrder, noiseOfOtherOrder,
	labelsOfOneOrder, maskOfHeadsInFront, beamsOfOneOrder, pairsOfElements, wordsInSentences, unflattened,
	framesOfVideos, distancesBetweenOrders, accuraciesOfOrders,
)

// A network gives a step of all sentences after the other; the labels come sentence by sentence.
func labelsOfOtherOrder(g *graph.Graph) {
	t, b := g.Dim("seq"), g.Dim("batch")
	x, labels := g.Input("x", graph.Float32, t, b, 32), g.Input("labels", graph.Int64, b, t)
	logits := testmodel.Linear(g, "out", ops.Tanh(testmodel.Linear(g, "h", x, 64)), 10)
	ops.CrossEntropy(ops.Reshape(logits, -1, 10), ops.Reshape(labels, -1)) // want warning BL238 "so that those of different" "with every seq elements of Reshape(labels, -1)" "Transpose or Permute"
}

// A loss by hand.
func targetsOfOtherOrder(g *graph.Graph) {
	t, b := g.Dim("t"), g.Dim("b")
	x, y := g.Input("x", graph.Float32, b, t, 32), g.Input("y", graph.Float32, t, b)
	pred := ops.Reshape(testmodel.Linear(g, "out", x, 1), b.Times(t))
	ops.Mean(ops.Square(ops.Sub(pred, ops.Reshape(y, -1)))) // want warning BL238
	ops.MSE(pred, ops.Reshape(y, -1))                       // want warning BL238
}

// Masks are repeated behind each other, and heads stand beside each other.
func maskOfOtherHeads(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x, pad := g.Input("x", graph.Float32, b, t, 64), g.Input("pad", graph.Bool, b, 1, t)
	q := ops.Reshape(heads(g, "q", x, 8, 8), b.Times(8), t, 8)
	scores := ops.MatMul(q, ops.Transpose(q, 1, 2))
	scores = ops.MaskedFill(scores, ops.Tile(pad, 8, 1, 1), graph.Num(-1e9)) // want warning BL238 "Tile copies the whole, and RepeatInterleave each element"
	ops.Softmax(scores, -1)
}

func beamsOfOtherOrder(g *graph.Graph) {
	b, s := g.Dim("batch"), g.Dim("s")
	memory, state := g.Input("memory", graph.Float32, b, s, 32), g.Input("state", graph.Float32, b, 32)
	seen, query := ops.Tile(memory, 4, 1, 1), ops.RepeatInterleave(state, 0, 4)
	w := ops.Softmax(ops.Squeeze(ops.MatMul(seen, ops.Unsqueeze(query, 2)), 2), 1) // want warning BL238
	ops.Sum(ops.Mul(seen, ops.Unsqueeze(w, 2)), 1)
}

func stepsJoinedInOtherOrder(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x, y := g.Input("x", graph.Float32, b, t, 8), g.Input("y", graph.Float32, t, b, 4)
	ops.Concat(1, ops.Reshape(x, -1, 8), ops.Reshape(y, -1, 4)) // want warning BL238
}

func weightsOfOtherOrder(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x, y := g.Input("x", graph.Float32, b, t, 8), g.Input("y", graph.Float32, t, b)
	ops.MatMul(ops.Reshape(y, -1), ops.Reshape(x, -1, 8)) // want warning BL238
}

// The copies of an example are noised, and compared with what was copied in another order.
func noiseOfOtherOrder(g *graph.Graph) {
	b := g.Dim("batch")
	x := g.Input("x", graph.Float32, b, 16)
	noise := ops.Normal(g.Input("seed", graph.Int64), graph.Float32, b.Times(5), 16)
	y := testmodel.Linear(g, "f", ops.Add(ops.RepeatInterleave(x, 0, 5), noise), 16)
	ops.MSE(y, ops.Concat(0, x, x, x, x, x)) // want warning BL238
}

// The same as they are meant.
func labelsOfOneOrder(g *graph.Graph) {
	t, b := g.Dim("seq"), g.Dim("batch")
	x, labels := g.Input("x", graph.Float32, t, b, 32), g.Input("labels", graph.Int64, b, t)
	logits := testmodel.Linear(g, "out", x, 10)
	ops.CrossEntropy(ops.Reshape(logits, -1, 10), ops.Reshape(ops.Transpose(labels, 0, 1), -1))
	ops.CrossEntropy(ops.Reshape(ops.Transpose(logits, 0, 1), -1, 10), ops.Reshape(labels, -1))
	ops.CrossEntropy(ops.Permute(logits, 1, 2, 0), labels)
	h := nn.NewLSTM(g, "lstm", 32, 16).Apply(nn.Evaluation(g), ops.Transpose(x, 0, 1))
	ops.CrossEntropy(ops.Flatten(testmodel.Linear(g, "tags", h, 10), 0, 1), ops.Flatten(labels, 0, 1))
}

// Heads stand in front of examples, and masks are repeated so.
func maskOfHeadsInFront(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x, pad := g.Input("x", graph.Float32, b, t, 64), g.Input("pad", graph.Bool, b, 1, t)
	q := ops.Reshape(ops.Permute(ops.Reshape(testmodel.Linear(g, "q", x, 64), b, t, 8, 8), 2, 0, 1, 3), b.Times(8),
		t, 8)
	scores := ops.MaskedFill(ops.MatMul(q, ops.Transpose(q, 1, 2)), ops.Tile(pad, 8, 1, 1), graph.Num(-1e9))
	y := ops.Reshape(ops.MatMul(ops.Softmax(scores, -1), q), 8, b, t, 8)
	ops.Reshape(ops.Permute(y, 1, 2, 0, 3), b, t, 64)
	inside := ops.Reshape(heads(g, "k", x, 8, 8), b.Times(8), t, 8)
	ops.MaskedFill(ops.MatMul(inside, ops.Transpose(inside, 1, 2)), ops.RepeatInterleave(pad, 0, 8), graph.Num(-1e9))
}

func beamsOfOneOrder(g *graph.Graph) {
	b, s := g.Dim("batch"), g.Dim("s")
	memory, state := g.Input("memory", graph.Float32, b, s, 32), g.Input("state", graph.Float32, b, 32)
	seen, query := ops.Tile(memory, 4, 1, 1), ops.Tile(state, 4, 1)
	ops.MatMul(seen, ops.Unsqueeze(query, 2))
	ops.Add(ops.RepeatInterleave(state, 0, 4),
		ops.Reshape(ops.Expand(ops.Unsqueeze(state, 1), b, 4, 32), b.Times(4), 32))
	ops.Add(query, ops.Reshape(ops.Expand(state, 4, b, 32), -1, 32))
}

// All pairs of the elements of one set, and of two sets.
func pairsOfElements(g *graph.Graph) {
	n, m := g.Dim("n"), g.Dim("m")
	x, y := g.Input("x", graph.Float32, n, 8), g.Input("y", graph.Float32, m, 8)
	ops.Sub(ops.RepeatInterleave(x, 0, n), ops.Tile(x, n, 1))
	ops.Concat(1, ops.RepeatInterleave(x, 0, m), ops.Tile(y, n, 1))
	table := ops.Reshape(ops.MatMul(x, ops.Transpose(y, 0, 1)), -1)
	ops.Add(table, ops.Sum(ops.Mul(ops.RepeatInterleave(x, 0, m), ops.Tile(y, n, 1)), 1))
}

func wordsInSentences(g *graph.Graph) {
	b, s, w := g.Dim("batch"), g.Dim("sentences"), g.Dim("words")
	ids, keep := g.Input("ids", graph.Int64, b, s, w), g.Input("keep", graph.Bool, b, s, w)
	x := ops.Embedding(ops.Reshape(ids, b.Times(s), w), g.Param("table", graph.Float32, 1000, 32))
	scores := ops.Squeeze(testmodel.Linear(g, "score", x, 1), -1)
	scores = ops.MaskedFill(scores, ops.Not(ops.Flatten(keep, 0, 1)), graph.Num(-1e9))
	sentence := ops.Sum(ops.Mul(x, ops.Unsqueeze(ops.Softmax(scores, 1), 2)), 1)
	ops.Reshape(sentence, b, s, 32)
}

func unflattened(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x, y := g.Input("x", graph.Float32, b, t, 8), g.Input("y", graph.Float32, t, b, 8)
	h := ops.Reshape(testmodel.Linear(g, "h", ops.Reshape(x, -1, 8), 8), b, t, 8)
	ops.Add(h, ops.Transpose(y, 0, 1))
	ops.Add(ops.Reshape(h, -1, 8), ops.Reshape(ops.Transpose(y, 0, 1), -1, 8))
}

func framesOfVideos(g *graph.Graph) {
	n, t := g.Dim("n"), g.Dim("frames")
	x, label := g.Input("x", graph.Float32, n, t, 3, 16, 16), g.Input("label", graph.Int64, n)
	h := ops.Mean(conv(g, "c", ops.Flatten(x, 0, 1), 8), 2, 3)
	each := testmodel.Linear(g, "out", h, 10)
	ops.CrossEntropy(each, ops.RepeatInterleave(label, 0, t))
	ops.CrossEntropy(ops.Mean(ops.Reshape(each, n, t, 10), 1), label)
}

// Distances of all to all need no order.
func distancesBetweenOrders(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x, y := g.Input("x", graph.Float32, b, t, 8), g.Input("y", graph.Float32, t, b, 8)
	d := ops.CDist(ops.Reshape(x, -1, 8), ops.Reshape(y, -1, 8), 2)
	ops.Mean(ops.Min(d, 1))
	ops.Softmax(ops.MatMul(ops.Reshape(x, -1, 8), ops.Transpose(ops.Reshape(y, -1, 8), 0, 1)), 1)
}

// Numbers of how many are right need none either, where each is made of one order.
func accuraciesOfOrders(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x, y := g.Input("x", graph.Float32, b, t), g.Input("y", graph.Float32, t, b)
	ops.Sub(ops.Sum(ops.Reshape(x, -1)), ops.Sum(ops.Reshape(y, -1)))
	low, _ := ops.Sort(ops.Reshape(x, -1), 0, false)
	other, _ := ops.Sort(ops.Reshape(y, -1), 0, false)
	ops.Mean(ops.Abs(ops.Sub(low, other)))
}
