package graph

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/internal/panicked"
)

// The results of a user operation's functions for a node are kept when the node is built, and compared when it is
// compiled: they must not change in between.

// meaning is what an operation's functions return for a node.
type meaning struct {
	operands []*Node
	shape    Shape
	said     []uint64 // hashes of what functions give
}

// askedAgain are the functions.
var askedAgain = [...]struct {
	name string
	ask  func(n *Node, e *typing) (wrong string)
}{
	{"Emit", func(n *Node, e *typing) (wrong string) {
		if n.op.hasElement() {
			return e.of(n)
		}
		return ""
	}},
	{"View", func(n *Node, e *typing) (wrong string) {
		if n.op.View == nil || len(n.in) == 0 || n.stretch != nil && slices.Contains(n.stretch[0], Undecided) {
			return ""
		}
		l, ok := n.op.View(n, RowMajor(n.in[0].shape))
		e.noteDims(l.Shape, l.Strides, []Dim{l.Offset})
		if ok {
			e.note(1)
		}
		return ""
	}},
	{"Axes", func(n *Node, e *typing) (wrong string) {
		if n.op.Axes != nil {
			e.noteInts(n.op.Axes(n)...)
		}
		return ""
	}},
	{"Assemble", func(n *Node, e *typing) (wrong string) {
		if n.op.Assemble != nil {
			a := n.op.Assemble(n)
			for _, s := range slices.Concat(a.Start, a.Step) {
				e.noteDims(s)
			}
			e.note(math.Float64bits(a.Value))
		}
		return ""
	}},
	{"Core", func(n *Node, e *typing) (wrong string) {
		if n.op.Core != nil {
			core, result := n.op.Core(n)
			e.noteInts(append(slices.Clone(core), result)...)
		}
		return ""
	}},
}

func (e *typing) noteInts(list ...int) {
	e.note(uint64(len(list)))
	for _, x := range list {
		e.note(uint64(x))
	}
}

func (e *typing) noteDims(lists ...[]Dim) {
	for _, list := range lists {
		e.note(uint64(len(list)))
		for _, d := range list {
			e.note(uint64(d))
		}
	}
}

// keepMeaning keeps the meaning of a node of a user's operation that was just built. Its element is known from the
// check of it.
func (n *Node) keepMeaning() {
	if n.bad != nil || !n.judged || n.g.derived || !n.g.isUsers(n.op) || n.hasUnknown() {
		return
	}
	m := &meaning{operands: slices.Clone(n.in), shape: slices.Clone(n.shape), said: []uint64{n.g.elements.trace}}
	if !n.op.hasElement() {
		m.said[0] = 0
	}
	for i := 1; i < len(askedAgain); i++ {
		said, wrong := n.asks(i)
		if wrong != "" {
			n.Refuse(n.op.NotWhole(wrong))
			return
		}
		m.said = append(m.said, said)
	}
	if n.g.meanings == nil {
		n.g.meanings = map[*Node]*meaning{}
	}
	n.g.meanings[n] = m
}

// hasUnknown reports whether a mistake has left a size of an operand unknown: what is computed with it says nothing of
// the operation.
func (n *Node) hasUnknown() bool {
	return slices.ContainsFunc(n.in, func(x *Node) bool { return slices.Contains(x.shape, UnknownDim) })
}

// asks returns a hash of what a function gives for a node, or what is wrong with it.
func (n *Node) asks(function int) (said uint64, wrong string) {
	var e typing
	defer func() {
		if p := recover(); p != nil {
			wrong = askedAgain[function].name + " " + panicked.Text(p)
		}
	}()
	wrong = askedAgain[function].ask(n, &e)
	return e.trace, wrong
}

// ChangedMeaning says where a user-defined operation's functions now return something else for a node than when it
// was built, or returns nil. It restores operands and sizes that the functions changed.
func (n *Node) ChangedMeaning() *Mistake {
	if n.g == nil || n.g.meanings[n] == nil {
		return nil
	}
	kept, why := n.g.meanings[n], ""
	help := "it must depend only on the node, its fixed arguments and its operands, not on variables that change"
	for i, function := range askedAgain {
		if why != "" {
			break
		}
		var said uint64
		if said, why = n.asks(i); why == "" && said != kept.said[i] {
			why = function.name + " returns something else than when the node was built"
		}
	}
	if !slices.Equal(n.in, kept.operands) || !slices.Equal(n.shape, kept.shape) {
		copy(n.in, kept.operands)
		copy(n.shape, kept.shape)
		why, help = "one of its functions writes the operands or the shape of the node",
			"change a copy: slices.Clone(n.Operands())"
	}
	if why == "" {
		return nil
	}
	m := n.op.NotWhole(why)
	m.Node, m.Help = n, []string{help}
	return m
}

// isUsers is [Op.IsUsers], of which the graph remembers the answer.
func (g *Graph) isUsers(op *Op) bool {
	is, known := g.users[op]
	if !known {
		if g.users == nil {
			g.users = map[*Op]bool{}
		}
		is = op.IsUsers()
		g.users[op] = is
	}
	return is
}
