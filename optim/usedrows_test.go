package optim_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// tableOf is a program that trains a table [7,3] by rows that are fed.
type tableOf struct {
	g           *graph.Graph
	table       *graph.Node
	index, when *graph.Node
	sess        *exec.Session
}

// newTable makes the program that testdata/usedrows.py has.
func newTable(t *testing.T, dt graph.DType, o func(when *graph.Node) optim.Optimizer, clip bool) *tableOf {
	g := graph.New("table")
	p := &tableOf{g: g, table: g.ParamInit("table", dt, ramp(1), 7, 3), when: g.Input("when", graph.Bool)}
	count := g.Dim("count", graph.AtLeast(0))
	p.index = g.Input("index", graph.Int64, count)
	weights := ops.Reshape(ops.Cast(ops.Add(ops.Iota(g, 0, count.Times(3)), graph.Num(1)), dt), count, 3)
	loss := ops.Sum(ops.Mul(weights, ops.Square(ops.Sub(ops.Embedding(p.index, p.table), graph.Num(0.5)))))
	grads := autodiff.Grad(loss, []*graph.Node{p.table})
	if clip {
		grads, _ = optim.ClipNorm(grads, 1e9)
	}
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(o(p.when).Updates([]*graph.Node{p.table}, grads)...))
	require.NoError(t, err)
	p.sess = prog.NewSession()
	return p
}

// step trains with some rows.
func (p *tableOf) step(t *testing.T, index []int64, when bool) {
	_, err := p.sess.Run(context.Background(), exec.Feed{p.index: index, p.when: when})
	require.NoError(t, err)
}

// values returns all parameters and states of floating-point numbers, by name.
func (p *tableOf) values(t *testing.T) map[string][]float64 {
	all := map[string][]float64{}
	for _, n := range p.g.Params() {
		a, err := p.sess.Param(n)
		require.NoError(t, err)
		switch data := a.Data.(type) {
		case []float64:
			all[n.Name()] = append([]float64(nil), data...)
		case []float32:
			for _, v := range data {
				all[n.Name()] = append(all[n.Name()], float64(v))
			}
		}
	}
	return all
}

func always(o optim.Optimizer) func(*graph.Node) optim.Optimizer {
	return func(*graph.Node) optim.Optimizer { return o }
}

// PyTorch has three optimisers that take sparse gradients and leave other rows alone. Its SparseAdam adds
// epsilon before it corrects the means, which are alike without it.
func TestUsedRowsAreThoseOfPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/usedrows.json")
	require.NoError(t, err)
	var answers struct {
		Indices            [][]int64
		Adam, Adagrad, SGD []float64
	}
	require.NoError(t, json.Unmarshal(text, &answers))
	for _, c := range []struct {
		o    optim.Optimizer
		want []float64
	}{
		{optim.Adam(0.05, optim.Epsilon(1e-20), optim.UsedRows()), answers.Adam},
		{optim.Adagrad(0.05, optim.UsedRows()), answers.Adagrad},
		{optim.SGD(0.005, optim.UsedRows()), answers.SGD},
	} {
		for _, clip := range []bool{false, true} {
			p := newTable(t, graph.Float64, always(c.o), clip)
			for _, index := range answers.Indices {
				p.step(t, index, true)
			}
			require.InDeltaSlice(t, c.want, p.values(t)["table"], 1e-12)
		}
	}
}

// lazy are optimisers with the option and without it.
var lazy = map[string]func(...optim.Option) optim.Optimizer{
	"sgd":      func(o ...optim.Option) optim.Optimizer { return optim.SGD(0.005, o...) },
	"momentum": func(o ...optim.Option) optim.Optimizer { return optim.SGD(0.005, append(o, optim.Momentum(0.9))...) },
	"nesterov": func(o ...optim.Option) optim.Optimizer {
		return optim.SGD(0.005, append(o, optim.Momentum(0.9), optim.Nesterov(), optim.WeightDecay(0.1))...)
	},
	"adam":    func(o ...optim.Option) optim.Optimizer { return optim.Adam(0.05, o...) },
	"amsgrad": func(o ...optim.Option) optim.Optimizer { return optim.Adam(0.05, append(o, optim.AMSGrad())...) },
	"adamw": func(o ...optim.Option) optim.Optimizer {
		return optim.AdamW(0.05, append(o, optim.WeightDecay(0.1))...)
	},
	"adagrad": func(o ...optim.Option) optim.Optimizer { return optim.Adagrad(0.05, o...) },
}

// A step that reads all rows, some of them twice, is that without the option.
func TestUsedRowsAreAllRows(t *testing.T) {
	for name, make := range lazy {
		t.Run(name, func(t *testing.T) {
			rows, all := newTable(t, graph.Float64, always(make(optim.UsedRows())), false),
				newTable(t, graph.Float64, always(make()), false)
			for _, index := range [][]int64{{0, 1, 2, 3, 4, 5, 6}, {6, 5, 4, 4, 3, 2, 1, 0, 1},
				{0, 1, 2, 3, 4, 5, 6, 6}} {
				rows.step(t, index, true)
				all.step(t, index, true)
			}
			got := rows.values(t)
			for kind, want := range all.values(t) {
				require.InDeltaSlice(t, want, got[kind], 1e-12, kind)
			}
		})
	}
}

// Rows that a step does not read keep their bits, and so does their state; a step that is not carried
// out changes nothing.
func TestUnusedRowsStay(t *testing.T) {
	for name, make := range lazy {
		t.Run(name, func(t *testing.T) {
			p := newTable(t, graph.Float32, func(when *graph.Node) optim.Optimizer {
				return make(optim.UsedRows(), optim.When(when))
			}, false)
			p.step(t, []int64{0, 1, 2, 3, 4, 5, 6}, true)
			before := p.values(t)
			p.step(t, []int64{2, 4, 2}, false)
			require.Equal(t, before, p.values(t))
			p.step(t, []int64{2, 4, 2}, true)
			p.step(t, []int64{}, true)
			for kind, now := range p.values(t) {
				for i := range now {
					if row := i / 3; row == 2 || row == 4 {
						require.NotEqual(t, before[kind][i], now[i], "%s[%d]", kind, i)
					} else {
						require.Equal(t, before[kind][i], now[i], "%s[%d]", kind, i)
					}
				}
			}
		})
	}
}

// Not even the sign of a zero changes in a row that no index names: no step goes through all rows.
func TestZerosOfUnusedRowsKeepTheirSigns(t *testing.T) {
	for name, make := range lazy {
		t.Run(name, func(t *testing.T) {
			p := newTable(t, graph.Float32, func(*graph.Node) optim.Optimizer { return make(optim.UsedRows()) }, false)
			p.step(t, []int64{2}, true)
			for _, n := range p.g.Params() {
				if n.DType() == graph.Float32 && n.Rank() == 2 {
					require.NoError(t, p.sess.SetParam(
						n, exec.Array{Shape: []int{7, 3},
							Data: slices.Repeat([]float32{float32(math.Copysign(0, -1))}, 21)}))
				}
			}
			p.step(t, []int64{2, 4}, true)
			for kind, values := range p.values(t) {
				for i, v := range values {
					if row := i / 3; len(values) == 21 && row != 2 && row != 4 {
						require.True(t, v == 0 && math.Signbit(v), "%s[%d] is %v", kind, i, v)
					}
				}
			}
		})
	}
}

// Nothing of the table's size is in memory but the table and its state.
func TestUsedRowsTakeNoMemoryOfTheTable(t *testing.T) {
	g := graph.New("table")
	table := g.Param("table", graph.Float32, 100_000, 64)
	index := func(name string) *graph.Node { return g.Input(name, graph.Int64, 128) }
	loss := ops.Sum(ops.Mul(ops.Embedding(index("i"), table), ops.Embedding(index("j"), table)))
	prog, err := exec.Compile(g, exec.Outputs(loss),
		exec.Updates(optim.Adam(0.001, optim.UsedRows()).Minimize(loss)...))
	require.NoError(t, err)
	f, err := prog.Footprint(nil)
	require.NoError(t, err)
	require.Less(t, f.Arena, 2_000_000, "the table has 25.6 MB, and a number for each row 800 kB")
}

func TestUsedRowsNeedATable(t *testing.T) {
	g := graph.New("dense")
	w := g.Param("w", graph.Float32, 3)
	scale := optim.NewLossScale(g, "scale", optim.LossScaleRule{})
	grads, finite := scale.Unscale(autodiff.Grad(scale.Apply(ops.Sum(ops.Square(w))), []*graph.Node{w}))
	step := optim.Adam(0.1, optim.UsedRows(), optim.When(finite)).Updates([]*graph.Node{w}, grads)
	_, err := exec.Compile(g, exec.Updates(step...), exec.Updates(scale.Updates(finite)...))
	require.ErrorContains(t, err, "optim.UsedRows: no gradient is a sum by index")
	require.NotContains(t, err.Error(), "BL204", "what is refused makes no writes that a program could leave out")
	_, err = exec.Compile(g, exec.Updates(optim.Lion(0.1, optim.UsedRows()).Minimize(ops.Sum(ops.Square(w)))...))
	require.ErrorContains(t, err, "UsedRows is an option of SGD, Adam, AdamW, Adagrad, not of Lion")

	g = graph.New("wrong")
	table := g.Param("table", graph.Float32, 5, 2)
	wrong := ops.MatMul(ops.Embedding(g.Input("i", graph.Int64, 4), table), g.Input("m", graph.Float32, 3, 3))
	_, err = exec.Compile(g, exec.Updates(optim.Adam(0.1, optim.UsedRows()).Minimize(ops.Sum(wrong), table)...))
	require.ErrorContains(t, err, "MatMul(")
	require.NotContains(t, err.Error(), "UsedRows", "a mistake that follows from another one is not told")
}

// Gradients that are clipped or unscaled, in any dtype, name rows as before.
func TestUsedRowsOfWholeGradients(t *testing.T) {
	for _, dt := range []graph.DType{graph.Float32, graph.Float16, graph.BFloat16} {
		for name, whole := range map[string]func(g *graph.Graph, loss *graph.Node, params []*graph.Node) (
			grads []*graph.Node, when *graph.Node){
			"clipped": func(g *graph.Graph, loss *graph.Node, params []*graph.Node) (
				grads []*graph.Node, when *graph.Node) {
				grads, _ = optim.ClipNorm(autodiff.Grad(loss, params), 0.1)
				return grads, g.Scalar(graph.Bool, 1)
			},
			"unscaled": func(g *graph.Graph, loss *graph.Node, params []*graph.Node) (
				grads []*graph.Node, when *graph.Node) {
				scale := optim.NewLossScale(g, "scale", optim.LossScaleRule{Initial: 8})
				return scale.Unscale(autodiff.Grad(scale.Apply(loss), params))
			},
		} {
			t.Run(dt.String()+" "+name, func(t *testing.T) {
				g := graph.New("whole")
				table, index := g.ParamInit("table", dt, nn.Uniform(1, 2), 7, 3),
					g.Input("index", graph.Int64, g.Dim("n"))
				loss := ops.Sum(ops.Square(ops.Embedding(index, table)))
				grads, when := whole(g, loss, []*graph.Node{table})
				step := optim.Adam(0.05, optim.UsedRows(), optim.When(when)).Updates([]*graph.Node{table}, grads)
				prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...), exec.OnWarning(nil))
				require.NoError(t, err)
				sess := prog.NewSession()
				rows := func(from, to int) any {
					a, err := sess.Param(table)
					require.NoError(t, err)
					return reflect.ValueOf(a.Data).Slice(3*from, 3*to).Interface()
				}
				first := rows(0, 2)
				_, err = sess.Run(t.Context(), exec.Feed{index: []int64{1, 0, 1}})
				require.NoError(t, err)
				second := rows(0, 2)
				require.NotEqual(t, first, second)
				last := rows(2, 3)
				_, err = sess.Run(t.Context(), exec.Feed{index: []int64{2}})
				require.NoError(t, err)
				require.Equal(t, second, rows(0, 2), "what Adam remembers of them moves them no more")
				require.NotEqual(t, last, rows(2, 3))
			})
		}
	}
}
