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

// HandOut says how a program gets a write that a layer made and the user's program does not hold, such as "give the
// program the pass's updates", and returns the node. Warnings of forgotten writes include it, once for all writes
// with the same text.
func (n *Node) HandOut(how string) *Node {
	if n.g == nil {
		return n
	}
	if n.g.handedOut == nil {
		n.g.handedOut = map[*Node]string{}
	}
	n.g.handedOut[n] = how
	return n
}

// HandedOut returns the text of [Node.HandOut], or "".
func (n *Node) HandedOut() string {
	if n.g == nil {
		return ""
	}
	return n.g.handedOut[n]
}
