package exec_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Kernels pick rows by index where they need them, and what they compute is what the evaluator does, at all sizes.
func TestKernelsPickRows(t *testing.T) {
	const width = 40
	type node = *graph.Node
	by := graph.Int64
	programs := map[string]func(x, table node, n, m graph.Dim) []node{ // of x [n, width] and a table [m, 2, width]
		"elements": func(x, table node, n, m graph.Dim) []node {
			rows := ops.Reshape(table, m.Times(2), width)
			return []node{ops.Mul(ops.Take(rows, 0, rowIn(x, m.Times(2), by)), x)}
		},
		"both ends": func(x, table node, n, m graph.Dim) []node {
			rows := ops.Squeeze(ops.Slice(table, 1, 0, 1, 1), 1) // every other one
			i, j := rowIn(x, m, by), rowIn(ops.Neg(x), m, by)
			a, b := ops.Take(rows, 0, i), ops.Take(rows, 0, j)
			return []node{ops.Sum(ops.Mul(a, b), 1), ops.Relu(ops.Add(ops.Add(a, b), x)), a}
		},
		"axes around": func(x, table node, n, m graph.Dim) []node {
			i := rowIn(x, m, by)
			return []node{ops.Sin(ops.Take(table, 0, i)), ops.Neg(ops.Take(ops.Transpose(table, 0, 1), 1, i)),
				ops.Abs(ops.Take(table, 1, rowIn(x, 2, by)))}
		},
		"several axes of indices": func(x, table node, n, m graph.Dim) []node {
			i := ops.Stack(1, rowIn(x, m, by), rowIn(ops.Neg(x), m, by), rowIn(ops.Sin(x), m, by))
			picked := ops.Take(ops.Slice(table, 1, 1, 2, 1), 0, i) // [n, 3, 1, width]
			return []node{ops.Mean(picked, 1, 2), ops.Max(picked, 1),
				ops.Exp(ops.Take(ops.Reshape(table, m.Times(2), width), 0, ops.Transpose(i, 0, 1)))}
		},
		"rows are reduced": func(x, table node, n, m graph.Dim) []node {
			rows := ops.Take(ops.Reshape(table, m.Times(2), width), 0, rowIn(x, m.Times(2), by))
			return []node{ops.Softmax(ops.Add(rows, x), -1), ops.ArgMax(ops.Mul(rows, x), 1)}
		},
		"normalised": func(x, table node, n, m graph.Dim) []node {
			rows := ops.Add(ops.Take(ops.Reshape(table, m.Times(2), width), 0, rowIn(x, m.Times(2), by)), x)
			mean := ops.Mean(rows, -1, ops.KeepDims())
			variance := ops.Mean(ops.Square(ops.Sub(rows, mean)), -1, ops.KeepDims())
			return []node{ops.Div(ops.Sub(rows, mean), ops.Sqrt(ops.Add(variance, graph.Num(1e-3))))}
		},
		"columns are reduced": func(x, table node, n, m graph.Dim) []node {
			rows := ops.Mul(ops.Take(ops.Reshape(table, m.Times(2), width), 0, rowIn(x, m.Times(2), by)), x)
			return []node{ops.Sum(rows, 0), ops.Sum(rows), ops.Transpose(rows, 0, 1)}
		},
		"with a transposed operand": func(x, table node, n, m graph.Dim) []node {
			across := ops.Transpose(ops.Reshape(ops.Sin(x), width, n), 0, 1)
			return []node{ops.Add(ops.Take(ops.Reshape(table, m.Times(2), width), 0, rowIn(x, m.Times(2), by)), across)}
		},
		"a part of a row": func(x, table node, n, m graph.Dim) []node {
			part := ops.Slice(ops.Reshape(table, m.Times(2), width), 1, 3, 36, 1)
			return []node{ops.Sqrt(ops.Abs(ops.Take(part, 0, rowIn(x, m.Times(2), by))))}
		},
		"computed table": func(x, table node, n, m graph.Dim) []node {
			rows := ops.Exp(ops.Reshape(table, m.Times(2), width))
			return []node{ops.Sub(ops.Take(rows, 0, rowIn(x, m.Times(2), by)), x), ops.Log(rows)}
		},
		"of themselves": func(x, table node, n, m graph.Dim) []node {
			y := ops.Tanh(x)
			return []node{ops.Add(ops.Take(y, 0, rowIn(x, n, by)), y), ops.Max(ops.Take(x, 0, rowIn(x, n, by)), 1)}
		},
		"by what is found in rows": func(x, table node, n, m graph.Dim) []node {
			best := ops.Remainder(ops.ArgMax(x, 1), graph.Num(2))
			return []node{ops.Mul(ops.Take(ops.Reshape(ops.Slice(table, 0, 0, 1, 1), 2, width), 0, best), x)}
		},
		"two steps": func(x, table node, n, m graph.Dim) []node {
			rows := ops.Reshape(table, m.Times(2), width)
			first := ops.Take(rows, 0, rowIn(x, m.Times(2), by))
			return []node{ops.Add(ops.Take(rows, 0, rowIn(first, m.Times(2), by)), first)}
		},
		"for another kernel": func(x, table node, n, m graph.Dim) []node {
			rows := ops.Take(ops.Reshape(table, m.Times(2), width), 0, rowIn(x, m.Times(2), by))
			return []node{ops.MatMul(rows, ops.Transpose(x, 0, 1)), ops.Cos(rows),
				ops.Relu(ops.Add(ops.MatMul(x, ops.MatMul(ops.Transpose(x, 0, 1), x)), rows))}
		},
		"put together": func(x, table node, n, m graph.Dim) []node {
			rows := ops.Take(ops.Reshape(table, m.Times(2), width), 0, rowIn(x, m.Times(2), by))
			return []node{ops.Concat(1, ops.Mul(rows, x), x), ops.Concat(0, ops.Neg(rows), x)}
		},
		"added up by index": func(x, table node, n, m graph.Dim) []node {
			rows := ops.Reshape(table, m.Times(2), width)
			i, j := rowIn(x, m.Times(2), by), rowIn(ops.Neg(x), m.Times(2), by)
			y := ops.SegmentSum(ops.Relu(ops.Add(ops.Take(rows, 0, i), x)), 0, j, m.Times(2))
			return append(autodiff.Grad(ops.Sum(ops.Square(y)), []node{x, table}), y)
		},
		"in a loop": func(x, table node, n, m graph.Dim) []node {
			rows := ops.Reshape(table, m.Times(2), width)
			return ops.Fori(3, []node{x}, func(_ node, c []node) []node {
				return []node{ops.Add(ops.Mul(c[0], graph.Num(0.5)), ops.Take(rows, 0, rowIn(c[0], m.Times(2), by)))}
			})
		},
	}
	for name, program := range programs {
		for _, of := range []graph.DType{graph.Float64, graph.Float32, graph.Int64, graph.Int32} {
			by = graph.Int64
			if of.Size() == 4 {
				by = graph.Int32
			}
			t.Run(fmt.Sprintf("%s/%s of %s", name, by, of), func(t *testing.T) {
				g := graph.New("rows")
				n, m := g.Dim("n", graph.AtLeast(0)), g.Dim("m", graph.AtLeast(1))
				in := newReferenceInputs(g, rand.New(rand.NewPCG(1, 2)))
				x, table := in.input("x", graph.Shape{n, width}), in.input("table", graph.Shape{m, 2, width})
				own := ops.Cast(ops.Mul(table, graph.Num(3)), of)
				outputs := program(x, ops.Cast(own, graph.Float64), n, m)
				if name == "elements" {
					outputs = append(outputs, ops.Add(ops.Take(own, 0, rowIn(x, m, by)), graph.Num(1)))
				}
				for _, sizes := range [][2]int{{1, 1}, {5, 7}, {130, 33}, {0, 4}} {
					in.values[x], in.values[table] = normals(in.rng, sizes[0], width),
						normals(in.rng, sizes[1], 2, width)
					requireReference(t, outputs, in.values, 1e-5)
				}
				p, err := exec.Compile(g, exec.Outputs(outputs...), exec.OnWarning(nil))
				require.NoError(t, err)
				require.Contains(t, p.String(), "= pick ")
			})
		}
	}
}

// rowIn is a valid index into an axis of some size for each row of x.
func rowIn(x *graph.Node, size graph.Dim, by graph.DType) *graph.Node {
	return ops.Cast(indexIn(ops.Sum(ops.Sin(x), 1), size), by)
}

// Short rows, and a few, are copied.
func TestRowsThatAreCopied(t *testing.T) {
	for name, build := range map[string]func(g *graph.Graph) *graph.Node{
		"short": func(g *graph.Graph) *graph.Node {
			return ops.Take(g.Input("x", graph.Float32, 100, 8), 0, g.Input("i", graph.Int64, 100))
		},
		"few": func(g *graph.Graph) *graph.Node {
			return ops.Take(g.Input("x", graph.Float32, 100, 64), 0, g.Input("i", graph.Int64, 3))
		},
		"of an unknown number of elements": func(g *graph.Graph) *graph.Node {
			return ops.Take(g.Input("x", graph.Float32, 100, g.Dim("n")), 0, g.Input("i", graph.Int64, 100))
		},
	} {
		g := graph.New(name)
		p, err := exec.Compile(g, exec.Outputs(ops.Exp(build(g))))
		require.NoError(t, err, name)
		require.NotContains(t, p.String(), "= pick ", name)
	}
}

// An index out of range stops the run, and the first one is reported, whatever the number of threads.
func TestRowsOutside(t *testing.T) {
	const n, size, width = 5000, 300, 48
	g := graph.New("outside")
	table, x := g.Input("table", graph.Float32, g.Dim("size"), width), g.Input("x", graph.Float32, n, width)
	for _, by := range []graph.DType{graph.Int64, graph.Int32} {
		index := g.Input("index"+by.String(), by, n)
		for name, y := range map[string]*graph.Node{
			"elements": ops.Mul(ops.Take(table, 0, index), x),
			"sums":     ops.Sum(ops.Mul(ops.Take(table, 0, index), x), 1),
			"twice":    ops.Add(ops.Take(table, 0, index), ops.Take(table, 0, ops.Maximum(index, graph.Num(0)))),
		} {
			p, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			require.Contains(t, p.String(), "= pick ")
			for _, threads := range []int{1, 2} {
				for _, first := range []int{0, 7, 4095, n - 1} {
					for _, bad := range []int64{-1, size, math.MinInt32, math.MaxInt32, math.MinInt64, math.MaxInt64,
						1 << 60} {
						if by == graph.Int32 && int64(int32(bad)) != bad {
							continue
						}
						at := make([]int64, n)
						at[n-1], at[first] = size, bad // the last one is outside too
						feed := exec.Feed{table: exec.Array{
							Shape: []int{size, width}, Data: make([]float32, size*width)}, x: make([]float32, n*width),
							index: at}
						if by == graph.Int32 {
							narrow := make([]int32, n)
							for i, v := range at {
								narrow[i] = int32(v)
							}
							feed[index] = narrow
						}
						_, err = p.NewSession(exec.Threads(threads)).Run(context.Background(), feed)
						require.ErrorContains(t, err, "index out of range in self", name)
						require.ErrorContains(t, err, fmt.Sprintf("[%d] is %d, not in 0..299", first, bad), name)
						require.ErrorContains(t, err, "pickrows_test.go", name)
					}
				}
			}
		}
	}
}

// A table without rows has none to pick, and nothing is read of it.
func TestNoRowsToPick(t *testing.T) {
	g := graph.New("nothing")
	k, n := g.Dim("k", graph.AtLeast(0)), g.Dim("n", graph.AtLeast(0))
	table, index := g.Input("table", graph.Float64, k, 64), g.Input("index", graph.Int64, n)
	y := ops.Exp(ops.Take(table, 0, index))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	require.Contains(t, p.String(), "= pick ")
	s, none := p.NewSession(), exec.Array{Shape: []int{0, 64}, Data: []float64{}}
	_, err = s.Run(context.Background(), exec.Feed{table: none, index: []int64{0, 0, 0}})
	require.ErrorContains(t, err, "index[0] is 0, but there are no elements")
	r, err := s.Run(context.Background(), exec.Feed{table: none, index: []int64{}})
	require.NoError(t, err)
	values, err := exec.Values[float64](r, y)
	require.NoError(t, err)
	require.Empty(t, values)
}

// What is computed of rows of a table is not stored over it, be it of the same size, nor what a step of a loop computes
// of the rows of its state.
func TestRowsAreNotOverwritten(t *testing.T) {
	const n, width = 400, 64
	g := graph.New("overwritten")
	x, index := g.Input("x", graph.Float64, n, width), g.Input("index", graph.Int64, n)
	step := func(y *graph.Node) *graph.Node {
		return ops.Add(ops.Mul(ops.Take(y, 0, index), graph.Num(0.5)), graph.Num(1))
	}
	y := step(step(ops.Exp(x)))
	looped := ops.Fori(2, []*graph.Node{ops.Exp(x)}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{step(c[0])}
	})[0]
	p, err := exec.Compile(g, exec.Outputs(y, looped))
	require.NoError(t, err)
	values, at := normals(rand.New(rand.NewPCG(3, 4)), n, width), make([]int64, n)
	for i := range at {
		at[i] = int64((i*37 + 5) % n)
	}
	list := values.Data.([]float64)
	for _, threads := range []int{1, 2} {
		r, err := p.NewSession(exec.Threads(threads)).Run(
			context.Background(), exec.Feed{x: exec.Array{Shape: values.Shape, Data: list}, index: at})
		require.NoError(t, err)
		for _, out := range []*graph.Node{y, looped} {
			got, err := exec.Values[float64](r, out)
			require.NoError(t, err)
			for i := range n {
				for j := range width {
					want := (math.Exp(list[int(at[at[i]])*width+j])*0.5+1)*0.5 + 1
					require.InDelta(t, want, got[i*width+j], 1e-9, "row %d, column %d", i, j)
				}
			}
		}
	}
}

// Long rows, whose chunks threads share, are picked too.
func TestLongRowsArePicked(t *testing.T) {
	const width = 30_011
	g := graph.New("long")
	in := newReferenceInputs(g, rand.New(rand.NewPCG(5, 6)))
	n := g.Dim("n")
	x, table := in.input("x", graph.Shape{n, 1}, 16, 1), in.input("table", graph.Shape{5, width}, 5, width)
	rows := ops.Take(table, 0, rowIn(x, 5, graph.Int64))
	y := ops.Softmax(ops.Mul(rows, x), 1)
	for _, count := range []int{1, 2, 16} {
		in.values[x] = normals(in.rng, count, 1)
		requireReference(t, []*graph.Node{y, ops.Max(rows, 1)}, in.values, 1e-9)
	}
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	require.Contains(t, p.String(), "= pick ")
	feed := exec.Feed{x: exec.Array{Shape: []int{2, 1}, Data: []float64{3, -2}},
		table: exec.Array{Shape: []int{5, width}, Data: in.values[table].Data}}
	var want []float64
	for _, threads := range []int{1, 2, 3} {
		r, err := p.NewSession(exec.Threads(threads)).Run(context.Background(), feed)
		require.NoError(t, err)
		got, err := exec.Values[float64](r, y)
		require.NoError(t, err)
		if want == nil {
			want = slices.Clone(got)
		}
		require.Equal(t, want, got)
	}
}

// Results that are written past the caches are those of other ones, and a run that stops there leaves nothing behind.
func TestLargeResultsOfPickedRows(t *testing.T) {
	const n, size, width = 60_000, 500, 64
	g := graph.New("large")
	table, from, to := g.Input("table", graph.Float32, size, width), g.Input("from", graph.Int64, n),
		g.Input("to", graph.Int32, n)
	y := ops.Sub(ops.Take(table, 0, from), ops.Take(table, 0, to))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	entries, i, j := make([]float32, size*width), make([]int64, n), make([]int32, n)
	for k := range entries {
		entries[k] = float32(k*31%1009) / 8
	}
	for k := range i {
		i[k], j[k] = int64(k*7919%size), int32(k*104729%size)
	}
	feed := exec.Feed{table: exec.Array{Shape: []int{size, width}, Data: entries}, from: i, to: j}
	for _, threads := range []int{1, 2} {
		s := p.NewSession(exec.Threads(threads))
		for _, bad := range []int{0, 30_000, n - 1} {
			old := j[bad]
			j[bad] = -7
			_, err := s.Run(context.Background(), feed)
			require.ErrorContains(t, err, fmt.Sprintf("to[%d] is -7", bad))
			j[bad] = old
			got := run(t, s, []*graph.Node{y}, feed)[0]
			for k := range n {
				for c := range width {
					if want := entries[int(i[k])*width+c] - entries[int(j[k])*width+c]; got[k*width+c] != want {
						t.Fatalf("row %d, column %d: %g, want %g", k, c, got[k*width+c], want)
					}
				}
			}
		}
	}
}

// Random programs that pick rows, of each other's results too, compute what the evaluator does.
func TestRandomRows(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		outputs, in := randomRows(seed)
		t.Run(fmt.Sprint(seed), func(t *testing.T) { requireReference(t, outputs, in.values, 1e-6) })
	}
}

// randomRows makes a random program that picks rows and adds them up by index.
func randomRows(seed uint64) ([]*graph.Node, *referenceInputs) {
	rng := rand.New(rand.NewPCG(seed, 13))
	g := graph.New("random rows")
	in := newReferenceInputs(g, rng)
	n, width := 16+rng.IntN(50), 32+rng.IntN(40)
	rows := graph.Dim(n)
	if rng.IntN(2) == 0 {
		rows = g.Dim("n")
	}
	whole := graph.Shape{rows, graph.Dim(width)}
	values := []*graph.Node{in.input("x", whole, n, width), in.input("y", whole, n, width)}
	vectors := []*graph.Node{in.input("row", graph.Shape{graph.Dim(width)}, width),
		in.input("column", graph.Shape{rows, 1}, n, 1)}
	for range 4 + rng.IntN(10) {
		x, y := pickOf(rng, values), pickOf(rng, values)
		switch rng.IntN(9) {
		case 0:
			x = ops.Sin(ops.Add(x, y))
		case 1:
			x = ops.Tanh(ops.Mul(x, pickOf(rng, vectors)))
		case 2:
			x = ops.Add(x, ops.Mean(y, ops.Axis(rng.IntN(2)), ops.KeepDims()))
		case 3:
			x = ops.Transpose(ops.Reshape(ops.Add(x, y), graph.Dim(width), rows), 0, 1)
		case 4:
			x = ops.SegmentSum(ops.Sin(x), 0, rowIn(y, rows, graph.Int64), rows)
		case 5:
			two := ops.Take(x, 0, ops.Stack(1, rowIn(y, rows, graph.Int64), rowIn(x, rows, graph.Int64)))
			x = ops.Mean(two, 1)
		default:
			by := []graph.DType{graph.Int64, graph.Int32}[rng.IntN(2)]
			x = ops.Take(x, 0, rowIn(y, rows, by))
			if rng.IntN(3) == 0 {
				x = ops.Where(ops.Greater(y, graph.Num(0)), x, ops.Mul(y, graph.Num(0.5)))
			}
		}
		values = append(values, x)
	}
	last := values[len(values)-1]
	outputs := []*graph.Node{last, ops.Sum(ops.Sin(pickOf(rng, values)), 1), pickOf(rng, values)}
	if rng.IntN(3) == 0 {
		outputs = append(outputs, autodiff.Grad(ops.Sum(ops.Square(last)), values[:2], autodiff.ZeroForUnused())...)
	}
	return outputs, in
}

// Rows that were picked are picked again where they are needed once more, rather than kept, but not by what goes on
// with a product, nor by what writes in place.
func TestPickedAgain(t *testing.T) {
	const n, size, width = 4000, 100, 64
	g := graph.New("again")
	table, index := g.Input("table", graph.Float32, size, width), g.Input("index", graph.Int64, n)
	w, x := g.Input("w", graph.Float32, width, width), g.Input("x", graph.Float32, n, width)
	state := g.State("state", graph.Float32, nil, n, width)
	rows := ops.Take(table, 0, index)
	first := ops.Sum(ops.Exp(rows), 1)
	far := ops.MatMul(ops.Mul(ops.Unsqueeze(first, 1), x), w) // what is read behind it cannot run with the first kernel
	for name, y := range map[string]*graph.Node{
		"elements": ops.Mul(ops.Sin(rows), ops.Sum(first)), "a product": ops.Relu(ops.Add(far, rows))} {
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		if name == "elements" {
			require.Equal(t, 2, strings.Count(p.String(), "= pick "), p.String())
		} else {
			require.Equal(t, 1, strings.Count(p.String(), "= pick "), p.String())
			require.Contains(t, p.String(), "may be fused with the product before it")
		}
	}
	p, err := exec.Compile(g, exec.Outputs(first),
		exec.Updates(ops.AddInPlace(state, ops.Mul(ops.Sum(far, 1, ops.KeepDims()), rows))))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(p.String(), "= pick "), p.String())
}

// Rows of 16 elements are picked with machine code and without, since the order of sums, and with it their bits,
// depends on which kernels there are.
func TestRowsArePickedOnAnyMachine(t *testing.T) {
	g := graph.New("picks")
	table, z, at := g.Input("table", graph.Float32, 100, 16), g.Input("z", graph.Float32, 40, 16),
		g.Input("at", graph.Int32, 40)
	p, err := exec.Compile(g, exec.Outputs(ops.Sum(ops.Mul(ops.Embedding(at, table), z), ops.AllAxes())))
	require.NoError(t, err)
	require.Len(t, p.Plan().Kernels, 1)
}
