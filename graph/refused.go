package graph

import "slices"

// Refused returns a node in place of the result of a function that was called incorrectly. fn is the name of the
// function, and args are its fixed arguments, or nil. The mistake is recorded in the operands' graph, or only at the
// node if they have none. It is nil if it was already reported, such as that of an operand. Values computed from the
// node report nothing.
func Refused(fn string, args any, m *Mistake, in ...*Node) *Node {
	if m == nil || slices.ContainsFunc(in, func(x *Node) bool { return x == nil || x.g != nil }) {
		return RefusedBy(fn, args, m.tell, in...)
	}
	n := &Node{op: refusedOp(fn, 0, m.tell), attrs: args, in: in, pos: Caller()}
	n.fail(m)
	return n
}

// RefusedIn is [Refused] for a function that has a graph but no operands.
func RefusedIn(g *Graph, fn string, m *Mistake) *Node {
	return ApplyIn(g, refusedOp(fn, 0, m.tell), nil)
}

// RefusedBy is [Refused] with the mistakes that a rule records.
func RefusedBy(fn string, args any, rule func(*Call), in ...*Node) *Node {
	return Apply(refusedOp(fn, 1, rule), args, in...)
}

func refusedOp(fn string, fewest int, rule func(*Call)) *Op {
	return &Op{Name: "refused", Func: fn, Doc: "a value that could not be built", Class: Composite, Storage: true,
		MinIn: fewest, MaxIn: -1,
		Infer: func(c *Call) (DType, Shape) {
			if rule != nil {
				rule(c)
			}
			return InvalidDType, nil
		}}
}

// tell records a copy of a mistake, if there is one: a rule is asked again where fixes are tried.
func (m *Mistake) tell(c *Call) {
	if m != nil {
		told := *m
		c.Fail(&told)
	}
}

// failOfDType refuses the node's dtype, unless it is that of a value which has a mistake of its own, which was told:
// what is built like such a value stays silent.
func (n *Node) failOfDType() {
	if n.dtype == InvalidDType && n.g != nil && len(n.g.mistakes) > 0 {
		return
	}
	n.fail(&Mistake{Code: CodeInvalidDType, Summary: n.dtype.wrong()})
}
