package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

func TestScanIsAPrefixSum(t *testing.T) {
	g := graph.New("prefix")
	x := g.Input("x", graph.Float64, g.Dim("t"), 2)
	final, sums := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float64, 2)}, Over: []*graph.Node{x}},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			sum := ops.Add(carry[0], x[0])
			return []*graph.Node{sum}, []*graph.Node{sum}
		})
	require.NoError(t, g.Err())
	got, err := reference.Eval([]*graph.Node{final[0], sums[0]},
		map[*graph.Node]reference.Value{x: reference.Of([]float64{1, 2, 3, 4, 5, 6}, 3, 2)})
	require.NoError(t, err)
	require.Equal(t, []float64{9, 12}, got[0].Data)
	require.Equal(t, []float64{1, 2, 4, 6, 9, 12}, got[1].Data)
}

// TestLoopsThatCannotBe tells what is wrong with loops, at the line of the user.
func TestLoopsThatCannotBe(t *testing.T) {
	type nodes = []*graph.Node
	for want, build := range map[string]func(g *graph.Graph, x *graph.Node){
		"carried value 0 goes into a step as float32[3], and comes out as float32[]: its dtype and shape must stay": func(g *graph.Graph,
			x *graph.Node) {
			ops.Scan(ops.Loop{Carry: nodes{ops.Zeros(g, graph.Float32, 3)}, Over: nodes{x}},
				func(carry, x nodes) (next, out nodes) { return nodes{ops.Sum(ops.Add(carry[0], x[0]))}, nil })
		},
		"carried value 0 goes into a step as int64[], and comes out as float32[]: its dtype and shape must stay": func(g *graph.Graph,
			x *graph.Node) {
			ops.Scan(ops.Loop{Carry: nodes{graph.Num(0)}, Over: nodes{x}},
				func(carry, x nodes) (next, out nodes) { return nodes{ops.Add(carry[0], ops.Sum(x[0]))}, nil })
		},
		"there are 1 carried values, but the body returns 2": func(g *graph.Graph, x *graph.Node) {
			ops.Scan(ops.Loop{Carry: nodes{graph.Num(0)}, Over: nodes{x}},
				func(carry, x nodes) (next, out nodes) { return nodes{carry[0], carry[0]}, nil })
		},
		"is a value of the body of the loop at loop_test.go:": func(g *graph.Graph, x *graph.Node) {
			var kept *graph.Node
			ops.Scan(ops.Loop{Carry: nodes{graph.Num(0)}, Over: nodes{x}},
				func(carry, x nodes) (next, out nodes) {
					kept = x[0]
					return carry, nil
				})
			ops.Neg(kept)
		},
		"is a value of the body of the loop at": func(g *graph.Graph, x *graph.Node) {
			var own *graph.Node
			ops.Scan(ops.Loop{Over: nodes{x}}, func(_, x nodes) (next, out nodes) {
				own = ops.Copy(g.Input("w", graph.Float32, 3))
				return nil, x
			})
			ops.Neg(own) // each step has a copy of its own
		},
		"ops.Copy(total)": func(g *graph.Graph, x *graph.Node) {
			total := ops.Zeros(g, graph.Float32, 3)
			ops.Scan(ops.Loop{Over: nodes{x}}, func(_, x nodes) (next, out nodes) {
				return nil, nodes{ops.AddInPlace(total, x[0])}
			})
		},
		"which is not made in the same step": func(g *graph.Graph, x *graph.Node) {
			total := ops.Zeros(g, graph.Float32, 3)
			ops.Scan(ops.Loop{Carry: nodes{graph.Num(0)}, Over: nodes{x}},
				func(carry, x nodes) (next, out nodes) {
					ops.AddInPlace(total, x[0])
					return carry, nil
				})
		},
		"writes w, which is not made in the same step": func(g *graph.Graph, x *graph.Node) {
			// of nothing that differs from step to step
			w := g.Param("w", graph.Float32, 3)
			ops.Fori(3, nodes{ops.Sum(x, 0)}, func(_ *graph.Node, c nodes) nodes {
				return nodes{ops.Add(c[0], ops.AddInPlace(w, graph.Num(1)))}
			})
		},
		"Unsqueeze(step, 3)": func(g *graph.Graph, x *graph.Node) {
			result := ops.Fori(3, nodes{ops.Sum(x)}, func(i *graph.Node, c nodes) nodes {
				return nodes{ops.Add(c[0], ops.Unsqueeze(i, 3))}
			})
			ops.Neg(result[0])
		},
		"ops.Copy(mine)": func(g *graph.Graph, x *graph.Node) {
			ops.Fori(2, nodes{ops.Sum(x, 0)}, func(_ *graph.Node, c nodes) nodes {
				mine := ops.Copy(c[0])
				return ops.Fori(3, c, func(_ *graph.Node, c nodes) nodes {
					return nodes{ops.Add(c[0], ops.AddInPlace(mine, graph.Num(1)))}
				})
			})
		},
		"Over is empty, and Length is 0 or not set: set Over, or a Length of at least 1; a Length that may be 0 must be a symbolic size": func(g *graph.Graph,
			x *graph.Node) {
			ops.Scan(ops.Loop{Carry: nodes{ops.Sum(x)}}, func(carry, x nodes) (next, out nodes) { return carry, nil })
		},
		"Scan(): Carry and Over are empty, so that all steps would be the same": func(g *graph.Graph, x *graph.Node) {
			ops.Scan(ops.Loop{Length: 3}, func(_, _ nodes) (next, out nodes) { return nil, nodes{ops.Exp(x)} })
		},
		"the Length of a Scan is -2, but the outputs of all steps": func(g *graph.Graph, x *graph.Node) {
			ops.Scan(ops.Loop{Length: -2, Carry: nodes{ops.Sum(x)}},
				func(carry, x nodes) (next, out nodes) { return carry, carry })
		},
		"the Length of a Scan is -n, which is negative": func(g *graph.Graph, x *graph.Node) {
			ops.Scan(ops.Loop{Length: graph.Dim(0).Minus(x.Shape()[0]), Carry: nodes{ops.Sum(x)}},
				func(carry, x nodes) (next, out nodes) { return carry, carry })
		},
		"Scan(y, z): Over[0], y, has shape [4, 7], and Over[1], z, has shape [4, 5]: their sizes along axis 1, that of the steps, are 7 and 5, but must be equal": func(g *graph.Graph,
			x *graph.Node) {
			ops.Scan(
				ops.Loop{Axis: 1, Over: nodes{g.Input("y", graph.Float32, 4, 7), g.Input("z", graph.Float32, 4, 5)}},
				func(carry, x nodes) (next, out nodes) { return nil, nodes{ops.Add(x[0], x[1])} })
		},
		"Length is 7, but the values in Over have 4 elements along axis 1": func(g *graph.Graph, x *graph.Node) {
			ops.Scan(ops.Loop{Axis: 1, Length: 7, Over: nodes{g.Input("y", graph.Float32, 3, 4)}},
				func(carry, x nodes) (next, out nodes) { return nil, x })
		},
		"n, the number of steps, is not known when the loop is built": func(g *graph.Graph, x *graph.Node) {
			ops.Fori(graph.UnknownDim, nodes{ops.Sum(x)}, func(_ *graph.Node, c nodes) nodes { return c })
		},
		"max, the number of steps, is not known": func(g *graph.Graph, x *graph.Node) {
			ops.While(graph.UnknownDim, nodes{ops.Sum(x)}, func(c nodes) *graph.Node {
				return ops.Less(c[0], graph.Num(1))
			}, func(_ *graph.Node, c nodes) nodes { return c })
		},
		"Length, the number of steps, is not known": func(g *graph.Graph, x *graph.Node) {
			ops.Scan(ops.Loop{Length: graph.UnknownDim, Carry: nodes{ops.Sum(x)}},
				func(carry, x nodes) (next, out nodes) { return carry, nil })
		},
		"carried value 1 is nil": func(g *graph.Graph, x *graph.Node) {
			ops.Fori(9, nodes{ops.Sum(x), nil}, func(_ *graph.Node, c nodes) nodes {
				return nodes{c[0], ops.Add(c[0], c[1])}
			})
		},
		"Over[1] is nil": func(g *graph.Graph, x *graph.Node) {
			ops.Scan(ops.Loop{Over: nodes{x, nil}}, func(carry, x nodes) (next, out nodes) {
				return nil, nodes{ops.Add(x[0], x[1])}
			})
		},
		"the body returns nil as output 0": func(g *graph.Graph, x *graph.Node) {
			ops.Scan(ops.Loop{Over: nodes{x}}, func(carry, x nodes) (next, out nodes) { return nil, nodes{nil} })
		},
		"the body returns nil as carried value 0": func(g *graph.Graph, x *graph.Node) {
			ops.While(9, nodes{ops.Sum(x)}, func(c nodes) *graph.Node { return ops.Less(c[0], graph.Num(1)) },
				func(_ *graph.Node, c nodes) nodes { return nodes{nil} })
		},
		"the body is nil": func(g *graph.Graph, x *graph.Node) { ops.Scan(ops.Loop{Over: nodes{x}}, nil) },
		"and it is a scalar": func(g *graph.Graph, x *graph.Node) {
			ops.Scan(ops.Loop{Over: nodes{ops.Sum(x)}}, func(carry, x nodes) (next, out nodes) { return nil, x })
		},
		`Scan(x, y): the sizes 7 and "n" meet on axis 0`: func(g *graph.Graph, x *graph.Node) {
			ops.Scan(ops.Loop{Over: nodes{x, g.Input("y", graph.Float32, 7)}},
				func(carry, x nodes) (next, out nodes) { return nil, x })
		},
		"the condition is float32[3], but must be one Bool": func(g *graph.Graph, x *graph.Node) {
			ops.While(9, nodes{ops.Zeros(g, graph.Float32, 3)}, func(c nodes) *graph.Node { return c[0] },
				func(_ *graph.Node, c nodes) nodes { return c })
		},
		"the condition function is nil": func(g *graph.Graph, x *graph.Node) {
			ops.While(9, nodes{ops.Sum(x)}, nil, func(_ *graph.Node, c nodes) nodes { return c })
		},
		"there are 1 carried values, but the body returns 0": func(g *graph.Graph, x *graph.Node) {
			ops.While(9, nodes{ops.Sum(x)}, func(c nodes) *graph.Node { return ops.Less(c[0], graph.Num(1)) },
				func(_ *graph.Node, c nodes) nodes { return nil })
		},
		"the condition is float32[n, 3], but must be one Bool": func(g *graph.Graph, x *graph.Node) {
			ops.Cond(x, func() []*graph.Node { return nil }, func() []*graph.Node { return nil })
		},
		"then returns 1 values, but otherwise returns 2": func(g *graph.Graph, x *graph.Node) {
			ops.Cond(ops.Any(x), func() []*graph.Node { return nodes{x} }, func() []*graph.Node { return nodes{x, x} })
		},
		"value 0 is float32[n, 3] in one branch and float32[n] in the other": func(g *graph.Graph, x *graph.Node) {
			ops.Cond(ops.Any(x), func() []*graph.Node { return nodes{x} }, func() []*graph.Node {
				return nodes{ops.Sum(x, 1)}
			})
		},
		"value 0 is float32[n, 3] in one branch and float32[n, 2] in the other": func(g *graph.Graph, x *graph.Node) {
			ops.Cond(ops.Any(x), func() []*graph.Node { return nodes{x} }, func() []*graph.Node {
				return nodes{ops.Slice(x, 1, 0, 2, 1)}
			})
		},
		"a branch is nil": func(g *graph.Graph, x *graph.Node) {
			ops.Cond(ops.Any(x), nil, func() []*graph.Node { return nodes{x} })
		},
		"compare it, such as ops.Greater(Sum(x), graph.Num(0)) does\n      Sum(x)  float32   [ ]      loop_test.go:": func(g *graph.Graph,
			x *graph.Node) {
			ops.While(9, nodes{x}, func(c nodes) *graph.Node { return ops.Sum(x) },
				func(_ *graph.Node, c nodes) nodes { return c })
		},
		"compare it, and use ops.Any or ops.All to reduce it to one\n      x  float32   [ n, 3 ]   Input   loop_test.go:": func(g *graph.Graph,
			x *graph.Node) {
			ops.Cond(x, func() []*graph.Node { return nodes{x} }, func() []*graph.Node { return nodes{x} })
		},
		"   value 0 of then\n      Sum(x, 1)  float32   [    n ]           loop_test.go:": func(g *graph.Graph,
			x *graph.Node) {
			ops.Cond(ops.Any(x), func() []*graph.Node { return nodes{x} }, func() []*graph.Node {
				return nodes{ops.Sum(x, 1)}
			})
		},
		"otherwise returns nil as value 1": func(g *graph.Graph, x *graph.Node) {
			ops.Cond(ops.Any(x), func() []*graph.Node { return nodes{x, x} },
				func() []*graph.Node { return nodes{x, nil} })
		},
	} {
		g := graph.New("wrong", graph.WithPolicy(graph.Policy{Names: graph.Strict}))
		build(g, g.Input("x", graph.Float32, g.Dim("n"), 3))
		require.ErrorContains(t, g.Err(), want)
		require.ErrorContains(t, g.Err(), "loop_test.go:", want)
	}
}
