package graph

// This file is what compiler passes need to make a graph from another one.

// Derive makes an empty graph with the name, policy and named sizes of g, for a pass
// to fill.
func (g *Graph) Derive() *Graph {
	d := New(g.name, WithPolicy(g.policy))
	d.policy.MutualExpand = AllowSilently // what was to be said has been said of g
	d.policy.Backcompat, d.policy.RankZero, d.policy.RankPromotion = Allow, Allow, Allow
	d.dims, d.dimOrder, d.scope = g.dims, g.dimOrder, g.scope
	return d
}

// Copy appends a node like n on other operands of the same types. It keeps n's place,
// name and scope.
func (g *Graph) Copy(n *Node, in []*Node) *Node {
	c := *n
	c.g, c.in, c.id = g, in, int32(len(g.nodes))
	g.nodes = append(g.nodes, &c)
	if c.op.Class == Source && c.name != "" {
		g.names[c.Name()] = &c
	}
	return &c
}

// At builds nodes that take the place, the scope and, within a gradient, the origin of
// n, a node of another graph.
func (g *Graph) At(n *Node, build func()) {
	outer, outerScope, outerAt := g.origin, g.scope, g.at
	g.origin, g.scope, g.at = n.origin, n.scope, &n.pos
	defer func() { g.origin, g.scope, g.at = outer, outerScope, outerAt }()
	build()
}

// IsConst reports whether the node is a constant.
func (n *Node) IsConst() bool { return n.op == constOp }

// ConstData gives a constant's elements in row-major order: a []float32, []float64,
// []int32, []int64 or []bool, which must not be changed.
func (n *Node) ConstData() any { return n.attrs.(ConstAttrs).Data }
