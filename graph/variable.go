package graph

import "slices"

// variable returns the variable of the user's program to which the node is assigned, or "" if there is none or the
// source cannot be read. A node that a function of the user's returns has the variable to which that call is assigned.
func (n *Node) variable() string {
	if n.origin != nil || n.composite != nil && n.composite.updates != nil {
		return ""
	}
	if name := n.outerName(); name != "" {
		return name
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

// alikeReach is how many of the operands before it an operand is compared with: few calls have more, and those that do,
// such as a concatenation of thousands, would take time quadratic in their number.
const alikeReach = 8

// noteAlike notes operands of one call that the same call in the source has made, such as that of a helper function:
// messages about the call must tell them apart.
func (g *Graph) noteAlike(operands []*Node) {
	if g.derived || g.origin != nil {
		return
	}
	for i, x := range operands {
		for _, y := range operands[max(0, i-alikeReach):i] {
			if x == nil || y == nil || x == y || x.op != y.op || x.isDeclared() || x.g != g || y.g != g ||
				x.pos == y.pos || x.pos.counters()[0] != y.pos.counters()[0] {
				continue
			}
			if g.alike == nil {
				g.alike = map[*Node]*Node{}
			}
			g.alike[x], g.alike[y] = y, x
		}
	}
}

// outerName names a value that a helper function has made beside another one of the same call: by the variable to
// which the helper's result is assigned, or by the call of the helper. It is "" for other values, and if the source
// cannot be read.
func (n *Node) outerName() string {
	if n.g == nil || n.g.alike[n] == nil {
		return ""
	}
	frames, others := n.pos.users(), n.g.alike[n].pos.users()
	depth := 1
	for depth < min(len(frames), len(others)) && frames[depth].site == others[depth].site {
		depth++
	}
	if depth >= min(len(frames), len(others)) {
		return ""
	}
	call, ok := n.g.sourceCall(depth, frames[depth])
	switch {
	case !ok:
		return ""
	case call.use.variable != "":
		return call.use.variable
	}
	return call.text
}
