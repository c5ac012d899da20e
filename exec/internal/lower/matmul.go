package lower

import (
	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/shapeinfer/alias"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// MatMulSpec is a matrix product: C = A·B for each position of the batch axes.
type MatMulSpec struct {
	Dtype    graph.DType
	Operands [3]fusion.Operand // A over [batch…, m, k], B over [batch…, k, n], C over [batch…, m, n]
	Batch    graph.Shape
	M, N, K  graph.Dim
	// Rows is the number of axes of B's memory that form its rows. The axes of its columns follow.
	Rows int
	// IsFast says that sums of BFloat16 use the processor's order.
	IsFast bool
	// If Block is not 0, B consists of integers, each times the scale of its block of so many, and plus its minimum if
	// there are minima. They have 8 bits or, in bytes of two, 4: B's layout then counts these. InLanes says that lanes
	// may share the sums of the only row.
	Block          int
	Bits           int
	Scales, Minima fusion.Operand
	InLanes        bool
}

// HasMinima reports whether blocks of B have minima.
func (s *MatMulSpec) HasMinima() bool { return s.Minima.Base != nil }

// All lists what the product reads and writes.
func (s *MatMulSpec) All() []fusion.Operand {
	all := s.Operands[:len(s.Operands):len(s.Operands)]
	if s.Block != 0 {
		all = append(all, s.Scales)
	}
	if s.HasMinima() {
		all = append(all, s.Minima)
	}
	return all
}

// MultipliesBFloat16 reports whether kernels of products accept BFloat16 factors.
func MultipliesBFloat16() bool { return gemm.MultipliesBFloat16() }

// inWords reports whether several elements of the factors, which have fewer bits than the result, are multiplied at a
// time.
func (s *MatMulSpec) inWords() bool {
	return s.IsFast || !s.Dtype.IsFloat() &&
		(s.Operands[0].Base.DType() != s.Dtype || s.Operands[1].Base.DType() != s.Dtype)
}

// hasOffsets reports whether rows or columns of B span several axes of its memory. They then need tables of offsets.
func (s *MatMulSpec) hasOffsets() bool {
	return s.Rows != 1 || len(s.Operands[1].Layout.Strides) != len(s.Batch)+2
}

// newMatMulSpec makes vectors matrices, and broadcasts batches with strides of 0.
func (u *Program) newMatMulSpec(node *graph.Node) *MatMulSpec {
	a, b := alias.LayoutOf(node.In(0)), alias.LayoutOf(node.In(1))
	out := graph.RowMajor(node.Shape())
	grouped, isGrouped := node.Attrs().(analysis.GroupedAxes)
	if len(a.Shape) == 1 {
		a = insertAxis(a, 0)
		out = insertAxis(out, max(len(out.Shape)-1, 0))
		if len(b.Shape) == 1 {
			out = graph.Layout{Shape: graph.Shape{1}, Strides: []graph.Dim{0}}
		}
	}
	if len(b.Shape) == 1 && !isGrouped {
		b = insertAxis(b, 1)
		out = insertAxis(out, len(out.Shape))
	}
	rank := len(out.Shape)
	blocks, _ := node.Attrs().(analysis.BlockScales)
	if blocks.Halved != 0 {
		b = inHalves(b, blocks.Halved)
	}
	p := &MatMulSpec{Dtype: node.DType(), Batch: out.Shape[:rank-2], M: out.Shape[rank-2], N: out.Shape[rank-1],
		K: a.Shape[len(a.Shape)-1], Rows: 1}
	rules := rules.Rules{Names: node.Graph().Policy().Names, Bounds: node.Graph().Bounds}
	p.Operands[0] = batched(node.In(0), a, p.Batch, rules)
	if isGrouped {
		p.Rows = len(grouped.Rows)
		p.Operands[1] = fusion.Operand{Base: alias.Viewed(node.In(1)), Layout: grouped.Layout(b, p.Batch)}
	} else {
		p.Operands[1] = batched(node.In(1), b, p.Batch, rules)
	}
	p.Operands[2] = fusion.Operand{Base: node, Layout: out, Write: true}
	if blocks.Block != 0 {
		p.Block, p.Bits, p.InLanes = blocks.Block, 8, blocks.InLanes
		if blocks.Halved != 0 {
			p.Bits = 4
		}
		p.Scales = asStored(node.In(2))
		if len(node.Operands()) > 3 {
			p.Minima = asStored(node.In(3))
		}
	}
	p.IsFast = u.FastBFloat16 && p.Operands[0].Base.DType() == graph.BFloat16 &&
		p.Operands[1].Base.DType() == graph.BFloat16
	return p
}

// asStored is an operand as it lies in memory.
func asStored(x *graph.Node) fusion.Operand {
	return fusion.Operand{Base: alias.Viewed(x), Layout: alias.LayoutOf(x)}
}

// inHalves is the layout of the halves of bytes, of which there are two along an axis, counted from the last one as 1.
// Strides count halves, and the offset bytes.
func inHalves(l graph.Layout, axis int) graph.Layout {
	out := graph.Layout{Offset: l.Offset}
	for i := range l.Shape {
		size, stride := l.Shape[i], l.Strides[i].Times(2)
		if i == len(l.Shape)-axis {
			size, stride = size.Times(2), 1
		}
		out.Shape, out.Strides = append(out.Shape, size), append(out.Strides, stride)
	}
	return out
}

// insertAxis inserts an axis of size 1 into a layout.
func insertAxis(l graph.Layout, at int) graph.Layout {
	out := graph.Layout{Offset: l.Offset}
	out.Shape = append(append(append(graph.Shape{}, l.Shape[:at]...), 1), l.Shape[at:]...)
	out.Strides = append(append(append([]graph.Dim{}, l.Strides[:at]...), 0), l.Strides[at:]...)
	return out
}

// batched broadcasts the batch axes of an operand to those of the result.
func batched(x *graph.Node, l graph.Layout, batch graph.Shape, rules rules.Rules) fusion.Operand {
	matrix := l.Shape[len(l.Shape)-2:]
	to := append(append(graph.Shape{}, batch...), matrix...)
	kinds := rules.Stretch(l.Shape, to)
	o := fusion.Operand{Base: alias.Viewed(x), Layout: alias.BroadcastView(l, to, kinds)}
	for axis, kind := range kinds {
		if kind == graph.Undecided {
			if o.Undecided == nil {
				o.Undecided, o.From = make([]bool, len(to)), make(graph.Shape, len(to))
			}
			o.Undecided[axis], o.From[axis] = true, l.Shape[axis-len(to)+len(l.Shape)]
		}
	}
	return o
}
