package exec_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// indexIn is a valid index into an axis of some size, computed from values around zero.
func indexIn(x *graph.Node, size graph.Dim) *graph.Node {
	n := ops.Size(x.Graph(), x.DType(), size)
	return ops.Cast(ops.Minimum(ops.Floor(ops.Mul(ops.Sigmoid(x), n)), ops.Sub(n, graph.Num(1))), graph.Int32)
}

// Kernels pick single elements by index where they need them, and what they compute is what the evaluator does, at all
// sizes.
func TestKernelsPickElements(t *testing.T) {
	type node = *graph.Node
	programs := map[string]func(x, table node, n, m graph.Dim) []node{ // of x [n, m] and a table [3, 2, m]
		"computed index": func(x, table node, n, m graph.Dim) []node {
			row := ops.Reshape(table, table.Shape().NumElements())
			return []node{ops.Mul(ops.Take(row, 0, indexIn(x, row.Shape()[0])), x)}
		},
		"several of one": func(x, table node, n, m graph.Dim) []node {
			row := ops.Reshape(table, table.Shape().NumElements())
			i, j := indexIn(x, row.Shape()[0]), indexIn(ops.Neg(x), row.Shape()[0])
			a, b := ops.Take(row, 0, i), ops.Take(row, 0, j)
			return []node{ops.Add(ops.Mul(a, x), b), ops.Sub(a, b)}
		},
		"axes before": func(x, table node, n, m graph.Dim) []node {
			picked := ops.Take(table, 2, indexIn(x, m))
			return []node{ops.Add(ops.Sin(picked), ops.Unsqueeze(x, 0))}
		},
		"axes of one element behind": func(x, table node, n, m graph.Dim) []node {
			picked := ops.Take(ops.Reshape(table, 6, m, 1, 1), 1, indexIn(x, m))
			return []node{ops.Mul(picked, picked)}
		},
		"of what is computed at the same places": func(x, table node, n, m graph.Dim) []node {
			flat := ops.Reshape(x, n.Times(m))
			y := ops.Exp(flat)
			return []node{ops.Add(ops.Take(y, 0, indexIn(flat, n.Times(m))), y)}
		},
		"of positions": func(x, table node, n, m graph.Dim) []node {
			flat := ops.Reshape(x, n.Times(m))
			squares := ops.Square(ops.Cast(ops.Iota(x.Graph(), 0, n.Times(m)), x.DType()))
			return []node{ops.Add(ops.Take(squares, 0, indexIn(flat, n.Times(m))), flat)}
		},
		"a view of an index": func(x, table node, n, m graph.Dim) []node {
			index := indexIn(x, m)
			return []node{ops.Neg(ops.Take(table, 2, ops.Transpose(index, 0, 1))),
				ops.Neg(ops.Take(table, 2, ops.Reshape(index, n.Times(m))))}
		},
		"rows are reduced": func(x, table node, n, m graph.Dim) []node {
			picked := ops.Take(ops.Reshape(table, table.Shape().NumElements()), 0, indexIn(x, m))
			return []node{ops.Softmax(ops.Add(picked, x), -1), ops.Sum(picked),
				ops.Max(ops.Sub(picked, ops.Mean(x, -1, ops.KeepDims())), -1)}
		},
		"picked for another kernel": func(x, table node, n, m graph.Dim) []node {
			picked := ops.Take(ops.Reshape(table, table.Shape().NumElements()), 0, indexIn(x, m))
			return []node{picked, ops.Sin(picked), ops.MatMul(picked, ops.Transpose(x, 0, 1))}
		},
		"by what was picked": func(x, table node, n, m graph.Dim) []node {
			row := ops.Reshape(table, table.Shape().NumElements())
			first := ops.Take(row, 0, indexIn(x, m))
			return []node{ops.Add(ops.Take(row, 0, indexIn(first, m)), first)}
		},
		"put together": func(x, table node, n, m graph.Dim) []node {
			picked := ops.Take(ops.Reshape(table, table.Shape().NumElements()), 0, indexIn(x, m))
			return []node{ops.Concat(0, ops.Mul(picked, x), x), ops.Roll(picked, 1, 0)}
		},
		"gradients": func(x, table node, n, m graph.Dim) []node {
			picked := ops.Take(table, 2, indexIn(x, m))
			y := ops.Sum(ops.Mul(ops.Square(picked), x))
			return autodiff.Grad(y, []node{x, table})
		},
		"from a near table": func(x, table node, n, m graph.Dim) []node {
			near := ops.Square(ops.Cast(ops.Iota(x.Graph(), 0, 50), x.DType()))
			return []node{ops.Mul(ops.Take(near, 0, indexIn(x, 50)), x),
				ops.Take(ops.Cast(near, graph.Int64), 0, indexIn(ops.Neg(x), 50))}
		},
		"along an axis": func(x, table node, n, m graph.Dim) []node {
			at := ops.Cast(indexIn(x, m), graph.Int64)
			return []node{ops.Gather(x, 1, at), ops.Mul(ops.Gather(ops.Neg(x), 1, at), x)}
		},
		"by 64 bits": func(x, table node, n, m graph.Dim) []node {
			row := ops.Reshape(table, table.Shape().NumElements())
			given, known := ops.Cast(indexIn(x, row.Shape()[0]), graph.Int64), ops.Square(ops.Iota(x.Graph(), 0, 20))
			last := ops.Size(x.Graph(), graph.Int64, row.Shape()[0].Minus(1))
			return []node{ops.Mul(ops.Take(row, 0, given), x), ops.Neg(ops.Take(row, 0, ops.Sub(last, given))),
				ops.Mul(ops.Cast(ops.Take(known, 0, ops.Cast(indexIn(x, 20), graph.Int64)), x.DType()), x)}
		},
		"in a loop": func(x, table node, n, m graph.Dim) []node {
			row := ops.Reshape(table, table.Shape().NumElements())
			return ops.Fori(3, []node{x}, func(_ node, c []node) []node {
				return []node{ops.Add(ops.Mul(c[0], graph.Num(0.5)), ops.Take(row, 0, indexIn(c[0], m)))}
			})
		},
	}
	for name, program := range programs {
		for _, of := range []graph.DType{graph.Float64, graph.Float32, graph.Int64, graph.Int32} {
			t.Run(fmt.Sprintf("%s/%s", name, of), func(t *testing.T) {
				g := graph.New("picks")
				n, m := g.Dim("n", graph.AtLeast(0)), g.Dim("m")
				in := newReferenceInputs(g, rand.New(rand.NewPCG(1, 2)))
				x, table := in.input("x", graph.Shape{n, m}), in.input("table", graph.Shape{3, 2, m})
				own := ops.Cast(ops.Mul(table, graph.Num(3)), of)
				outputs := program(x, ops.Cast(own, graph.Float64), n, m)
				if name == "computed index" {
					outputs = append(outputs, ops.Add(
						ops.Take(ops.Reshape(own, m.Times(graph.Dim(6))), 0, indexIn(x, m)), graph.Num(1)))
				}
				for _, sizes := range [][2]int{{1, 1}, {5, 7}, {130, 33}, {0, 4}, {2, 3000}} {
					in.values[x], in.values[table] = normals(in.rng, sizes[0], sizes[1]),
						normals(in.rng, 3, 2, sizes[1])
					requireReference(t, outputs, in.values, 1e-5)
				}
				p, err := exec.Compile(g, exec.Outputs(outputs...), exec.OnWarning(nil))
				require.NoError(t, err)
				require.Contains(t, p.String(), "= pick ")
			})
		}
	}
}

// An index out of range stops the run, wherever it is and whichever kernel reads it, and the first one is reported.
func TestPickedOutside(t *testing.T) {
	const n, size = 5000, 300
	g := graph.New("outside")
	table, near := g.Input("table", graph.Float32, 4, g.Dim("size")), g.Input("near", graph.Float32, size)
	x, index := g.Input("x", graph.Float32, n), g.Input("index", graph.Int32, n)
	long := g.Input("long", graph.Int64, n)
	entries, values, at, far := make([]float32, 4*size), make([]float32, n), make([]int32, n), make([]int64, n)
	feed := exec.Feed{table: exec.Array{Shape: []int{4, size}, Data: entries}, near: entries[:size], x: values,
		index: at, long: far}
	for name, y := range map[string]*graph.Node{
		"given":         ops.Mul(ops.Take(table, 1, index), x),
		"of 64 bits":    ops.Mul(ops.Take(ops.Select(table, 0, 0), 0, long), x),
		"of known size": ops.Mul(ops.Take(near, 0, long), x),
		"computed":      ops.Mul(ops.Take(table, 1, ops.Cast(x, graph.Int32)), x),
		"in the kernel": ops.Mul(ops.Take(near, 0, ops.Cast(x, graph.Int32)), x),
	} {
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		require.Contains(t, p.String(), "= pick ")
		for _, threads := range []int{1, 2} {
			for _, first := range []int{0, 7, 4095, n - 1} {
				for _, bad := range []int32{-1, size, math.MinInt32, math.MaxInt32} {
					clear(at)
					at[n-1], at[first] = size, bad // the last one is outside too
					for i, v := range at {
						values[i], far[i] = float32(v), int64(v)
					}
					_, err = p.NewSession(exec.Threads(threads)).Run(context.Background(), feed)
					require.ErrorContains(t, err, "index out of range in self", name)
					require.ErrorContains(t, err, fmt.Sprintf("[%d] is %d, not in 0..299", first, bad), name)
					require.ErrorContains(t, err, "pick_test.go", name)
				}
			}
		}
	}
}

// A Gather checks indices, computes places and picks in one kernel, whether sizes are known or not.
func TestGatherIsOneKernel(t *testing.T) {
	for _, known := range []bool{false, true} {
		for axis := range 2 {
			g, columns := graph.New("gather"), graph.Dim(50)
			if !known {
				columns = g.Dim("m")
			}
			x, index := g.Input("x", graph.Float32, g.Dim("n"), columns), g.Input("index", graph.Int64, g.Dim("k"), 30)
			if axis == 0 {
				index = g.Input("rows", graph.Int64, g.Dim("k"), columns)
			}
			y := ops.Gather(x, axis, index)
			p, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			require.Regexp(t, `(?m)^kernel \d elementwise .*=check_index .*=take$`, p.String())
		}
	}
}

// Kernels that gather long rows by the same indices run together. The results, and the index out of range that is
// reported, are the same as those of separate kernels.
func TestPickedForManyRows(t *testing.T) {
	const rows, n, size = 5, 70_001, 1000
	g := graph.New("rows")
	table, index, x := g.Input("table", graph.Float32, rows, size), g.Input("index", graph.Int32, n),
		g.Input("x", graph.Float32, n)
	y := ops.Add(ops.Mul(ops.Take(table, 1, index), x),
		ops.Mul(ops.Take(table, 1, ops.Sub(graph.Num(size-1), index)), ops.Cos(x)))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	entries, at, values := make([]float32, rows*size), make([]int32, n), make([]float32, n)
	for i := range entries {
		entries[i] = float32(math.Sin(float64(i)))
	}
	for i := range at {
		at[i], values[i] = int32(i*7919%size), float32(i%17)
	}
	feed := exec.Feed{table: exec.Array{Shape: []int{rows, size}, Data: entries}, index: at, x: values}
	for _, threads := range []int{1, 2} {
		s := p.NewSession(exec.Threads(threads))
		got := run(t, s, []*graph.Node{y}, feed)[0]
		for r := range rows {
			for i := range n {
				want := entries[r*size+int(at[i])]*values[i] +
					entries[r*size+size-1-int(at[i])]*float32(math.Cos(float64(values[i])))
				if d := got[r*n+i] - want; d > 1e-4 || d < -1e-4 {
					t.Fatalf("row %d, element %d: %g, want %g", r, i, got[r*n+i], want)
				}
			}
		}
		for _, bad := range []int{0, 4095, 40_000, n - 1} {
			old := at[bad]
			at[bad], at[n-1] = size, size
			_, err := s.Run(context.Background(), feed)
			require.ErrorContains(t, err, fmt.Sprintf("index[%d] is 1000", bad))
			at[bad], at[n-1] = old, int32((n-1)*7919%size)
		}
	}
}

// A table without elements has none to pick, and nothing is read of it.
func TestNothingToPick(t *testing.T) {
	g := graph.New("nothing")
	k, n := g.Dim("k", graph.AtLeast(0)), g.Dim("n", graph.AtLeast(0))
	table, index := g.Input("table", graph.Float64, k), g.Input("index", graph.Int32, n)
	y := ops.Exp(ops.Take(table, 0, index))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	s := p.NewSession()
	_, err = s.Run(context.Background(), exec.Feed{table: []float64{}, index: []int32{0, 0, 0}})
	require.ErrorContains(t, err, "index[0] is 0, but there are no elements")
	r, err := s.Run(context.Background(), exec.Feed{table: []float64{}, index: []int32{}})
	require.NoError(t, err)
	values, err := exec.Values[float64](r, y)
	require.NoError(t, err)
	require.Empty(t, values)
}

// A table that is written in place is read before, and stays as it was where the run stops.
func TestPickedBeforeWrites(t *testing.T) {
	g := graph.New("written")
	table := g.Param("table", graph.Float64, 64)
	index := g.Input("index", graph.Int32, 64)
	picked := ops.Take(table, 0, index)
	write := ops.AddInPlace(table, ops.Add(picked, graph.Num(1)))
	p, err := exec.Compile(g, exec.Outputs(picked), exec.Updates(write))
	require.NoError(t, err)
	s := p.NewSession()
	require.NoError(t, s.SetParam(table, make([]float64, 64)))
	at := make([]int32, 64)
	for i := range at {
		at[i] = int32(63 - i)
	}
	for step, want := range []float64{0, 1, 3, 7} {
		r, err := s.Run(context.Background(), exec.Feed{index: at})
		require.NoError(t, err)
		values, err := exec.Values[float64](r, picked)
		require.NoError(t, err)
		require.Equal(t, want, values[5], step)
	}
	at[60] = 64
	_, err = s.Run(context.Background(), exec.Feed{index: at})
	require.ErrorContains(t, err, "index[60] is 64")
	left, err := s.Param(table)
	require.NoError(t, err)
	require.Equal(t, 15.0, left.Data.([]float64)[0])
}

// Random programs that pick, of each other's results too, compute what the evaluator does.
func TestRandomPicks(t *testing.T) {
	seeds := uint64(120)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 12))
		g := graph.New("random picks")
		in := newReferenceInputs(g, rng)
		n, m := 1+rng.IntN(6), 16+rng.IntN(60)
		named := []graph.Dim{graph.Dim(n), graph.Dim(m)}
		if rng.IntN(2) == 0 {
			named = []graph.Dim{g.Dim("n"), g.Dim("m")}
		}
		whole := graph.Shape{named[0], named[1]}
		values := []*graph.Node{in.input("x", whole, n, m), in.input("y", whole, n, m)}
		rows := []*graph.Node{in.input("row", graph.Shape{named[1]}, m),
			in.input("column", graph.Shape{named[0], 1}, n, 1)}
		for range 4 + rng.IntN(12) {
			x, y := pickOf(rng, values), pickOf(rng, values)
			switch rng.IntN(9) {
			case 0:
				x = ops.Sin(ops.Add(x, y))
			case 1:
				x = ops.Tanh(ops.Mul(x, pickOf(rng, rows)))
			case 2:
				x = ops.Add(x, ops.Mean(y, ops.Axis(rng.IntN(2)), ops.KeepDims()))
			case 3:
				x = ops.Transpose(ops.Reshape(ops.Add(x, y), named[1], named[0]), 0, 1)
			case 4: // rows of a table for each of which the same is picked
				x = ops.Sub(ops.Take(x, 1, indexIn(pickOf(rng, rows[:1]), named[1])), y)
			case 5:
				rows = append(
					rows,
					ops.Mean(ops.Take(ops.Reshape(x, named[0].Times(named[1])), 0,
						indexIn(y, named[0].Times(named[1]))), 0))
				continue
			default:
				flat := ops.Reshape(x, named[0].Times(named[1]))
				if rng.IntN(3) == 0 {
					flat = pickOf(rng, rows[:1])
				}
				x = ops.Take(flat, 0, indexIn(y, flat.Shape()[0]))
				if rng.IntN(2) == 0 {
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
		t.Run(fmt.Sprint(seed), func(t *testing.T) { requireReference(t, outputs, in.values, 1e-6) })
	}
}

// What goes on with a product is still fused with it where it also takes what is picked.
func TestProductsKeepTheirEpilogues(t *testing.T) {
	g := graph.New("epilogue")
	x, w := g.Input("x", graph.Float32, 256, 64), g.Input("w", graph.Float32, 64, 256)
	table, index := g.Input("table", graph.Float32, 1000), g.Input("index", graph.Int32, 256, 256)
	p, err := exec.Compile(g, exec.Outputs(ops.Relu(ops.Add(ops.Take(table, 0, index), ops.MatMul(x, w)))))
	require.NoError(t, err)
	require.Contains(t, p.String(), "may be fused with the product before it")
	require.NotContains(t, p.String(), "= pick ")
}
