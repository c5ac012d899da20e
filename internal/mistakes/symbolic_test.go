package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Right programs whose sizes are all names: what is taken apart is put together again, and only the
// divisions that the first step makes are left to binding.
var _ = add(
	headsOfAnyWidth, headsOfMultiple, queriesByChunk, queriesByReshape, queriesByGroup, windowsOfSequence,
	windowsOfImage, windowsOfSeven, shuffledPixels, shuffledChannels, rotaryHalves, rotaryPairs,
	beamsOfBatch, framesOfSequence, headsOfTwo, windowsWithHalo, sumOverSum,
)

func headsOfAnyWidth(g *graph.Graph) {
	b, t, d, h := g.Dim("b"), g.Dim("t"), g.Dim("d"), g.Dim("h")
	x := g.Input("x", graph.Float32, b, t, d)
	q := ops.Transpose(ops.Reshape(x, b, t, h, -1), 1, 2) // want note BL401 "d is a multiple of h"
	o := ops.MatMul(ops.Softmax(ops.MatMul(q, ops.Transpose(q, -1, -2)), -1), q)
	ops.Add(x, ops.Reshape(ops.Transpose(o, 1, 2), b, t, -1))
	ops.Add(x, ops.Reshape(ops.Transpose(o, 1, 2), b, t, d))
}

func headsOfMultiple(g *graph.Graph) {
	b, t, d := g.Dim("b"), g.Dim("t"), g.Dim("d", graph.MultipleOf(8))
	x := g.Input("x", graph.Float32, b, t, d)
	q := ops.Transpose(ops.Reshape(x, b, t, 8, -1), 1, 2)
	ops.Add(x, ops.Reshape(ops.Transpose(q, 1, 2), b, t, -1))
}

func queriesByChunk(g *graph.Graph) {
	b, t, d := g.Dim("b"), g.Dim("t"), g.Dim("d", graph.MultipleOf(8))
	x := g.Input("x", graph.Float32, b, t, d.Times(3))
	p := ops.Chunk(x, -1, 3)
	q := ops.Reshape(p[0], b, t, 8, -1)
	k := ops.Reshape(p[1], b, t, 8, d.FloorDiv(8))
	ops.Add(ops.Mul(q, k), ops.Unflatten(p[2], 2, 8, -1))
}

func queriesByReshape(g *graph.Graph) {
	b, t, h, dh := g.Dim("b"), g.Dim("t"), g.Dim("h"), g.Dim("dh")
	x := g.Input("x", graph.Float32, b, t, h.Times(dh).Times(3))
	y := ops.Permute(ops.Reshape(x, b, t, 3, h, -1), 2, 0, 3, 1, 4)
	q, k, v := ops.Select(y, 0, 0), ops.Select(y, 0, 1), ops.Select(y, 0, 2)
	o := ops.MatMul(ops.Softmax(ops.MatMul(q, ops.Transpose(k, -1, -2)), -1), v)
	ops.Expect(ops.Reshape(ops.Transpose(o, 1, 2), b, t, -1), b, t, h.Times(dh))
}

func queriesByGroup(g *graph.Graph) {
	b, t, h, r, dh := g.Dim("b"), g.Dim("t"), g.Dim("h"), g.Dim("r"), g.Dim("dh")
	q := g.Input("q", graph.Float32, b, t, h.Times(r), dh)
	k := g.Input("k", graph.Float32, b, t, h, dh)
	qq := ops.Reshape(q, b, t, h, -1, dh)
	y := ops.Mul(qq, ops.Unsqueeze(k, 3))
	ops.Add(q, ops.Flatten(y, 2, 3))
}

func windowsOfSequence(g *graph.Graph) {
	b, t, w, d := g.Dim("b"), g.Dim("t"), g.Dim("w"), g.Dim("d")
	x := g.Input("x", graph.Float32, b, t, d)
	y := ops.Reshape(x, b, -1, w, d) // want note BL401 "t is a multiple of w"
	ops.Add(x, ops.Reshape(y, b, t, d))
	ops.Add(x, ops.Flatten(y, 1, 2))
}

func windowsOfImage(g *graph.Graph) {
	b, h, w, c, k := g.Dim("b"), g.Dim("h"), g.Dim("w"), g.Dim("c"), g.Dim("k")
	x := g.Input("x", graph.Float32, b, h, w, c)
	y := ops.Reshape(x, b, h.FloorDivBy(k), k, w.FloorDivBy(k), k, c) // want note BL401 "h is a multiple of k" and note BL401 "w is a multiple of k"
	y = ops.Reshape(ops.Permute(y, 0, 1, 3, 2, 4, 5), -1, k, k, c)
	z := ops.Reshape(y, b, h.DividedBy(k), w.DividedBy(k), k, k, -1)
	ops.Add(x, ops.Reshape(ops.Permute(z, 0, 1, 3, 2, 4, 5), b, h, w, c))
}

func windowsOfSeven(g *graph.Graph) {
	b, h, w, c := g.Dim("b"), g.Dim("h", graph.MultipleOf(7)), g.Dim("w", graph.MultipleOf(7)), g.Dim("c")
	x := g.Input("x", graph.Float32, b, h, w, c)
	y := ops.Permute(ops.Reshape(x, b, h.FloorDiv(7), 7, w.FloorDiv(7), 7, c), 0, 1, 3, 2, 4, 5)
	y = ops.Reshape(y, -1, 49, c)
	z := ops.Reshape(y, -1, h.FloorDiv(7), w.FloorDiv(7), 7, 7, c)
	ops.Add(x, ops.Reshape(ops.Permute(z, 0, 1, 3, 2, 4, 5), b, h, w, -1))
}

func shuffledPixels(g *graph.Graph) {
	b, c, h, w, r := g.Dim("b"), g.Dim("c"), g.Dim("h"), g.Dim("w"), g.Dim("r")
	x := g.Input("x", graph.Float32, b, c, h, w)
	y := ops.Reshape(x, b, -1, r, r, h, w) // want note BL401 "c is a multiple of r*r"
	y = ops.Reshape(ops.Permute(y, 0, 1, 4, 2, 5, 3), b, -1, h.Times(r), w.Times(r))
	z := ops.Permute(ops.Reshape(y, b, -1, h, r, w, r), 0, 1, 3, 5, 2, 4)
	ops.Add(x, ops.Reshape(z, b, -1, h, w))
}

func shuffledChannels(g *graph.Graph) {
	b, c, h, gr := g.Dim("b"), g.Dim("c"), g.Dim("h"), g.Dim("g")
	x := g.Input("x", graph.Float32, b, c, h, h)
	y := ops.Transpose(ops.Reshape(x, b, gr, -1, h, h), 1, 2) // want note BL401 "c is a multiple of g"
	ops.Add(x, ops.Reshape(y, b, -1, h, h))
}

func rotaryHalves(g *graph.Graph) {
	b, t, d := g.Dim("b"), g.Dim("t"), g.Dim("d", graph.MultipleOf(2))
	x := g.Input("x", graph.Float32, b, t, d)
	p := ops.Chunk(x, -1, 2)
	ops.Add(x, ops.Concat(-1, ops.Neg(p[1]), p[0]))
	y := ops.Reshape(x, b, t, -1, 2)
	ops.Add(x, ops.Reshape(ops.Stack(-1, ops.Select(y, -1, 1), ops.Select(y, -1, 0)), b, t, d))
}

func rotaryPairs(g *graph.Graph) {
	b, t, d := g.Dim("b"), g.Dim("t"), g.Dim("d", graph.MultipleOf(2))
	x := g.Input("x", graph.Float32, b, t, d)
	e, o := ops.Slice(x, 2, 0, ops.End, 2), ops.Slice(x, 2, 1, ops.End, 2)
	ops.Add(x, ops.Flatten(ops.Stack(-1, e, o), 2, 3))
}

func beamsOfBatch(g *graph.Graph) {
	b, k, v := g.Dim("b"), g.Dim("beams"), g.Dim("v")
	x := g.Input("x", graph.Float32, b.Times(k), v)
	y := ops.Reshape(x, b, -1)
	z := ops.Reshape(y, -1, v)
	ops.Add(x, z)
	ops.Reshape(y, b, k, v)
}

func framesOfSequence(g *graph.Graph) {
	b, t, c := g.Dim("b"), g.Dim("t"), g.Dim("c")
	x := g.Input("x", graph.Float32, b, t, c, 8, 8)
	y := ops.Reshape(x, -1, c, 8, 8)
	ops.Add(x, ops.Reshape(y, -1, t, c, 8, 8))
	ops.Add(x, ops.Reshape(y, b, -1, c, 8, 8))
}

func headsOfTwo(g *graph.Graph) {
	b, t, h, a, c := g.Dim("b"), g.Dim("t"), g.Dim("h"), g.Dim("a"), g.Dim("c")
	x, y := g.Input("x", graph.Float32, b, t, h.Times(a)), g.Input("y", graph.Float32, b, t, h.Times(c))
	z := ops.Reshape(ops.Concat(2, x, y), b, t, h, -1)
	ops.Expect(z, b, t, h, a.Plus(c))
	p := ops.SplitSizes(ops.Flatten(z, 2, 3), 2, h.Times(a), h.Times(c))
	ops.Add(p[0], x)
	ops.Add(p[1], y)
}

func windowsWithHalo(g *graph.Graph) {
	b, n, w, d := g.Dim("b"), g.Dim("n"), g.Dim("w"), g.Dim("d")
	x := g.Input("x", graph.Float32, b, n.Times(w), d)
	pad := ops.Pad(x, 1, w, w, 0)
	y := ops.Reshape(pad, b, -1, w, d)
	ops.Expect(y, b, n.Plus(2), w, d)
	ops.Expect(ops.Reshape(y, b, -1), b, n.Plus(2).Times(w).Times(d))
}

func sumOverSum(g *graph.Graph) {
	n, m, k := g.Dim("n"), g.Dim("m"), g.Dim("k")
	x := g.Input("x", graph.Float32, n.Times(k).Plus(m.Times(k)).Plus(n).Plus(m))
	y := ops.Reshape(x, n.Plus(m), -1)
	ops.Expect(y, n.Plus(m), k.Plus(1))
}
