package exec_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	// Odd programs, which are compared with their steps one by one like the others.
	loopForms["a value handed on and given out twice"] = func(l *looping, T graph.Dim) nodes {
		final, out := l.scan(ops.Loop{Carry: nodes{l.in("a", 2), l.in("b", 2)}, Over: nodes{l.in("x", T, 2)}},
			func(c, x nodes) (nodes, nodes) {
				y := ops.Mul(ops.Sin(c[0]), ops.Add(c[1], x[0]))
				return nodes{y, y}, nodes{y, y, c[0]}
			})
		return append(append(final, out...), final[0], out[0])
	}
	loopForms["an empty body"] = func(l *looping, T graph.Dim) nodes {
		final, out := l.scan(ops.Loop{Carry: nodes{l.in("a", 2)}, Over: nodes{l.in("x", T, 2)}},
			func(c, x nodes) (nodes, nodes) { return c, x })
		return append(final, out...)
	}
	loopForms["parts without elements"] = func(l *looping, T graph.Dim) nodes {
		final, out := l.scan(ops.Loop{Carry: nodes{l.in("a", 0, 2), l.in("s")}, Over: nodes{l.in("x", T, 0, 2)}},
			func(c, x nodes) (nodes, nodes) {
				y := ops.Mul(ops.Sin(c[0]), x[0])
				return nodes{y, ops.Add(ops.Square(c[1]), ops.Sum(y))}, nodes{y}
			})
		return append(final, out...)
	}
	loopForms["loops in branches in loops in branches"] = func(l *looping, T graph.Dim) nodes {
		x, w := l.in("x", T, 3), l.in("w", 3)
		return l.cond(ops.Less(ops.Sum(w), l.num(9)), func() nodes {
			final, _ := l.scan(ops.Loop{Carry: nodes{w}, Over: nodes{x}, Reverse: true},
				func(c, x nodes) (nodes, nodes) {
					return l.cond(ops.Greater(ops.Sum(x[0]), l.num(0)), func() nodes {
						return l.fori(3, c, func(i *graph.Node, c nodes) nodes {
							return nodes{ops.Sin(ops.Mul(c[0], ops.Add(w, ops.Cast(i, l.dt))))}
						})
					}, func() nodes { return nodes{ops.Mul(c[0], x[0])} }), nil
				})
			return final
		}, func() nodes { return nodes{ops.Exp(w)} })
	}
	loopForms["writes into what is made of the same value in each step"] = func(l *looping, T graph.Dim) nodes {
		table := l.in("table", 4, 2)
		final, out := l.scan(ops.Loop{Carry: nodes{l.in("a", 2)}, Over: nodes{l.in("x", T, 2)}},
			func(c, x nodes) (nodes, nodes) {
				own := ops.Add(table, c[0])
				row := ops.Select(own, 0, 1)
				written := ops.AddInPlace(row, x[0])
				own = ops.After(own, written)
				return nodes{ops.Sin(ops.Add(c[0], ops.Sum(ops.Mul(own, own), 0)))}, nodes{own}
			})
		return append(final, out...)
	}
}

// A run that is in a loop ends soon after its context.
func TestLoopsAreCancelled(t *testing.T) {
	g := graph.New("long")
	x := g.Input("x", graph.Float64, 8)
	final, steps := ops.While(1<<40, nodes{x}, func(c []*graph.Node) *graph.Node {
		return ops.Less(ops.Sum(c[0]), graph.Num(1e300))
	},
		func(_ *graph.Node, c []*graph.Node) []*graph.Node { return nodes{ops.Sin(c[0])} })
	p, err := exec.Compile(g, exec.Outputs(final[0], steps))
	require.NoError(t, err)
	s := p.NewSession()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer stop()
	_, err = s.Run(ctx, exec.Feed{x: make([]float64, 8)})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(begin(ctx)), 5*time.Second)
}

func begin(ctx context.Context) time.Time {
	at, _ := ctx.Deadline()
	return at
}

// As in a for statement there is no step where the number of steps is negative. What comes out of all steps has then no
// size, which is an error.
func TestLoopsOfNegativeLengths(t *testing.T) {
	run := func(build func(g *graph.Graph, x *graph.Node) *graph.Node) ([]float32, error) {
		g := graph.New("negative")
		x, rows := g.Input("x", graph.Float32, 2), g.Input("rows", graph.Float32, g.Dim("n"))
		y := build(g, x)
		p, err := exec.Compile(g, exec.Outputs(y, ops.Sum(rows)))
		if err != nil {
			return nil, err
		}
		r, err := p.NewSession().Run(t.Context(), exec.Feed{x: []float32{1, 2}, rows: []float32{1, 2, 3}})
		if err != nil {
			return nil, err
		}
		return exec.Values[float32](r, y)
	}
	doubled := func(_ *graph.Node, c []*graph.Node) []*graph.Node { return nodes{ops.Add(c[0], c[0])} }
	less := func(c []*graph.Node) *graph.Node { return ops.Less(ops.Sum(c[0]), graph.Num(99)) }
	for _, length := range []func(g *graph.Graph) graph.Dim{
		func(*graph.Graph) graph.Dim { return -2 },
		func(g *graph.Graph) graph.Dim { return g.Dim("n").Minus(5) },
	} {
		for _, build := range []func(g *graph.Graph, x *graph.Node) *graph.Node{
			func(g *graph.Graph, x *graph.Node) *graph.Node { return ops.Fori(length(g), nodes{x}, doubled)[0] },
			func(g *graph.Graph, x *graph.Node) *graph.Node {
				y, steps := ops.While(length(g), nodes{x}, less, doubled)
				return ops.Add(y[0], ops.Cast(steps, graph.Float32))
			},
		} {
			y, err := run(build)
			require.NoError(t, err)
			require.Equal(t, []float32{1, 2}, y)
		}
		_, err := run(func(g *graph.Graph, x *graph.Node) *graph.Node {
			y, _ := ops.Scan(ops.Loop{Length: length(g), Carry: nodes{x}},
				func(c, _ []*graph.Node) (next, out []*graph.Node) { return c, c })
			return y[0]
		})
		require.ErrorContains(t, err, "Length of a Scan")
	}
	y, err := run(func(_ *graph.Graph, x *graph.Node) *graph.Node {
		return autodiff.Grad(ops.Sum(ops.Fori(-2, nodes{x}, doubled)[0]), nodes{x})[0]
	})
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1}, y)
	_, err = run(func(g *graph.Graph, x *graph.Node) *graph.Node {
		return autodiff.Grad(
			ops.Sum(
				ops.Square(ops.Fori(g.Dim("n").Minus(5), nodes{x}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
					return nodes{ops.Square(c[0])}
				})[0])), nodes{x})[0]
	})
	require.ErrorContains(t, err, "n-5 >= 0 fails: -2 against 0")
}

// A value of the body of a loop is no output, has no gradient outside of the body, and nothing is differentiated with
// respect to it there.
func TestValuesOfBodiesStayInThem(t *testing.T) {
	for want, use := range map[string]func(x, y, inBody *graph.Node) *graph.Node{
		"output 0, inBody": func(_, _, inBody *graph.Node) *graph.Node { return inBody },
		"Grad(inBody): operand ": func(x, _, inBody *graph.Node) *graph.Node {
			return autodiff.Grad(inBody, nodes{x})[0]
		},
		"Grad(inBody): operand": func(_, y, inBody *graph.Node) *graph.Node {
			return autodiff.Grad(y, nodes{inBody})[0]
		},
	} {
		g := graph.New("g")
		x := g.Input("x", graph.Float32)
		var inBody *graph.Node
		y := ops.Fori(3, nodes{x}, func(_ *graph.Node, c nodes) nodes {
			inBody = ops.Mul(c[0], c[0])
			return nodes{inBody}
		})[0]
		_, err := exec.Compile(g, exec.Outputs(use(x, y, inBody)))
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "is a value of the body of the loop at ")
		require.ErrorContains(t, err, "return it from the body")
		var bug *exec.BugError
		require.NotErrorAs(t, err, &bug)
	}
	g := graph.New("g")
	x := g.Input("x", graph.Float32)
	var inBody *graph.Node
	y := ops.Fori(3, nodes{x}, func(_ *graph.Node, c nodes) nodes {
		inBody = ops.Print(c[0], "c")
		return nodes{inBody}
	})[0]
	_, err := exec.Compile(g, exec.Outputs(y), exec.Updates(inBody))
	require.ErrorContains(t, err, "update 0, ")
	require.ErrorContains(t, err, "is used outside of it")
}
