package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opStack *graph.Op

// StackAttrs are the fixed arguments of Stack: the new axis, counted in the result.
type StackAttrs struct{ Axis int }

func init() {
	opStack = define(graph.Op{
		Name: "stack", Func: "Stack", Doc: "operands of one shape joined along a new axis.", Class: graph.Composite,
		Storage: true, MinIn: 1, MaxIn: -1,
		Promote: ToCommonType,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), rules.Stack(c, c.Attrs().(StackAttrs).Axis)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			axis := n.Attrs().(StackAttrs).Axis
			parts := make([]node, len(in))
			for i, x := range in {
				parts[i] = Unsqueeze(x, axis)
			}
			return Concat(axis, parts...)
		},
		Grad: func(n, dy node, i int) node { return Select(dy, n.Attrs().(StackAttrs).Axis, graph.Dim(i)) },
	})
	opStack.Ref = named("numpy.stack", "torch.stack", "jax.numpy.stack", "", "",
		func(e *graph.Example) node { return Stack(0, e.Of("x", "n"), e.Of("y", "n")) })
}

// Stack joins operands of one shape along a new axis, counted in the result.
func Stack(axis int, xs ...*graph.Node) *graph.Node { return Apply(opStack, StackAttrs{axis}, xs...) }
