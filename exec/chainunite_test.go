package exec_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// runAs runs a program with some options and a number of threads.
func runAs(t *testing.T, outputs []*graph.Node, feed exec.Feed, threads int, opts ...exec.Option) (list []exec.Array) {
	t.Helper()
	p, err := exec.Compile(outputs[0].Graph(), append(opts, exec.Outputs(outputs...), exec.OnWarning(nil))...)
	require.NoError(t, err)
	r, err := p.NewSession(exec.Threads(threads)).Run(context.Background(), feed)
	require.NoError(t, err)
	for _, n := range outputs {
		a := arrayOf(t, r, n)
		list = append(list, exec.Array{Shape: slices.Clone(a.Shape), Data: slices.Clone(a.Data.([]float64))})
	}
	return list
}

// Rows that are united by index in blocks have the bits of those that are stored, with any number of threads and rows
// of a block.
func TestRowsAreUnitedInBlocks(t *testing.T) {
	const width = 70
	type node = *graph.Node
	programs := map[string]func(x, table node, n, m graph.Dim) []node{ // of x [n, width] and a table [m, width]
		"sums": func(x, table node, n, m graph.Dim) []node {
			return []node{ops.SegmentSum(ops.Mul(ops.Take(table, 0, rowIn(x, m, graph.Int64)), x), 0,
				rowIn(ops.Neg(x), m, graph.Int32), m)}
		},
		"of rows that are reduced": func(x, table node, n, m graph.Dim) []node {
			return []node{ops.SegmentSum(ops.Softmax(ops.Add(ops.Take(table, 0, rowIn(x, m, graph.Int64)), x), 1), 0,
				rowIn(ops.Neg(x), m, graph.Int64), m)}
		},
		"two sums of the same rows": func(x, table node, n, m graph.Dim) []node {
			y := ops.Sin(x)
			return []node{ops.SegmentSum(y, 0, rowIn(x, m, graph.Int64), m),
				ops.Sin(ops.SegmentSum(y, 0, rowIn(ops.Neg(x), m, graph.Int32), m))}
		},
		"two matrices of one kernel": func(x, table node, n, m graph.Dim) []node {
			y := ops.Sigmoid(x)
			i := rowIn(x, m, graph.Int64)
			return []node{ops.SegmentSum(ops.Mul(y, graph.Num(2)), 0, i, m), ops.SegmentSum(ops.Mul(y, x), 0, i, m),
				ops.Sum(ops.Mul(y, y), 1)}
		},
		"greatest and least": func(x, table node, n, m graph.Dim) []node {
			i := rowIn(x, m, graph.Int64)
			return []node{ops.SegmentMax(ops.Sin(x), 0, i, m), ops.SegmentMin(ops.Cos(x), 0, i, m)}
		},
		"rows that are kept too": func(x, table node, n, m graph.Dim) []node {
			y := ops.Tanh(x)
			return []node{ops.SegmentSum(y, 0, rowIn(x, m, graph.Int64), m), y}
		},
		"gradients": func(x, table node, n, m graph.Dim) []node {
			i, j := rowIn(x, m, graph.Int64), rowIn(ops.Neg(x), m, graph.Int64)
			message := ops.Relu(ops.Add(ops.Add(ops.Take(table, 0, i), ops.Take(table, 0, j)), x))
			return autodiff.Grad(ops.Sum(ops.Square(ops.SegmentSum(message, 0, j, m))), []node{table, x})
		},
		"a message of columns": func(x, table node, n, m graph.Dim) []node {
			part := ops.Slice(ops.Exp(x), 1, 3, 60, 1)
			return []node{ops.SegmentSum(ops.Mul(part, part), 0, rowIn(x, m, graph.Int64), m)}
		},
		"few columns": func(x, table node, n, m graph.Dim) []node {
			i := rowIn(x, m, graph.Int64)
			one, three := ops.Slice(x, 1, 5, 6, 1), ops.Slice(x, 1, 20, 23, 1)
			return []node{ops.SegmentSum(ops.Sin(one), 0, i, m), ops.SegmentSum(ops.Mul(three, one), 0, i, m),
				ops.SegmentMin(ops.Cos(three), 0, i, m)}
		},
		"of several axes": func(x, table node, n, m graph.Dim) []node {
			heads := func(y node, n graph.Dim) node { return ops.Reshape(y, n, 7, 10) }
			i, j := rowIn(x, m, graph.Int64), rowIn(ops.Neg(x), m, graph.Int64)
			weight := ops.Sum(heads(ops.Sin(x), n), 2, ops.KeepDims())
			y := ops.SegmentSum(ops.Mul(ops.Take(heads(table, m), 0, i), weight), 0, j, m)
			return append(autodiff.Grad(ops.Sum(ops.Square(y)), []node{table, x}), y,
				ops.SegmentSum(ops.Softmax(heads(x, n), 2), 0, i, m))
		},
		"of several axes that are turned": func(x, table node, n, m graph.Dim) []node {
			turned := ops.Transpose(ops.Reshape(x, n, 7, 10), 1, 2)
			return []node{ops.SegmentSum(ops.Mul(turned, turned), 0, rowIn(x, m, graph.Int64), m),
				ops.SegmentMax(ops.Exp(ops.Reshape(x, n, 1, 70)), 0, rowIn(x, m, graph.Int64), m)}
		},
		"of positions": func(x, table node, n, m graph.Dim) []node {
			at := ops.Cast(ops.Iota(x.Graph(), 1, n, 7, 10), graph.Float64)
			row := ops.Cast(ops.Iota(x.Graph(), 0, n, width), graph.Float64)
			i := rowIn(x, m, graph.Int64)
			return []node{ops.SegmentSum(ops.Mul(at, ops.Reshape(x, n, 7, 10)), 0, i, m),
				ops.SegmentSum(ops.Sub(ops.Mul(row, x), row), 0, i, m),
				ops.SegmentSum(ops.Mul(row, ops.Reshape(ops.Transpose(ops.Reshape(x, n, 7, 10), 1, 2), n, width)), 0,
					i, m)}
		},
		"in a loop": func(x, table node, n, m graph.Dim) []node {
			i := rowIn(x, m, graph.Int64)
			return ops.Fori(3, []node{table}, func(_ node, c []node) []node {
				return []node{ops.SegmentSum(ops.Mul(ops.Take(c[0], 0, i), x), 0, rowIn(ops.Neg(x), m, graph.Int64), m)}
			})
		},
	}
	for name, program := range programs {
		t.Run(name, func(t *testing.T) {
			g := graph.New("united")
			n, m := g.Dim("n", graph.AtLeast(0)), g.Dim("m", graph.AtLeast(1))
			in := newReferenceInputs(g, rand.New(rand.NewPCG(7, 8)))
			x, table := in.input("x", graph.Shape{n, width}), in.input("table", graph.Shape{m, width})
			outputs := program(x, table, n, m)
			for _, sizes := range [][2]int{{0, 3}, {1, 1}, {2, 5}, {131, 17}, {600, 40}} {
				in.values[x], in.values[table] = normals(in.rng, sizes[0], width), normals(in.rng, sizes[1], width)
				requireReference(t, outputs, in.values, 1e-9)
				want := runAs(t, outputs, feedValues(in.values), 1, exec.ChainsOf(0))
				for _, threads := range []int{1, 2, 3} {
					for _, rows := range []int{1, 7, 64, 1000} {
						require.Equal(t, want, runAs(t, outputs, feedValues(in.values), threads, exec.ChainsOf(rows)),
							"%d rows, %d threads", rows, threads)
					}
				}
			}
		})
	}
}

// Random programs have the same bits, with rows in blocks and stored.
func TestRandomRowsInBlocks(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		outputs, in := randomRows(seed)
		want := runAs(t, outputs, feedValues(in.values), 1, exec.ChainsOf(0))
		require.Equal(t, want, runAs(t, outputs, feedValues(in.values), 1+int(seed%3), exec.ChainsOf(1+int(seed%9))),
			"seed %d", seed)
	}
}

// Many messages are never in memory together, of one axis or of several.
func TestMessagesAreNotStored(t *testing.T) {
	const nodes, edges, width = 100, 50_000, 64
	for _, heads := range []int{1, 4} {
		g := graph.New("messages")
		x, w := g.Input("x", graph.Float32, nodes, graph.Dim(heads), graph.Dim(width/heads)),
			g.Input("w", graph.Float32, edges, graph.Dim(heads), 1)
		from, to := g.Input("from", graph.Int64, edges), g.Input("to", graph.Int64, edges)
		y := ops.SegmentSum(ops.Mul(ops.Take(x, 0, from), w), 0, to, nodes)
		outputs := append([]*graph.Node{y}, autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x})...)
		p, err := exec.Compile(g, exec.Outputs(outputs...))
		require.NoError(t, err)
		ends := make([]int64, edges)
		for i := range ends {
			ends[i] = int64(i * 31 % nodes)
		}
		feed := exec.Feed{x: exec.Array{Shape: []int{nodes, heads, width / heads}, Data: make([]float32, nodes*width)},
			w: exec.Array{Shape: []int{edges, heads, 1}, Data: make([]float32, edges*heads)}, from: ends, to: ends}
		for _, threads := range []int{1, 2} {
			_, err := p.NewSession(exec.Threads(threads)).Run(context.Background(), feed)
			require.NoError(t, err)
			stats, err := p.Stats(nil)
			require.NoError(t, err)
			require.Less(t, stats.Peak, edges*width, "%d threads", threads) // a quarter of the messages
		}
	}
}

// An index out of range stops the run, in whichever block it is. The first one is reported, and the next run is
// unaffected.
func TestUnitedOutside(t *testing.T) {
	const rows, width, size = 500, 40, 30
	g := graph.New("outside")
	x, to := g.Input("x", graph.Float64, rows, width), g.Input("to", graph.Int64, rows)
	y := ops.SegmentSum(ops.Exp(x), 0, to, size)
	at := make([]int64, rows)
	feed := exec.Feed{x: exec.Array{Shape: []int{rows, width}, Data: make([]float64, rows*width)}, to: at}
	for _, of := range []int{0, 1, 7, 1000} {
		p, err := exec.Compile(g, exec.Outputs(y), exec.ChainsOf(of))
		require.NoError(t, err)
		for _, threads := range []int{1, 2} {
			s := p.NewSession(exec.Threads(threads))
			for _, first := range []int{0, 3, 250, rows - 1} {
				for _, bad := range []int64{-1, size, math.MaxInt64} {
					at[rows-1], at[first] = size, bad
					_, err = s.Run(context.Background(), feed)
					require.ErrorContains(
						t, err, fmt.Sprintf("index out of range in self: to[%d] is %d, not in 0..29", first, bad),
						"%d rows", of)
					require.ErrorContains(t, err, "chainunite_test.go")
					at[rows-1], at[first] = 0, 0
				}
			}
			r, err := s.Run(context.Background(), feed)
			require.NoError(t, err)
			got, err := exec.Values[float64](r, y)
			require.NoError(t, err)
			require.Equal(t, float64(rows), got[0])
		}
	}
}

// An index that picks rows of a block and is out of range is reported with its position among all.
func TestPickedOutsideInBlocks(t *testing.T) {
	const rows, size = 400, 20
	for _, heads := range []int{1, 4} {
		g := graph.New("picked")
		x, w := g.Input("x", graph.Float64, size, graph.Dim(heads), graph.Dim(80/heads)),
			g.Input("w", graph.Float64, rows, graph.Dim(heads), 1)
		from, to := g.Input("from", graph.Int64, rows), g.Input("to", graph.Int64, rows)
		y := ops.SegmentSum(ops.Mul(ops.Take(x, 0, from), w), 0, to, size)
		at := make([]int64, rows)
		feed := exec.Feed{x: exec.Array{Shape: []int{size, heads, 80 / heads}, Data: make([]float64, size*80)},
			w: exec.Array{Shape: []int{rows, heads, 1}, Data: make([]float64, rows*heads)}, from: at,
			to: make([]int64, rows)}
		for _, of := range []int{0, 1, 7, 1000} {
			p, err := exec.Compile(g, exec.Outputs(y), exec.ChainsOf(of))
			require.NoError(t, err)
			require.Contains(t, p.String(), "= pick ")
			for _, threads := range []int{1, 2} {
				for _, first := range []int{0, 3, 250, rows - 1} {
					at[rows-1], at[first] = size, size+1
					_, err = p.NewSession(exec.Threads(threads)).Run(context.Background(), feed)
					require.ErrorContains(
						t, err, fmt.Sprintf("index out of range in self: from[%d] is 21, not in 0..19", first),
						"%d rows, %d heads", of, heads)
					at[rows-1], at[first] = 0, 0
				}
			}
		}
	}
}

// Threads share the columns of rows that are united, and blocks of such; the bits are the same.
func TestThreadsUniteColumns(t *testing.T) {
	const rows, width, size = 20_000, 70, 90
	g := graph.New("columns")
	x, index := g.Input("x", graph.Float64, 2, rows, width), g.Input("index", graph.Int64, rows)
	flat := ops.Squeeze(ops.Slice(x, 0, 1, 2, 1), 0)
	outputs := []*graph.Node{ops.SegmentSum(flat, 0, index, size), ops.SegmentMin(flat, 0, index, size),
		ops.SegmentSum(x, 1, index, size), ops.SegmentMax(x, 1, index, size)}
	at := make([]int64, rows)
	for i := range at {
		at[i] = int64(i * 7919 % (size - 1))
	}
	values := normals(rand.New(rand.NewPCG(9, 10)), 2, rows, width)
	feed := exec.Feed{x: exec.Array{Shape: values.Shape, Data: values.Data}, index: at}
	want := runAs(t, outputs, feed, 1)
	sums, list := make([]float64, size*width), values.Data.([]float64)[rows*width:]
	for i, to := range at {
		for c := range width {
			sums[int(to)*width+c] += list[i*width+c]
		}
	}
	require.Equal(t, sums, want[0].Data)
	for _, threads := range []int{2, 3, 8} {
		require.Equal(t, want, runAs(t, outputs, feed, threads))
	}
}
