package graph

import "strings"

// Node is a value of the program: the result of one operation. Nodes are made by the functions of package ops and by
// the graph's own Input, Param and Constant. A node never changes once built, except for its name.
type Node struct {
	g         *Graph
	op        *Op
	in        []*Node
	attrs     any
	shape     Shape
	stretch   [][]AxisKind
	name      string
	scope     *scope
	composite *composite // the call of several nodes that this is a part of
	origin    *Node
	source    *Node
	region    *Region // the loop's body to which it belongs
	bad       *Mistake
	pos       Pos
	id        int32
	dtype     DType
	judged    bool
	implied   bool
}

// Graph returns the graph that the node belongs to.
func (n *Node) Graph() *Graph { return n.g }

// ID returns the node's index in its graph: operands come before their users.
func (n *Node) ID() int { return int(n.id) }

// Op returns the operation.
func (n *Node) Op() *Op { return n.op }

// In returns operand i.
func (n *Node) In(i int) *Node { return n.in[i] }

// Operands returns all operands; the slice must not be changed.
func (n *Node) Operands() []*Node { return n.in }

// Read returns the operands whose elements the node reads: all but one that it only waits for. The slice must not be
// changed.
func (n *Node) Read() []*Node {
	if n.op.Waits && len(n.in) > 0 {
		return n.in[:len(n.in)-1]
	}
	return n.in
}

// Attrs returns the operation's fixed arguments, a struct of the operation's own type, or nil.
func (n *Node) Attrs() any { return n.attrs }

// DType returns the type of the elements.
func (n *Node) DType() DType { return n.dtype }

// Shape returns the sizes; the slice must not be changed.
func (n *Node) Shape() Shape { return n.shape }

// Rank returns the number of axes.
func (n *Node) Rank() int { return len(n.shape) }

// Pos returns the position in the user's program at which the node was made. A node of a gradient has the position of
// its forward node.
func (n *Node) Pos() Pos { return n.pos }

// Origin returns the forward node of whose gradient this node is a part, or nil.
func (n *Node) Origin() *Node { return n.origin }

// Scope returns the names of the enclosing scopes, joined with [ScopeSeparator].
func (n *Node) Scope() string { return n.scope.path() }

// Name returns the node's name with the scopes in which it got it, or "" if it has none.
func (n *Node) Name() string { return n.name }

// BaseName returns the node's name without its scopes, or "" if it has none.
func (n *Node) BaseName() string { return strings.TrimPrefix(n.name, n.scope.of("")) }

// Named sets the node's name for messages, text, pictures and exported models, and returns the node. The name is within
// the scope where Named is called, not that of a layer or gradient that made the node. A second node with the same name
// is numbered.
func (n *Node) Named(name string) *Node {
	switch {
	case n.op == nil || n.g == nil || n.op.Class == Source:
	case name == "":
		n.name = ""
	default:
		n.name = n.g.scope.of(name)
	}
	return n
}

// Err returns the mistake that was recorded for this very node, or nil.
func (n *Node) Err() error {
	if n.bad == nil {
		return nil
	}
	return n.bad
}

// Judged reports whether the node's dtype and shape could be inferred. They cannot if an operand is wrong; the
// mistake is then recorded at that operand.
func (n *Node) Judged() bool { return n.judged }

// Stretch returns, for each axis of the result of a broadcasting node, how operand i meets it. It is nil if no axis
// is broadcast.
func (n *Node) Stretch(i int) []AxisKind {
	if n.stretch == nil {
		return nil
	}
	return n.stretch[i]
}

// Implied marks a node that the library inserted on the user's behalf, such as a conversion of dtypes, and returns
// it: messages show its operand instead.
func (n *Node) Implied() *Node {
	n.implied = true
	return n
}

// Written returns the node as the user wrote it: n, or if n is implied, the operand for which it was inserted.
func (n *Node) Written() *Node {
	for n != nil && n.implied && len(n.in) > 0 {
		n = n.in[0]
	}
	return n
}

// IsInput reports whether the node is an input that is fed.
func (n *Node) IsInput() bool { return n.op == inputOp }

// Mutable declares that in-place operations may write the input: they then change the
// memory that the caller feeds. It returns the input.
func (n *Node) Mutable() *Node {
	if n.op == inputOp {
		n.attrs = InputAttrs{Mutable: true}
	}
	return n
}

// IsMutable reports whether the node is an input that may be written.
func (n *Node) IsMutable() bool { return n.op == inputOp && n.attrs.(InputAttrs).Mutable }

// IsParam reports whether the node is a parameter that a session holds.
func (n *Node) IsParam() bool { return n.op == paramOp }

// IsState reports whether the node is a parameter that no optimiser trains: see [Graph.State].
func (n *Node) IsState() bool { return n.op == paramOp && n.attrs.(ParamAttrs).State }

// label is how messages call the node: by its name, else by how it was made.
func (n *Node) label() string {
	switch {
	case n == nil || n.op == nil:
		return "nil"
	case n.name != "":
		return n.Name()
	case n.op == literalOp:
		return n.attrs.(LiteralAttrs).String()
	default:
		return "v" + itoa(int(n.id))
	}
}

// Label is the word by which messages and the text form call the node: its name,
// or "v" and its number.
func (n *Node) Label() string { return n.label() }

// String returns the word by which messages call the node, with its dtype and shape: "x float32[batch, 3]".
func (n *Node) String() string {
	text := n.Called()
	switch {
	case n == nil || n.op == nil:
	case n.bad != nil:
		text += ", which has mistake " + string(n.bad.Code)
	case !n.judged:
		text += ", the shape of which is not known"
	default:
		text += " " + n.dtype.String() + n.shape.String()
	}
	return text
}
