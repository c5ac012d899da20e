package graph

// CarryOut notes that a program carries the write out. Programs may be compiled at the same time.
func (n *Node) CarryOut() {
	if n.g != nil {
		n.g.carriedOut.Store(n, true)
	}
}

// IsCarriedOut reports whether some program carries the write out.
func (n *Node) IsCarriedOut() bool {
	if n.g == nil {
		return false
	}
	_, is := n.g.carriedOut.Load(n)
	return is
}
