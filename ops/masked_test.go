package ops_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// compressed picks, in plain Go, the slices of x, [outer, n, inner], at which the mask holds, with room for some.
func compressed(x []float32, mask []bool, outer, room int) []float32 {
	inner := 0
	if len(mask) > 0 {
		inner = len(x) / outer / len(mask)
	}
	out := make([]float32, 0, outer*room*inner)
	for o := range outer {
		count := 0
		for i, holds := range mask {
			if holds {
				at := (o*len(mask) + i) * inner
				out, count = append(out, x[at:at+inner]...), count+1
			}
		}
		for range (room - count) * inner {
			out = append(out, -1)
		}
	}
	return out
}

// TestCompress compares slices along one and two axes with those that a loop picks, and puts them back by
// MaskedScatter.
func TestCompress(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		shape, mask []int
		axis        int
		outer, room int
	}{
		"rows":             {[]int{5, 3}, []int{5}, 0, 1, 5},
		"columns":          {[]int{4, 6}, []int{6}, 1, 4, 8},
		"the last axis":    {[]int{2, 3, 4}, []int{4}, -1, 6, 4},
		"of two axes":      {[]int{3, 4, 2}, []int{3, 4}, 0, 1, 12},
		"the last two":     {[]int{2, 3, 4}, []int{3, 4}, -1, 2, 12},
		"all elements":     {[]int{3, 4}, []int{3, 4}, 0, 1, 13},
		"of no slices":     {[]int{0, 3}, []int{0}, 0, 1, 0},
		"of empty slices":  {[]int{3, 0}, []int{3}, 0, 1, 3},
		"of few in a room": {[]int{1, 2}, []int{1}, 0, 1, 4},
	} {
		t.Run(name, func(t *testing.T) {
			count := func(s []int) int {
				n := 1
				for _, d := range s {
					n *= d
				}
				return n
			}
			xs, ms := make([]float32, count(c.shape)), make([]bool, count(c.mask))
			for i := range xs {
				xs[i] = float32(i + 1)
			}
			held := int64(0)
			for i := range ms {
				if ms[i] = rng.IntN(2) == 0; ms[i] {
					held++
				}
			}
			for _, named := range []bool{false, true} {
				g := graph.New("compress")
				shape := graph.MakeShape(c.shape...)
				for i := range shape {
					if named {
						shape[i] = g.Dim(string(rune('a'+i)), graph.AtLeast(0))
					}
				}
				first := (c.axis + len(c.shape) - len(c.mask) + 1) % (len(c.shape) - len(c.mask) + 1)
				x, mask := g.Input("x", graph.Float32, shape...),
					g.Input("m", graph.Bool, shape[first:first+len(c.mask)]...)
				rows, n := ops.Compress(x, c.axis, mask, graph.Dim(c.room), graph.Num(-1))
				dx := autodiff.Grad(ops.Sum(ops.Mul(rows, rows)), []*graph.Node{x})[0]
				prog, err := exec.Compile(g, exec.Outputs(rows, n, dx))
				require.NoError(t, err)
				r, err := prog.NewSession().Run(context.Background(),
					exec.Feed{x: exec.Array{Shape: c.shape, Data: xs}, mask: exec.Array{Shape: c.mask, Data: ms}})
				require.NoError(t, err)
				got, err := r.Array(rows)
				require.NoError(t, err)
				require.Equal(t, compressed(xs, ms, c.outer, c.room), got.Data)
				many, err := exec.Values[int64](r, n)
				require.NoError(t, err)
				require.Equal(t, held, many[0])
				slope, err := exec.Values[float32](r, dx)
				require.NoError(t, err)
				for i, v := range xs {
					inner := max(len(xs)/c.outer/max(len(ms), 1), 1)
					if !ms[i/inner%len(ms)] {
						v = 0
					}
					require.Equal(t, 2*v, slope[i])
				}
			}
		})
	}
}

// TestCompressAndBack computes of the rows that a mask chooses alone, and puts them back.
func TestCompressAndBack(t *testing.T) {
	g := graph.New("back")
	n := g.Dim("n")
	x, mask := g.Input("x", graph.Float32, n, 2), g.Input("m", graph.Bool, n)
	rows, _ := ops.Compress(x, 0, mask, n, graph.Num(0))
	y := ops.MaskedScatter(x, ops.Unsqueeze(mask, 1), ops.Mul(rows, graph.Num(10)))
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(context.Background(),
		exec.Feed{x: []float32{1, 2, 3, 4, 5, 6}, mask: []bool{true, false, true}})
	require.NoError(t, err)
	got, err := exec.Values[float32](r, y)
	require.NoError(t, err)
	require.Equal(t, []float32{10, 20, 3, 4, 50, 60}, got)
}

// TestCompressMessages: a mask that does not fit is reported with its axis, and too many slices stop the run.
func TestCompressMessages(t *testing.T) {
	g := graph.New("compress")
	x, mask, m4 := g.Input("x", graph.Float32, g.Dim("n"), 3), g.Input("m", graph.Bool, g.Dim("n")),
		g.Input("m4", graph.Bool, 4)
	call := func(axis int, mask node, size graph.Dim, fill node) node {
		y, _ := ops.Compress(x, axis, mask, size, fill)
		return y
	}
	for want, y := range map[string]node{
		"Compress(x, 1, m4, 2, 0): compress: the mask has 4 elements along axis 0, but there are 3 slices": call(
			1, m4, 2, graph.Num(0)),
		"Compress(x, 2, m, 2, 0): Dimension out of range": call(
			2, mask, 2, graph.Num(0)),
		"compress: expected a Bool mask, but got Float": call(
			0, x, 2, graph.Num(0)),
		"compress: the fill must be a number or a scalar of dtype float32": call(
			0, mask, 2, m4),
		"compress: -1 is not a valid size": call(
			0, mask, -1, graph.Num(0)),
		"compress: a mask of rank 0 cannot select slices of an operand of rank 2": call(
			0, ops.Any(mask, ops.AllAxes()), 2, graph.Num(0)),
		"MaskedSelect(x, m, 2, 0): the mask, of shape [n], matches the first axes of x, of shape [n, 3]: it selects slices": first(
			ops.MaskedSelect(x, mask, 2, graph.Num(0))),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "masked_test.go")
	}
}

// TestCompressWithoutRoom: a run stops where the mask holds more often than the size says, and tells how often.
func TestCompressWithoutRoom(t *testing.T) {
	g := graph.New("compress")
	x, mask := g.Input("x", graph.Float32, g.Dim("n"), 3), g.Input("m", graph.Bool, g.Dim("n"))
	rows, count := ops.Compress(x, 0, mask, 1, graph.Num(0))
	for _, n := range []node{rows, count} {
		prog, err := exec.Compile(g, exec.Outputs(n))
		require.NoError(t, err)
		_, err = prog.NewSession().Run(context.Background(),
			exec.Feed{x: make([]float32, 9), mask: []bool{true, true, true}})
		require.ErrorContains(
			t, err, "Compress(x, 0, m, 1, 0): the mask is true for more elements than the given size, 1: found 3")
	}
}

// TestLengthMask wants truth values before each length, also where none or all places come before it.
func TestLengthMask(t *testing.T) {
	for _, dtype := range []graph.DType{graph.Int64, graph.Int32, graph.Int8, graph.Uint8, graph.Uint64} {
		g := graph.New("lengths")
		lengths := g.Input("lengths", graph.Int64, 2, g.Dim("n"))
		mask := ops.LengthMask(ops.Cast(lengths, dtype), g.Dim("size", graph.AtLeast(0)))
		require.Equal(t, "[2, n, size]", mask.Shape().String())
		prog, err := exec.Compile(g, exec.Outputs(mask))
		require.NoError(t, err)
		for _, size := range []int{0, 1, 3} {
			r, err := prog.NewSession(exec.Size("size", size)).Run(
				context.Background(), exec.Feed{lengths: [][]int64{{0, 1, 2}, {3, 4, 0}}})
			require.NoError(t, err)
			var want []bool
			for _, length := range []int{0, 1, 2, 3, 4, 0} {
				for at := range size {
					want = append(want, at < length)
				}
			}
			got, err := exec.Values[bool](r, mask)
			require.NoError(t, err)
			require.Equal(t, want, append([]bool(nil), got...), "%s, %d places", dtype, size)
		}
	}
	g := graph.New("lengths")
	require.ErrorContains(t, ops.LengthMask(g.Input("lengths", graph.Float32, 2), 3).Err(),
		"lengths are integers, and lengths is float32")
	require.ErrorContains(t, ops.LengthMask(graph.Num(2), 3).Err(), "LengthMask")
}
