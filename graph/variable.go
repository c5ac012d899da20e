package graph

import "slices"

// variable returns the variable of the user's program to which the node is assigned, or "" if there is none or the
// source cannot be read. A node that a function of the user's returns has the variable to which that call is assigned.
func (n *Node) variable() string {
	if n.origin != nil || n.composite != nil && n.composite.updates != nil {
		return ""
	}
	for depth, frame := range n.pos.users() {
		if depth == 0 && (frame.Call == "" || n.isInside()) {
			return ""
		}
		call, ok := n.g.sourceCall(depth, frame)
		if !ok || !call.use.returned {
			return call.use.variable
		}
	}
	return ""
}

// isInside reports whether the call that made n went on to make the next node, so that its result is not n. The turns
// of a loop, which make nodes at one position, are calls of their own.
func (n *Node) isInside() bool {
	if n.g == nil || int(n.id)+1 >= len(n.g.nodes) {
		return false
	}
	next := n.g.nodes[n.id+1]
	if n.composite != nil && next.composite == n.composite {
		return true
	}
	frames, nexts := n.pos.users(), next.pos.users()
	known := min(len(frames), len(nexts))
	if known == 0 || !slices.Equal(frames[:known], nexts[:known]) || next.origin != nil || next.pos == n.pos {
		return false
	}
	return frames[0].Call != n.op.Func || slices.Contains(next.in, n)
}
