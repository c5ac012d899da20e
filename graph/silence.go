package graph

import "slices"

// Silence excuses the node from what is a mistake or a warning only by the graph's [Policy], such as
// graph.CodeMutualExpand, and returns the node. Where the call that gave the node made several, as ops.MSE and the
// layers of package nn do, all of them are excused, whichever of its results is the node. Other mistakes stay: they are
// not configurable.
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

// maxMadeWith limits how many calls are attributed to one line of the user's program: those of a Go loop look alike.
const maxMadeWith = 100

// madeWith returns the nodes of the call that made n, and those from which they come that the same line of the user's
// program made.
func (n *Node) madeWith() []*Node {
	made := n.Parts()
	f, ok := n.pos.Frame()
	if !ok {
		return made
	}
	seen := map[*Node]bool{}
	for _, part := range made {
		seen[part] = true
	}
	take := func(list []*Node) {
		for _, x := range list {
			if !seen[x] {
				seen[x], made = true, append(made, x)
			}
		}
	}
	for i, calls := 0, 1; i < len(made) && calls < maxMadeWith; i++ {
		take(made[i].loopResults())
		for _, x := range made[i].in {
			if x == nil || x.g != n.g || seen[x] {
				continue
			}
			if at, ok := x.pos.Frame(); ok && at == f {
				calls++
				take(x.Parts())
			}
		}
	}
	return made
}

// loopResults returns all results of a loop if n is one of them, and nil otherwise.
func (n *Node) loopResults() (all []*Node) {
	if !n.isLoopResult() {
		return nil
	}
	for _, x := range n.g.nodes[n.in[0].id+1:] {
		if x.isLoopResult() && x.in[0] == n.in[0] {
			all = append(all, x)
		}
	}
	return all
}

func (n *Node) isLoopResult() bool {
	a, is := n.Loop()
	return is && (a.Role == LoopFinal || a.Role == LoopStack) && len(n.in) > 0 && n.in[0] != nil && n.in[0].g == n.g
}

// IsSilenced reports whether the warning with a code is silenced at the node.
func (n *Node) IsSilenced(code Code) bool {
	return n.g != nil && slices.Contains(n.g.silenced[n], code)
}
