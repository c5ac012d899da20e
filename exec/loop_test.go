package exec_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/internal/testkit/settings"
	"github.com/broadloom/broadloom/ops"
)

type nodes = []*graph.Node

// loops are bodies of several kinds. Each takes the graph, two carried values of [3], elements of [3] and a weight of
// [3, 3], and returns the next two carried values.
var loops = map[string]func(carry, x nodes, w *graph.Node) (next, out nodes){
	"sum": func(carry, x nodes, _ *graph.Node) (next, out nodes) {
		sum := ops.Add(carry[0], x[0])
		return nodes{sum, carry[1]}, nodes{sum}
	},
	"recurrent": func(carry, x nodes, w *graph.Node) (next, out nodes) {
		h := ops.Tanh(ops.Add(ops.MatMul(carry[0], w), x[0]))
		return nodes{h, ops.Maximum(carry[1], h)}, nodes{h, ops.Softmax(h, 0)}
	},
	"exchanged": func(carry, x nodes, _ *graph.Node) (next, out nodes) {
		return nodes{carry[1], ops.Sub(carry[0], x[0])}, nodes{x[0], carry[0], carry[0]}
	},
	"nothing given out": func(carry, x nodes, w *graph.Node) (next, out nodes) {
		return nodes{ops.MatMul(w, ops.Mul(carry[0], x[0])), ops.Add(carry[1], ops.Select(w, 0, 1))}, nil
	},
	"views and writes": func(carry, x nodes, _ *graph.Node) (next, out nodes) {
		y := ops.Copy(x[0])
		z := ops.MulInPlace(ops.Slice(y, 0, 1, 3, 1), ops.Slice(carry[0], 0, 0, 2, 1))
		return nodes{ops.Flip(carry[0], 0), ops.After(y, z)}, nodes{ops.Flip(carry[1], 0), ops.After(y, z)}
	},
	"positions": func(carry, x nodes, w *graph.Node) (next, out nodes) {
		weight := ops.Cast(ops.Square(ops.Iota(w.Graph(), 1, 2, 3)), w.DType()) // outside, by no kernel of its own
		z := ops.Mul(ops.Reshape(ops.Concat(0, ops.Square(carry[0]), x[0]), 2, 3), weight)
		return nodes{ops.Tanh(ops.Sum(z, 0)), ops.Add(carry[1], ops.Select(z, 0, 1))}, nodes{z}
	},
	"without a way from step to step": func(carry, x nodes, w *graph.Node) (next, out nodes) {
		return carry, nodes{ops.Sin(ops.Mul(x[0], ops.Select(w, 0, 0)))}
	},
	"repeated parts": func(carry, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.Mul(ops.Slice(x[0], 0, 0, 1, 1), ops.Add(x[0], w)) // the part is repeated for rows of a matrix
		return nodes{ops.Tanh(ops.Sum(y, 0)), carry[1]}, nodes{y}
	},
	"nested": func(carry, x nodes, w *graph.Node) (next, out nodes) {
		inner, all := ops.Scan(ops.Loop{Carry: nodes{ops.Sum(carry[0])}, Over: nodes{w, x[0]}},
			func(c, row nodes) (next, out nodes) {
				s := ops.Add(ops.Mul(c[0], graph.Num(0.5)), ops.Mul(ops.Sum(row[0]), row[1]))
				return nodes{s}, nodes{s}
			})
		return nodes{all[0], ops.Add(carry[1], inner[0])}, nodes{all[0]}
	},
}

// unrolled is what a loop computes, step by step in one graph.
func unrolled(body func(carry, x nodes) (next, out nodes), carry nodes, x *graph.Node, steps int, reverse bool) (final,
	outs nodes) {
	kept := make([]nodes, steps)
	for i := range steps {
		t := i
		if reverse {
			t = steps - 1 - i
		}
		carry, kept[t] = body(carry, nodes{ops.Select(x, 0, graph.Dim(t))})
	}
	for i := range kept[0] {
		var all nodes
		for _, out := range kept {
			all = append(all, out[i])
		}
		outs = append(outs, ops.Stack(0, all...))
	}
	return carry, outs
}

// loopProgram is a loop with its inputs and what comes out of it.
type loopProgram struct {
	*exec.Program
	outputs, inputs nodes // the inputs are x, w and the carried values
}

// newLoopProgram builds a loop over a named number of steps or, unrolled, over a number of them.
func newLoopProgram(t *testing.T, name string, dtype graph.DType, reverse bool, steps int) *loopProgram {
	return newLoopProgramWith(t, name, dtype, reverse, steps, nil)
}

// newLoopProgramWith adds to what comes out.
func newLoopProgramWith(t *testing.T, name string, dtype graph.DType, reverse bool, steps int,
	add func(outputs, inputs nodes) nodes) *loopProgram {
	g := graph.New(name)
	length := g.Dim("steps", graph.AtLeast(0))
	if steps > 0 {
		length = graph.Dim(steps)
	}
	x, w := g.Input("x", dtype, length, 3), g.Input("w", dtype, 3, 3)
	p := &loopProgram{inputs: nodes{x, w, g.Input("a", dtype, 3), g.Input("b", dtype, 3)}}
	body := func(carry, x nodes) (next, out nodes) { return loops[name](carry, x, w) }
	var final, outs nodes
	if steps > 0 {
		final, outs = unrolled(body, p.inputs[2:], x, steps, reverse)
	} else {
		final, outs = ops.Scan(ops.Loop{Carry: p.inputs[2:], Over: nodes{x}, Reverse: reverse}, body)
	}
	if p.outputs = slices.Concat(final, outs); add != nil {
		p.outputs = add(p.outputs, p.inputs)
	}
	var err error
	p.Program, err = exec.Compile(g, exec.Outputs(p.outputs...), exec.OnWarning(nil))
	require.NoError(t, err, name)
	return p
}

// values are numbers for the inputs.
func (p *loopProgram) values(steps int) (values []exec.Array) {
	rng := rand.New(rand.NewPCG(uint64(steps), 1))
	for i, shape := range [][]int{{steps, 3}, {3, 3}, {3}, {3}} {
		values = append(values, exec.Array{Shape: shape, Data: someNumbers(rng, p.inputs[i].DType(), shape)})
	}
	return values
}

// run feeds the values and gives what comes out.
func (p *loopProgram) run(t *testing.T, s *exec.Session, values []exec.Array) (all []exec.Array) {
	feed := exec.Feed{}
	for i, n := range p.inputs {
		feed[n] = values[i]
	}
	r, err := s.Run(t.Context(), feed)
	require.NoError(t, err)
	for _, n := range p.outputs {
		a, err := r.Array(n)
		require.NoError(t, err)
		all = append(all, a)
	}
	return all
}

func someNumbers(rng *rand.Rand, t graph.DType, shape []int) any {
	count := 1
	for _, n := range shape {
		count *= n
	}
	double := make([]float64, count)
	for i := range double {
		double[i] = rng.Float64()*2 - 1
	}
	if t == graph.Float64 {
		return double
	}
	single := make([]float32, count)
	for i := range single {
		single[i] = float32(double[i])
	}
	switch t {
	case graph.Float16:
		return half.ToFloat16(single)
	case graph.BFloat16:
		return half.ToBFloat16(single)
	}
	return single
}

// TestLoopsAreTheirUnrolledForm compares loops bit for bit with their steps written one by one, in one
// program for all lengths, on every instruction set.
func TestLoopsAreTheirUnrolledForm(t *testing.T) {
	lengths := []int{1, 2, 5, 9, 3}
	if testing.Short() {
		lengths = lengths[:2]
	}
	settings.Same(t, func() string {
		var all strings.Builder
		for _, name := range slices.Sorted(maps.Keys(loops)) {
			for _, dtype := range []graph.DType{graph.Float32, graph.Float64} {
				for _, reverse := range []bool{false, true} {
					compareUnrolled(t, &all, name, dtype, reverse, lengths...)
				}
			}
		}
		return all.String()
	})
}

// TestLongLoopsAreTheirUnrolledForm is the same with more steps, on the instruction set of the machine.
func TestLongLoopsAreTheirUnrolledForm(t *testing.T) {
	if testing.Short() {
		t.Skip("unrolls many steps")
	}
	for _, name := range slices.Sorted(maps.Keys(loops)) {
		compareUnrolled(t, &strings.Builder{}, name, graph.Float32, false, 200, 40)
	}
}

func compareUnrolled(t *testing.T, all *strings.Builder, name string, dtype graph.DType, reverse bool, lengths ...int) {
	p := newLoopProgram(t, name, dtype, reverse, 0)
	s := p.NewSession()
	for _, steps := range lengths {
		values := p.values(steps)
		other := newLoopProgram(t, name, dtype, reverse, steps)
		want := other.run(t, other.NewSession(), values)
		got := p.run(t, s, values)
		require.Equal(t, want, got, "%s, %s, %d steps, reverse %v", name, dtype, steps, reverse)
		fmt.Fprint(all, got)
	}
}

// TestLoopWithoutSteps gives back what was carried in, and nothing of its steps.
func TestLoopWithoutSteps(t *testing.T) {
	for name := range loops {
		p := newLoopProgram(t, name, graph.Float32, false, 0)
		values := p.values(0)
		got := p.run(t, p.NewSession(), values)
		require.Equal(t, values[2:], got[:2], name)
		for _, out := range got[2:] {
			require.Equal(t, 0, out.Shape[0], name)
		}
	}
}

// TestLoopsAllocateNothing runs a loop of many steps without an allocation.
func TestLoopsAllocateNothing(t *testing.T) {
	p := newLoopProgram(t, "recurrent", graph.Float32, false, 0)
	s, feed := p.NewSession(exec.Threads(1)), exec.Feed{}
	for i, v := range p.values(200) {
		feed[p.inputs[i]] = v
	}
	allocs.RequireNone(t, 10, func() {
		if _, err := s.Run(t.Context(), feed); err != nil {
			t.Fatal(err)
		}
	})
}

// TestUnneededCarriedValues are not made: the loop of one kernel is all that runs.
func TestUnneededCarriedValues(t *testing.T) {
	g := graph.New("loop")
	x := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(0)), 3)
	_, out := ops.Scan(ops.Loop{Carry: nodes{ops.Sum(ops.Exp(x), 0)}, Over: nodes{x}},
		func(carry, part nodes) (next, out nodes) {
			return nodes{ops.Add(carry[0], part[0])}, nodes{ops.Sin(part[0])}
		})
	prog, err := exec.Compile(g, exec.Outputs(out...))
	require.NoError(t, err)
	require.NotContains(t, prog.String(), "exp")
	require.NotContains(t, prog.String(), "kernel 1")
}

// TestForiCounts adds up the steps' numbers.
func TestForiCounts(t *testing.T) {
	g := graph.New("count")
	n := g.Dim("n", graph.AtLeast(0))
	x := g.Input("x", graph.Float32, n)
	sum := ops.Fori(n, nodes{g.Scalar(graph.Int64, 0), x}, func(i *graph.Node, carry nodes) nodes {
		return nodes{ops.Add(carry[0], ops.Square(i)), ops.Mul(carry[1], graph.Num(2))}
	})
	prog, err := exec.Compile(g, exec.Outputs(sum...))
	require.NoError(t, err)
	s := prog.NewSession()
	for size, want := range map[int]int64{0: 0, 1: 0, 4: 14} {
		data := make([]float32, size)
		for i := range data {
			data[i] = 1
		}
		r, err := s.Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{size}, Data: data}})
		require.NoError(t, err)
		a, err := r.Array(sum[0])
		require.NoError(t, err)
		require.Equal(t, []int64{want}, a.Data)
		b, err := r.Array(sum[1])
		require.NoError(t, err)
		for _, v := range b.Data.([]float32) {
			require.Equal(t, float32(int(1)<<size), v)
		}
	}
}

// TestLoopsAgreeWithTheReference evaluates loops by an evaluator that shares no code with the compiler.
func TestLoopsAgreeWithTheReference(t *testing.T) {
	for name := range loops {
		p := newLoopProgram(t, name, graph.Float64, true, 0)
		values, in := p.values(7), map[*graph.Node]reference.Value{}
		for i, v := range values {
			in[p.inputs[i]] = reference.Of(v.Data.([]float64), v.Shape...)
		}
		want, err := reference.Eval(p.outputs, in)
		require.NoError(t, err, name)
		for i, got := range p.run(t, p.NewSession(), values) {
			require.InDeltaSlice(t, want[i].Data, got.Data, 1e-12, "%s: output %d", name, i)
		}
	}
}

// TestConstantOutputsCanBeWritten writes into what comes out of a loop whose steps all give one value.
func TestConstantOutputsCanBeWritten(t *testing.T) {
	g := graph.New("constant")
	x, y := g.Input("x", graph.Float32, 4), g.Input("y", graph.Float32, 2)
	_, outs := ops.Scan(ops.Loop{Over: nodes{x}}, func(_, _ nodes) (next, out nodes) { return nil, nodes{ops.Neg(y)} })
	written := ops.AddInPlace(outs[0], ops.Unsqueeze(x, 1))
	prog, err := exec.Compile(g, exec.Outputs(written))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(t.Context(), exec.Feed{x: []float32{1, 2, 3, 4}, y: []float32{10, 20}})
	require.NoError(t, err)
	got, err := exec.Values[float32](r, written)
	require.NoError(t, err)
	require.Equal(t, []float32{-9, -19, -8, -18, -7, -17, -6, -16}, got)
}

// A body reads what was written into a part of a parameter where it lies.
func TestBodiesReadWhatWasWrittenIntoAPart(t *testing.T) {
	g := graph.New("g")
	w, c := g.Param("w", graph.Float64, 2, 1, 2), g.Input("c", graph.Float64, 2)
	part := ops.DivInPlace(ops.Select(w, -1, 0), graph.Num(3))
	final, _ := ops.Scan(ops.Loop{Carry: nodes{c}, Over: nodes{part}, Axis: 1},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			return nodes{ops.Add(ops.Mul(carry[0], x[0]), ops.Reshape(part, 2))}, nil
		})
	p, err := exec.Compile(g, exec.Outputs(final[0]), exec.Updates(part))
	require.NoError(t, err)
	s := p.NewSession()
	require.NoError(t, s.SetParam(w, exec.Array{Shape: []int{2, 1, 2}, Data: []float64{3, 10, 6, 20}}))
	r, err := s.Run(t.Context(), exec.Feed{c: vec(5., 7)})
	require.NoError(t, err)
	require.Equal(t, []float64{5*1 + 1, 7*2 + 2}, arrayOf(t, r, final[0]).Data)
}

// Values that show a copy of others, such as parts of what lies backwards, are carried, captured and gone through as
// they are.
func TestLoopsOfPartsOfACopy(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", graph.Float64, 4)
	part := ops.AsStrided(ops.Flip(x, 0), graph.Shape{2, 2}, []graph.Dim{0, 2}, 1)
	final, outs := ops.Scan(ops.Loop{Carry: nodes{part}, Over: nodes{part}}, func(carry, row nodes) (next, out nodes) {
		return nodes{ops.Neg(carry[0])}, nodes{row[0], ops.Mul(part, graph.Num(2))}
	})
	outputs := append(final, outs...)
	prog, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(t.Context(), exec.Feed{x: vec(1., 2, 3, 4)})
	require.NoError(t, err)
	require.Equal(t, []float64{3, 1, 3, 1}, arrayOf(t, r, outputs[0]).Data)
	require.Equal(t, []float64{3, 1, 3, 1}, arrayOf(t, r, outputs[1]).Data)
	require.Equal(t, []float64{6, 2, 6, 2, 6, 2, 6, 2}, arrayOf(t, r, outputs[2]).Data)
}

// A copy of a value of outside is made in each step, which may write it: what is copied stays as it is, and gradients
// go to it.
func TestBodiesWriteCopiesOfWhatIsOutside(t *testing.T) {
	t.Setenv(exec.VerifyVariable, "1")
	g := graph.New("g")
	w, x := g.Input("w", graph.Float64, 2), g.Input("x", graph.Float64, 3)
	zero := g.Scalar(graph.Float64, 0)
	// A step at x, in a loop of one step and in a branch within it: the first element of a copy of w is w₀·x + w₁, and
	// c' = c + w₁·(w₀·x + w₁).
	step := func(c, x *graph.Node) *graph.Node {
		inner := ops.Fori(1, nodes{c}, func(_ *graph.Node, c nodes) nodes {
			return ops.Cond(ops.Less(x, graph.Num(100)), func() []*graph.Node {
				own := ops.Copy(w)
				first := ops.Select(own, 0, 0)
				own = ops.After(own, ops.AddInPlace(ops.MulInPlace(first, x), ops.Select(ops.Copy(w), 0, 1)))
				return nodes{ops.Add(c[0], ops.Prod(own))}
			}, func() []*graph.Node { return c })
		})
		return inner[0]
	}
	final, outs := ops.Scan(ops.Loop{Carry: nodes{zero}, Over: nodes{x}}, func(c, x nodes) (next, out nodes) {
		own := ops.AddInPlace(ops.Copy(w), x[0])
		return nodes{step(c[0], x[0])}, nodes{own, ops.Copy(w)}
	})
	counted, steps := ops.While(9, nodes{zero}, func(c nodes) *graph.Node { return ops.Less(c[0], graph.Num(5)) },
		func(_ *graph.Node, c nodes) nodes {
			return nodes{ops.Add(c[0], ops.Sum(ops.AddInPlace(ops.Copy(w), graph.Num(-1))))}
		})
	loss := ops.Add(final[0], ops.Sum(outs[0]))
	dx := autodiff.Grad(loss, nodes{w, x})
	second := autodiff.Grad(ops.Sum(dx[1]), nodes{w})[0]
	outputs := append(nodes{final[0], outs[0], outs[1], w, counted[0], steps, second}, dx...)
	prog, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	s := prog.NewSession()
	r, err := s.Run(t.Context(), exec.Feed{w: vec(2., 3), x: vec(1., 4, -1)})
	require.NoError(t, err)
	for i, want := range [][]float64{
		{3*(2*1+3) + 3*(2*4+3) + 3*(2*-1+3)}, {3, 4, 6, 7, 1, 2}, {2, 3, 2, 3, 2, 3}, {2, 3}, {6}, nil,
		{9, 6},                         // of Σ(w₀·w₁ + 2)
		{3 + 3*(1+4-1), 3 + 2*4 + 6*3}, // of Σ(w₁·(w₀·x + w₁)) + Σ(w₀ + w₁ + 2·x)
		{2*3 + 2, 2*3 + 2, 2*3 + 2},
	} {
		if want != nil {
			require.Equal(t, want, arrayOf(t, r, outputs[i]).Data, "output %d", i)
		}
	}
	require.Equal(t, []int64{2}, arrayOf(t, r, steps).Data)
	feed := exec.Feed{w: vec(2., 3), x: vec(1., 4, -1)}
	allocs.RequireNone(t, 2, func() { _, err = s.Run(t.Context(), feed) })
}
