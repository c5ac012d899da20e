package exec_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/autodiff/gradcheck"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
)

type severalResults = func(name string, in []*graph.Node, results []ops.CallbackResult,
	call func(a *graph.Arrays) error,
	backward func(y, dy, in []*graph.Node) []*graph.Node) []*graph.Node

var bothForms = map[string]severalResults{"CallbackResults": ops.CallbackResults, "PureCallback": ops.PureCallback}

// TestResultsOfAllDTypes has functions of many results, of named sizes, and of none.
func TestResultsOfAllDTypes(t *testing.T) {
	for name, form := range bothForms {
		g := graph.New("dtypes")
		n := g.Dim("n", graph.AtLeast(0))
		x := g.Input("x", graph.Float32, n)
		var results []ops.CallbackResult
		for _, dtype := range graph.DTypes() {
			results = append(results, ops.CallbackResult{DType: dtype, Shape: graph.Shape{n.Times(2), 3}},
				ops.CallbackResult{DType: dtype})
		}
		calls := 0
		fill := func(k, i int) int64 { return int64((k + i) % 2) }
		y := form("Many", []*graph.Node{x, ops.Cast(x, graph.BFloat16)}, results, func(a *graph.Arrays) error {
			calls++
			if _, ok := a.In[1].Slice().([]half.BFloat16); !ok || len(a.In) != 2 {
				return errors.New("operands of other dtypes")
			}
			for k, out := range a.Outs {
				for i := range out.NumElements() {
					graph.SetNumberAt(out.Slice(), i, float64(fill(k, i)), fill(k, i))
				}
			}
			return nil
		}, nil)
		require.NoError(t, g.Err())
		p, err := exec.Compile(g, exec.Outputs(y...))
		require.NoError(t, err)
		s := p.NewSession()
		for _, size := range []int{2, 0, 5} {
			calls = 0
			r, err := s.Run(t.Context(), exec.Feed{x: make([]float32, size)})
			require.NoError(t, err, name)
			require.Equal(t, 1, calls, name)
			for k, out := range y {
				require.Equal(t, results[k].DType, out.DType())
				got, err := r.Array(out)
				require.NoError(t, err)
				count := 1
				if k%2 == 0 {
					require.Equal(t, []int{2 * size, 3}, got.Shape)
					count = 6 * size
				}
				for i := range count {
					v, _ := graph.NumberAt(got.Data, i)
					require.Equal(t, float64(fill(k, i)), v, "%s: result %d, %s", name, k, out.DType())
				}
			}
		}
	}
}

// TestResultsAreOrdered has calls whose results are used in part, or not at all.
func TestResultsAreOrdered(t *testing.T) {
	g := graph.New("order")
	x := g.Input("x", graph.Float32, 2)
	var list []string
	call := func(form severalResults, name string) []*graph.Node {
		return form(name, []*graph.Node{x}, []ops.CallbackResult{
			{DType: graph.Float32, Shape: x.Shape()}, {DType: graph.Int64, Shape: graph.Shape{}}},
			func(a *graph.Arrays) error {
				list = append(list, name)
				copyArray(a.Outs[0], a.In[0])
				graph.Elements[int64](a.Outs[1])[0] = int64(len(list))
				return nil
			}, nil)
	}
	first, alone, pure, unused := call(ops.CallbackResults, "first"), call(ops.CallbackResults, "alone"),
		call(ops.PureCallback, "pure"), call(ops.PureCallback, "unused")
	_ = unused
	second := call(ops.CallbackResults, "second")
	p, err := exec.Compile(g, exec.Outputs(second[1], first[0], pure[0]), exec.Updates(alone[1]))
	require.NoError(t, err)
	s := p.NewSession()
	for range 2 {
		list = nil
		r, err := s.Run(t.Context(), exec.Feed{x: []float32{1, 2}})
		require.NoError(t, err)
		ordered := slices.DeleteFunc(slices.Clone(list), func(name string) bool { return name == "pure" })
		require.Equal(t, []string{"first", "alone", "second"}, ordered)
		require.Len(t, list, 4)
		v, err := r.Scalar(second[1])
		require.NoError(t, err)
		require.Equal(t, float64(slices.Index(list, "second")+1), v)
	}
	list = nil
	_, err = s.RunWithoutUpdates(t.Context(), exec.Feed{x: []float32{1, 2}})
	require.NoError(t, err)
	require.NotContains(t, list, "alone")
	_, err = exec.Compile(g, exec.Updates(pure[0]))
	require.ErrorContains(t, err, "writes nothing")

	var told []string
	h := graph.New("forgotten")
	x = h.Input("x", graph.Float32, 2)
	y := ops.Exp(x)
	x = y
	call(ops.CallbackResults, "Forgotten")
	_, err = exec.Compile(h, exec.Outputs(y), exec.OnWarning(func(m *graph.Mistake) { told = append(told, m.Error()) }))
	require.NoError(t, err)
	require.Len(t, told, 1)
	require.Contains(t, told[0], "Forgotten(")
}

// polar is a function of two operands and three results, with the gradient that is theirs: x·y, sin(x) + y and the
// number of elements.
func polar(form severalResults, calls *int, x, y *graph.Node) []*graph.Node {
	return form("Polar", []*graph.Node{x, y},
		[]ops.CallbackResult{{DType: graph.Float64, Shape: x.Shape()}, {DType: graph.Int64, Shape: graph.Shape{}},
			{DType: x.DType(), Shape: x.Shape()}}, func(a *graph.Arrays) error {
			*calls++
			for i := range a.In[0].NumElements() {
				p, _ := graph.NumberAt(a.In[0].Slice(), i)
				q, _ := graph.NumberAt(a.In[1].Slice(), i)
				graph.SetNumberAt(a.Outs[0].Slice(), i, p*q, 0)
				graph.SetNumberAt(a.Outs[2].Slice(), i, p*p*p+q, 0)
			}
			graph.Elements[int64](a.Outs[1])[0] = int64(a.In[0].NumElements())
			return nil
		}, func(out, dy, in []*graph.Node) []*graph.Node {
			if len(out) != 3 || dy[1] != nil {
				panic("a gradient of an integer")
			}
			first, third := dy[0], dy[2]
			return []*graph.Node{
				ops.Add(ops.Mul(first, in[1]), ops.Mul(third, ops.Mul(ops.Square(in[0]), graph.Num(3)))),
				ops.Add(ops.Mul(first, in[0]), third)}
		})
}

// TestGradientsOfResults are those of differences, to the second order, outside of loops, in them and in branches.
func TestGradientsOfResults(t *testing.T) {
	for name, form := range bothForms {
		calls := 0
		for what, build := range map[string]func(x, y *graph.Node) *graph.Node{
			"all": func(x, y *graph.Node) *graph.Node {
				z := polar(form, &calls, x, y)
				return ops.Add(ops.Mul(z[0], ops.Sin(z[2])), ops.Cast(z[1], graph.Float64))
			},
			"one":   func(x, y *graph.Node) *graph.Node { return ops.Square(polar(form, &calls, x, y)[2]) },
			"fixed": func(x, _ *graph.Node) *graph.Node { return ops.Mul(polar(form, &calls, x, x)[0], x) },
			"loop": func(x, y *graph.Node) *graph.Node {
				_, outs := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Select(y, 0, 0)}, Over: []*graph.Node{x}},
					func(carry, x []*graph.Node) (next, out []*graph.Node) {
						z := polar(form, &calls, x[0], carry[0])
						return []*graph.Node{ops.Mul(z[2], graph.Num(0.3))},
							[]*graph.Node{ops.Add(z[0], ops.Cast(z[1], graph.Float64))}
					})
				return outs[0]
			},
			"branch": func(x, y *graph.Node) *graph.Node {
				return ops.Cond(ops.Greater(ops.Sum(x), graph.Num(0)), func() []*graph.Node {
					return polar(form, &calls, x, y)[:1]
				}, func() []*graph.Node { return []*graph.Node{x} })[0]
			},
		} {
			g := graph.New("gradients")
			x, y := g.Input("x", graph.Float64, g.Dim("n")), g.Input("y", graph.Float64, g.Dim("n"))
			feed := exec.Feed{x: exec.Array{Shape: []int{3}, Data: []float64{0.5, -0.7, 1.3}},
				y: exec.Array{Shape: []int{3}, Data: []float64{1.5, 0.2, -0.4}}}
			out := build(x, y)
			require.NoError(t, g.Err(), what)
			err := gradcheck.Check(t.Context(), out, feed, []*graph.Node{x, y}, gradcheck.SecondOrder())
			require.NoError(t, err, "%s %s", name, what)
			if what == "all" {
				grads := autodiff.Grad(ops.Sum(out), []*graph.Node{x, y})
				p, err := exec.Compile(g, exec.Outputs(grads...))
				require.NoError(t, err)
				calls = 0
				_, err = p.NewSession().Run(t.Context(), feed)
				require.NoError(t, err)
				require.Equal(t, 1, calls)
			}
		}
	}
}

// TestGradientIsAskedOnce has a gradient that is a call itself, which all operands share.
func TestGradientIsAskedOnce(t *testing.T) {
	g := graph.New("once")
	x, y := g.Input("x", graph.BFloat16, 2), g.Input("y", graph.Float32, 2)
	asked, called := 0, 0
	copies := func(a *graph.Arrays) error {
		called++
		for i := range a.Outs {
			copyArray(a.Outs[i], a.In[i])
		}
		return nil
	}
	results := []ops.CallbackResult{{DType: x.DType(), Shape: x.Shape()}, {DType: y.DType(), Shape: y.Shape()}}
	out := ops.CallbackResults("Forward", []*graph.Node{x, y}, results, copies,
		func(_, dy, _ []*graph.Node) []*graph.Node {
			asked++
			return ops.CallbackResults("Backward", dy, results, copies, nil)
		})
	loss := ops.Add(ops.Sum(ops.Mul(ops.Cast(out[0], graph.Float32), graph.Num(3))), ops.Sum(ops.Square(out[1])))
	grads := autodiff.Grad(loss, []*graph.Node{x, y})
	r := runs(t, g, exec.Feed{x: []half.BFloat16{half.NewBFloat16(1), half.NewBFloat16(2)}, y: []float32{5, 7}},
		exec.Outputs(grads...))
	require.Equal(t, []int{1, 2}, []int{asked, called})
	require.Equal(t, graph.BFloat16, grads[0].DType())
	a, err := r.Array(grads[0])
	require.NoError(t, err)
	require.Equal(t, []float32{3, 3}, a.Widened().Data)
	got, err := exec.Values[float32](r, grads[1])
	require.NoError(t, err)
	require.Equal(t, []float32{10, 14}, got)
}

// TestArraysInThePlaceOfResults are taken where they have the dtype and the shape that was named.
func TestArraysInThePlaceOfResults(t *testing.T) {
	given := map[string]func() graph.Array{
		"": func() graph.Array { return graph.NewArray([]float32{4, 5}, 2) },
		"is float32[3], and float32[2] is wanted": func() graph.Array {
			return graph.NewArray([]float32{4, 5, 6}, 3)
		},
		"is float64[2], and float32[2] is wanted": func() graph.Array { return graph.NewArray([]float64{4, 5}, 2) },
		"is float32[2 1], and float32[2] is wanted": func() graph.Array {
			return graph.NewArray([]float32{4, 5}, 2, 1)
		},
		"panics at callbackresults_test.go:":     func() graph.Array { return graph.NewArray([]float32{4, 5}, 3) },
		"is invalid[], and float32[2] is wanted": func() graph.Array { return graph.Array{} },
		"elements of float32 are not float64": func() graph.Array {
			return graph.NewArray(graph.Elements[float64](graph.NewArray([]float32{1}, 1)), 1)
		},
	}
	for want, make := range given {
		g := graph.New("arrays")
		x := g.Input("x", graph.Float32, 2)
		one := ops.Callback("One", []*graph.Node{x}, graph.Float32, x.Shape(), func(a *graph.Arrays) error {
			a.Out = make()
			return nil
		}, nil)
		list := []*graph.Node{one}
		one.Silence(graph.CodeLeftOut)
		for _, form := range bothForms {
			several := form("Several", []*graph.Node{x},
				[]ops.CallbackResult{{DType: graph.Float32, Shape: x.Shape()}, {DType: graph.Bool, Shape: nil}},
				func(a *graph.Arrays) error {
					a.Outs[0], graph.Elements[bool](a.Outs[1])[0] = make(), true
					return nil
				}, nil)
			list = append(list, several[0])
		}
		for _, y := range list {
			p, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			r, err := p.NewSession().Run(t.Context(), exec.Feed{x: []float32{1, 2}})
			if want != "" {
				require.ErrorContains(t, err, want)
				require.ErrorContains(t, err, "callbackresults_test.go:")
				require.NotContains(t, err.Error(), "goroutine")
				continue
			}
			require.NoError(t, err)
			got, err := exec.Values[float32](r, y)
			require.NoError(t, err)
			require.Equal(t, []float32{4, 5}, got)
		}
	}
}

// TestOutOfAFunctionWithSeveralResults is not there: the error says which field is.
func TestOutOfAFunctionWithSeveralResults(t *testing.T) {
	g := graph.New("out")
	x := g.Input("x", graph.Float32, 2)
	for _, form := range bothForms {
		y := form("One", []*graph.Node{x}, []ops.CallbackResult{{DType: graph.Int64, Shape: x.Shape()}},
			func(a *graph.Arrays) error {
				graph.Elements[int64](a.Out)[0] = 1
				return nil
			}, nil)[0]
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		_, err = p.NewSession().Run(t.Context(), exec.Feed{x: []float32{1, 2}})
		require.ErrorContains(t, err, "the functions of CallbackResults and PureCallback fill Outs, others fill Out")
	}
}

// TestPanicsOfFunctions are errors that name the line of the call and of the function, whoever built the operation, and
// wherever it stands.
func TestPanicsOfFunctions(t *testing.T) {
	wrong := errors.New("the reason")
	fails := func(a *graph.Arrays) error {
		switch graph.Elements[float32](a.In[0])[0] {
		case 1:
			panic(wrong)
		case 2:
			var none []int
			_ = slices.Insert(none, 3, 4) // in Go's library
		case 3:
			graph.Elements[float64](a.In[0])[0] = 1
		case 4:
			return wrong
		}
		for _, out := range a.Outs {
			clear(graph.Elements[float32](out))
		}
		if a.Outs == nil {
			clear(graph.Elements[float32](a.Out))
		}
		return nil
	}
	own := func(ordered bool) func(x *graph.Node) *graph.Node {
		op := &graph.Op{Name: "own", Func: "Own", Doc: "a function of the user's", Class: graph.Function,
			Ordered: ordered, MinIn: 1, MaxIn: 1, Function: fails,
			Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
			Core: func(n *graph.Node) ([]int, int) {
				if ordered {
					return []int{n.Rank()}, n.Rank()
				}
				return []int{1}, 1
			}}
		return func(x *graph.Node) *graph.Node { return graph.Apply(op, nil, x) }
	}
	for name, f := range map[string]func(x *graph.Node) *graph.Node{
		"own": own(false), "own ordered": own(true),
		"Callback": func(x *graph.Node) *graph.Node {
			return ops.Callback("Own", []*graph.Node{x}, x.DType(), x.Shape(), fails, nil)
		},
		"CallbackResults": func(x *graph.Node) *graph.Node {
			return ops.CallbackResults("Own", []*graph.Node{x},
				[]ops.CallbackResult{{DType: x.DType(), Shape: x.Shape()}}, fails, nil)[0]
		},
		"PureCallback": func(x *graph.Node) *graph.Node {
			return ops.PureCallback("Own", []*graph.Node{x}, []ops.CallbackResult{{DType: x.DType(), Shape: x.Shape()}},
				fails, nil)[0]
		},
	} {
		for where, build := range map[string]func(x *graph.Node) *graph.Node{
			"plain": func(x *graph.Node) *graph.Node { return ops.Exp(f(ops.Neg(ops.Neg(x)))) },
			"loop": func(x *graph.Node) *graph.Node {
				_, outs := ops.Scan(ops.Loop{Over: []*graph.Node{x}},
					func(_, x []*graph.Node) (next, out []*graph.Node) { return nil, []*graph.Node{f(x[0])} })
				return outs[0]
			},
			"branch": func(x *graph.Node) *graph.Node {
				return ops.Cond(ops.Less(ops.Min(x), graph.Num(9)), func() []*graph.Node {
					return []*graph.Node{f(x)}
				}, func() []*graph.Node { return []*graph.Node{x} })[0]
			},
		} {
			g := graph.New("panics")
			x := g.Input("x", graph.Float32, 64, 512)
			y := build(x)
			for _, threads := range []int{1, 4} {
				p, err := exec.Compile(g, exec.Outputs(y))
				require.NoError(t, err)
				s := p.NewSession(exec.Threads(threads))
				for _, v := range []float32{1, 2, 3, 4, 0} {
					data := slices.Repeat([]float32{v}, 64*512)
					_, err := s.Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{64, 512}, Data: data}})
					if v == 0 {
						require.NoError(t, err, "%s %s", name, where)
						continue
					}
					var failed *exec.RunError
					require.ErrorAs(t, err, &failed, "%s %s %v: %v", name, where, v, err)
					require.Contains(t, failed.Error(), "callbackresults_test.go:")
					require.Contains(t, failed.Error(), "Own(")
					require.NotContains(t, failed.Error(), "goroutine")
					if v < 4 {
						require.Contains(t, failed.Message, "panics at callbackresults_test.go:", "%s %s %v", name,
							where, v)
					}
					if v == 1 || v == 4 {
						require.ErrorIs(t, err, wrong)
					}
				}
			}
		}
	}
}

// TestFunctionsAreStopped has a context that is cancelled while a function runs, and before.
func TestFunctionsAreStopped(t *testing.T) {
	for name, form := range bothForms {
		g := graph.New("stopped")
		x := g.Input("x", graph.Float32, 2)
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		waits := func(x *graph.Node) *graph.Node {
			return form("Waits", []*graph.Node{x},
				[]ops.CallbackResult{{DType: x.DType(), Shape: x.Shape()}, {DType: graph.Bool, Shape: nil}},
				func(a *graph.Arrays) error {
					calls++
					cancel()
					<-a.Context.Done()
					return a.Context.Err()
				}, nil)[0]
		}
		y := waits(waits(x))
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		s := p.NewSession()
		_, err = s.Run(ctx, exec.Feed{x: []float32{1, 2}})
		require.ErrorIs(t, err, context.Canceled, name)
		require.ErrorContains(t, err, "Waits(")
		require.Equal(t, 1, calls)
		_, err = s.Run(ctx, exec.Feed{x: []float32{1, 2}})
		require.ErrorIs(t, err, context.Canceled, name)
		require.Equal(t, 1, calls)
	}
}

// TestMistakesOfResults: they are reported when the call is built, or when a gradient is requested.
func TestMistakesOfResults(t *testing.T) {
	fill := func(*graph.Arrays) error { return nil }
	one := func(shape ...graph.Dim) []ops.CallbackResult {
		return []ops.CallbackResult{{DType: graph.Float32, Shape: shape}, {DType: graph.Int64, Shape: nil}}
	}
	for name, form := range bothForms {
		for want, build := range map[string]func(g *graph.Graph, x *graph.Node){
			"the function of F is nil": func(_ *graph.Graph, x *graph.Node) {
				form("F", []*graph.Node{x}, one(), nil, nil)
			},
			"at least 1 needed": func(_ *graph.Graph, x *graph.Node) {
				ops.Sub(x, form("F", nil, one(), fill, nil)[0])
			},
			"F has no results": func(_ *graph.Graph, x *graph.Node) { form("F", []*graph.Node{x}, nil, fill, nil) },
			"result 0 of F has the shape [-2], in which -2 is not a valid size": func(_ *graph.Graph, x *graph.Node) {
				form("F", []*graph.Node{x}, one(-2), fill, nil)
			},
			"result 0 of F has no dtype": func(_ *graph.Graph, x *graph.Node) {
				form("F", []*graph.Node{x}, []ops.CallbackResult{{}}, fill, nil)
			},
			"no gradient is defined through": func(_ *graph.Graph, x *graph.Node) {
				autodiff.Grad(ops.Sum(form("F", []*graph.Node{x}, one(2), fill, nil)[0]), []*graph.Node{x})
			},
			"the backward function of F returns 0 gradients for 1 operands": func(_ *graph.Graph, x *graph.Node) {
				y := form("F", []*graph.Node{x}, one(2), fill, func(_, _, _ []*graph.Node) []*graph.Node { return nil })
				autodiff.Grad(ops.Sum(y[0]), []*graph.Node{x})
			},
		} {
			g := graph.New("mistakes")
			x := g.Input("x", graph.Float32, 2)
			build(g, x)
			require.ErrorContains(t, g.Err(), want, name)
			require.ErrorContains(t, g.Err(), "callbackresults_test.go:", name)
		}
	}
}
