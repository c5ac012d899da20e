package graph

// Called is the word by which messages call the node: its name; of a number, its value;
// else the variable to which the user's program assigns it, where its source can be
// read; else the call that made it. A conversion that the library put in is called by its
// operand.
func (n *Node) Called() string { return n.called(1) }

func (n *Node) called(depth int) string {
	n = n.Written()
	if n == nil || n.name != "" || n.op == literalOp {
		return n.label()
	}
	if n.op == constOp && len(n.shape) == 0 && n.bad == nil {
		return elementText(n.ConstData())
	}
	if x := n.GradientOf(); x != nil {
		return "gradient of " + x.called(depth-1)
	}
	if name := n.variable(); name != "" {
		return name
	}
	switch {
	case n.origin != nil:
		return "gradient at " + n.origin.op.Func + "(…)"
	case n.op == constOp || depth < 1:
		return n.op.Func + "(…)"
	case n.g == nil || n.op.Class == Source:
		return n.label()
	}
	return n.callText(depth)
}

// isRepeated reports whether the line of the user's program that made the node was reached
// by different ways, as that of a function that is called for each layer.
func (n *Node) isRepeated() bool {
	f, ok := n.pos.Frame()
	if !ok || n.g == nil || len(n.pos.Callers()) == 0 {
		return false
	}
	for _, x := range n.g.nodes {
		if x.op == n.op && x.pos != n.pos && x.pos.pcs[0] == n.pos.pcs[0] {
			if at, ok := x.pos.Frame(); ok && at == f {
				return true
			}
		}
	}
	return false
}
