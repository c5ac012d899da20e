package graph

// This file is what compiler passes need to make a graph from another one.

// Derive makes an empty graph with the name, policy and named sizes of g, for a pass
// to fill.
func (g *Graph) Derive() *Graph {
	d := newGraph(g.name)
	d.policy, d.life, d.derived = g.policy.said(), g.life, true
	d.dims, d.dimOrder, d.scope, d.facts = g.dims, g.dimOrder, g.scope, g.facts.With(d.Bounds)
	return d
}

// said is a policy for nodes that replace others, whose warnings were already given.
func (p Policy) said() Policy {
	p.MutualExpand = AllowSilently
	p.Backcompat, p.RankZero, p.RankPromotion = Allow, Allow, Allow
	return p
}

// Copy appends a node like n on other operands of the same types. It keeps n's position, name and scope.
func (g *Graph) Copy(n *Node, in []*Node) *Node {
	return g.CopyWith(n, n.attrs, in)
}

// CopyWith is Copy with other fixed arguments.
func (g *Graph) CopyWith(n *Node, attrs any, in []*Node) *Node {
	open := g.region
	if n.region != nil && (n.region.whole || n.op.belongsToOpen()) {
		g.region = n.region
	}
	c := g.add(n, attrs, in)
	c.source, g.region = n.Source(), open
	if c.op.Class == Source && c.name != "" {
		g.names[c.Name()] = c
	}
	if a, is := n.asGradient(); is {
		g.markGradient(c, a)
	}
	return c
}

// Again appends a node that applies the operation of n, of this graph, to other operands, with n's requirements. It
// is part of the gradient being built.
func (g *Graph) Again(n *Node, attrs any, in []*Node, requirements []Requirement) *Node {
	again := g.add(n, attrs, in)
	again.origin, again.scope, again.name, again.composite = g.origin, g.scope, "", nil
	for _, r := range requirements {
		r.Node = again
		g.needs = append(g.needs, r)
	}
	return again
}

// Keep drops all nodes of a graph made by a pass, except those that stay, whose operands must stay too. Nodes are
// renumbered.
func (g *Graph) Keep(stays func(*Node) bool) {
	was, kept := make([]int32, 0, len(g.nodes)), g.nodes[:0]
	for _, n := range g.nodes {
		if stays(n) {
			was, kept = append(was, n.id), append(kept, n)
		} else {
			delete(g.gradients, n)
		}
	}
	clear(g.nodes[len(kept):])
	g.nodes = kept
	for i, n := range kept {
		n.id = int32(i)
	}
	g.residences.keep(was)
	g.places.truncate(0)
	g.needs, g.likes, g.stands = nil, nil, nil
}

// InputFor appends an input that represents n, a value of another graph, possibly with another shape. Messages call it
// n.
func (g *Graph) InputFor(n *Node, t DType, shape Shape) *Node {
	return g.add(&Node{op: inputOp, name: n.name, scope: n.scope, origin: n.origin, pos: n.pos, source: n.Source(),
		dtype: t, shape: shape, judged: true}, InputAttrs{}, nil)
}

// At builds nodes with the position, the scope and, within a gradient, the origin of n, a node of another graph.
func (g *Graph) At(n *Node, build func()) {
	outer, outerScope, outerAt, outerRegion := g.origin, g.scope, g.at, g.region
	g.origin, g.scope, g.at, g.region = n.origin, n.scope, n, n.region
	defer func() { g.origin, g.scope, g.at, g.region = outer, outerScope, outerAt, outerRegion }()
	build()
}

// Like builds nodes that replace n, a node of this graph, with its position, scope and, within a gradient, origin:
// messages about them name the call that made n. Warnings and the choices of the graph's [Policy] were already reported
// for n.
func (g *Graph) Like(n *Node, build func()) {
	origin, scope, composite, from, policy, standsFor := g.origin, g.scope, g.composite, g.from, g.policy, g.standsFor
	g.origin, g.scope, g.composite, g.from, g.policy, g.standsFor = n.origin, n.scope, n.composite, n.pos,
		policy.said(), n
	defer func() {
		g.origin, g.scope, g.composite, g.from, g.policy, g.standsFor = origin, scope, composite, from, policy,
			standsFor
	}()
	substitution := g.substitution
	g.substitution = nil
	defer func() { g.substitution = substitution }()
	build()
}

// noteStanding notes for which node a new one stands.
func (n *Node) noteStanding() {
	if n.g.standsFor == nil {
		return
	}
	if n.g.stands == nil {
		n.g.stands = map[*Node]*Node{}
	}
	n.g.stands[n] = n.g.standsFor
}

// StandsFor returns the node instead of which n is computed, or nil: for a value of all examples of a batch, that of
// one example. Rules about the user's code check that one.
func (n *Node) StandsFor() *Node {
	if n.g == nil {
		return nil
	}
	return n.g.stands[n]
}

// FromHere gives nodes that build makes the calling line of the user's program as their position. It is for functions
// that make a whole program, whose nodes are built far below the user's line.
func (g *Graph) FromHere(build func()) {
	outer := g.from
	g.from = Caller()
	defer func() { g.from = outer }()
	if build != nil {
		build()
	}
}

// fromOr is the place that FromHere said, or another one.
func (g *Graph) fromOr(p Pos) Pos {
	if g != nil && g.from != (Pos{}) {
		return g.from
	}
	return p
}

// Source returns the node of the user's graph from which a pass made n: the composite operation to which n belongs,
// or the node of which it is a copy. In the user's graph it is n itself.
func (n *Node) Source() *Node {
	if n.source == nil {
		return n
	}
	return n.source
}

// IsConst reports whether the node is a constant.
func (n *Node) IsConst() bool { return n.op == constOp }

// ConstData returns a constant's elements in row-major order: a slice of its dtype's Go type, such as []float32, which
// must not be changed.
func (n *Node) ConstData() any { return n.attrs.(ConstAttrs).Data }

// InferAgain returns a copy of the node with what its operation's rule now infers from the operands, and the mistake
// that it records: a node without a graph, for verification.
func (n *Node) InferAgain() *Node {
	c := *n
	c.g, c.bad, c.stretch, c.judged = n.g.Derive(), nil, nil, false
	c.infer()
	return &c
}
