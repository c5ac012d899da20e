package autodiff

import "github.com/broadloom/broadloom/graph"

// copier makes nodes of a graph once more. Of a loop it makes the body once more.
type copier struct {
	g            *graph.Graph
	copies       map[*graph.Node]*graph.Node // what has no copy is itself
	bodies       map[*graph.Region]*graph.Region
	requirements map[*graph.Node][]graph.Requirement
	ends         []func()
}

func newCopier(g *graph.Graph, copies map[*graph.Node]*graph.Node) *copier {
	c := &copier{g: g, copies: copies, bodies: map[*graph.Region]*graph.Region{}, requirements: map[*graph.Node][]graph.Requirement{}}
	for _, r := range g.Requirements() {
		c.requirements[r.Node] = append(c.requirements[r.Node], r)
	}
	return c
}

// close ends the bodies that were made.
func (c *copier) close() {
	for _, end := range c.ends {
		end()
	}
}

// body returns the body that a copy of r's nodes belongs to. A body is met before the one around it where that has branches.
func (c *copier) body(r *graph.Region) *graph.Region {
	if made, known := c.bodies[r]; known {
		return made
	}
	made, end := c.g.OpenCopy(r, c.body(r.Parent()))
	c.bodies[r], c.ends = made, append(c.ends, end)
	return made
}

// isCopied reports whether a body is one of those that are copied. In another, around them, the copies stand too: what asks for its
// step, as random numbers do, does so still.
func (c *copier) isCopied(r *graph.Region) bool {
	for {
		if _, known := c.bodies[r]; known {
			return true
		}
		if r == nil {
			return false
		}
		r = r.Parent()
	}
}

// operands returns the copies of a node's operands.
func (c *copier) operands(n *graph.Node) []*graph.Node {
	in := make([]*graph.Node, len(n.Operands()))
	for i, x := range n.Operands() {
		if in[i] = c.copies[x]; in[i] == nil {
			in[i] = x
		}
	}
	return in
}

// copy makes a node whose operands have their copies.
func (c *copier) copy(n *graph.Node) {
	attrs := n.Attrs()
	if own, isLoop := n.Loop(); isLoop && c.isCopied(own.Body) {
		own.Body = c.body(own.Body)
		attrs = own
	}
	c.g.WithOrigin(n, func() {
		c.g.Within(c.body(n.Region()), func() { c.copies[n] = c.g.Again(n, attrs, c.operands(n), c.requirements[n]) })
	})
}
