package exec

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// buffers returns the number of buffers in the arena that no other value takes over.
func buffers(p *Program) (n int) {
	for _, s := range p.code.Buffers {
		if s.Reuses == nil {
			n++
		}
	}
	return n
}

func runOne(t *testing.T, p *Program, feed Feed, out *graph.Node) Array {
	t.Helper()
	r, err := p.NewSession().Run(context.Background(), feed)
	require.NoError(t, err)
	return ArrayOf(t, r, out)
}

// Each way to write a part of a value writes into the value's own memory: there is no
// other buffer.
func TestWritesUseNoOtherBuffer(t *testing.T) {
	x := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8}
	views := map[string]struct {
		of   func(y *graph.Node) *graph.Node
		want []float32
	}{
		"itself": {func(y *graph.Node) *graph.Node { return y },
			[]float32{100, 101, 102, 103, 104, 105, 106, 107, 108}},
		"row": {func(y *graph.Node) *graph.Node { return ops.Select(y, 0, 1) },
			[]float32{0, 1, 2, 103, 104, 105, 6, 7, 8}},
		"column": {func(y *graph.Node) *graph.Node { return ops.Slice(y, 1, 0, 1, 1) },
			[]float32{100, 1, 2, 103, 4, 5, 106, 7, 8}},
		"every 2nd": {func(y *graph.Node) *graph.Node { return ops.Slice(y, 0, 0, ops.End, 2) },
			[]float32{100, 101, 102, 3, 4, 5, 106, 107, 108}},
		"diagonal": {func(y *graph.Node) *graph.Node { return ops.Diagonal(y, 0, 0, 1) },
			[]float32{100, 1, 2, 3, 104, 5, 6, 7, 108}},
		"transposed": {func(y *graph.Node) *graph.Node { return ops.Slice(ops.Transpose(y, 0, 1), 0, 2, 3, 1) },
			[]float32{0, 1, 102, 3, 4, 105, 6, 7, 108}},
		"reshaped": {func(y *graph.Node) *graph.Node { return ops.Slice(ops.Reshape(y, 9), 0, 4, 6, 1) },
			[]float32{0, 1, 2, 3, 104, 105, 6, 7, 8}},
		"strided": {func(y *graph.Node) *graph.Node {
			return ops.AsStrided(y, graph.Shape{2, 2}, []graph.Dim{3, 2}, 1)
		}, []float32{0, 101, 2, 103, 104, 5, 106, 7, 8}},
	}
	for name, view := range views {
		t.Run(name, func(t *testing.T) {
			g := graph.New("write")
			in := g.Input("x", graph.Float32, 3, 3)
			y := ops.Relu(in)
			w := ops.AddInPlace(view.of(y), graph.Num(100))
			after := ops.After(y, w)
			p, err := Compile(g, Outputs(after))
			require.NoError(t, err)
			require.Equal(t, 1, buffers(p), "%s", p)
			require.Equal(t, view.want, runOne(t, p, Feed{in: Array{[]int{3, 3}, x}}, after).Data)
		})
	}
}

// Nor is there one where sizes are known only in the run: what could not be proved then was
// refused, not copied.
func TestWritesOfSizesKnownLaterUseNoOtherBuffer(t *testing.T) {
	for name, view := range map[string]func(y *graph.Node, n graph.Dim) *graph.Node{
		"itself":     func(y *graph.Node, _ graph.Dim) *graph.Node { return y },
		"last row":   func(y *graph.Node, _ graph.Dim) *graph.Node { return ops.Select(y, 0, -1) },
		"first half": func(y *graph.Node, n graph.Dim) *graph.Node { return ops.Slice(y, 0, 0, n.FloorDiv(2), 1) },
		"every 2nd":  func(y *graph.Node, _ graph.Dim) *graph.Node { return ops.Slice(y, 1, 0, ops.End, 2) },
		"transposed": func(y *graph.Node, _ graph.Dim) *graph.Node { return ops.Transpose(y, 0, 1) },
		"diagonal":   func(y *graph.Node, _ graph.Dim) *graph.Node { return ops.Diagonal(y, 0, 0, 1) },
		"backwards":  func(y *graph.Node, _ graph.Dim) *graph.Node { return ops.Flip(y, 0, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("write")
			n := g.Dim("n")
			in := g.Input("x", graph.Float32, n, n)
			y := ops.Relu(in)
			v := view(y, n)
			after := ops.After(y, ops.AddInPlace(v, graph.Num(100)))
			p, err := Compile(g, Outputs(after))
			require.NoError(t, err)
			require.Equal(t, 1, buffers(p), "%s", p)
			for _, size := range []int{1, 4} {
				got := runOne(t, p, Feed{in: Array{[]int{size, size}, make([]float32, size*size)}},
					after).Data.([]float32)
				written := 0
				for _, x := range got {
					written += int(x) / 100
				}
				want, err := v.Shape().NumElements().Eval(func(string) (int64, bool) { return int64(size), true })
				require.NoError(t, err)
				require.EqualValues(t, want, written, "%v", got)
			}
		})
	}
}

// Parameters and inputs that are declared so are written where they lie.
func TestWritesReachParametersAndInputs(t *testing.T) {
	g := graph.New("write")
	x := g.Input("x", graph.Float32, 4).Mutable()
	w := g.Param("w", graph.Float32, 2, 2)
	row := ops.CopyInPlace(ops.Select(w, 0, 1), graph.Num(7))
	tail := ops.MulInPlace(ops.Slice(x, 0, 2, 4, 1), graph.Num(10))
	p, err := Compile(g, Updates(row, tail))
	require.NoError(t, err)
	require.Zero(t, buffers(p))
	s := p.NewSession()
	data := []float32{1, 2, 3, 4}
	_, err = s.Run(context.Background(), Feed{x: Array{[]int{4}, data}})
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2, 30, 40}, data)
	v, err := s.Param(w)
	require.NoError(t, err)
	require.Equal(t, []float32{0, 0, 7, 7}, v.Data)
}

// An old value that is an output is copied before the write.
func TestOldValueAsOutput(t *testing.T) {
	g := graph.New("old")
	x := g.Input("x", graph.Float32, 3)
	y := ops.Neg(x)
	w := ops.AddInPlace(y, graph.Num(1))
	p, err := Compile(g, Outputs(y, w))
	require.NoError(t, err)
	r, err := p.NewSession().Run(context.Background(), Feed{x: Array{[]int{3}, []float32{1, 2, 3}}})
	require.NoError(t, err)
	require.Equal(t, []float32{-1, -2, -3}, ArrayOf(t, r, y).Data)
	require.Equal(t, []float32{0, -1, -2}, ArrayOf(t, r, w).Data)
}

// A value that is simplified to the one that it was computed from stays what it was when
// that one is written.
func TestSimplifiedValuesStayApart(t *testing.T) {
	for name, same := range map[string]func(y *graph.Node) *graph.Node{
		"times 1":     func(y *graph.Node) *graph.Node { return ops.Mul(y, graph.Num(1)) },
		"twice minus": func(y *graph.Node) *graph.Node { return ops.Neg(ops.Neg(y)) },
		"no padding":  func(y *graph.Node) *graph.Node { return ops.Pad(y, 0, 0, 0, 0) },
		"no sum":      func(y *graph.Node) *graph.Node { return ops.Sum(y, ops.NoAxes()) },
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("same")
			x := g.Input("x", graph.Float32, 3)
			y := ops.Exp(x)
			before, twice := same(y), same(same(y))
			w := ops.AddInPlace(y, graph.Num(10))
			sum := ops.Add(ops.Add(w, before), ops.Sum(ops.Add(w, twice)))
			p, err := Compile(g, Outputs(sum))
			require.NoError(t, err)
			require.Equal(t, []float32{48, 48, 48},
				runOne(t, p, Feed{x: Array{[]int{3}, []float32{0, 0, 0}}}, sum).Data)
		})
	}
}

// Equal values stay apart when one of them is written.
func TestWritesKeepEqualValuesApart(t *testing.T) {
	g := graph.New("equal")
	x := g.Input("x", graph.Float32, 3)
	a, b := ops.Exp(x), ops.Exp(x)
	w := ops.SubInPlace(a, graph.Num(1))
	sum := ops.Add(ops.Mul(w, graph.Num(0)), b)
	p, err := Compile(g, Outputs(sum))
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1, 1}, runOne(t, p, Feed{x: Array{[]int{3}, []float32{0, 0, 0}}}, sum).Data)
}

// The gradient through writes to parts of a value is that of the program without them.
func TestGradientThroughWrites(t *testing.T) {
	g := graph.New("gradient")
	x := g.Input("x", graph.Float64, 2, 2)
	c := g.Input("c", graph.Float64, 2)
	y := ops.Mul(x, x)
	w := ops.MulInPlace(ops.Select(y, 0, 1), c) // row 1 becomes x² · c
	loss := ops.Sum(ops.Mul(ops.After(y, w), graph.Constant(g, []float64{1, 2, 3, 4}, 2, 2)))
	grads := autodiff.Grad(loss, []*graph.Node{x, c})
	p, err := Compile(g, Outputs(grads...))
	require.NoError(t, err)
	r, err := p.NewSession().Run(context.Background(),
		Feed{x: Array{[]int{2, 2}, []float64{1, 2, 3, 4}}, c: Array{[]int{2}, []float64{5, 6}}})
	require.NoError(t, err)
	require.Equal(t, []float64{2 * 1, 2 * 2 * 2, 2 * 3 * 5 * 3, 2 * 4 * 6 * 4}, ArrayOf(t, r, grads[0]).Data)
	require.Equal(t, []float64{9 * 3, 16 * 4}, ArrayOf(t, r, grads[1]).Data)
}

// A graph may hold two ways to train a parameter; a program has one of them.
func TestTwoProgramsWriteOneParameter(t *testing.T) {
	g := graph.New("two")
	w := g.Param("w", graph.Float32, 2)
	slow, fast := ops.AddInPlace(w, graph.Num(1)), ops.AddInPlace(w, graph.Num(10))
	for _, step := range []*graph.Node{slow, fast} {
		_, err := Compile(g, Updates(step))
		require.NoError(t, err)
	}
	_, err := Compile(g, Updates(slow, fast))
	require.ErrorContains(t, err, "two writes of one value have no order")
}

// What is read of memory that several elements share is read before a number fills it.
func TestReadsBeforeAFillOfRepeatedMemory(t *testing.T) {
	g := graph.New("fill")
	x := g.Input("x", graph.Float32, 2)
	rows := ops.Expand(ops.Neg(x), 3, 2)
	w := ops.CopyInPlace(rows, graph.Num(7))
	p, err := Compile(g, Outputs(rows, w))
	require.NoError(t, err)
	r, err := p.NewSession().Run(context.Background(), Feed{x: Array{[]int{2}, []float32{1, 2}}})
	require.NoError(t, err)
	require.Equal(t, []float32{-1, -2, -1, -2, -1, -2}, ArrayOf(t, r, rows).Data)
	require.Equal(t, []float32{7, 7, 7, 7, 7, 7}, ArrayOf(t, r, w).Data)
}

// A number may fill memory that several elements share.
func TestFillOfRepeatedMemory(t *testing.T) {
	g := graph.New("fill")
	row := g.Param("row", graph.Float32, 1, 3)
	w := ops.CopyInPlace(ops.Expand(row, 4, 3), graph.Num(2))
	p, err := Compile(g, Updates(w))
	require.NoError(t, err)
	s := p.NewSession()
	_, err = s.Run(context.Background(), nil)
	require.NoError(t, err)
	v, err := s.Param(row)
	require.NoError(t, err)
	require.Equal(t, []float32{2, 2, 2}, v.Data)
}

// A value that is written in place is needed before the end of its row, and so is the old
// one, after it: neither may take the other's place in memory.
func TestOldAndNewValueOfAWriteInOneRow(t *testing.T) {
	data := []float64{.1, .2, .3, .4, .5, .6}
	gradient := func(write func(x, y *graph.Node) *graph.Node, part bool) []float64 {
		g := graph.New("write")
		x := g.Input("x", graph.Float64, 2, 3)
		y := ops.Copy(x)
		if part {
			y = ops.Slice(y, 0, 0, 1, 1)
		}
		dx := autodiff.Grad(ops.Tanh(ops.Sum(write(y, ops.Tanh(y)))), []*graph.Node{x})[0]
		p, err := Compile(g, Outputs(dx))
		require.NoError(t, err)
		return runOne(t, p, Feed{x: Array{[]int{2, 3}, data}}, dx).Data.([]float64)
	}
	for _, part := range []bool{false, true} {
		require.Equal(t, gradient(ops.Mul, part), gradient(ops.MulInPlace, part))
	}
}

// A mask that waits for its user reads what the program writes before that user has a kernel.
func TestWhatWaitsReadsBeforeAWrite(t *testing.T) {
	g := graph.New("cache")
	length := g.Param("length", graph.Int64)
	x := g.Input("x", graph.Float32, 3, 4)
	seen := ops.LessEqual(ops.Iota(g, 0, 4), length)
	next := ops.CopyInPlace(length, ops.Add(length, graph.Num(1)))
	y := ops.Softmax(ops.Where(seen, x, graph.Num(-100)), 1)
	p, err := Compile(g, Outputs(y), Updates(next))
	require.NoError(t, err)
	s := p.NewSession()
	for n := range 4 {
		r, err := s.Run(context.Background(), Feed{x: Array{[]int{3, 4}, make([]float32, 12)}})
		require.NoError(t, err)
		require.InDelta(t, 1/float32(n+1), ArrayOf(t, r, y).Data.([]float32)[0], 1e-6)
	}
}

// A value that is overwritten before anything reads it is not made; one that is read besides, is.
func TestOverwrittenValuesAreNotMade(t *testing.T) {
	type nodes = []*graph.Node
	for name, c := range map[string]struct {
		write   func(y, x *graph.Node) nodes
		made    bool
		results [][]float64
	}{
		"whole": {func(y, x *graph.Node) nodes { return nodes{ops.CopyInPlace(y, x)} }, false,
			[][]float64{{1, 2, 3, 4, 5, 6}}},
		"part": {func(y, x *graph.Node) nodes {
			return nodes{ops.CopyInPlace(ops.Select(y, 0, 0), ops.Select(x, 0, 1))}
		}, false,
			[][]float64{{4, 5, 6}}},
		"repeated": {func(y, x *graph.Node) nodes { return nodes{ops.CopyInPlace(y, ops.Select(x, 0, 1))} }, false,
			[][]float64{{4, 5, 6, 4, 5, 6}}},
		"the rest is read": {func(y, x *graph.Node) nodes {
			return nodes{ops.After(y, ops.CopyInPlace(ops.Select(y, 0, 0), ops.Select(x, 0, 1)))}
		}, true,
			[][]float64{{4, 5, 6, 16, 25, 36}}},
		"the old value is read": {func(y, x *graph.Node) nodes { return nodes{ops.Sum(y), ops.CopyInPlace(y, x)} },
			true,
			[][]float64{{91}, {1, 2, 3, 4, 5, 6}}},
		"part of what was written is": {func(y, x *graph.Node) nodes {
			first := ops.CopyInPlace(ops.Select(y, 0, 0), ops.Select(x, 0, 1))
			return nodes{ops.AddInPlace(ops.Slice(first, 0, 1, ops.End, 1), ops.Select(ops.Select(x, 0, 0), 0, 0)),
				ops.Sum(y)}
		}, true, [][]float64{{6, 7}, {91}}},
		"written again through a view": {func(y, x *graph.Node) nodes {
			first := ops.CopyInPlace(ops.Slice(y, 1, 0, ops.End, 2), ops.Select(ops.Select(x, 0, 0), 0, 1))
			return nodes{ops.DivInPlace(ops.Flip(first, 1), ops.Slice(x, 1, 0, 2, 1))}
		}, false, [][]float64{{2, 1, 0.5, 0.4}}},
		"written before": {func(y, x *graph.Node) nodes { return nodes{ops.CopyInPlace(ops.AddInPlace(y, x), x)} },
			false,
			[][]float64{{1, 2, 3, 4, 5, 6}}},
		"written again": {func(y, x *graph.Node) nodes { return nodes{ops.AddInPlace(ops.CopyInPlace(y, x), x)} },
			false,
			[][]float64{{2, 4, 6, 8, 10, 12}}},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("write")
			x := g.Input("x", graph.Float64, 2, 3)
			outputs := c.write(ops.Square(x), x)
			p, err := Compile(g, Outputs(outputs...))
			require.NoError(t, err)
			require.Equal(t, c.made, strings.Contains(p.String(), "=square"))
			r, err := p.NewSession().Run(t.Context(), Feed{x: Array{[]int{2, 3}, []float64{1, 2, 3, 4, 5, 6}}})
			require.NoError(t, err)
			for i, want := range c.results {
				require.Equal(t, want, ArrayOf(t, r, outputs[i]).Data)
			}
		})
	}
}

// A write to a parameter that is overwritten before anything reads it is left out.
func TestOverwrittenWritesAreLeftOut(t *testing.T) {
	t.Setenv(VerifyVariable, "1")
	g := graph.New("write")
	x, w := g.Input("x", graph.Float32, 3), g.Param("w", graph.Float64, 3)
	p, err := Compile(g, Updates(ops.CopyInPlace(ops.SubInPlace(w, x), ops.Sum(x))))
	require.NoError(t, err)
	require.NotContains(t, p.String(), "sub_")
	s := p.NewSession()
	_, err = s.Run(t.Context(), Feed{x: Array{[]int{3}, []float32{1, 2, 3}}})
	require.NoError(t, err)
	after, err := s.Param(w)
	require.NoError(t, err)
	require.Equal(t, []float64{6, 6, 6}, after.Data)
}

// A part of what Barrier shows is written: the whole is shown by it after the write, too.
func TestWritesBehindABarrier(t *testing.T) {
	g := graph.New("write")
	x, y := g.Input("x", graph.Float64, 2, 3), g.Input("y", graph.Float64, 2)
	shown := ops.Barrier(ops.Copy(x), ops.Sin(y))
	after := ops.After(ops.Transpose(shown, 0, 1), ops.AddInPlace(ops.Select(shown, 0, 1), ops.Sum(y)))
	grads := autodiff.Grad(ops.Sum(ops.Square(after)), []*graph.Node{x, y})
	p, err := Compile(g, Outputs(after, grads[0], grads[1]))
	require.NoError(t, err)
	r, err := p.NewSession().Run(t.Context(),
		Feed{x: Array{[]int{2, 3}, []float64{1, 2, 3, 4, 5, 6}}, y: []float64{1, 2}})
	require.NoError(t, err)
	require.Equal(t, []float64{1, 7, 2, 8, 3, 9}, ArrayOf(t, r, after).Data)
	require.Equal(t, []float64{2, 4, 6, 14, 16, 18}, ArrayOf(t, r, grads[0]).Data)
	require.Equal(t, []float64{48, 48}, ArrayOf(t, r, grads[1]).Data)
}
