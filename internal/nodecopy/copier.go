// Package nodecopy copies nodes of a graph onto other operands: those that a gradient recomputes, and those that a loop
// over examples computes for each.
package nodecopy

import "github.com/broadloom/broadloom/graph"

// Copier copies nodes of a graph. It copies the bodies of loops too.
type Copier struct {
	// Copies maps nodes to their copies; a node without a copy is used itself.
	Copies map[*graph.Node]*graph.Node
	// Bodies maps the bodies of loops to those of their copies. Missing ones are made.
	Bodies map[*graph.Region]*graph.Region

	g            *graph.Graph
	at           func(n *graph.Node, build func())
	requirements map[*graph.Node][]graph.Requirement
	ends         []func()
}

// New makes a copier of nodes of g. The function at builds the copy of n with n's place in the source: it is
// [graph.Graph.WithOrigin] in a gradient.
func New(g *graph.Graph, at func(n *graph.Node, build func())) *Copier {
	c := &Copier{Copies: map[*graph.Node]*graph.Node{}, Bodies: map[*graph.Region]*graph.Region{},
		g: g, at: at, requirements: map[*graph.Node][]graph.Requirement{}}
	for _, r := range g.Requirements() {
		c.requirements[r.Node] = append(c.requirements[r.Node], r)
	}
	return c
}

// Close ends the bodies that were made.
func (c *Copier) Close() {
	for _, end := range c.ends {
		end()
	}
}

// Body returns the body for copies of r's nodes. If a body has branches, it is met before the one around it.
func (c *Copier) Body(r *graph.Region) *graph.Region {
	if made, known := c.Bodies[r]; known {
		return made
	}
	made, end := c.g.OpenCopy(r, c.Body(r.Parent()))
	c.Bodies[r], c.ends = made, append(c.ends, end)
	return made
}

// isCopied reports whether a body is copied. Otherwise the copies are inside it too, and nodes that use its step, such
// as random numbers, still do.
func (c *Copier) isCopied(r *graph.Region) bool {
	for {
		if _, known := c.Bodies[r]; known {
			return true
		}
		if r == nil {
			return false
		}
		r = r.Parent()
	}
}

// Operands returns the copies of a node's operands.
func (c *Copier) Operands(n *graph.Node) []*graph.Node {
	in := make([]*graph.Node, len(n.Operands()))
	for i, x := range n.Operands() {
		if in[i] = c.Copies[x]; in[i] == nil {
			in[i] = x
		}
	}
	return in
}

// Copy copies a node onto the copies of its operands.
func (c *Copier) Copy(n *graph.Node) {
	attrs := n.Attrs()
	if own, isLoop := n.Loop(); isLoop && c.isCopied(own.Body) {
		own.Body = c.Body(own.Body)
		attrs = own
	}
	c.at(n, func() {
		c.g.Within(c.Body(n.Region()), func() { c.Copies[n] = c.g.Again(n, attrs, c.Operands(n), c.requirements[n]) })
	})
}
