package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// What indices name is picked by the kernel that needs it, and is in no memory: of a Take of a table, where the indices are one axis or more of the
// result. It picks single elements, along the table's last axis, or rows that are long enough. Short rows are better copied, by a kernel of their own, and
// so is what nothing is computed of. Indices of single elements have 32 bits: those of 64 would leave half of the lanes of a vector for what is picked.

// minPicked is the number of indices from which on a kernel of elements picks, where it is known, and minPickedRow that of elements from which on
// rows are picked: shorter ones are soon copied. They are the same with machine code and without, as the order of sums depends on which kernels there are.
const minPicked, minPickedRow = 16, 16

// picks reports whether a node takes elements or rows by index as a kernel of elements can.
func (f *fuser) picks(n *graph.Node) bool {
	op := n.Op()
	if op.Class != graph.Gather || op.Fold != graph.NoFold || len(n.Operands()) != 2 {
		return false
	}
	switch n.DType() {
	case graph.Float32, graph.Float64, graph.Int32, graph.Int64:
	default:
		return false
	}
	index, count := n.In(1).DType(), n.In(1).Shape().NumElements()
	if known, is := count.Int(); is && known < minPicked {
		return false
	}
	if !analysis.TakesRows(n) {
		return index == graph.Int32
	}
	last := n.In(0).Rank() - 1
	size, known := n.In(0).Shape()[last].Int()
	return known && size >= minPickedRow && alias.LayoutOf(n.In(0)).Strides[last] == 1 && (index == graph.Int32 || index == graph.Int64)
}

// readPicked returns where the elements lie that operand i of a node that picks takes, over the node's shape: those of the table from which indices
// count, or the indices.
func readPicked(n *graph.Node, i int) graph.Layout {
	x, shape, axis := alias.LayoutOf(n.In(i)), n.Shape(), n.Op().Axes(n)[0]
	l := graph.Layout{Shape: shape, Strides: make([]graph.Dim, len(shape)), Offset: x.Offset}
	if i == 0 {
		copy(l.Strides, x.Strides[:axis])
		copy(l.Strides[axis+n.In(1).Rank():], x.Strides[axis+1:])
	} else {
		copy(l.Strides[axis:], x.Strides)
	}
	return l
}

// maxNear is the bytes of a table that a cache holds, so that to pick of it takes no time in which the processor should know more indices.
const maxNear = 128 << 10

// takesPicked reports whether operand i of a node that picks is taken from a register: an index for each element. Those into a large table are better
// computed by another kernel, so that this one can ask for elements ahead.
func (k *Group) takesPicked(n *graph.Node, i int) bool {
	bytes, known := n.In(0).Shape().NumElements().Int()
	return i == 1 && k.registersOf(n.In(1)) && n.In(1).Shape().Equal(n.Shape()) && known && bytes*int64(n.DType().Size()) <= maxNear
}

// copyPicked makes kernels that do nothing but pick kernels that copy.
func (f *fuser) copyPicked() {
	for _, k := range f.groups {
		if len(k.Nodes) == 1 && f.picks(k.Nodes[0]) {
			k.Class, k.Closed, k.Registers = graph.Gather, true, map[*graph.Node]Level{}
		}
	}
}

// canPick reports whether a node can run in a kernel as far as picking is concerned. A kernel that picks can stop the run, so that it is not fused with a
// product: what goes on with a product does not join it. Nor does what writes in place, which would be done in part where the run stops.
func (f *fuser) canPick(n *graph.Node, l Level, at int) bool {
	nodes := f.groups[at].Nodes
	if f.picks(n) {
		return l == PerElement && f.maker(n.In(0)) != at && !slices.ContainsFunc(nodes, func(m *graph.Node) bool { return m.Op().Class == graph.Update || f.readsProduct(m) })
	}
	return !slices.ContainsFunc(nodes, f.picks) || n.Op().Class != graph.Update && !f.readsProduct(n)
}

// readsProduct reports whether a node goes on with a product, element by element.
func (f *fuser) readsProduct(n *graph.Node) bool {
	return !f.picks(n) && slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool {
		made := f.maker(x)
		return made >= 0 && f.isProduct(made)
	})
}
