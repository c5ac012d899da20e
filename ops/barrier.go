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

// Barrier returns x, of its shape and dtype and in its memory, for what is to be computed after y. What is computed from the result is not
// merged with what is computed from x, and where the executor finds an order for it, begins when y is known: so values can be recomputed
// instead of being kept until then, as [github.com/broadloom/broadloom/autodiff.Checkpoint] does. Of y no element is read, and no gradient
// goes to it. It is jax.lax.optimization_barrier of one result, and exported as that of StableHLO.
func Barrier(x, y *graph.Node) *graph.Node { return Apply(opBarrier, nil, x, y) }
