package graph

import (
	"maps"
	"slices"
)

// Change is one change of a program, to be tried out with [Graph.Try].
type Change struct {
	// Node is what is changed: all that depends on it is judged anew.
	Node *Node
	// Operands, by their number, are other values in the place of Node's operands.
	Operands map[int]Type
	// Attrs are other fixed arguments; nil keeps them.
	Attrs any
	// Declared is another type of Node, an input or a parameter; nil keeps it.
	Declared *Type
	// Bounds are other declarations of named sizes; then Node alone is judged anew.
	Bounds map[string]Bounds
}

// Type is what is known of a value before it is computed.
type Type struct {
	DType DType
	Shape Shape
}

// Trial is what the rules say of a changed program.
type Trial struct {
	from    *Graph
	scratch *Graph
	changed map[*Node]*Node
}

// Try applies changes to a copy of what they reach and runs the rules there. The graph
// itself stays as it is.
func (g *Graph) Try(changes ...Change) *Trial {
	t := &Trial{from: g, changed: map[*Node]*Node{}, scratch: &Graph{
		name: g.name, policy: g.policy, dims: maps.Clone(g.dims), dimOrder: g.dimOrder, names: g.names, scope: g.scope}}
	first := len(g.nodes)
	by := map[*Node]Change{}
	for _, c := range changes {
		by[c.Node] = c
		first = min(first, c.Node.ID())
		for name, b := range c.Bounds {
			t.scratch.dims[name] = &dimDecl{bounds: b}
		}
	}
	for _, n := range g.nodes[first:] {
		if c, isChanged := by[n]; isChanged || t.reaches(n) {
			if t.judge(n, c); c.Bounds != nil {
				break
			}
		}
	}
	return t
}

func (t *Trial) reaches(n *Node) bool {
	for _, x := range n.in {
		if t.changed[x] != nil {
			return true
		}
	}
	return false
}

// otherOp stands for a value that takes the place of another one.
var otherOp = &Op{Name: "other", Func: "Other", Doc: "a value that is tried out", Class: Elementwise}

// judge copies a node onto the changed operands and runs its rule.
func (t *Trial) judge(n *Node, c Change) {
	copied := *n
	m := &copied
	m.g, m.bad, m.stretch, m.judged = t.scratch, nil, nil, true
	m.in = make([]*Node, len(n.in))
	for i, x := range n.in {
		m.in[i] = x
		if y := t.changed[x]; y != nil {
			m.in[i] = y
		}
		if other, is := c.Operands[i]; is {
			m.in[i] = &Node{g: t.scratch, op: otherOp, id: x.id, dtype: other.DType, shape: other.Shape, judged: true}
		}
		m.judged = m.judged && m.in[i].judged
	}
	if c.Attrs != nil {
		m.attrs = c.Attrs
	}
	t.changed[n] = m
	switch {
	case c.Declared != nil:
		m.dtype, m.shape = c.Declared.DType, c.Declared.Shape
	case n.op.Class == Source:
		m.bad = n.bad
	case m.judged:
		m.infer()
	}
}

// Cures reports whether the change leaves n without a mistake, a warning or a
// requirement, and breaks nothing that was right before and does not depend on n.
func (t *Trial) Cures(n *Node) bool {
	fine := func(n *Node) bool {
		m := t.changed[n]
		return m != nil && m.judged && m.bad == nil
	}
	if !fine(n) {
		return false
	}
	dependent := map[*Node]bool{n: true} // what was built on the mistake proves nothing
	for _, old := range n.g.nodes[n.id:] {
		for _, x := range old.in {
			if dependent[x] {
				dependent[old] = true
			}
		}
		if t.changed[old] != nil && !dependent[old] && old.isFine() && !fine(old) {
			return false
		}
	}
	for _, old := range n.g.nodes[:n.id] {
		if t.changed[old] != nil && old.isFine() && !fine(old) {
			return false
		}
	}
	for _, w := range t.scratch.warnings {
		if w.Node == t.changed[n] {
			return false
		}
	}
	return !t.Requires(n)
}

// isFine reports whether the node was judged whole: an operand of unknown size may hide a
// mistake.
func (n *Node) isFine() bool {
	for _, x := range n.in {
		if slices.Contains(x.shape, UnknownDim) {
			return false
		}
	}
	return n.judged && n.bad == nil
}

// Requires reports whether something is left of n that only the binding of sizes can
// judge.
func (t *Trial) Requires(n *Node) bool {
	for _, r := range t.scratch.needs {
		if r.Node == t.changed[n] {
			return true
		}
	}
	return false
}

// Shape gives the shape that the change gives a node.
func (t *Trial) Shape(n *Node) Shape {
	if m := t.changed[n]; m != nil {
		return m.shape
	}
	return n.shape
}
