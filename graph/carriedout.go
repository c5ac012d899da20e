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

// HandOut says how a program is given the write where the user's program does not hold it, since a layer has made it, and returns the
// node: "give the program the pass's updates". Warnings of writes that are left out tell it, once for all that are handed out so.
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

// HandedOut returns what [Node.HandOut] was told; "" where it was not.
func (n *Node) HandedOut() string {
	if n.g == nil {
		return ""
	}
	return n.g.handedOut[n]
}
