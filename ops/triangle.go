package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opTriu, opTril *graph.Op

// TriangleAttrs are the fixed arguments of Triu and Tril: the diagonal that bounds the triangle, 0 for the main one
// and positive above it.
type TriangleAttrs struct{ Diagonal int }

// farthest is a diagonal beyond all matrices, from which columns can still be counted.
const farthest = 1 << 62

// triangle is the entry of matrices of which one triangle is kept. inside tells, from
// a column and that of the diagonal, what is kept.
func triangle(name, fn, doc string, inside func(x, y *graph.Node) *graph.Node) *graph.Op {
	op := graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Composite, Storage: true, MinIn: 1, MaxIn: 1}
	op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		return c.DType(0), rules.Matrices(c, name)
	}
	op.Expand = func(n *graph.Node, in []*graph.Node) *graph.Node {
		x, last := in[0], in[0].Rank()-1
		g, rows, cols := x.Graph(), x.Shape()[last-1], x.Shape()[last]
		// a comparison with a number for each row is that of narrow indices
		from := max(-farthest, min(int64(n.Attrs().(TriangleAttrs).Diagonal), farthest))
		diagonal := Add(Iota(g, 0, rows, cols), graph.Num(from))
		return Where(inside(Iota(g, 1, rows, cols), diagonal), x, g.Scalar(x.DType(), 0))
	}
	op.Grad = func(n, dy node, _ int) node { return Apply(n.Op(), n.Attrs(), dy) }
	return define(op)
}

func init() {
	opTriu = triangle("triu", "Triu", "each matrix with zeros below a diagonal.", GreaterEqual)
	opTril = triangle("tril", "Tril", "each matrix with zeros above a diagonal.", LessEqual)
	opTril.Ref = named("numpy.tril", "torch.tril", "jax.numpy.tril", "Trilu", "",
		func(e *graph.Example) node { return Tril(e.Of("x", "n", "n"), 0) })
	opTriu.Ref = named("numpy.triu", "torch.triu", "jax.numpy.triu", "Trilu", "",
		func(e *graph.Example) node { return Triu(e.Of("x", "n", "n"), 0) })
}

// Triu returns each matrix of a batch with zeros below a diagonal: 0 is the main one, positive ones are above it.
func Triu(x *graph.Node, diagonal int) *graph.Node { return Apply(opTriu, TriangleAttrs{diagonal}, x) }

// Tril returns each matrix of a batch with zeros above a diagonal.
func Tril(x *graph.Node, diagonal int) *graph.Node { return Apply(opTril, TriangleAttrs{diagonal}, x) }
