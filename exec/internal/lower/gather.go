package lower

import (
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// GatherSpec is a Gather operation as a kernel.
type GatherSpec struct {
	Node     *graph.Node
	Operands [3]fusion.Operand // values, indices, result; all dense
	Fold     graph.Fold        // how elements are united by index; NoFold where they are picked
	// outer, size, inner and count are the sizes of gather.Shape.
	Outer, Size, Inner, Count graph.Dim
}

func newGatherSpec(n *graph.Node) *GatherSpec {
	p := &GatherSpec{Node: n, Count: n.In(1).Shape().NumElements()}
	for i, x := range n.Operands() {
		layout := alias.LayoutOf(x)
		p.Operands[i] = fusion.Operand{Base: alias.Viewed(x), Layout: layout}
	}
	p.Operands[2] = fusion.Operand{Base: n, Layout: graph.RowMajor(n.Shape()), Write: true}
	whole, axis := n.In(0).Shape(), n.Op().Axes(n)[0]
	if p.Fold = n.Op().Fold; p.Fold != graph.NoFold {
		whole = n.Shape()
	}
	p.Outer, p.Size, p.Inner = whole[:axis].NumElements(), whole[axis], whole[axis+1:].NumElements()
	return p
}
