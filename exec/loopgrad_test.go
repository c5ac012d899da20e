package exec_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// withGradients adds the gradients of what comes out of a loop with respect to its inputs, and the
// second ones, to the outputs of a program.
func withGradients(outputs, inputs nodes) nodes { return gradientsOf(outputs, inputs, true) }

func withFirstGradients(outputs, inputs nodes) nodes { return gradientsOf(outputs, inputs, false) }

func gradientsOf(outputs, inputs nodes, second bool) nodes {
	loss := func(list nodes) *graph.Node {
		var sum *graph.Node
		for i, y := range list {
			part := ops.Sum(ops.Sin(ops.Mul(y, graph.Num(float64(i)+0.5))))
			if sum != nil {
				part = ops.Add(sum, part)
			}
			sum = part
		}
		return sum
	}
	first := autodiff.Grad(loss(outputs), inputs, autodiff.ZeroForUnused())
	all := slices.Concat(outputs, first)
	if second {
		all = append(all, autodiff.Grad(loss(first), inputs, autodiff.ZeroForUnused())...)
	}
	return all
}

// TestGradientsOfLoops compares the gradients of loops, and the second ones, with those of the same
// steps one by one.
func TestGradientsOfLoops(t *testing.T) {
	lengths := []int{1, 2, 5, 17}
	if testing.Short() {
		lengths = lengths[1:3]
	}
	for _, name := range slices.Sorted(maps.Keys(loops)) {
		for _, reverse := range []bool{false, true} {
			p := newLoopProgramWith(t, name, graph.Float64, reverse, 0, withGradients)
			s := p.NewSession()
			for _, steps := range lengths {
				values := p.values(steps)
				other := newLoopProgramWith(t, name, graph.Float64, reverse, steps, withGradients)
				want := other.run(t, other.NewSession(), values)
				for i, got := range p.run(t, s, values) {
					require.Equal(t, want[i].Shape, got.Shape)
					require.InDeltaSlice(t, want[i].Data, got.Data, 1e-9, "%s, %d steps, reverse %v: output %d of %d",
						name, steps, reverse, i, len(want))
				}
			}
		}
	}
}

// TestGradientsOfLoopsWithoutSteps are those of what is carried in.
func TestGradientsOfLoopsWithoutSteps(t *testing.T) {
	p := newLoopProgramWith(t, "recurrent", graph.Float32, false, 0, withFirstGradients)
	values := p.values(0)
	got := p.run(t, p.NewSession(), values)
	grads := got[len(got)-4:]
	require.Empty(t, grads[0].Data)
	require.Equal(t, make([]float32, 9), grads[1].Data)
	require.NotZero(t, grads[2].Data)
	require.Equal(t, []int{3}, grads[2].Shape)
}

// TestGradientsWithinBodies can be taken, of values of one step.
func TestGradientsWithinBodies(t *testing.T) {
	g := graph.New("newton")
	x := g.Input("x", graph.Float64)
	root := ops.Fori(8, nodes{g.Scalar(graph.Float64, 1)}, func(_ *graph.Node, carry nodes) nodes {
		f := ops.Sub(ops.Square(carry[0]), x)
		return nodes{ops.Sub(carry[0], ops.Div(f, autodiff.Grad(f, carry)[0]))}
	})[0]
	slope := autodiff.Grad(root, nodes{x})[0]
	prog, err := exec.Compile(g, exec.Outputs(root, slope))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(t.Context(), exec.Feed{x: 2.0})
	require.NoError(t, err)
	for n, want := range map[*graph.Node]float64{root: 1.4142135623730951, slope: 0.35355339059327373} {
		got, err := r.Scalar(n)
		require.NoError(t, err)
		require.InDelta(t, want, got, 1e-12)
	}
}

// TestGradientsThatLeaveABody are refused, with a way out.
func TestGradientsThatLeaveABody(t *testing.T) {
	g := graph.New("loop")
	x := g.Input("x", graph.Float32, 5)
	ops.Scan(ops.Loop{Carry: nodes{g.Scalar(graph.Float32, 0)}, Over: nodes{x}},
		func(carry, part nodes) (next, out nodes) {
			d := autodiff.Grad(ops.Square(part[0]), nodes{x})[0]
			require.ErrorContains(t, d.Err(), "flows to another step or out of the loop")
			return nodes{ops.Add(carry[0], part[0])}, nil
		})
}

// The gradient of a loop computes its branches again, and the loops in these.
func TestGradientsOfLoopsInBranchesInLoops(t *testing.T) {
	t.Setenv(exec.VerifyVariable, "1")
	g := graph.New("g")
	x := g.Input("x", graph.Float64, 3)
	final, _ := ops.Scan(ops.Loop{Carry: nodes{g.Scalar(graph.Float64, 0.5)}, Over: nodes{x}},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			y := ops.Cond(ops.Less(x[0], graph.Num(0)), func() []*graph.Node {
				return ops.Fori(2, nodes{carry[0]}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
					return nodes{ops.Mul(c[0], x[0])}
				})
			}, func() []*graph.Node { return nodes{ops.Add(carry[0], x[0])} })
			return y, nil
		})
	dx := autodiff.Grad(final[0], nodes{x})[0] // of ((c + x0)·x1² + x2)
	prog, err := exec.Compile(g, exec.Outputs(final[0], dx))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(t.Context(), exec.Feed{x: vec(2., -3, 4)})
	require.NoError(t, err)
	require.Equal(t, []float64{26.5}, arrayOf(t, r, final[0]).Data)
	require.Equal(t, []float64{9, -15, 1}, arrayOf(t, r, dx).Data)
}

// What the gradient of a loop would keep of all steps, and then does not read, has no memory and is not computed.
func TestLoopsDropWhatGradientsDoNotRead(t *testing.T) {
	g := graph.New("g")
	x, c0, c1 := g.Input("x", graph.Float64, 2), g.Input("c0", graph.Float64), g.Input("c1", graph.Float64)
	_, outs := ops.Scan(ops.Loop{Carry: nodes{c0, c1}, Over: nodes{x}},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			f := ops.Cond(ops.NotEqual(carry[0], carry[0]), func() []*graph.Node {
				return nodes{ops.Tanh(carry[1]), ops.Sigmoid(x[0])}
			}, func() []*graph.Node {
				return nodes{ops.Tanh(carry[1]), ops.Exp(x[0])}
			})
			y := ops.Sigmoid(f[0])
			return nodes{ops.Sigmoid(x[0]), y}, nodes{y}
		})
	dx := autodiff.Grad(ops.Sum(outs[0]), nodes{x}, autodiff.ZeroForUnused())[0]
	prog, err := exec.Compile(g, exec.Outputs(outs[0], dx))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(t.Context(), exec.Feed{x: vec(10., 20), c0: 0.1, c1: 0.2})
	require.NoError(t, err)
	first := 1 / (1 + math.Exp(-math.Tanh(0.2)))
	require.InDeltaSlice(t, []float64{first, 1 / (1 + math.Exp(-math.Tanh(first)))}, arrayOf(t, r, outs[0]).Data, 1e-12)
	require.Equal(t, []float64{0, 0}, arrayOf(t, r, dx).Data)
}

// A loop keeps the scores of attention that its gradient reads: they are not computed again behind its end.
func TestLoopsKeepProductsThatAreUsedFarApart(t *testing.T) {
	t.Setenv(exec.VerifyVariable, "1")
	g := graph.New("g")
	q, k, v := g.Input("q", graph.Float32, g.Dim("t"), 3), g.Input("k", graph.Float32, g.Dim("s"), 3),
		g.Input("v", graph.Float32, g.Dim("s"), 3)
	final := ops.Cond(g.Input("is", graph.Bool), func() []*graph.Node {
		weights := ops.Softmax(ops.MatMul(ops.Copy(q), ops.Transpose(k, 0, 1)), 1)
		return nodes{ops.Sum(ops.MatMul(weights, v))}
	}, func() []*graph.Node { return nodes{graph.Num(0)} })
	_, err := exec.Compile(g, exec.Outputs(append(autodiff.Grad(ops.Square(final[0]), nodes{q, k, v}), final...)...))
	require.NoError(t, err)
}

// The gradient of a matrix that each step multiplies with a vector is one product of all steps: no step carries a
// matrix. The same holds of vectors of outside.
func TestMatricesTimesVectorsOfSteps(t *testing.T) {
	t.Setenv(exec.VerifyVariable, "1")
	const steps = 6
	g := graph.New("g")
	m := g.Dim("m", graph.AtLeast(2))
	x, w, v, u := g.Input("x", graph.Float64, steps, m), g.Input("w", graph.Float64, m, m),
		g.Input("v", graph.Float64, m), g.Input("u", graph.Float64, m)
	step := func(c, part *graph.Node) *graph.Node {
		h := ops.Tanh(ops.Add(ops.MatMul(w, c), ops.MatMul(part, w)))
		return ops.Mul(ops.Add(h, ops.MatMul(u, h)), ops.MatMul(h, v))
	}
	final, _ := ops.Scan(ops.Loop{Carry: nodes{v}, Over: nodes{x}}, func(c, x nodes) (next, out nodes) {
		return nodes{step(c[0], x[0])}, nil
	})
	unrolled := v
	for i := range steps {
		unrolled = step(unrolled, ops.Select(x, 0, graph.Dim(i)))
	}
	wrt := nodes{w, v, u, x}
	got, want := autodiff.Grad(ops.Sum(ops.Square(final[0])), wrt), autodiff.Grad(ops.Sum(ops.Square(unrolled)), wrt)
	again := autodiff.Grad(ops.Sum(ops.Sin(got[0])), wrt)
	wantAgain := autodiff.Grad(ops.Sum(ops.Sin(want[0])), wrt)
	got, want = slices.Concat(got, again), slices.Concat(want, wantAgain)
	p, err := exec.Compile(g, exec.Outputs(append(got, want...)...))
	require.NoError(t, err)
	feed := exec.Feed{}
	for i, n := range g.Inputs() {
		shape := slices.Repeat([]int{5}, n.Rank())
		if n == x {
			shape[0] = steps
		}
		data := make([]float64, reduceSizes(shape))
		for j := range data {
			data[j] = math.Sin(float64(7*j+i)) / 2
		}
		feed[n] = exec.Array{Shape: shape, Data: data}
	}
	r, err := p.NewSession().Run(t.Context(), feed)
	require.NoError(t, err)
	for i := range got {
		require.InDeltaSlice(t, arrayOf(t, r, want[i]).Data, arrayOf(t, r, got[i]).Data, 1e-9, "gradient %d", i)
	}

	only := graph.New("g")
	w, x = only.Input("w", graph.Float32, 500, 500), only.Input("x", graph.Float32, steps, 500)
	final, _ = ops.Scan(ops.Loop{Carry: nodes{ops.Zeros(only, graph.Float32, 500)}, Over: nodes{x}},
		func(c, x nodes) (next, out nodes) {
			return nodes{ops.Tanh(ops.Add(ops.MatMul(w, c[0]), x[0]))}, nil
		})
	p, err = exec.Compile(only, exec.Outputs(autodiff.Grad(ops.Sum(final[0]), nodes{w})[0]))
	require.NoError(t, err)
	f, err := p.Footprint(nil)
	require.NoError(t, err)
	require.Less(t, f.Arena, 500*500*4+40*500*4, "a matrix, and vectors of all steps")
}

func reduceSizes(shape []int) int {
	count := 1
	for _, n := range shape {
		count *= n
	}
	return count
}

// The gradient of a table of outside, of which each step takes rows, is one sum of all steps: no step carries a table.
func TestRowsThatStepsTake(t *testing.T) {
	t.Setenv(exec.VerifyVariable, "1")
	for name, take := range map[string]func(table, index *graph.Node) *graph.Node{
		"take":      func(table, index *graph.Node) *graph.Node { return ops.Take(table, 0, index) },
		"embedding": func(table, index *graph.Node) *graph.Node { return ops.Embedding(index, table, 1) },
		"few rows": func(table, index *graph.Node) *graph.Node {
			return ops.Take(ops.Narrow(table, 0, 0, 2), 0, ops.Remainder(index, graph.Num(2)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			const steps, rows, width = 6, 900, 8
			g := graph.New("g")
			table, begin, index := g.Input("table", graph.Float64, rows, width),
				g.Input("begin", graph.Float64, 3, width), g.Input("index", graph.Int64, steps, 3)
			step := func(c, at *graph.Node) *graph.Node {
				return ops.Tanh(ops.Mul(ops.Add(c, graph.Num(0.5)), take(table, at)))
			}
			final, _ := ops.Scan(ops.Loop{Carry: nodes{begin}, Over: nodes{index}}, func(c, x nodes) (next, out nodes) {
				return nodes{step(c[0], x[0])}, nil
			})
			while, _ := ops.While(steps+3, nodes{begin, g.Scalar(graph.Int64, 0)}, func(c nodes) *graph.Node {
				return ops.Less(c[1], graph.Num(steps))
			}, func(i *graph.Node, c nodes) nodes {
				return nodes{step(c[0], ops.Take(index, 0, ops.Minimum(c[1], graph.Num(steps-1)))),
					ops.Add(c[1], graph.Num(1))}
			})
			unrolled := begin
			for i := range steps {
				unrolled = step(unrolled, ops.Select(index, 0, graph.Dim(i)))
			}
			gradients := func(y *graph.Node) nodes {
				first := autodiff.Grad(ops.Sum(ops.Square(y)), nodes{table, begin})
				return append(first, autodiff.Grad(ops.Sum(ops.Sin(first[0])), nodes{table, begin})...)
			}
			want, got, gotWhile := gradients(unrolled), gradients(final[0]), gradients(while[0])
			p, err := exec.Compile(g, exec.Outputs(slices.Concat(want, got, gotWhile)...))
			require.NoError(t, err)
			feed := feedOf(g, 1, rows)
			feed[index] = exec.Array{Shape: []int{steps, 3},
				Data: []int64{0, 1, 1, 5, 899, 5, 7, 0, 1, 2, 3, 4, 5, 5, 5, 898, 0, 2}}
			r, err := p.NewSession().Run(t.Context(), feed)
			require.NoError(t, err)
			for i := range want {
				require.InDeltaSlice(t, arrayOf(t, r, want[i]).Data, arrayOf(t, r, got[i]).Data, 1e-9, "gradient %d", i)
				require.InDeltaSlice(t, arrayOf(t, r, want[i]).Data, arrayOf(t, r, gotWhile[i]).Data, 1e-9,
					"gradient %d of While", i)
			}
			if name == "few rows" {
				return
			}
			only, err := exec.Compile(g, exec.Outputs(got[0]))
			require.NoError(t, err)
			f, err := only.Footprint(nil)
			require.NoError(t, err)
			require.Less(t, f.Arena, (rows+20*steps*3)*width*8, "a table, and rows of all steps")
		})
	}
}
