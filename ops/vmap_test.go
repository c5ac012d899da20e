package ops_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// ramp has n numbers that differ.
func ramp(n int, from float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = math.Sin(from + 1.7*float64(i))
	}
	return list
}

// eachExample compiles f in a Vmap over x, and unrolled over its examples, and requires that both are the same but for
// rounding. x is [examples, shape...]; shared is the same for all.
func eachExample(t *testing.T, shape []int, f func(x, shared node) []node) (batched *graph.Graph) {
	t.Helper()
	const most = 3
	g := graph.New("batch")
	x := g.Input("x", graph.Float64, append(
		graph.Shape{g.Dim("examples", graph.AtLeast(0))}, graph.MakeShape(shape...)...)...)
	shared := g.Input("shared", graph.Float64, 4)
	y := ops.Vmap([]node{x}, func(e []node) []node { return f(e[0], shared) })
	prog, err := exec.Compile(g, exec.Outputs(y...), exec.OnWarning(nil))
	require.NoError(t, err)
	h := graph.New("alone")
	alone := h.Input("x", graph.Float64, graph.MakeShape(shape...)...)
	sharedAlone := h.Input("shared", graph.Float64, 4)
	z := f(alone, sharedAlone)
	progAlone, err := exec.Compile(h, exec.Outputs(z...), exec.OnWarning(nil))
	require.NoError(t, err)

	size := 1
	for _, n := range shape {
		size *= n
	}
	for _, examples := range []int{most, 1, 0} {
		data, other := ramp(size*examples, 0.3), ramp(4, 2)
		r, err := prog.NewSession().Run(t.Context(),
			exec.Feed{x: exec.Array{Shape: append([]int{examples}, shape...), Data: data}, shared: other})
		require.NoError(t, err)
		for e := range examples {
			want, err := progAlone.NewSession().Run(
				t.Context(), exec.Feed{alone: exec.Array{Shape: shape, Data: data[e*size : (e+1)*size]},
					sharedAlone: other})
			require.NoError(t, err)
			for k := range y {
				a, err := r.Array(y[k])
				require.NoError(t, err)
				w, err := want.Array(z[k])
				require.NoError(t, err)
				require.Equal(t, append([]int{examples}, w.Shape...), a.Shape)
				part := floatsOf(a)
				each := len(part) / examples
				require.InDeltaSlice(t, floatsOf(w), part[e*each:(e+1)*each], 1e-9, "result %d of example %d", k, e)
			}
		}
	}
	return g
}

// floatsOf are elements as numbers.
func floatsOf(a exec.Array) []float64 {
	list := []float64{}
	switch data := a.Data.(type) {
	case []float64:
		return append(list, data...)
	case []int64:
		for _, v := range data {
			list = append(list, float64(v))
		}
	case []bool:
		for _, v := range data {
			list = append(list, map[bool]float64{true: 1}[v])
		}
	}
	return list
}

// hasLoop reports whether a value is computed in a loop.
func hasLoop(of ...node) bool {
	seen := map[node]bool{}
	for i := 0; i < len(of); i++ {
		x := of[i]
		if _, isLoop := x.Loop(); isLoop {
			return true
		}
		for _, in := range x.Operands() {
			if !seen[in] {
				seen[in] = true
				of = append(of, in)
			}
		}
	}
	return false
}

func TestVmapOfLoops(t *testing.T) {
	t.Run("scan", func(t *testing.T) {
		eachExample(t, []int{5, 4}, func(x, shared node) []node {
			final, outs := ops.Scan(ops.Loop{Carry: []node{shared}, Over: []node{x}},
				func(c, e []node) (next, out []node) {
					h := ops.Tanh(ops.Add(ops.Mul(c[0], e[0]), shared))
					return []node{h}, []node{ops.Sum(h)}
				})
			loss := ops.Add(ops.Sum(ops.Square(final[0])), ops.Sum(outs[0]))
			return append([]node{final[0], outs[0]}, autodiff.Grad(loss, []node{x, shared})...)
		})
	})
	t.Run("what is carried begins the same for all, and the loop's position", func(t *testing.T) {
		eachExample(t, []int{4}, func(x, shared node) []node {
			return ops.Fori(6, []node{ops.ZerosLike(shared)}, func(i node, c []node) []node {
				return []node{ops.Add(ops.Mul(c[0], x), ops.Cast(i, graph.Float64))}
			})
		})
	})
	t.Run("a loop in a loop, over what is the same for all", func(t *testing.T) {
		eachExample(t, []int{3}, func(x, shared node) []node {
			_, outs := ops.Scan(ops.Loop{Carry: []node{ops.Sum(x)}, Over: []node{shared}},
				func(c, e []node) (next, out []node) {
					in := ops.Fori(3, []node{c[0]}, func(_ node, d []node) []node {
						return []node{ops.Sin(ops.Add(d[0], e[0]))}
					})
					return in, []node{in[0], e[0]}
				})
			return outs
		})
	})
	t.Run("each example ends by itself", func(t *testing.T) {
		eachExample(t, []int{2}, func(x, shared node) []node {
			root, steps := ops.While(50, []node{ops.OnesLike(x)}, func(c []node) node {
				return ops.Greater(ops.Max(ops.Abs(ops.Sub(ops.Square(c[0]), ops.Square(x)))), graph.Num(1e-6))
			}, func(_ node, c []node) []node {
				return []node{ops.Mul(ops.Add(c[0], ops.Div(ops.Square(x), c[0])), graph.Num(0.5))}
			})
			return []node{root[0], steps, autodiff.Grad(ops.Sum(root[0]), []node{x})[0]}
		})
	})
	t.Run("a branch", func(t *testing.T) {
		eachExample(t, []int{4}, func(x, shared node) []node {
			y := ops.Cond(ops.Greater(ops.Sum(x), graph.Num(0.2)), func() []node {
				return []node{ops.Mul(x, shared)}
			}, func() []node { return []node{ops.Neg(x)} })
			return append(y, autodiff.Grad(ops.Sum(y[0]), []node{x})...)
		})
	})
	t.Run("a convolution in a loop, with a bias of the example, or all of its own", func(t *testing.T) {
		eachExample(t, []int{4, 2}, func(x, shared node) []node {
			_, outs := ops.Scan(ops.Loop{Over: []node{x, shared}}, func(_, e []node) (next, out []node) {
				image, filters := ops.Reshape(ops.Mul(shared, e[1]), 1, 4), ops.Reshape(e[0], 2, 1, 1)
				same := ops.Mul(ops.Ones(x.Graph(), graph.Float64, 2, 1, 1), e[1])
				return nil, []node{ops.Conv1D(image, filters, e[0]), ops.Conv1D(image, same, e[0]),
					ops.Conv1D(ops.Mul(image, ops.Sum(e[0])), filters, e[0])}
			})
			return outs
		})
	})
	t.Run("a loop with a condition in a loop without", func(t *testing.T) {
		eachExample(t, []int{4}, func(x, shared node) []node {
			_, outs := ops.Scan(ops.Loop{Over: []node{x}}, func(_, e []node) (next, out []node) {
				last, steps := ops.While(9, []node{e[0]}, func(c []node) node { return ops.Less(c[0], graph.Num(3)) },
					func(_ node, c []node) []node { return []node{ops.Add(c[0], ops.Exp(ops.Sum(shared)))} })
				return nil, []node{last[0], steps}
			})
			return outs
		})
	})
}

func TestVmapOfWrites(t *testing.T) {
	t.Run("into a copy of the example", func(t *testing.T) {
		eachExample(t, []int{3, 4}, func(x, shared node) []node {
			y := ops.Copy(x)
			row := ops.AddInPlace(ops.Select(y, 0, 1), shared)
			return []node{ops.After(y, row), row}
		})
	})
	t.Run("of the example into a copy of what is the same for all", func(t *testing.T) {
		eachExample(t, []int{2}, func(x, shared node) []node {
			y := ops.Copy(shared)
			ops.MulInPlace(ops.Slice(y, 0, 1, 3, 1), x)
			return []node{ops.Neg(y)}
		})
	})
}

func TestVmapOfVmapAndOfDerivatives(t *testing.T) {
	t.Run("a product of each pair", func(t *testing.T) {
		eachExample(t, []int{3, 4}, func(x, shared node) []node {
			return ops.Vmap([]node{x}, func(a []node) []node {
				return ops.Vmap([]node{x}, func(b []node) []node {
					return []node{ops.Sum(ops.Mul(ops.Mul(a[0], b[0]), shared))}
				})
			})
		})
	})
	t.Run("what the inner one does not depend on", func(t *testing.T) {
		eachExample(t, []int{3}, func(x, shared node) []node {
			return ops.Vmap([]node{shared}, func(s []node) []node { return []node{ops.Mul(s[0], s[0]), ops.Exp(x)} })
		})
	})
	t.Run("jacobians, hessians and directions of each example", func(t *testing.T) {
		eachExample(t, []int{4}, func(x, shared node) []node {
			y := ops.Softmax(ops.Mul(x, shared), 0)
			wrt := []node{x, shared}
			list := append(autodiff.Jacobian(y, wrt), autodiff.JVP([]node{y}, wrt, []node{shared, x})...)
			for _, row := range autodiff.Hessian(ops.Sum(ops.Square(y)), wrt) {
				list = append(list, row...)
			}
			return list
		})
	})
}

// TestVmapOfRandomNumbers has other numbers in each example. TestEntriesInBatches requires that they are those of a
// loop's steps.
func TestVmapOfRandomNumbers(t *testing.T) {
	g := graph.New("draws")
	x, seed := g.Input("x", graph.Float64, 3), g.Scalar(graph.Int64, 7)
	f := func(e []node) []node {
		return []node{ops.Add(ops.Mul(e[0], graph.Num(0.0)), ops.Normal(seed, graph.Float64, 4))}
	}
	y := ops.Vmap([]node{x}, f)
	prog, err := exec.Compile(g, exec.Outputs(y...))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(t.Context(), exec.Feed{x: []float64{1, 2, 3}})
	require.NoError(t, err)
	own, err := exec.Values[float64](r, y[0])
	require.NoError(t, err)
	require.NotEqual(t, own[:4], own[4:8])
}

// TestVmapTakesFormsForBatches has what would be slow in a loop over the examples.
func TestVmapTakesFormsForBatches(t *testing.T) {
	g := graph.New("forms")
	images := g.Input("images", graph.Float32, g.Dim("n"), 3, 8, 8)
	w, table := g.Param("w", graph.Float32, 6, 3, 3, 3), g.Param("table", graph.Float32, 10, 6)
	index := g.Input("index", graph.Int64, g.Dim("n"), 5)
	y := ops.Vmap([]node{images, index}, func(e []node) []node {
		features := ops.MaxPool2D(ops.Relu(ops.Conv2D(e[0], w, nil, ops.Padding(1))), 2, 2)
		words := ops.LayerNorm(ops.Embedding(e[1], table), nil, nil, 1e-5)
		sorted, places := ops.Sort(words, 0, true)
		return append([]node{ops.CumSum(words, 0), places,
			ops.Cholesky(ops.Add(ops.MatMul(ops.Transpose(words, 0, 1), words), ops.Eye(g, graph.Float32, 6, 6)))},
			autodiff.Grad(ops.Add(ops.Mean(ops.Square(features)), ops.Mean(sorted)), []node{w, table})...)
	})
	require.NoError(t, g.Err())
	require.False(t, hasLoop(y...))
}

// TestVmapOfFilters has filters of each of several examples, whose number is known, with gradients: of transposed
// convolutions, and of channels that there may be none of.
func TestVmapOfFilters(t *testing.T) {
	g := graph.New("filters")
	channels := g.Dim("channels", graph.AtLeast(0))
	filters, images, some := g.Input("filters", graph.Float64, 3, 2, 2, 3), g.Input("images", graph.Float64, 2, 4),
		g.Input("some", graph.Float64, channels, 4)
	slides := func(w node) []node {
		back := ops.ConvTranspose1D(images, w, nil, ops.Stride(2), ops.OutputPadding(1))
		of := ops.Conv1D(some, ops.Mul(ops.Sum(w), ops.Ones(g, graph.Float64, 2, channels, 2)), nil)
		return append([]node{back, of}, autodiff.Grad(
			ops.Add(ops.Sum(ops.Square(back)), ops.Sum(ops.Square(of))), []node{w, images, some})...)
	}
	all := ops.Vmap([]node{filters}, func(e []node) []node { return slides(e[0]) })
	for i := range 3 {
		for k, y := range slides(ops.Select(filters, 0, graph.Dim(i))) {
			all = append(all, ops.Sub(ops.Select(all[k], 0, graph.Dim(i)), y))
		}
	}
	prog, err := exec.Compile(g, exec.Outputs(all...))
	require.NoError(t, err)
	for _, n := range []int{2, 0} {
		r, err := prog.NewSession().Run(t.Context(),
			exec.Feed{filters: ramp(36, 1), images: ramp(8, 2),
				some: exec.Array{Shape: []int{n, 4}, Data: ramp(4*n, 3)}})
		require.NoError(t, err)
		for _, y := range all[5:] {
			differences, err := exec.Values[float64](r, y)
			require.NoError(t, err)
			require.InDeltaSlice(t, make([]float64, len(differences)), differences, 1e-9)
		}
	}
}

// TestVmapRequiresWhatTheExampleDoes has sizes that only a run shows to be unlike: the Length of a Scan is nothing that
// its form for batches knows.
func TestVmapRequiresWhatTheExampleDoes(t *testing.T) {
	g := graph.New("sizes", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
	x, y := g.Input("x", graph.Float64, 2, g.Dim("n")), g.Input("y", graph.Float64, 2, g.Dim("m"))
	sums := ops.Vmap([]node{x, y}, func(e []node) []node {
		loop := ops.Loop{Carry: []node{ops.Sum(e[1])}, Over: []node{e[0]}, Length: e[1].Shape()[0]}
		final, _ := ops.Scan(loop, func(c, e []node) (next, out []node) { return []node{ops.Add(c[0], e[0])}, nil })
		return final
	})
	prog, err := exec.Compile(g, exec.Outputs(sums...))
	require.NoError(t, err)
	_, err = prog.NewSession().Run(t.Context(),
		exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: ramp(6, 0)},
			y: exec.Array{Shape: []int{2, 4}, Data: ramp(8, 0)}})
	require.ErrorContains(t, err, "the Length of a Scan must be the size of Over along Axis")
}

func TestVmapMistakes(t *testing.T) {
	cases := map[string]struct {
		call func(g *graph.Graph, x node) []node
		want string
	}{
		"nothing to go over": {func(g *graph.Graph, x node) []node {
			return append(ops.Vmap(nil, func([]node) []node { return []node{ops.Neg(x)} }), x)
		}, "Vmap"},
		"no function": {func(g *graph.Graph, x node) []node { return ops.Vmap([]node{x}, nil) }, "the function is nil"},
		"nil": {func(g *graph.Graph, x node) []node {
			return ops.Vmap([]node{nil, x}, func(e []node) []node { return e })
		}, "Over[0] is nil"},
		"a scalar": {func(g *graph.Graph, x node) []node {
			return ops.Vmap([]node{g.Scalar(graph.Float64, 1)}, func(e []node) []node { return e })
		}, "scalar"},
		"other sizes": {func(g *graph.Graph, x node) []node {
			return ops.Vmap([]node{x, g.Input("y", graph.Float64, 7)}, func(e []node) []node { return e })
		}, "7"},
		"sizes of other names": {func(g *graph.Graph, x node) []node {
			over := []node{g.Input("a", graph.Float64, g.Dim("n")), g.Input("b", graph.Float64, g.Dim("m"))}
			return ops.Vmap(over, func(e []node) []node { return []node{ops.Mul(e[0], e[1])} })
		}, `the sizes "m" and "n" meet on axis 0`},
		"a number": {func(g *graph.Graph, x node) []node {
			return ops.Vmap([]node{x, graph.Num(2)}, func(e []node) []node { return []node{ops.Mul(e[0], e[1])} })
		}, "value 1 of over is the number 2, which has no axis of examples"},
		"a value of another graph": {func(g *graph.Graph, x node) []node {
			return ops.Vmap([]node{x, graph.New("other").Input("y", graph.Float64, 3)},
				func(e []node) []node { return e })
		}, `belongs to graph "other"`},
		"a result of another graph": {func(g *graph.Graph, x node) []node {
			return ops.Vmap([]node{x}, func(e []node) []node {
				return []node{graph.New("other").Input("y", graph.Float64, 3)}
			})
		}, `result 0, y, belongs to graph "other", but others belong to "mistakes"`},
		"a write of what is the same for all": {func(g *graph.Graph, x node) []node {
			return ops.Vmap([]node{x}, func(e []node) []node {
				return []node{ops.AddInPlace(ops.Zeros(g, graph.Float64, 4), e[0])}
			})
		}, "the function of an example writes Zeros(graph.Float64, 4), which it did not make for each example"},
		"a result that is nil": {func(g *graph.Graph, x node) []node {
			return ops.Vmap([]node{x}, func([]node) []node { return []node{nil} })
		}, "the function returns nil as result 0"},
		"a value of an example outside": {func(g *graph.Graph, x node) []node {
			var kept node
			ops.Vmap([]node{x}, func(e []node) []node { kept = ops.Neg(e[0]); return e })
			return []node{ops.Exp(kept)}
		}, "is used outside of it"},
		"a mistake of the example": {func(g *graph.Graph, x node) []node {
			return ops.Vmap([]node{x}, func(e []node) []node {
				return []node{ops.Add(e[0], g.Input("z", graph.Float64, 9))}
			})
		}, "must match the size of tensor b (9)"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := graph.New("mistakes")
			c.call(g, g.Input("x", graph.Float64, 3, 4))
			require.ErrorContains(t, g.Err(), c.want)
			require.Len(t, g.Mistakes(), 1, "%v", g.Err())
		})
	}
}

func ExampleVmap() {
	g := graph.New("gradients of examples")
	x, t := g.Input("x", graph.Float64, g.Dim("n"), 2), g.Input("t", graph.Float64, g.Dim("n"))
	w := g.Input("w", graph.Float64, 2)
	gradients := ops.Vmap([]node{x, t}, func(e []node) []node {
		return autodiff.Grad(ops.Square(ops.Sub(ops.MatMul(e[0], w), e[1])), []node{w})
	})
	prog, err := exec.Compile(g, exec.Outputs(gradients...))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := prog.NewSession().Run(context.Background(),
		exec.Feed{x: [][]float64{{1, 0}, {0, 1}, {1, 1}}, t: []float64{0, 0, 1}, w: []float64{1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(exec.Values[float64](r, gradients[0]))
	// Output: [2 0 0 4 4 4] <nil>
}
