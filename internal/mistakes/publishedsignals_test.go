package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

// Signals, positions, masks and tables of pairs, as in published programs.
var _ = add(
	keypointsOfSquares, signalWindow, filteredSpectrum, polynomialOfTime, matrixFactors, sparseCodes, latentCodes,
	equidistantTimes, queryMasks,
	squareLogits, alibi, relativeShift, offDiagonal, wienerFilter, timeVarying, beamSearch, beamTiles, relationNetwork,
	coordinates, cosineSchedule,
	fourierFeatures,
)

// Sixteen heat maps of 16 by 16 points.
func keypointsOfSquares(g *graph.Graph) {
	heat := g.Input("heat", graph.Float32, g.Dim("n"), 16, 16, 16)
	at := ops.Linspace(g, graph.Float32, -1, 1, 16)
	p := ops.SoftmaxOver(heat, 2, 3)
	ops.Sum(ops.Mul(p, at), 2, 3)
	ops.Sum(ops.Mul(p, ops.Unsqueeze(at, -1)), 2, 3)
	ops.Add(heat, ops.Cast(ops.Iota(g, 0, 16), graph.Float32))
	h := ops.Conv1D(g.Input("x", graph.Float32, g.Dim("n"), 3, 32), g.Param("k", graph.Float32, 32, 3, 3), nil,
		ops.Padding(1))
	ops.Mul(h, ops.HannWindow(g, graph.Float32, 32, true))
}

// A signal of n samples and some channels.
func signalWindow(g *graph.Graph) {
	n := g.Dim("n", graph.AtLeast(8))
	x := g.Input("x", graph.Float32, n, 2)
	y := ops.Mul(x, ops.Unsqueeze(ops.HannWindow(g, graph.Float32, n, true), 1))
	ops.Detrend(y, 0, true)
	t := ops.Div(ops.Cast(ops.Iota(g, 0, n), graph.Float32), graph.Num(44100))
	ops.Mul(x, ops.Unsqueeze(ops.Sin(ops.Mul(t, graph.Num(440))), 1))
}

func filteredSpectrum(g *graph.Graph) {
	n := g.Dim("n", graph.AtLeast(8))
	x := g.Input("x", graph.Float32, n, 2)
	f := ops.FFT(x)
	low := ops.Cast(ops.Less(ops.Abs(ops.FFTFreq(g, graph.Float32, n, 1)), graph.Num(0.1)), graph.Float32)
	ops.IFFT(ops.Mul(f, ops.Unsqueeze(low, 1)))
	ops.Mul(f, ops.Unsqueeze(ops.Cast(ops.Iota(g, 0, n), graph.Float32), -1))
}

// The trend of some series over n days.
func polynomialOfTime(g *graph.Graph) {
	n := g.Dim("n", graph.AtLeast(8))
	y := g.Input("y", graph.Float32, n, 3)
	t := ops.Cast(ops.Iota(g, 0, n), graph.Float32)
	ops.MSE(ops.Mul(ops.Unsqueeze(t, 1), g.Param("slope", graph.Float32, 3)), y)
	ops.Sub(y, ops.MatMul(ops.Vander(t, 3, true), g.Param("w", graph.Float32, 3, 3)))
}

// A matrix of n rows is a product of two that are learned.
func matrixFactors(g *graph.Graph) {
	n, m := g.Dim("n", graph.Exactly(100)), g.Dim("m", graph.Exactly(40))
	x := g.Input("x", graph.Float32, n, m)
	w, h := g.Param("w", graph.Float32, n, 5), g.Param("h", graph.Float32, 5, m)
	ops.Sum(ops.Square(ops.Sub(x, ops.MatMul(ops.Exp(w), ops.Exp(h)))))
	ops.Sub(ops.Sub(x, g.Param("bias", graph.Float32, n, 1)), g.Param("mean", graph.Float32, m))
}

func sparseCodes(g *graph.Graph) {
	n := g.Dim("batch", graph.Exactly(64))
	x, d := g.Input("x", graph.Float32, n, 256), g.Param("dictionary", graph.Float32, 32, 256)
	codes := g.Param("codes", graph.Float32, n, 32)
	ops.Add(ops.Sum(ops.Square(ops.Sub(x, ops.MatMul(codes, d)))), ops.Sum(ops.Abs(codes)))
}

// Each shape of a data set has a code of its own.
func latentCodes(g *graph.Graph) {
	n := g.Dim("examples", graph.Exactly(500))
	x := g.Input("points", graph.Float32, n, g.Dim("points"), 3)
	code := g.Param("codes", graph.Float32, n, 1, 16)
	h := ops.Add(testmodel.Linear(g, "x", x, 64), testmodel.Linear(g, "c", code, 64))
	testmodel.Linear(g, "out", ops.Relu(h), 1)
}

// Times of the examples of a batch lie at equal distances, with one start for all.
func equidistantTimes(g *graph.Graph) {
	b := g.Dim("batch")
	x, noise := g.Input("x", graph.Float32, b, 3, 32, 32), g.Input("noise", graph.Float32, b, 3, 32, 32)
	start := ops.Uniform(g.Input("seed", graph.Int64), graph.Float32)
	t := ops.Frac(
		ops.Add(start, ops.Div(ops.Cast(ops.Iota(g, 0, b), graph.Float32),
			ops.Cast(ops.Size(g, graph.Int64, b), graph.Float32))))
	t = ops.Reshape(t, b, 1, 1, 1)
	ops.Add(ops.Mul(ops.Sqrt(ops.Sub(graph.Num(1), t)), x), ops.Mul(ops.Sqrt(t), noise))
}

// Padding of queries and of keys.
func queryMasks(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	scores, pad := g.Input("scores", graph.Float32, b, 8, t, t), g.Input("pad", graph.Bool, b, t)
	keys, queries := ops.Reshape(pad, b, 1, 1, t), ops.Reshape(pad, b, 1, t, 1)
	w := ops.Softmax(ops.MaskedFill(scores, ops.Or(keys, queries), graph.Num(-1e9)), -1)
	ops.MaskedFill(w, queries, graph.Num(0))
	w = ops.Softmax(ops.MaskedFill(ops.MaskedFill(scores, queries, graph.Num(-1e9)), keys, graph.Num(-1e9)), -1)
	ops.Mul(w, ops.Cast(ops.Not(queries), graph.Float32))
}

// As many tokens as classes, of which padding is set to 0.
func squareLogits(g *graph.Graph) {
	b := g.Dim("batch")
	x, pad := g.Input("x", graph.Float32, b, 16, 32), g.Input("pad", graph.Bool, b, 16)
	logits := ops.MaskedFill(testmodel.Linear(g, "out", x, 16), ops.Unsqueeze(pad, -1), graph.Num(0))
	ops.LogSoftmax(logits, -1)
	h := ops.Where(ops.Unsqueeze(pad, -1), graph.Num(0), testmodel.Linear(g, "gate", x, 16))
	ops.Softmax(h, -1)
}

func alibi(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	scores := g.Input("scores", graph.Float32, b, 8, t, t)
	at := ops.Iota(g, 0, t)
	slope := ops.Reshape(ops.Exp2(ops.Neg(ops.Cast(ops.Iota(g, 0, 8), graph.Float32))), 8, 1, 1)
	apart := ops.Cast(ops.Sub(at, ops.Unsqueeze(at, 1)), graph.Float32)
	ops.Softmax(ops.Add(scores, ops.Mul(slope, apart)), -1)
	ops.Softmax(ops.Add(scores, ops.Mul(slope, ops.Cast(at, graph.Float32))), -1)
	// A temperature by the position of the query.
	ops.Softmax(ops.Mul(scores, ops.Unsqueeze(ops.Log(ops.Add(ops.Cast(at, graph.Float32), graph.Num(2))), 1)), -1)
}

// Transformer-XL: rows are moved against each other, with more keys than queries.
func relativeShift(g *graph.Graph) {
	b, q, k := g.Dim("batch"), g.Dim("q"), g.Dim("k")
	x := g.Input("x", graph.Float32, b, 8, q, k)
	padded := ops.Pad(x, -1, 1, 0, 0)
	moved := ops.Reshape(padded, b, 8, k.Plus(1), q)
	ops.Reshape(ops.Slice(moved, 2, 1, k.Plus(1), 1), b, 8, q, k)
	same := g.Input("same", graph.Float32, b, 8, q, q)
	zero := ops.Zeros(g, graph.Float32, b, 8, q, 1)
	square := ops.Reshape(ops.Concat(-1, zero, same), b, 8, q.Plus(1), q)
	ops.Slice(square, 2, 1, q.Plus(1), 1)
}

// VICReg: what is off the diagonal.
func offDiagonal(g *graph.Graph) {
	n := g.Dim("n", graph.AtLeast(2))
	c := g.Input("c", graph.Float32, n, n)
	flat := ops.Slice(ops.Flatten(c, 0, 1), 0, 0, n.Times(n).Minus(1), 1)
	ops.Flatten(ops.Slice(ops.Reshape(flat, n.Minus(1), n.Plus(1)), 1, 1, n.Plus(1), 1), 0, 1)
	d := g.Input("d", graph.Float32, 128, 128)
	flat = ops.Slice(ops.Flatten(d, 0, 1), 0, 0, 128*128-1, 1)
	off := ops.Slice(ops.Reshape(flat, 127, 129), 1, 1, 129, 1)
	ops.Reshape(off, 128, 127)
}

func wienerFilter(g *graph.Graph) {
	b := g.Dim("batch")
	noisy, noise := g.Input("noisy", graph.Float32, b, 1, 64, 64), g.Param("noise", graph.Float32, 64, 64)
	p := ops.Square(noisy)
	ops.Mul(noisy, ops.Div(p, ops.Add(p, ops.Exp(noise))))
	ops.Mul(noisy, ops.Mul(ops.Unsqueeze(ops.HannWindow(g, graph.Float32, 64, true), 1),
		ops.HannWindow(g, graph.Float32, 64, true)))
}

func timeVarying(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 8)
	w := ops.Exp(ops.Neg(ops.Cast(ops.Iota(g, 0, t), graph.Float32)))
	ops.Sum(ops.Mul(x, ops.Unsqueeze(w, 1)), 1)
	ops.CumSum(ops.Mul(ops.Sum(x, -1), w), 1)
	future := ops.Triu(ops.Ones(g, graph.Float32, t, t), 1)
	scores := ops.MatMul(x, ops.Transpose(x, 1, 2))
	ops.Softmax(ops.Add(scores, ops.Mul(future, graph.Num(-1e9))), -1)
}

func beamSearch(g *graph.Graph) {
	b := g.Dim("batch")
	logits, score := g.Input("logits", graph.Float32, b.Times(4), 100), g.Input("score", graph.Float32, b.Times(4))
	all := ops.Reshape(ops.Add(ops.LogSoftmax(logits, -1), ops.Unsqueeze(score, 1)), b, 400)
	value, index := ops.TopK(all, 4, 1, true)
	beam := ops.FloorDiv(index, graph.Num(100))
	ops.Reshape(ops.Add(beam, ops.Mul(ops.Unsqueeze(ops.Iota(g, 0, b), 1), graph.Num(4))), -1)
	ops.Reshape(value, -1)
}

// Beams of an example stand beside each other, in what is decoded and in what is seen.
func beamTiles(g *graph.Graph) {
	b, s := g.Dim("batch"), g.Dim("s")
	memory, h := g.Input("memory", graph.Float32, b, s, 32), g.Input("h", graph.Float32, b.Times(4), 1, 32)
	seen := ops.RepeatInterleave(memory, 0, 4)
	attend(h, seen, seen, nil)
	first := ops.RepeatInterleave(g.Input("first", graph.Float32, b, 32), 0, 4)
	ops.Add(ops.Squeeze(h, 1), first)
	flat := ops.Reshape(ops.Expand(ops.Unsqueeze(memory, 1), b, 4, s, 32), b.Times(4), s, 32)
	ops.Add(seen, flat)
}

// All pairs of objects.
func relationNetwork(g *graph.Graph) {
	b, n := g.Dim("batch"), g.Dim("n")
	x := g.Input("x", graph.Float32, b, n, 16)
	pairs := ops.Concat(2, ops.RepeatInterleave(x, 1, n), ops.Tile(x, 1, n, 1))
	ops.Sum(testmodel.Linear(g, "g", ops.Relu(pairs), 32), 1)
	ops.Sub(ops.RepeatInterleave(x, 1, n), ops.Tile(x, 1, n, 1))
}

func coordinates(g *graph.Graph) {
	b := g.Dim("batch")
	x := g.Input("x", graph.Float32, b, 3, 32, 32)
	at := ops.Linspace(g, graph.Float32, -1, 1, 32)
	rows, columns := ops.Expand(ops.Unsqueeze(at, 1), b, 1, 32, 32), ops.Expand(at, b, 1, 32, 32)
	h := ops.Relu(conv(g, "c", ops.Concat(1, x, rows, columns), 32))
	ops.Mul(h, at)
	ops.Sum(ops.Mul(ops.Softmax(ops.Flatten(h, 2, 3), -1), ops.Flatten(ops.Expand(at, 32, 32), 0, 1)), -1)
}

func cosineSchedule(g *graph.Graph) {
	b := g.Dim("batch")
	t, x := g.Input("t", graph.Float32, b), g.Input("x", graph.Float32, b, g.Dim("seq"), 16)
	rate := ops.Exp(ops.Mul(ops.Cast(ops.Iota(g, 0, 8), graph.Float32), graph.Num(-1)))
	angle := ops.Mul(ops.Unsqueeze(t, 1), rate)
	embedded := ops.Concat(1, ops.Sin(angle), ops.Cos(angle))
	ops.Add(x, ops.Unsqueeze(testmodel.Linear(g, "t", embedded, 16), 1))
}

func fourierFeatures(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 3)
	at := ops.Mul(graph.Num(6.28), ops.MatMul(x, ops.Transpose(g.Param("b", graph.Float32, 64, 3), 0, 1)))
	ops.Concat(-1, ops.Sin(at), ops.Cos(at))
	octaves := ops.Exp2(ops.Cast(ops.Iota(g, 0, 10), graph.Float32))
	ops.Flatten(ops.Sin(ops.Mul(ops.Unsqueeze(x, -1), octaves)), 1, 2)
	along := ops.Mul(ops.Linspace(g, graph.Float32, 2, 6, 64), graph.Num(1))
	ops.Add(ops.Unsqueeze(x, 1),
		ops.Mul(ops.Unsqueeze(g.Input("d", graph.Float32, g.Dim("n"), 3), 1), ops.Unsqueeze(along, -1)))
}
