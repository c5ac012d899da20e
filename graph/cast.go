package graph

// CastOp is the operation that changes a value's dtype. It is here and not in package ops because [Apply] converts
// operands.
var CastOp = &Op{
	Name: "cast", Func: "Cast", Doc: "x in another dtype; floats are truncated towards zero, booleans are 0 and 1.",
	Class: Elementwise, MinIn: 1, MaxIn: 1,
	Infer: func(c *Call) (DType, Shape) { return c.Attrs().(CastAttrs).To, c.Shape(0) },
	Emit:  func(e Emitter, n *Node, x []Value) Value { return e.Convert(x[0], n.DType()) },
}

func init() {
	// Set here, because the rule makes a node of the operation itself.
	CastOp.Grad = func(n, dy *Node, _ int) *Node {
		if !n.DType().IsFloat() || !n.In(0).DType().IsFloat() {
			return nil
		}
		return dy.Cast(n.In(0).DType().Gradient())
	}
}

// CastAttrs are the fixed arguments of [CastOp].
type CastAttrs struct{ To DType }

// Args writes the dtype as Go writes it.
func (a CastAttrs) Args(operands []string) []string { return append(operands, "graph."+a.To.GoName()) }

// Cast returns n in another dtype, or n itself if it has that dtype: see ops.Cast.
func (n *Node) Cast(to DType) *Node {
	if n != nil && n.judged && n.g != nil && n.dtype == to {
		return n
	}
	return Apply(CastOp, CastAttrs{to}, n)
}

// Convert returns x in dtype t, as an operand that is converted on the user's behalf: messages show x instead. A
// number of [Num] becomes a constant of the graph. A node of another graph is not changed.
func (g *Graph) Convert(x *Node, t DType) *Node {
	if a, isNumber := x.Literal(); isNumber {
		return g.number(a, t)
	}
	if x == nil || x.dtype == t || x.g != g {
		return x
	}
	return x.Cast(t).Implied()
}
