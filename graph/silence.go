package graph

import "slices"

// Silence excuses the node from what is a mistake or a warning only by the graph's [Policy], such as graph.CodeMutualExpand, and returns
// the node. Where the call that gave the node made several, as ops.MSE does, all of them are excused. Other mistakes stay: they are not
// configurable.
func (n *Node) Silence(codes ...Code) *Node {
	if n.g == nil {
		return n
	}
	if n.g.silenced == nil {
		n.g.silenced = map[*Node][]Code{}
	}
	made := n.madeWith()
	for _, part := range made {
		n.g.silenced[part] = append(n.g.silenced[part], codes...)
	}
	isSilenced := func(m *Mistake) bool {
		return m.Choice && slices.Contains(codes, m.Code) && slices.Contains(made, m.Node)
	}
	n.g.warnings = slices.DeleteFunc(n.g.warnings, isSilenced)
	n.g.mistakes = slices.DeleteFunc(n.g.mistakes, isSilenced)
	for _, part := range made {
		if part.bad != nil && isSilenced(part.bad) {
			part.bad = nil
		}
	}
	return n
}

// maxMadeWith bounds the nodes that one call is taken to have made; those of a loop look
// alike.
const maxMadeWith = 100

// madeWith returns the node and those of its operands, and theirs, that the same call of the
// user's program made.
func (n *Node) madeWith() []*Node {
	made := []*Node{n}
	f, ok := n.pos.Frame()
	if !ok {
		return made
	}
	for i := 0; i < len(made) && len(made) < maxMadeWith; i++ {
		for _, x := range made[i].in {
			if x == nil || x.g != n.g || slices.Contains(made, x) {
				continue
			}
			if at, ok := x.pos.Frame(); ok && at == f {
				made = append(made, x)
			}
		}
	}
	return made
}

// IsSilenced reports whether the warning with a code is silenced at the node.
func (n *Node) IsSilenced(code Code) bool {
	return n.g != nil && slices.Contains(n.g.silenced[n], code)
}
