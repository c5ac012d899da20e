package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// Losses whose target has another shape than what it is compared with are built with an
// operation of their own, which has the loss's name and judges the two shapes.

// areShapes reports whether something holds for the shapes of x and target, neither of which is
// a number of the program.
func areShapes(holds func(x, target graph.Shape) bool, x, target node) bool {
	for _, v := range []node{x, target} {
		if v == nil || !v.Judged() {
			return false
		}
		_, isNumber := v.Attrs().(graph.LiteralAttrs)
		if _, isConstant := v.ScalarValue(); isConstant || isNumber {
			return false
		}
	}
	return holds(x.Shape(), target.Shape())
}

// compared is op on the operands of a call of a loss, with a warning where one of them is
// repeated; nil where none is.
func compared(call refusedCall, op *graph.Op) node {
	if !areShapes(rules.TargetRepeats, call.in[0], call.in[1]) {
		return nil
	}
	warned := *op
	warned.Func = call.fn
	warned.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		t, s := op.Infer(c)
		rules.WarnTarget(c, s)
		return t, s
	}
	return Apply(&warned, call.args, call.in...)
}

// difference is x - target of a loss.
func difference(call refusedCall) node {
	if !boolOperand(call.in...) {
		if d := compared(call, opSub); d != nil {
			return d
		}
	}
	return Sub(call.in[0], call.in[1])
}

// refusedTarget is the node that refuses the operands of a loss that wants one shape; nil
// where they have one.
func refusedTarget(call refusedCall, sentence string) node {
	if !areShapes(rules.TargetDiffers, call.in[0], call.in[1]) {
		return nil
	}
	op := &graph.Op{Name: "refused", Func: call.fn, Doc: "a loss whose target has another shape",
		Class: graph.Composite, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), rules.RefuseTarget(c, sentence) }}
	return graph.Apply(op, call.args, call.in...)
}
