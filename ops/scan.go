package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

var opCumSum, opCumProd *graph.Op

// ScanAttrs are the fixed arguments of CumSum and CumProd; Reverse starts from the end.
type ScanAttrs struct {
	Axis    int
	Reverse bool
}

// Args writes the axis.
func (a ScanAttrs) Args(operands []string) []string { return after(operands, a.Axis) }

// scanBlock is the length of the runs in which CumSum adds up.
const scanBlock = 64

// scan is the entry of a running reduction. along writes it from the first element on.
func scan(name, fn, doc string, along func(x node, axis int) node) *graph.Op {
	return define(graph.Op{
		Name: name, Func: fn, Doc: doc, Class: graph.Composite, MinIn: 1, MaxIn: 1, Promote: countedType,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			shapeinfer.Axis(c, c.Attrs().(ScanAttrs).Axis, len(c.Shape(0)))
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
	opCumSum = scan("cumsum", "CumSum", "the sum of the elements up to each place of an axis; integers and booleans are counted in Int64.", prefixSums)
	opCumSum.Grad = func(n, dy node, _ int) node {
		a := n.Attrs().(ScanAttrs)
		return Apply(opCumSum, ScanAttrs{a.Axis, !a.Reverse}, dy)
	}
	opCumProd = scan("cumprod", "CumProd", "the product of the elements up to each place of an axis; integers and booleans are counted in Int64.",
		func(x node, axis int) node { return upTo(opProd, x, axis, 1) })
}

// prefixSums adds up in blocks: within each of them, and then the sums of the blocks
// before. A long axis of known size takes several levels of blocks, one of symbolic size
// two.
func prefixSums(x node, axis int) node {
	size := x.Shape()[axis]
	n, static := size.Int()
	if static && n <= scanBlock {
		return upTo(opSum, x, axis, 0)
	}
	blocks := size.CeilDiv(scanBlock)
	shape := slices.Insert(slices.Clone(x.Shape()), axis+1, scanBlock)
	shape[axis] = blocks
	within := upTo(opSum, Reshape(Pad(x, axis, 0, blocks.Times(scanBlock).Minus(size), 0), shape...), axis+1, 0)
	totals := Select(within, axis+1, scanBlock-1)
	if static {
		totals = prefixSums(totals, axis)
	} else {
		totals = upTo(opSum, totals, axis, 0)
	}
	before := Pad(Slice(totals, axis, 0, blocks.Minus(1), 1), axis, 1, 0, 0)
	sums := Add(within, Unsqueeze(before, axis+1))
	shape = slices.Clone(x.Shape())
	shape[axis] = blocks.Times(scanBlock)
	return Slice(Reshape(sums, shape...), axis, 0, size, 1)
}

// upTo reduces, for each place of an axis, the window that ends there, over an axis with
// neutral elements in front.
func upTo(op *graph.Op, x node, axis int, neutral float64) node {
	size := x.Shape()[axis]
	windows := Window(Pad(x, axis, size.Minus(1), 0, neutral), axis, size, 1, 1)
	return Apply(op, ReduceAttrs{Axes: []int{x.Rank()}}, windows)
}

// CumSum gives, at each place of an axis, the sum of the elements up to there. Sums are
// formed in blocks of 64, so that each element is read about 64 times, whatever the length
// of the axis; of an axis of symbolic size n, another n/64 sums of up to n/64 are formed.
func CumSum(x *graph.Node, axis int) *graph.Node { return Apply(opCumSum, ScanAttrs{Axis: axis}, x) }

// CumProd gives, at each place of an axis, the product of the elements up to there. Each
// is formed by itself, at a cost that grows with the square of the axis's length; its
// gradient is then right also where elements are 0.
func CumProd(x *graph.Node, axis int) *graph.Node {
	return Apply(opCumProd, ScanAttrs{Axis: axis}, x)
}
