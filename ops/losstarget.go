package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// Losses whose target has another shape than what it is compared with are built with an
// operation of their own, which has the loss's name and judges the two shapes.

// differs reports whether x and target, which is no number of the program, have different
// shapes.
func differs(x, target node) bool {
	for _, v := range []node{x, target} {
		if v == nil || !v.Judged() {
			return false
		}
		if _, isNumber := v.ScalarValue(); isNumber {
			return false
		}
	}
	return rules.TargetDiffers(x.Shape(), target.Shape())
}

// compared is op on the operands of a call of a loss, with a warning where they differ.
func compared(call refusedCall, op *graph.Op) node {
	x, target := call.in[0], call.in[1]
	if !differs(x, target) {
		return Apply(op, nil, x, target)
	}
	warned := *op
	warned.Func = call.fn
	warned.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		t, s := op.Infer(c)
		rules.WarnTarget(c, s)
		return t, s
	}
	return Apply(&warned, call.args, x, target)
}

// difference is x - target of a loss.
func difference(call refusedCall) node {
	if boolOperand(call.in...) {
		return Sub(call.in[0], call.in[1])
	}
	return compared(call, opSub)
}

// refusedTarget is the node that refuses the operands of a loss that wants one shape; nil
// where they have one.
func refusedTarget(call refusedCall, sentence string) node {
	if !differs(call.in[0], call.in[1]) {
		return nil
	}
	op := &graph.Op{Name: "refused", Func: call.fn, Doc: "a loss whose target has another shape", MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), rules.RefuseTarget(c, sentence) }}
	return graph.Apply(op, call.args, call.in...)
}
