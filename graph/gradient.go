package graph

// MarkGradient notes that dx is the gradient with respect to x, for pictures: a graph of
// a gradient is read by the names of what it belongs to. The first mark of a node stays.
func (g *Graph) MarkGradient(dx, x *Node) {
	if dx == nil || dx.g != g || dx.bad != nil || g.gradients[dx] != nil {
		return
	}
	if g.gradients == nil {
		g.gradients = map[*Node]*Node{}
	}
	g.gradients[dx] = x
}

// GradientOf gives the value with respect to which n is the gradient, where n was asked
// for as one, or nil. Of a node that a compiler's pass copied, it is the value of the
// user's graph.
func (n *Node) GradientOf() *Node {
	if n.g == nil {
		return nil
	}
	return n.g.gradients[n]
}
