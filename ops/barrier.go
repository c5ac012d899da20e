package ops

import "github.com/broadloom/broadloom/graph"

var opBarrier *graph.Op

func init() {
	opBarrier = define(graph.Op{
		Name: "barrier", Func: "Barrier", Doc: "x, for what is computed after y.",
		Class: graph.Movement, MinIn: 2, MaxIn: 2, Once: true, Waits: true, Batch: batchBarrier,
		View:  func(_ *graph.Node, in graph.Layout) (graph.Layout, bool) { return in, true },
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
		Grad: func(_, dy node, i int) node {
			if i == 0 {
				return dy
			}
			return nil
		},
	})
	opBarrier.Ref = named("", "", "jax.lax.optimization_barrier", "", "",
		func(e *graph.Example) node { return Barrier(e.Of("x", "n"), e.Of("y", "k")) })
}

// Barrier returns x, in x's memory, for computations that should start after y is computed. What is computed from the
// result is not merged with what is computed from x, and starts after y is known if the executor can order it so.
// Values can then be recomputed instead of kept in memory, as [github.com/broadloom/broadloom/autodiff.Checkpoint]
// does. No element of y is read, and no gradient flows to it. It is jax.lax.optimization_barrier with one result, and
// is exported as StableHLO's.
func Barrier(x, y *graph.Node) *graph.Node { return Apply(opBarrier, nil, x, y) }
