package exec

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// product is a matrix product as a kernel: C = A·B for each place of the batch axes.
type product struct {
	dtype    graph.DType
	operands [3]operand // A over [batch…, m, k], B over [batch…, k, n], C over [batch…, m, n]
	batch    graph.Shape
	m, n, k  graph.Dim
	// rows is the number of axes of B's memory over which its rows run, before those over
	// which its columns run.
	rows int
}

// newProduct brings vectors to matrices and repeats batches by strides of 0.
func newProduct(node *graph.Node) *product {
	a, b := shapeinfer.LayoutOf(node.In(0)), shapeinfer.LayoutOf(node.In(1))
	out := graph.RowMajor(node.Shape())
	joined, isJoined := node.Attrs().(joinedAxes)
	if len(a.Shape) == 1 {
		a = insertAxis(a, 0)
		out = insertAxis(out, max(len(out.Shape)-1, 0))
		if len(b.Shape) == 1 {
			out = graph.Layout{Shape: graph.Shape{1}, Strides: []graph.Dim{0}}
		}
	}
	if len(b.Shape) == 1 && !isJoined {
		b = insertAxis(b, 1)
		out = insertAxis(out, len(out.Shape))
	}
	rank := len(out.Shape)
	p := &product{dtype: node.DType(), batch: out.Shape[:rank-2], m: out.Shape[rank-2], n: out.Shape[rank-1], k: a.Shape[len(a.Shape)-1], rows: 1}
	rules := shapeinfer.Rules{Names: node.Graph().Policy().Names, Bounds: node.Graph().Bounds}
	p.operands[0] = batched(node.In(0), a, p.batch, rules)
	if isJoined {
		p.rows = len(joined.Rows)
		p.operands[1] = operand{base: shapeinfer.Viewed(node.In(1)), layout: joined.layout(b, p.batch)}
	} else {
		p.operands[1] = batched(node.In(1), b, p.batch, rules)
	}
	p.operands[2] = operand{base: node, layout: out, write: true}
	return p
}

// insertAxis gives a layout an axis of size 1.
func insertAxis(l graph.Layout, at int) graph.Layout {
	out := graph.Layout{Offset: l.Offset}
	out.Shape = append(append(append(graph.Shape{}, l.Shape[:at]...), 1), l.Shape[at:]...)
	out.Strides = append(append(append([]graph.Dim{}, l.Strides[:at]...), 0), l.Strides[at:]...)
	return out
}

// batched repeats the batch axes of an operand to those of the result.
func batched(x *graph.Node, l graph.Layout, batch graph.Shape, rules shapeinfer.Rules) operand {
	matrix := l.Shape[len(l.Shape)-2:]
	to := append(append(graph.Shape{}, batch...), matrix...)
	kinds := rules.Stretch(l.Shape, to)
	o := operand{base: shapeinfer.Viewed(x), layout: shapeinfer.BroadcastView(l, to, kinds)}
	for axis, kind := range kinds {
		if kind == graph.Undecided {
			if o.undecided == nil {
				o.undecided, o.from = make([]bool, len(to)), make(graph.Shape, len(to))
			}
			o.undecided[axis], o.from[axis] = true, l.Shape[axis-len(to)+len(l.Shape)]
		}
	}
	return o
}
