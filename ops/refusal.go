package ops

import "github.com/broadloom/broadloom/graph"

// refusedCall is a call of a function that would have built several nodes.
type refusedCall struct {
	fn   string
	in   []node
	args refusedArgs
}

// refusedArgs are its fixed arguments as the user wrote them, before and behind the
// operands.
type refusedArgs struct{ Before, After []any }

// Args writes the fixed arguments.
func (a refusedArgs) Args(operands []string) []string {
	return after(append(after(nil, a.Before...), operands...), a.After...)
}

// refused is a call on operands.
func refused(fn string, in ...node) refusedCall { return refusedCall{fn: fn, in: in} }

// with is the call with fixed arguments behind the operands.
func (r refusedCall) with(after ...any) refusedCall {
	r.args.After = after
	return r
}

// refusal is the node that stands for a mistake of a function that builds several. A nil
// mistake has been reported at an operand.
func refusal(r refusedCall, m *graph.Mistake) node {
	op := &graph.Op{Name: "refused", Func: r.fn, Doc: "a value that could not be built", MinIn: 1, MaxIn: -1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			if m != nil {
				c.Fail(m)
			}
			return graph.InvalidDType, nil
		}}
	return graph.Apply(op, r.args, r.in...)
}
