package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opRepeatBy *graph.Op

// RepeatByAttrs are the fixed arguments of RepeatInterleaveBy: the axis and its size in the result.
type RepeatByAttrs struct {
	Axis int
	Size graph.Dim
}

// Args writes the axis between the operand and the counts, and the size after them.
func (a RepeatByAttrs) Args(operands []string) []string { return CompressAttrs(a).Args(operands) }

func init() {
	opRepeatBy = define(graph.Op{
		Name: "repeat_interleave", Func: "RepeatInterleaveBy",
		Doc:   "each slice along an axis as often as its count says, and how many there are.",
		Class: graph.Composite, Storage: true, MinIn: 3, MaxIn: 3,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(RepeatByAttrs)
			return c.DType(0), rules.RepeatBy(c, a.Axis, a.Size)
		},
		Expand: expandRepeatBy,
	})
	opRepeatBy.Ref = named("numpy.repeat", "torch.repeat_interleave", "jax.numpy.repeat", "", "",
		func(e *graph.Example) node {
			return e.Several(RepeatInterleaveBy(
				e.Of("x", "n", "k"), 0, e.As(graph.Int64, "index", "n"), e.Shape("n", "m").NumElements(), num(0)))
		})
}

func expandRepeatBy(n *graph.Node, in []*graph.Node) *graph.Node {
	a, x, g := n.Attrs().(RepeatByAttrs), in[0], n.Graph()
	axis := countedFromZero([]int{a.Axis}, x.Rank())[0]
	// Where the copies of a slice end, the next one begins: a place belongs to the slice behind all ends up to it, and
	// one behind all of them to the fill.
	ends, _ := endsOf(in[1], a.Size)
	fill := slices.Clone(x.Shape())
	fill[axis] = 1
	return Take(Concat(axis, x, Expand(in[2], fill...)), axis, Bucketize(Iota(g, 0, a.Size), ends, true))
}

// endsOf returns the sums of counts up to each one, and that of all, which is no more than the given size.
func endsOf(counts node, size graph.Dim) (ends, total node) {
	counts = Cast(counts, graph.Int64)
	counts = Assert(counts, GreaterEqual(counts, num64(0)), "a count must not be negative")
	total = Sum(counts)
	total = Assert(total, LessEqual(total, Size(counts.Graph(), graph.Int64, size)),
		fmt.Sprintf("there are more slices than the given size, %s", size))
	return Minimum(CumSum(counts, 0), total), total // the sums are no more than the total, which is what is checked
}

// RepeatInterleaveBy repeats each slice of x along an axis by its own count, and also returns the number of slices,
// an Int64 scalar. The counts are a vector, Int32 or Int64, of the axis's size. In the result the axis has the given
// size, padded with fill, a number or a scalar of x's dtype. If there are more slices, or a count is negative, the
// run stops with an error. The gradient of a slice is the sum of those of its copies. It is torch.repeat_interleave
// with a tensor of repeats.
func RepeatInterleaveBy(x *graph.Node, axis int, counts *graph.Node, size graph.Dim, fill *graph.Node) (repeated,
	count *graph.Node) {
	defer building("RepeatInterleaveBy", x, axis, counts, size, fill)()
	repeated = Apply(opRepeatBy, RepeatByAttrs{axis, size}, x, counts, filling(x, fill))
	if !repeated.Judged() || repeated.Err() != nil {
		return repeated, repeated
	}
	_, count = endsOf(counts, size)
	return repeated, count
}

// filling returns what stands where there is no element of x: a number in x's dtype.
func filling(x, fill node) node {
	if _, isNumber := fill.Literal(); isNumber && x != nil && x.Judged() && x.Graph() != nil {
		return x.Graph().Convert(fill, x.DType())
	}
	return fill
}
