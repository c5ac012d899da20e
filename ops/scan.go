package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opCumSum, opCumProd *graph.Op

// ScanAttrs are the fixed arguments of CumSum and other cumulative functions. Reverse starts from the end.
type ScanAttrs struct {
	Axis    int
	Reverse bool
}

// Args writes the axis.
func (a ScanAttrs) Args(operands []string) []string { return after(operands, a.Axis) }

// scan is the entry of a running sum, or product.
func scan(name, fn, doc string, product bool) *graph.Op {
	return define(graph.Op{
		Name: name, Func: fn, Doc: doc, Class: graph.Composite, MinIn: 1, MaxIn: 1, Promote: ToCounted,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			rules.Axis(c, c.Attrs().(ScanAttrs).Axis, len(c.Shape(0)))
			return c.DType(0), c.Shape(0)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a := n.Attrs().(ScanAttrs)
			return alongColumns(opAccumulate, runningAttrs{Product: product, Reverse: a.Reverse}, a.Axis, in...)
		},
	})
}

func init() {
	opCumSum = scan("cumsum", "CumSum",
		"the sum of the elements up to each place of an axis; integers and booleans are counted in Int64.", false)
	opCumSum.Grad = func(n, dy node, _ int) node {
		a := n.Attrs().(ScanAttrs)
		return Apply(opCumSum, ScanAttrs{a.Axis, !a.Reverse}, dy)
	}
	opCumProd = scan("cumprod", "CumProd",
		"the product of the elements up to each place of an axis; integers and booleans are counted in Int64.", true)
	opCumProd.Grad = cumProdGrad
	opCumProd.Ref = named("numpy.cumprod", "torch.cumprod",
		"jax.numpy.cumprod, jax.numpy.cumulative_prod, jax.lax.cumprod", "", "",
		func(e *graph.Example) node { return CumProd(e.Of("x", "n", "k"), 1) })
	opCumSum.Ref = named("numpy.cumsum", "torch.cumsum", "jax.numpy.cumsum, jax.numpy.cumulative_sum, jax.lax.cumsum",
		"CumSum", "",
		func(e *graph.Example) node { return CumSum(e.Of("x", "n", "k"), 1) })
}

// cumProdGrad holds no division, so that it is right where elements are 0. An element's derivative is the product of
// those before it times r, and r[i] = dy[i] + x[i+1]*r[i+1].
func cumProdGrad(n, dy node, _ int) node {
	a := n.Attrs().(ScanAttrs)
	if n.Rank() == 0 {
		return dy
	}
	axis := countedFromZero([]int{a.Axis}, n.Rank())[0]
	past, future := previous, following
	if a.Reverse {
		past, future = following, previous
	}
	return Mul(past(n, axis, 1), Apply(opRecurrence, ScanAttrs{axis, !a.Reverse}, future(n.In(0), axis, 0), dy))
}

// CumSum returns the cumulative sum along an axis. Floating-point numbers are added in Float64, in order.
func CumSum(x *graph.Node, axis int) *graph.Node { return Apply(opCumSum, ScanAttrs{Axis: axis}, x) }

// CumProd returns the cumulative product along an axis. Floating-point numbers are multiplied in Float64, in order.
// Its gradients of any order do not divide, so they are correct even where elements are 0.
func CumProd(x *graph.Node, axis int) *graph.Node {
	return Apply(opCumProd, ScanAttrs{Axis: axis}, x)
}
