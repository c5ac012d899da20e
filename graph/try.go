package graph

import (
	"cmp"
	"maps"
	"slices"
)

// Change is one change of a program, to be tried out with [Graph.Try].
type Change struct {
	// Node is what is changed: all that depends on it is judged anew.
	Node *Node
	// Op is another operation; nil keeps it.
	Op *Op
	// Operands, by their number, are replaced by new values computed from Node's operands.
	Operands map[int]Type
	// After, by their number, are writes after which Node's operands are read.
	After map[int]*Node
	// Attrs are other fixed arguments; nil keeps them.
	Attrs any
	// Declared is another type of Node, such as an input or a parameter; nil keeps it.
	Declared *Type
	// Bounds are other declarations of named sizes. Only Node is checked again, or if it is nil everything computed
	// from values with these names in their shapes.
	Bounds map[string]Bounds
}

// Type is what is known of a value before it is computed.
type Type struct {
	DType DType
	Shape Shape
}

// Trial is the result of the rules for a changed program.
type Trial struct {
	from    *Graph
	scratch *Graph
	changed map[*Node]*Node
	// bounded are names of which the whole program is to be judged anew.
	bounded []string
}

// Try applies changes to a copy of the nodes that they affect and runs the rules there. The graph itself does not
// change.
func (g *Graph) Try(changes ...Change) *Trial {
	t := &Trial{from: g, changed: map[*Node]*Node{}, scratch: &Graph{
		life: g.life, name: g.name, policy: g.policy, dims: maps.Clone(g.dims), dimOrder: g.dimOrder, names: g.names,
		scope: g.scope}}
	t.scratch.facts = g.facts.With(t.scratch.Bounds)
	first := len(g.nodes)
	by := map[*Node]Change{}
	for _, c := range changes {
		by[c.Node] = c
		for name, b := range c.Bounds {
			t.scratch.dims[name] = &dimDecl{bounds: b}
		}
		if c.Node == nil {
			first, t.bounded = 0, slices.AppendSeq(t.bounded, maps.Keys(c.Bounds))
			continue
		}
		first = min(first, c.Node.ID())
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
		if x == nil {
			continue // a mistake of its own
		}
		if t.changed[x] != nil {
			return true
		}
		for _, name := range t.bounded {
			isIn := func(d Dim) bool {
				return slices.Contains(d.Symbols(), name) || slices.Contains(t.from.resolve(d).Symbols(), name)
			}
			if slices.ContainsFunc(x.shape, isIn) {
				return true
			}
		}
	}
	return false
}

// Replacements of an operand.
var (
	otherOp = &Op{Name: "other", Func: "Other", Doc: "a new value computed from the operand", Class: Elementwise}
	laterOp = &Op{Name: "later", Func: "Later", Doc: "the operand as it is after a write", Class: Version}
)

// standIn makes a value that takes the place of operand x.
func (t *Trial) standIn(op *Op, as Type, x *Node, more ...*Node) *Node {
	return &Node{g: t.scratch, op: op, in: append([]*Node{x}, more...), id: x.id, dtype: as.DType, shape: as.Shape,
		judged: true}
}

// current returns a node as the changes so far have made it.
func (t *Trial) current(x *Node) *Node {
	if y := t.changed[x]; y != nil {
		return y
	}
	return x
}

// judge copies a node onto the changed operands and runs its rule.
func (t *Trial) judge(n *Node, c Change) {
	copied := *n
	m := &copied
	m.g, m.bad, m.stretch, m.judged = t.scratch, nil, nil, true
	m.in = make([]*Node, len(n.in))
	for i, x := range n.in {
		m.in[i] = t.current(x)
		if other, is := c.Operands[i]; is {
			m.in[i] = t.standIn(otherOp, other, m.in[i])
		}
		if write, is := c.After[i]; is {
			m.in[i] = t.standIn(laterOp, Type{x.dtype, x.shape}, m.in[i], t.current(write))
		}
		m.judged = m.judged && m.in[i] != nil && m.in[i].judged
	}
	if c.Attrs != nil {
		m.attrs = c.Attrs
	}
	if c.Op != nil {
		m.op = c.Op
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
func (t *Trial) Cures(n *Node) bool { return t.mends(n) && !t.Requires(n) }

// Mends is Cures, but allows n to require that sizes are large enough, such as a window for its operand.
func (t *Trial) Mends(n *Node) bool {
	return t.mends(n) && !slices.ContainsFunc(t.scratch.needs, func(r Requirement) bool {
		return r.Node == t.changed[n] && r.Kind != MustBeAtLeast
	})
}

// MendsCall is Mends, and reports false if a part of the call that built n has a mistake.
func (t *Trial) MendsCall(n *Node) bool {
	return t.Mends(n) && !slices.ContainsFunc(n.Parts(), func(p *Node) bool { return t.current(p).bad != nil })
}

func (t *Trial) mends(n *Node) bool {
	if !t.isFine(n) {
		return false
	}
	dependent := map[*Node]bool{n: true} // what was built on the mistake proves nothing
	for _, old := range n.g.nodes[n.id:] {
		for _, x := range old.in {
			if dependent[x] {
				dependent[old] = true
			}
		}
		if !dependent[old] && t.breaks(old) {
			return false
		}
	}
	if slices.ContainsFunc(n.g.nodes[:n.id], t.breaks) {
		return false
	}
	return !slices.ContainsFunc(t.scratch.warnings, func(w *Mistake) bool { return w.Node == t.changed[n] })
}

// Keeps reports whether the change breaks nothing that was right before.
func (t *Trial) Keeps() bool { return !slices.ContainsFunc(t.from.nodes, t.breaks) }

// breaks reports whether the node was right before and is not so any more.
func (t *Trial) breaks(old *Node) bool {
	return t.changed[old] != nil && old.isFine() && !t.isFine(old)
}

// isFine reports whether the node was judged anew and is right.
func (t *Trial) isFine(old *Node) bool {
	m := t.changed[old]
	return m != nil && m.judged && m.bad == nil
}

// isFine reports whether the node was judged whole: an operand of unknown size may hide a
// mistake.
func (n *Node) isFine() bool {
	for _, x := range n.in {
		if x == nil || slices.Contains(x.shape, UnknownDim) {
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

// Shape returns the shape of a node after the change.
func (t *Trial) Shape(n *Node) Shape { return t.current(n).shape }

// Type returns the dtype and the shape of a node after the change.
func (t *Trial) Type(n *Node) Type { return Type{t.current(n).dtype, t.current(n).shape} }

// Program returns the whole changed program: its nodes in order, and the node that replaces each node of the graph.
func (t *Trial) Program() (nodes []*Node, at map[*Node]*Node) {
	g := t.scratch
	at = map[*Node]*Node{}
	place := func(m *Node) {
		m.g, m.id = g, int32(len(g.nodes))
		g.nodes = append(g.nodes, m)
	}
	for _, n := range t.from.nodes {
		m := t.changed[n]
		if m == nil {
			copied := *n
			m = &copied
		}
		m.in = slices.Clone(m.in)
		for i, x := range m.in {
			if x != nil && (x.op == otherOp || x.op == laterOp) {
				for k, of := range x.in {
					x.in[k] = cmp.Or(at[of], of)
				}
				place(x)
			}
			m.in[i] = cmp.Or(at[x], x)
		}
		place(m)
		at[n] = m
	}
	return g.nodes, at
}
