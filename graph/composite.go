package graph

import (
	"runtime"
	"slices"
	"strings"
	"unique"
)

// composite is a call of a function that builds several nodes, as the user wrote it.
type composite struct {
	fn    string
	attrs any
	in    []*Node
	pos   Pos // of the call
	// updates is the parameter that is updated, where fn is the rule of an update and not what the
	// user calls.
	updates *Node
}

// BeginCall makes the nodes built until end parts of one call: messages about them speak of fn(operands…), at the
// line that called it, and never of the parts. attrs are the other arguments, as [Arguments] writes them, or nil.
// Your own function can start with
//
//	defer graph.BeginCall("Attention", nil, q, k, v)()
//
// Nested calls belong to the outermost. Operands may be nil; if none belongs to a graph, nothing is recorded.
func BeginCall(fn string, attrs any, operands ...*Node) (end func()) {
	var graphs []*Graph
	for _, x := range operands {
		if x != nil && x.g != nil && !slices.Contains(graphs, x.g) {
			graphs = append(graphs, x.g)
		}
	}
	return beginCall(graphs, &composite{fn: fn, attrs: attrs, in: slices.Clone(operands)})
}

// BeginCall is [graph.BeginCall] for a function that may have no operands of the graph.
func (g *Graph) BeginCall(fn string, attrs any, operands ...*Node) (end func()) {
	if g == nil {
		return func() {}
	}
	return beginCall([]*Graph{g}, &composite{fn: fn, attrs: attrs, in: slices.Clone(operands)})
}

func beginCall(graphs []*Graph, c *composite) (end func()) {
	graphs = slices.DeleteFunc(graphs, func(g *Graph) bool {
		return g.derived || g.composite != nil || g.origin != nil || g.at != nil
	})
	if len(graphs) == 0 {
		return func() {}
	}
	c.pos = ofFunction()
	for _, g := range graphs {
		c.in = g.ValuesOf(c.in)
		g.noteAlike(c.in)
		c.pos = g.fromOr(c.pos)
		g.composite = c
	}
	return func() {
		for _, g := range graphs {
			g.composite = nil
		}
	}
}

// ofFunction returns the place from which the function was called that calls [BeginCall].
func ofFunction() Pos {
	var pcs [posDepth]uintptr
	runtime.Callers(4, pcs[:])
	f, _ := runtime.CallersFrames(pcs[:1]).Next()
	return Pos{pcs: unique.Make(pcs), called: !isLibrary(f)}
}

// text writes the call with words for its operands.
func (c *composite) text(words []string) string {
	if c.updates != nil {
		return "the update of " + words[0] + " by " + c.fn
	}
	return c.fn + "(" + strings.Join(arguments(c.attrs, words), ", ") + ")"
}

// describe writes the call, with operands without a name as calls nested to the given depth.
func (c *composite) describe(depth int) string {
	return c.text(shortList(c.in, func(_ int, x *Node) string { return x.called(depth - 1) }))
}

// IsPart reports whether the node was built by a function of several nodes, and is not one of its operands.
func (n *Node) IsPart() bool { return n.composite != nil && !n.isDeclared() }

// isDeclared reports whether the node is an input, a parameter or a constant.
func (n *Node) isDeclared() bool { return n.op == inputOp || n.op == paramOp || n.op == constOp }

// InCall returns the operands of the call that messages about the node show: those of the function that built the
// node, or its own if that function built nothing else. For a part of a gradient they are those of the forward call.
func (n *Node) InCall() []*Node {
	n, _ = n.User()
	if n.composite != nil {
		return n.composite.in
	}
	return n.in
}

// Stands returns the operand of n's call that x, an operand of n, stands for: x itself, or the value of the same
// shape from which the call computed x. It is nil if x is another part of the call, or of the gradient to which n
// belongs.
func (n *Node) Stands(x *Node) *Node {
	user, inGradient := n.User()
	for n, x = user, x.Written(); x != nil; {
		if inGradient && x.origin != nil && x.GradientOf() == nil {
			return nil
		}
		switch {
		case n.composite == nil || x.g != nil && x.composite != n.composite || slices.Contains(n.composite.in, x):
			return x
		case x.g == nil && x.op != literalOp:
			return nil // it could not be built
		case x.isDeclared():
			if x.name == "" {
				return nil // a number of the function's own
			}
			return x
		case x.op.Class != Elementwise:
			return nil
		}
		at := slices.IndexFunc(x.in, func(in *Node) bool { return in != nil && in.shape.Equal(x.shape) })
		if at < 0 {
			return nil
		}
		x = x.in[at].Written()
	}
	return nil
}

// StandsMoved is [Node.Stands], also if the call has moved the value's elements, as a linear layer transposes its
// weight.
func (n *Node) StandsMoved(x *Node) *Node {
	for x != nil && x.op != nil && n.Stands(x) == nil && x.op.Class == Movement && len(x.in) == 1 {
		x = x.in[0]
	}
	return n.Stands(x)
}

// Calls returns the call that messages about n speak of, with other words for some of its operands,
// wherever it has them.
func (n *Node) Calls(words map[*Node]string) string {
	word := func(_ int, x *Node) string {
		if w, is := words[x.Written()]; is {
			return w
		}
		return x.Called()
	}
	if n.composite != nil {
		return n.composite.text(shortList(n.composite.in, word))
	}
	return CallText(n, n.attrs, shortList(n.in, word)...)
}

// CallsWith is [Node.Calls] with another word for operand i. In a call of several nodes it replaces the operand for
// which operand i stands, wherever it appears.
func (n *Node) CallsWith(i int, word string) string {
	if n.composite != nil {
		return n.Calls(map[*Node]string{n.Stands(n.in[i]): word})
	}
	return CallText(n, n.attrs, shortList(n.in, func(k int, x *Node) string {
		if k == i {
			return word
		}
		return x.Called()
	})...)
}

// shortList returns words for the operands of a call, without the middle of a long list.
func shortList(in []*Node, word func(i int, x *Node) string) []string {
	words := make([]string, 0, min(len(in), maxWords)+1)
	for i, x := range in {
		switch last := len(in) - 1; {
		case last < maxWords || i < maxWords-1 || i == last:
			words = append(words, word(i, x))
		case i == maxWords-1:
			words = append(words, "…")
		}
	}
	return words
}

// Shown returns the operands that a message shows. If it is about a part of a call, these are the operands of the
// call, with the marks of the part's operands. A message about the result of the call shows that.
func (m *Mistake) Shown() []OperandNote {
	list := m.shown()
	if m.Code != CodeDType && m.Code != CodeInPlaceDType {
		return list
	}
	list = slices.Clone(list)
	for i, o := range list {
		if o.Node != nil && !o.DType.Valid() {
			list[i].DType = o.Node.Written().dtype
		}
	}
	return list
}

func (m *Mistake) shown() []OperandNote {
	isOfResult := func(o OperandNote) bool { return o.Node == m.Node }
	if m.Node == nil || m.Node.IsWritten() || m.Path || slices.ContainsFunc(m.Operands, isOfResult) {
		return m.Operands
	}
	marked := true
	stands := map[*Node]OperandNote{}
	var rest []OperandNote
	for _, o := range m.Operands {
		if o.Node == nil {
			rest = append(rest, o)
			continue
		}
		x := m.Node.Stands(o.Node)
		if x == nil && m.Code == CodeDType {
			x, o.Bad = m.Node.StandsMoved(o.Node), nil
		}
		if x == nil || o.Shape != nil && !o.Shape.Equal(x.shape) {
			marked = marked && len(o.Bad) == 0
			continue
		}
		if x != o.Node.Written() {
			o.Text, o.DType = "", InvalidDType // they speak of the part
		}
		o.Node = x
		if other, is := stands[x]; is {
			o.Bad = slices.Compact(slices.Sorted(slices.Values(slices.Concat(other.Bad, o.Bad))))
			o.Marks = append(slices.Clone(other.Marks), o.Marks...)
		}
		stands[x] = o
	}
	var list []OperandNote
	shown := map[*Node]bool{}
	add := func(x *Node) {
		if x = x.Written(); x == nil || x.op == nil || x.op == literalOp || shown[x] {
			return
		}
		shown[x] = true
		o := stands[x]
		if o.Node = x; !marked {
			o.Bad, o.Marks = nil, nil
		}
		list = append(list, o)
	}
	for _, x := range m.Node.InCall() {
		add(x)
	}
	for _, o := range m.Operands {
		if o.Node == nil {
			continue
		}
		x := m.Node.Stands(o.Node)
		if x == nil && m.Code == CodeDType {
			x = m.Node.StandsMoved(o.Node)
		}
		if x != nil {
			add(x)
		}
	}
	return append(list, rest...)
}

// Parts lists the nodes built by the function that built n, in order: only n if it built no others.
func (n *Node) Parts() (parts []*Node) {
	if n.composite == nil || n.g == nil || int(n.id) >= len(n.g.nodes) || n.g.nodes[n.id] != n {
		return []*Node{n}
	}
	first := int(n.id)
	for first > 0 && n.g.nodes[first-1].composite == n.composite {
		first--
	}
	for _, x := range n.g.nodes[first:] {
		if x.composite != n.composite {
			break
		}
		parts = append(parts, x)
	}
	return parts
}
