package exec_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/ops"
)

// sliceBodies are steps that take or put slices at a place i of a table, which is carried.
var sliceBodies = map[string]func(i, table *graph.Node) (next, out *graph.Node){
	"take a row": func(i, table *graph.Node) (next, out *graph.Node) {
		row := ops.Take(table, 0, i)
		return ops.Add(table, row), row
	},
	"take columns": func(i, table *graph.Node) (next, out *graph.Node) {
		columns := ops.Take(table, 1, ops.Cast(ops.Stack(0, i, ops.Sub(i, graph.Num(1))), graph.Int32))
		return ops.Sub(table, ops.Max(columns, 1, ops.KeepDims())), columns
	},
	"take elements of rows": func(i, table *graph.Node) (next, out *graph.Node) {
		columns := ops.Take(table, 1, ops.Stack(0, i, ops.Sub(i, graph.Num(1)), i))
		return ops.Sub(table, ops.Max(columns, 1, ops.KeepDims())), columns
	},
	"put a row": func(i, table *graph.Node) (next, out *graph.Node) {
		row := ops.Max(table, 0, ops.KeepDims())
		return ops.IndexCopy(table, 0, ops.Unsqueeze(i, 0), row), row
	},
	"put columns, two at one place": func(i, table *graph.Node) (next, out *graph.Node) {
		columns := ops.Slice(table, 1, 0, 3, 1)
		return ops.IndexCopy(table, 1, ops.Stack(0, i, ops.Sub(i, graph.Num(1)), i), columns), columns
	},
	"put and take": func(i, table *graph.Node) (next, out *graph.Node) {
		before := ops.Take(table, 0, i)
		next = ops.IndexCopy(table, 0, ops.Unsqueeze(i, 0), ops.Unsqueeze(ops.Mul(before, before), 0))
		return next, ops.Add(before, ops.Take(next, 0, ops.Sub(i, graph.Num(1))))
	},
	"put into a copy": func(i, table *graph.Node) (next, out *graph.Node) {
		scaled := ops.Mul(table, ops.Full(table.Graph(), table.DType(), 3))
		return ops.IndexCopy(scaled, 0, ops.Unsqueeze(i, 0), ops.Unsqueeze(ops.Take(table, 0, i), 0)),
			ops.Take(scaled, 0, i)
	},
	"add a row": func(i, table *graph.Node) (next, out *graph.Node) {
		row := ops.Take(table, 0, i)
		return ops.IndexAdd(table, 0, ops.Unsqueeze(i, 0), ops.Unsqueeze(row, 0)), row
	},
}

// Steps that move slices are taken together with the bits of steps that are taken one by one, and with the error of the
// first index that is out of range.
func TestSlicesInStepsTakenTogether(t *testing.T) {
	for name, body := range sliceBodies {
		for _, dtype := range []graph.DType{graph.Float32, graph.Float64, graph.Int16, graph.Uint8, graph.Int64} {
			for _, width := range []graph.Dim{3, 4, 16, 29} {
				t.Run(fmt.Sprint(name, " ", dtype, " ", int(width)), func(t *testing.T) {
					g := graph.New("slices")
					T := g.Dim("T", graph.AtLeast(0))
					input, places := g.Input("table", graph.Float32, 7, width), g.Input("places", graph.Int64, T)
					table := ops.Cast(input, dtype)
					var outputs nodes
					for _, reverse := range []bool{false, true} {
						final, outs := ops.Scan(ops.Loop{Carry: nodes{table}, Over: nodes{places}, Reverse: reverse},
							func(c, x nodes) (next, out nodes) {
								n, o := body(x[0], c[0])
								return nodes{n}, nodes{o}
							})
						outputs = append(outputs, final[0], outs[0])
						if dtype.IsFloat() {
							outputs = append(outputs, autodiff.Grad(
								ops.Add(ops.Sum(ops.Sin(final[0])), ops.Sum(ops.Sin(outs[0]))), nodes{input},
								autodiff.ZeroForUnused())...)
						}
					}
					p, err := exec.Compile(g, exec.Outputs(outputs...), exec.OnWarning(nil))
					require.NoError(t, err)
					together, single := p.NewSession(), p.NewSession(exec.GuardOperands())
					for _, length := range []int{0, 1, 2, 17, 200} {
						feed := feedOf(g, length, 4)
						at := make([]int64, length)
						for i := range at {
							at[i] = int64(i*5%2 + 1)
						}
						feed[places] = exec.Array{Shape: []int{length}, Data: at}
						require.Equal(t, arraysOf(t, single, feed, outputs), arraysOf(t, together, feed, outputs),
							"%d steps", length)
						allocs.RequireNone(t, 3, func() {
							if _, err := together.Run(t.Context(), feed); err != nil {
								t.Fatal(err)
							}
						})
						for _, step := range []int{0, 1, 2, 9, 16, 150, 199} {
							if step >= length {
								continue
							}
							for _, bad := range []int64{-1, 29, 1 << 40} {
								before := at[step]
								at[step] = bad
								_, want := single.Run(t.Context(), feed)
								_, got := together.Run(t.Context(), feed)
								require.Error(t, want)
								require.EqualError(t, got, want.Error())
								at[step] = before
							}
						}
						require.Equal(t, arraysOf(t, single, feed, outputs), arraysOf(t, together, feed, outputs),
							"%d steps after errors", length)
					}
				})
			}
		}
	}
}
