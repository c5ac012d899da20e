package graph

import "slices"

// Silence excuses the node from what is a mistake or a warning only by the graph's
// [Policy], such as shapeinfer.CodeMutualExpand, and returns the node. Other mistakes
// stay: they are no matter of choice.
func (n *Node) Silence(codes ...Code) *Node {
	if n.g == nil {
		return n
	}
	if n.g.silenced == nil {
		n.g.silenced = map[*Node][]Code{}
	}
	n.g.silenced[n] = append(n.g.silenced[n], codes...)
	isSilenced := func(m *Mistake) bool { return m.Node == n && m.Choice && slices.Contains(codes, m.Code) }
	n.g.warnings = slices.DeleteFunc(n.g.warnings, isSilenced)
	n.g.mistakes = slices.DeleteFunc(n.g.mistakes, isSilenced)
	if n.bad != nil && isSilenced(n.bad) {
		n.bad = nil
	}
	return n
}

// IsSilenced reports whether the node was excused from what a code names.
func (n *Node) IsSilenced(code Code) bool {
	return n.g != nil && slices.Contains(n.g.silenced[n], code)
}
