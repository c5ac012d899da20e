package ops

import (
	"strconv"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opAssert *graph.Op

// AssertAttrs are the fixed arguments of Assert.
type AssertAttrs struct{ Message string }

// Args writes the message.
func (a AssertAttrs) Args(operands []string) []string {
	return after(operands, strconv.Quote(a.Message))
}

func init() {
	opAssert = define(graph.Op{Name: "assert", Func: "Assert", Doc: "x; a run stops if the condition does not hold.",
		Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			if c.DType(1) != graph.Bool {
				rules.RefuseDType(c, "a condition is bool, and "+c.In(1).Called()+" has dtype "+c.DType(1).String())
			}
			return c.DType(0), rules.BroadcastOperands(c)
		},
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			e.Check(x[1], graph.Claim{Message: n.Attrs().(AssertAttrs).Message})
			return x[0]
		},
		Grad: each(same, noGradientOf),
	})
	opAssert.Ref = named("numpy.testing.assert_", "torch._assert_async", "jax.experimental.checkify.check", "", "",
		func(e *graph.Example) node {
			x := e.Of("x", "n")
			return Assert(x, LessEqual(x, num(1)), "x is at most 1")
		})
}

// Assert returns x. If the condition, which broadcasts with x, is false, the run stops with the message, the index
// and the value of the element, and the line of this call. It costs a comparison in the kernel that contains it. Use
// the result instead of x: unused values are not computed, and not checked.
func Assert(x, condition *graph.Node, message string) *graph.Node {
	return Apply(opAssert, AssertAttrs{message}, x, condition)
}
