package exec

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func TestPassesStandInAnOrderThatIsGiven(t *testing.T) {
	at := func(name string) int {
		return slices.IndexFunc(passes, func(p pass) bool { return p.name == name })
	}
	for _, o := range passOrder {
		require.GreaterOrEqual(t, at(o.before), 0, o.before)
		require.GreaterOrEqual(t, at(o.after), 0, o.after)
		require.Less(t, at(o.before), at(o.after), "%s before %s: %s", o.before, o.after, o.why)
	}
}

func TestEveryPrimitiveHasAKernelOperation(t *testing.T) {
	for _, p := range graph.Prims() {
		require.Contains(t, lower.PrimOps, p)
	}
}

// The check of a primitive's operands agrees with what kernels accept.
func TestPrimitivesTakeWhatKernelsTake(t *testing.T) {
	for _, p := range graph.Prims() {
		for _, dt := range graph.DTypes() {
			types := slices.Repeat([]graph.DType{dt}, lower.PrimOps[p].Arity())
			if p == graph.PrimSelect {
				types[0] = graph.Bool
			}
			_, err := p.Result(types...)
			require.Equal(t, lower.PrimOps[p].Accepts(lower.TypeOf(dt.Computed())), err == nil, "%s of %v", p, types)
			_, err = p.Result(append(types, dt)...)
			require.Error(t, err, "%s of one operand more", p)
		}
	}
}

// chain is tanh(x*y + b)*x - y with its sum and gradients.
func chain(t *testing.T, gradients bool) (*Program, []*graph.Node, Feed) {
	t.Helper()
	g := graph.New("chain")
	x := g.Input("x", graph.Float32, 8, 16)
	y := g.Input("y", graph.Float32, 16)
	b := g.Input("b", graph.Float32, 8, 1)
	z := ops.Sub(ops.Mul(ops.Tanh(ops.Add(ops.Mul(x, y), b)), x), y)
	outputs := []*graph.Node{z}
	if gradients {
		loss := ops.Sum(z)
		outputs = append([]*graph.Node{loss}, autodiff.Grad(loss, []*graph.Node{x, y, b})...)
	}
	p, err := Compile(g, Outputs(outputs...))
	require.NoError(t, err)
	feed := Feed{}
	for _, n := range []*graph.Node{x, y, b} {
		shape, _ := n.Shape().Ints()
		data := make([]float32, shape[0]*max(1, len(shape)-1)*16)
		count := 1
		for _, d := range shape {
			count *= d
		}
		data = data[:count]
		for i := range data {
			data[i] = float32(i%7) - 3
		}
		feed[n] = Array{Shape: shape, Data: data}
	}
	return p, outputs, feed
}

func TestBroadcastChainIsOneKernel(t *testing.T) {
	p, _, _ := chain(t, false)
	require.Equal(t, 1, p.Kernels(), "\n%s", p)
}

// What is put off until a kernel reads it lies in memory where that kernel also reads it backwards.
func TestDeferredValuesThatAreReadBackwards(t *testing.T) {
	for name, product := range map[string]func(v, backwards *graph.Node) *graph.Node{
		"forwards first":  func(v, backwards *graph.Node) *graph.Node { return ops.Mul(v, backwards) },
		"backwards first": func(v, backwards *graph.Node) *graph.Node { return ops.Mul(backwards, v) },
		"by another": func(v, backwards *graph.Node) *graph.Node {
			return ops.Mul(ops.Sub(v, graph.Num(0)), backwards)
		},
	} {
		g := graph.New("deferred")
		x := g.Input("x", graph.Float64)
		v := ops.Add(ops.Cast(ops.Iota(g, 0, g.Dim("n")), graph.Float64), x)
		y := product(v, ops.Flip(v, 0))
		p, err := Compile(g, Outputs(y))
		require.NoError(t, err)
		r, err := p.NewSession(Size("n", 4)).Run(t.Context(), Feed{x: 1.})
		require.NoError(t, err)
		got, err := Values[float64](r, y)
		require.NoError(t, err)
		require.Equal(t, []float64{4, 6, 6, 4}, got, "%s\n%s", name, p)
	}
}

func TestGradientsAndTheirSumsShareThePass(t *testing.T) {
	p, _, _ := chain(t, true)
	require.Equal(t, 1, p.Kernels(), "the value, dx and the sums dy and db come from one pass over x:\n%s", p)
}

func TestEveryPassCanBePrinted(t *testing.T) {
	p, _, _ := chain(t, true)
	names := []string{"build"}
	for _, pass := range passes {
		names = append(names, pass.name)
	}
	for i, s := range p.Snapshots() {
		require.Equal(t, names[i], s.Pass)
		require.NotEmpty(t, s.String())
		require.NotEmpty(t, s.Doc)
	}
	last := p.Snapshots()[len(passes)]
	require.Contains(t, last.String(), "reduce sum")
}

func TestManySessionsOfOneProgram(t *testing.T) {
	p, outputs, feed := chain(t, true)
	want, err := p.NewSession().Run(context.Background(), feed)
	require.NoError(t, err)
	expected := make([]Array, len(outputs))
	for i, n := range outputs {
		expected[i] = ArrayOf(t, want, n)
	}
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			s := p.NewSession()
			for range 200 {
				out, err := s.Run(context.Background(), feed)
				if err != nil {
					t.Error(err)
					return
				}
				for i, n := range outputs {
					if !slices.Equal(ArrayOf(t, out, n).Data.([]float32), expected[i].Data.([]float32)) {
						t.Error("two sessions gave different results")
						return
					}
				}
			}
		})
	}
	group.Wait()
}

func TestOneSessionServesOneGoroutine(t *testing.T) {
	p, _, feed := chain(t, false)
	s := p.NewSession()
	s.running.Store(true) // as if another goroutine were inside
	_, err := s.Run(context.Background(), feed)
	require.ErrorContains(t, err, "already running")
}

func TestMemoryIsReused(t *testing.T) {
	g := graph.New("deep")
	x := g.Input("x", graph.Float32, 64, 64)
	h := x
	for range 20 {
		h = ops.MatMul(h, h) // a product is a kernel of its own
	}
	p, err := Compile(g, Outputs(h))
	require.NoError(t, err)
	s := p.NewSession()
	_, err = s.Run(context.Background(), Feed{x: Array{Shape: []int{64, 64}, Data: make([]float32, 64*64)}})
	require.NoError(t, err)
	require.Equal(t, 2*64*64*4, len(s.state.Arena), "of 20 products only two are alive at a time")
}

func TestResultTakesOverAnOperandsMemory(t *testing.T) {
	g := graph.New("in place")
	x := g.Input("x", graph.Float32, 32, 32)
	h := ops.Tanh(ops.MatMul(x, x))
	p, err := Compile(g, Outputs(h))
	require.NoError(t, err)
	s := p.NewSession()
	_, err = s.Run(context.Background(), Feed{x: Array{Shape: []int{32, 32}, Data: make([]float32, 32*32)}})
	require.NoError(t, err)
	require.Equal(t, 32*32*4, len(s.state.Arena))
}

func TestFoldingComputesWithTheRunsKernels(t *testing.T) {
	g := graph.New("fold")
	x := g.Input("x", graph.Float32, 4)
	c := ops.Exp(graph.Constant(g, []float32{0, 1}, 2))
	y := ops.Mul(x, ops.Sum(c))
	p, err := Compile(g, Outputs(y))
	require.NoError(t, err)
	require.Equal(t, 1, p.Kernels())
	require.NotContains(t, p.String(), "exp")
}

func TestUpdateComesAfterReadersOfTheOldValue(t *testing.T) {
	g := graph.New("order")
	w := g.Param("w", graph.Float32, 4)
	x := g.Input("x", graph.Float32, 4)
	step := ops.AddInPlace(w, x)
	before := ops.Mul(ops.Sum(w), graph.Num(1.0)) // built after the write, reads the value before it
	p, err := Compile(g, Outputs(before), Updates(step))
	require.NoError(t, err)
	s := p.NewSession()
	ones := Array{Shape: []int{4}, Data: []float32{1, 1, 1, 1}}
	for i := range 3 {
		out, err := s.Run(context.Background(), Feed{x: ones})
		require.NoError(t, err)
		require.Equal(t, float64(4*i), ScalarOf(t, out, before))
	}
}

func TestTwoWritesOfOneVersionAreRefused(t *testing.T) {
	g := graph.New("writers")
	w := g.Param("w", graph.Float32, 4)
	a := ops.AddInPlace(w, graph.Num(1))
	b := ops.AddInPlace(w, graph.Num(2))
	_, err := Compile(g, Updates(a, b))
	require.ErrorContains(t, err, "BL321")
}

func TestReadOfAValueThatIsGoneIsRefused(t *testing.T) {
	g := graph.New("gone")
	w := g.Param("w", graph.Float32, 4)
	a := ops.AddInPlace(w, graph.Num(1))
	_, err := Compile(g, Outputs(ops.Mul(a, w)), Updates(a))
	require.ErrorContains(t, err, "BL320")
}

func TestCompileRefusesWhatIsNoProgram(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", graph.Float32, 4)
	other := graph.New("h").Input("y", graph.Float32, 4)
	for name, c := range map[string]struct {
		opts []Option
		want string
	}{
		"nothing":       {nil, "nothing to compute"},
		"nil output":    {[]Option{Outputs(nil)}, "output 0 is nil"},
		"another graph": {[]Option{Outputs(other)}, `not a node of graph "g"`},
		"no update":     {[]Option{Updates(ops.Neg(x))}, "writes nothing"},
		"no graph":      {[]Option{Outputs(ops.Add(graph.Num(1), graph.Num(2)))}, "all are numbers"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compile(g, c.opts...)
			require.Error(t, err)
			require.Contains(t, strings.ReplaceAll(err.Error(), "\n", " "), c.want)
		})
	}
}
