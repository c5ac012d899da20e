package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/autodiff/gradcheck"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// runGuarded runs a function of rows 1 2 3 and 4 5 6 in a session with options.
func runGuarded(t *testing.T, form string, f func(x *graph.Node) func(a *graph.Arrays) error,
	options ...exec.SessionOption) (fed []float64, err error) {
	t.Helper()
	g := graph.New("own")
	x := g.Input("x", graph.Float64, g.Dim("n"), 3)
	y := callForms[form](x, graph.Float64, f(x))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	nodes := len(g.Nodes())
	fed = []float64{1, 2, 3, 4, 5, 6}
	_, err = p.NewSession(options...).Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: fed}})
	require.Len(t, g.Nodes(), nodes)
	require.NoError(t, g.Err())
	return fed, err
}

// filled fills the result, and then does something else.
func filled(then func(a *graph.Arrays)) func(a *graph.Arrays) error {
	return func(a *graph.Arrays) error {
		copy(graph.Elements[float64](a.Out), graph.Elements[float64](a.In[0]))
		then(a)
		return nil
	}
}

// A session that guards operands reports a function that writes one.
func TestGuardedOperands(t *testing.T) {
	writes := func(*graph.Node) func(a *graph.Arrays) error {
		return filled(func(a *graph.Arrays) { graph.Elements[float64](a.In[0])[1] = 7 })
	}
	reads := func(*graph.Node) func(a *graph.Arrays) error { return filled(func(*graph.Arrays) {}) }
	t.Setenv(exec.VerifyVariable, "0") // which guards them too
	for form := range callForms {
		_, err := runGuarded(t, form, reads, exec.GuardOperands())
		require.NoError(t, err, form)
		_, err = runGuarded(t, form, writes)
		require.NoError(t, err, form)
		_, err = runGuarded(t, form, writes, exec.GuardOperands())
		var failed *exec.RunError
		require.ErrorAs(t, err, &failed, form)
		require.Contains(t, failed.Message,
			"it writes operand 0, x, whose memory is read elsewhere: write a copy, such as slices.Clone(graph.Elements[float64](a.In[0]))",
			form)
		require.Regexp(t, `^functionresult_test\.go:\d+:\d+: error: Own\(x`, err.Error(), form)
	}
}

// Operands are guarded in the bodies of loops too, and in the check of gradients.
func TestGuardedOperandsInLoopsAndChecks(t *testing.T) {
	op := ownFunction(graph.Float64, filled(func(a *graph.Arrays) { graph.Elements[float64](a.In[0])[0] = 0.5 }))
	op.Grad = func(_, dy *graph.Node, _ int) *graph.Node { return dy }
	g := graph.New("own")
	x := g.Input("x", graph.Float64, 2, 3)
	last := ops.Fori(2, nodes{x}, func(_ *graph.Node, c nodes) nodes {
		return nodes{graph.Apply(op, nil, ops.Sin(c[0]))}
	})[0]
	feed := exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: []float64{1, 2, 3, 4, 5, 6}}}
	p, err := exec.Compile(g, exec.Outputs(last))
	require.NoError(t, err)
	_, err = p.NewSession(exec.GuardOperands()).Run(t.Context(), feed)
	require.ErrorContains(t, err, "it writes operand 0, Sin(carry[0])")
	require.ErrorContains(t, gradcheck.Check(t.Context(), graph.Apply(op, nil, x), feed, nodes{x}),
		"it writes operand 0, x")
}

// A function that builds nodes of the program's graph ends the run with an error, and builds none. One of its own it
// may build, and run.
func TestFunctionsThatBuildNodes(t *testing.T) {
	for what, build := range map[string]func(x *graph.Node){
		"Add":     func(x *graph.Node) { ops.Add(x, x) },
		"Softmax": func(x *graph.Node) { ops.Softmax(x, 0) },
		"Fori": func(x *graph.Node) {
			ops.Fori(3, nodes{x}, func(_ *graph.Node, c nodes) nodes { return nodes{ops.Mul(c[0], c[0])} })
		},
		"Input":    func(x *graph.Node) { x.Graph().Input("z", graph.Float64) },
		"Param":    func(x *graph.Node) { x.Graph().Param("z", graph.Float64) },
		"Scalar":   func(x *graph.Node) { x.Graph().Scalar(graph.Float64, 1) },
		"Constant": func(x *graph.Node) { graph.Constant(x.Graph(), []float64{1}, 1) },
		"Grad":     func(x *graph.Node) { autodiff.Grad(x, nodes{x}) },
	} {
		for form := range callForms {
			_, err := runGuarded(t, form, func(x *graph.Node) func(a *graph.Arrays) error {
				return filled(func(*graph.Arrays) { build(x) })
			})
			var failed *exec.RunError
			require.ErrorAs(t, err, &failed, "%s in %s", what, form)
			require.Regexp(t, `^(batch element \[0\]: )?it calls `+what+
				` at functionguard_test\.go:\d+:\d+, which would build a node of the program's graph during a run: `,
				failed.Message)
			require.Regexp(t, `^functionresult_test\.go:\d+:\d+: error: Own\(x`, err.Error(), form)
			var built *graph.BuiltInRun
			require.ErrorAs(t, err, &built)
		}
	}
	for form := range callForms {
		_, err := runGuarded(t, form, func(*graph.Node) func(a *graph.Arrays) error {
			return filled(func(a *graph.Arrays) {
				g := graph.New("inner")
				z := g.Input("z", graph.Float64, 3)
				p, err := exec.Compile(g, exec.Outputs(ops.Exp(z)))
				require.NoError(t, err)
				_, err = p.NewSession().Run(t.Context(), exec.Feed{z: make([]float64, 3)})
				require.NoError(t, err)
			})
		})
		require.NoError(t, err, form)
	}
}

// While a function runs, another goroutine may build nodes of the graph, for another program.
func TestNodesBuiltBesideAFunction(t *testing.T) {
	g := graph.New("own")
	x := g.Input("x", graph.Float64, 2)
	begun, built := make(chan struct{}), make(chan struct{})
	y := callForms["callback"](x, graph.Float64, filled(func(*graph.Arrays) { close(begun); <-built }))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	go func() {
		<-begun
		defer close(built)
		require.NotPanics(t, func() { ops.Exp(x) })
	}()
	_, err = p.NewSession().Run(t.Context(), exec.Feed{x: []float64{1, 2}})
	require.NoError(t, err)
	require.NoError(t, g.Err())
}
