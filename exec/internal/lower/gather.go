package lower

import (
	"math"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// GatherSpec is a Gather operation as a kernel.
type GatherSpec struct {
	Node     *graph.Node
	Operands [3]fusion.Operand // values, indices, result; all dense
	Fold     graph.Fold        // how elements are combined by index; NoFold if they are picked
	// outer, size, inner and count are the sizes of gather.Shape.
	Outer, Size, Inner, Count graph.Dim
}

// pick emits how a fused kernel takes an element by an index, or an element of a row.
func (l *Lowering) pick(n *graph.Node, index rowprog.Value) rowprog.Value {
	size := n.In(0).Shape()[n.Op().Axes(n)[0]]
	if analysis.TakesRows(n) {
		return l.pickRow(n, index, size)
	}
	by, limit := TypeOf(n.In(1).DType()), rowprog.Value(l.Size(size))
	if by == rowprog.I32 {
		most := l.b.ConstInt(rowprog.I64, math.MaxInt32)
		limit = l.b.Convert(l.b.Apply(rowprog.OpMin, limit, most), by)
	}
	if count, known := size.Int(); known {
		limit = l.b.ConstInt(by, min(count, math.MaxInt64>>(64-8*by.Size())))
	}
	inside := l.b.Apply(rowprog.OpAnd, l.b.Apply(rowprog.OpGt, index, l.b.ConstInt(by, -1)),
		l.b.Apply(rowprog.OpLt, index, limit))
	l.Check(graph.Value(inside), graph.Claim{Message: "index out of range in self", Operand: 1, Below: &size})
	return l.b.Pick(l.operand(l.loaded(n, l.k.LevelFor(n), 0), n.DType(), rowprog.In), index, limit)
}

// pickRow emits how a fused kernel takes elements of the row at an index, size rows in all.
func (l *Lowering) pickRow(n *graph.Node, index rowprog.Value, size graph.Dim) rowprog.Value {
	step := alias.LayoutOf(n.In(0)).Strides[n.Op().Axes(n)[0]]
	first, known := l.firsts[n]
	if !known { // computed in an earlier stage
		first = l.firstOfRow(n, index, size, step)
	}
	return l.b.Pick(l.operand(l.loaded(n, l.k.LevelFor(n), 0), n.DType(), rowprog.In), first,
		rowprog.Value(l.Size(size.Times(step))))
}

// firstOfRow emits the position of the first element of the row at an index, which is checked.
func (l *Lowering) firstOfRow(n *graph.Node, index rowprog.Value, size, step graph.Dim) rowprog.Value {
	index = l.b.Convert(index, rowprog.I64)
	inside := l.b.Apply(rowprog.OpAnd, l.b.Apply(rowprog.OpGe, index, l.b.ConstInt(rowprog.I64, 0)),
		l.b.Apply(rowprog.OpLt, index, rowprog.Value(l.Size(size))))
	l.Check(graph.Value(inside), graph.Claim{Message: "index out of range in self", Operand: 1, Below: &size})
	first := l.b.Apply(rowprog.OpMul, index, rowprog.Value(l.Size(step)))
	if l.firsts == nil {
		l.firsts = map[*graph.Node]rowprog.Value{}
	}
	l.firsts[n] = first
	return first
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
