package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opCumSum, opCumProd *graph.Op

// ScanAttrs are the fixed arguments of CumSum and other functions along an axis; Reverse starts from the end.
type ScanAttrs struct {
	Axis    int
	Reverse bool
}

// Args writes the axis.
func (a ScanAttrs) Args(operands []string) []string { return after(operands, a.Axis) }

const (
	// scanBlock is the length of the runs in which CumSum adds up.
	scanBlock = 128
	// scanLevels is how often the sums of an axis of symbolic size are cut into blocks.
	scanLevels = 2
)

// scan is the entry of a running reduction. along writes it from the first element on.
func scan(name, fn, doc string, along func(x node, axis int) node) *graph.Op {
	return define(graph.Op{
		Name: name, Func: fn, Doc: doc, Class: graph.Composite, MinIn: 1, MaxIn: 1, Promote: ToCounted,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			rules.Axis(c, c.Attrs().(ScanAttrs).Axis, len(c.Shape(0)))
			return c.DType(0), c.Shape(0)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			x, a := in[0], n.Attrs().(ScanAttrs)
			if x.Rank() == 0 {
				return x
			}
			axis := countedFromZero([]int{a.Axis}, x.Rank())[0]
			if x.Shape()[axis] == 0 {
				return x
			}
			if a.Reverse {
				return Flip(along(Flip(x, axis), axis), axis)
			}
			return along(x, axis)
		},
	})
}

func init() {
	opCumSum = scan("cumsum", "CumSum", "the sum of the elements up to each place of an axis; integers and booleans are counted in Int64.",
		func(x node, axis int) node { return running(opAdd, x, axis) })
	opCumSum.Grad = func(n, dy node, _ int) node {
		a := n.Attrs().(ScanAttrs)
		return Apply(opCumSum, ScanAttrs{a.Axis, !a.Reverse}, dy)
	}
	opCumProd = scan("cumprod", "CumProd", "the product of the elements up to each place of an axis; integers and booleans are counted in Int64.",
		func(x node, axis int) node { return running(opMul, x, axis) })
	opCumProd.Ref = named("numpy.cumprod", "torch.cumprod", "jax.numpy.cumprod, jax.numpy.cumulative_prod, jax.lax.cumprod", "", "",
		func(e *graph.Example) node { return CumProd(e.Of("x", "n", "k"), 1) })
	opCumSum.Ref = named("numpy.cumsum", "torch.cumsum", "jax.numpy.cumsum, jax.numpy.cumulative_sum, jax.lax.cumsum", "CumSum", "",
		func(e *graph.Example) node { return CumSum(e.Of("x", "n", "k"), 1) })
}

// running combines elements along an axis with all before them, by opAdd or opMul.
func running(op *graph.Op, x node, axis int) node {
	r := runs{op, opSum, 0}
	if op == opMul {
		r = runs{op, opProd, 1}
	}
	return r.blocks(x, axis, scanLevels)
}

// runs combines the elements up to each place of an axis.
type runs struct {
	combine *graph.Op
	reduce  *graph.Op // the same of all elements of a window
	neutral float64
}

// blocks combines in blocks: within each of them, and then the totals of the blocks before,
// which are combined in the same way. An axis of symbolic size has the given number of
// levels.
func (r runs) blocks(x node, axis, levels int) node {
	size := x.Shape()[axis]
	n, static := size.Int()
	switch {
	case static && n <= scanBlock:
		return r.doubling(x, axis, n)
	case !static && levels == 0:
		return r.windows(x, axis)
	}
	blocks := size.CeilDiv(scanBlock)
	filled := blocks.Times(scanBlock)
	shape := slices.Insert(slices.Clone(x.Shape()), axis+1, scanBlock)
	shape[axis] = blocks
	within := r.doubling(Reshape(Pad(x, axis, 0, filled.Minus(size), r.neutral), shape...), axis+1, scanBlock)
	totals := r.blocks(Select(within, axis+1, scanBlock-1), axis, levels-1)
	before := Slice(Pad(totals, axis, 1, 0, r.neutral), axis, 0, blocks, 1) // of no elements too
	shape = slices.Clone(x.Shape())
	shape[axis] = filled
	return Slice(Reshape(Apply(r.combine, nil, within, Unsqueeze(before, axis+1)), shape...), axis, 0, size, 1)
}

// doubling combines along an axis of n elements: after each step, an element is made of
// twice as many.
func (r runs) doubling(x node, axis int, n int64) node {
	for step := graph.Dim(1); step < graph.Dim(n); step *= 2 {
		x = Apply(r.combine, nil, x, Slice(Pad(x, axis, step, 0, r.neutral), axis, 0, graph.Dim(n), 1))
	}
	return x
}

// windows reduces, for each place of an axis, the window that ends there, over an axis with
// neutral elements in front. There is a window of nothing but these, which is left out: so
// it works for no elements too.
func (r runs) windows(x node, axis int) node {
	size := x.Shape()[axis]
	more := size.Plus(1)
	windows := Slice(Window(Pad(x, axis, more, 0, r.neutral), axis, more, 1, 1), axis, 1, more, 1)
	return Apply(r.reduce, ReduceAttrs{Axes: []int{x.Rank()}}, windows)
}

// CumSum returns, at each place of an axis, the sum of the elements up to there. Sums are
// formed by doubling in blocks of 128, with 7 additions for an element; an axis of symbolic
// size is worked on as if its size were a multiple of that, and one of more than a few
// million elements costs more than in proportion.
func CumSum(x *graph.Node, axis int) *graph.Node { return Apply(opCumSum, ScanAttrs{Axis: axis}, x) }

// CumProd returns, at each place of an axis, the product of the elements up to there, formed
// as [CumSum] forms sums. Its gradients, of whatever order, hold no division: they are right
// also where elements are 0.
func CumProd(x *graph.Node, axis int) *graph.Node {
	return Apply(opCumProd, ScanAttrs{Axis: axis}, x)
}
