package lower

import (
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// AddRowsSpec is a kernel that adds to, or replaces, rows at given indices.
type AddRowsSpec struct {
	Node     *graph.Node
	Operands []fusion.Operand // the old value, indices, added rows, factors, the new value
	Subtract bool
	Replace  bool // rows are replaced instead of added
	Apart    bool // the result is a new value, which a loop may place in the memory of the old one
	// The sizes of gather.Shape.
	Outer, Size, Inner, Count graph.Dim
}

func newAddRowsSpec(n *graph.Node) *AddRowsSpec {
	a := n.Attrs().(rewrite.AddRowsAttrs)
	p := &AddRowsSpec{Node: n, Subtract: a.Subtract, Replace: a.Replace, Apart: n.Op().Class != graph.Update,
		Count: n.In(1).Shape().NumElements()}
	for _, x := range n.Operands() {
		p.Operands = append(p.Operands, fusion.Operand{Base: alias.Viewed(x), Layout: alias.LayoutOf(x)})
	}
	p.Operands = append(p.Operands, fusion.Operand{Base: n, Layout: alias.LayoutOf(n), Write: true})
	whole := n.Shape()
	p.Outer, p.Size, p.Inner = whole[:a.Axis].NumElements(), whole[a.Axis], whole[a.Axis+1:].NumElements()
	return p
}
