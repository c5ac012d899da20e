package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opMaskedScatter, opCompress *graph.Op

// CompressAttrs are the fixed arguments of Compress: the first axis of the mask, negative from the end of the result,
// and the maximum number of slices.
type CompressAttrs struct {
	Axis int
	Size graph.Dim
}

func init() {
	opMaskedScatter = define(graph.Op{
		Name: "masked_scatter", Func: "MaskedScatter",
		Doc:   "x, or the next element of src where the mask holds; too few of them stop the run.",
		Class: graph.Composite, Storage: true, MinIn: 3, MaxIn: 3,
		Infer:  func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), rules.MaskedScatter(c) },
		Expand: expandMaskedScatter,
	})
	opMaskedScatter.Ref = named("numpy.place", "torch.masked_scatter", "jax.numpy.place", "", "",
		func(e *graph.Example) node {
			return MaskedScatter(e.Of("x", "n", "k"), e.As(graph.Bool, "mask", "n", "k"), e.Of("src", "n", "k"))
		})
	opCompress = define(graph.Op{
		Name: "compress", Func: "Compress",
		Doc:   "the slices along axes where a mask holds, in order, and their number.",
		Class: graph.Composite, Storage: true, MinIn: 3, MaxIn: 3,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(CompressAttrs)
			return c.DType(0), rules.Compress(c, a.Axis, a.Size)
		},
		Expand: expandCompress,
	})
	opCompress.Ref = named("numpy.compress", "torch.Tensor.__getitem__", "jax.numpy.compress", "Compress", "",
		func(e *graph.Example) node {
			return e.Several(Compress(e.Of("x", "n", "k"), 0, e.As(graph.Bool, "mask", "n"), e.Shape("m")[0], num(0)))
		})
	composed("MaskedSelect", "the elements where a mask holds, in order, and their number.",
		named("numpy.extract", "torch.masked_select", "jax.numpy.extract", "Compress", "", func(e *graph.Example) node {
			return e.Several(MaskedSelect(e.Of("x", "n"), e.As(graph.Bool, "mask", "n"), e.Shape("m")[0], num(0)))
		}))
	composed("Nonzero", "the places of the elements that are not 0, in order, and how many there are.",
		flat(flatBetweenJumps, "numpy.argwhere", "torch.nonzero, torch.argwhere, torch.nonzero_static",
			"jax.numpy.argwhere", "NonZero", "", func(e *graph.Example) node {
				return e.Several(Nonzero(e.Of("x", "n", "k"), e.Shape("n", "k").NumElements(), num(0)))
			}))
	composed("LengthMask", "true at the places before each length: which elements of padded sequences count.",
		flat(flatBetweenJumps, "", "", "", "", "", func(e *graph.Example) node {
			return LengthMask(e.As(graph.Int64, "lengths", "n"), e.Shape("m")[0])
		}))
}

func expandMaskedScatter(n *graph.Node, in []*graph.Node) *graph.Node {
	x, mask, count := Expand(in[0], n.Shape()...), Expand(in[1], n.Shape()...), n.Shape().NumElements()
	src := Reshape(in[2], in[2].Shape().NumElements())
	holds, room := Reshape(mask, count), Size(src.Graph(), graph.Int64, src.Shape()[0])
	next := Sub(CumSum(Cast(holds, graph.Int64), 0), num64(1))
	next = Assert(next, Less(next, room), "Number of elements of source < number of ones in mask")
	next = Where(holds, next, room)
	picked := Take(Concat(0, src, Zeros(src.Graph(), src.DType(), 1)), 0, next)
	return Where(mask, Reshape(picked, n.Shape()...), x)
}

// heldPlaces returns the places at which a mask, a vector, holds, in order, and how many there are. Behind
// them stands the size of the mask.
func heldPlaces(mask node, size graph.Dim) (places, count node) {
	g, n := mask.Graph(), mask.Shape()[0]
	held, room := Cast(mask, graph.Int64), Size(g, graph.Int64, size)
	count = heldCount(held, size)
	rank := Where(mask, Minimum(Sub(CumSum(held, 0), num64(1)), room), room)
	places = Slice(SegmentMin(Iota(g, 0, n), 0, rank, size.Plus(1)), 0, 0, size, 1)
	return Where(Less(Iota(g, 0, size), count), places, Size(g, graph.Int64, n)), count
}

func expandCompress(n *graph.Node, in []*graph.Node) *graph.Node {
	a, x, mask := n.Attrs().(CompressAttrs), in[0], in[1]
	axis := countedFromZero([]int{a.Axis}, n.Rank())[0]
	count := mask.Shape().NumElements()
	places, _ := heldPlaces(Reshape(mask, count), a.Size)
	joined := slices.Replace(slices.Clone(x.Shape()), axis, axis+mask.Rank(), count)
	behind := slices.Clone(joined)
	behind[axis] = 1
	return Take(Concat(axis, Reshape(x, joined...), Expand(in[2], behind...)), axis, places)
}

// wrongFill is the mistake of a value with which elements of a dtype cannot be filled, or nil.
func wrongFill(fill node, t graph.DType) *graph.Mistake {
	if _, isNumber := fill.Literal(); isNumber || fill.Rank() == 0 && fill.DType() == t {
		return nil
	}
	return &graph.Mistake{Code: graph.CodeOperand,
		Summary: fmt.Sprintf("the fill must be a number or a scalar of dtype %s, but %s is not", t, fill.Called())}
}

// withFill is a vector with the fill behind it, or a matrix with a row of it.
func withFill(x, fill node) node {
	shape := append(graph.Shape{1}, x.Shape()[1:]...)
	return Concat(0, x, Expand(x.Graph().Convert(fill, x.DType()), shape...))
}

// MaskedScatter returns x with the elements of src written, in order, to the positions where the mask is true. x and
// the mask, a Bool, broadcast; src has x's dtype. If src has too few elements, the run stops. Elements that are left
// over are ignored, and their gradient is 0. It is torch.masked_scatter.
func MaskedScatter(x, mask, src *graph.Node) *graph.Node {
	return Apply(opMaskedScatter, nil, x, mask, src)
}

// MaskedSelect returns the elements of x where the mask is true, in row-major order, and their number, an Int64
// scalar. The mask is a Bool that broadcasts with x. The elements are a vector of the given size, padded with fill, a
// number or a scalar of x's dtype. If there are more elements, the run stops. It is torch.masked_select.
func MaskedSelect(x, mask *graph.Node, size graph.Dim, fill *graph.Node) (values, count *graph.Node) {
	defer building("MaskedSelect", x, mask, size, fill)()
	call := refused("MaskedSelect", x, mask, fill).with(size)
	if mask != nil && mask.Judged() && mask.DType() != graph.Bool {
		bad := refusal(call,
			&graph.Mistake{Code: graph.CodeDType, Casts: cast(mask, graph.Bool), Summary: "masked_select: expected BoolTensor for mask"})
		return bad, bad
	}
	if choosesSlices(x, mask) {
		bad := refusal(call,
			&graph.Mistake{Code: graph.CodeBroadcast,
				Summary: fmt.Sprintf(
					"the mask, of shape %s, matches the first axes of %s, of shape %s: it selects slices, not elements",
					mask.Shape(), x.Called(), x.Shape()),
				Help: []string{fmt.Sprintf("Compress(%s, 0, %s, size, fill) gives the slices", x.Called(),
					mask.Called())}})
		return bad, bad
	}
	both := Where(mask, x, x) // for its shape
	if !both.Judged() || both.Err() != nil || fill == nil || !fill.Judged() {
		bad := refusal(call, nil)
		return bad, bad
	}
	if m := wrongFill(fill, x.DType()); m != nil {
		bad := refusal(call, m)
		return bad, bad
	}
	n := both.Shape().NumElements()
	places, count := heldPlaces(Reshape(Expand(mask, both.Shape()...), n), size)
	return Take(withFill(Reshape(Expand(x, both.Shape()...), n), fill), 0, places), count
}

// LengthMask returns which of size places come before each of some lengths, integers of any shape, as Bool [shape of
// lengths…, size]: true for the elements of a sequence, and false for the padding behind it. A length of 0 or less has
// none, and one above size all.
func LengthMask(lengths *graph.Node, size graph.Dim) *graph.Node {
	defer building("LengthMask", lengths, size)()
	call := refused("LengthMask", lengths).with(size)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if !lengths.DType().IsInt() {
		return call.wrongDType(cast(lengths, graph.Int64), "lengths are integers, and %s is %s", lengths.Called(), lengths.DType())
	}
	shape := make(graph.Shape, lengths.Rank()+1)
	for i := range shape {
		shape[i] = 1
	}
	shape[lengths.Rank()] = size
	places := Iota(lengths.Graph(), -1, shape...)
	if lengths.DType() == graph.Uint64 {
		places = Cast(places, graph.Uint64) // no dtype holds both
	}
	return Less(places, Unsqueeze(lengths, -1))
}

// heldCount returns how often a mask holds, which was made numbers: no more often than the given size says.
func heldCount(held node, size graph.Dim) node {
	count := Sum(held, AllAxes())
	return Assert(count, LessEqual(count, Size(held.Graph(), graph.Int64, size)),
		fmt.Sprintf("the mask is true for more elements than the given size, %s", size))
}

// choosesSlices reports whether a mask has the first axes of x and does not broadcast with x, as NumPy and PyTorch
// index by one.
func choosesSlices(x, mask node) bool {
	if x == nil || mask == nil || !x.Judged() || !mask.Judged() || mask.Rank() == 0 || mask.Rank() >= x.Rank() {
		return false
	}
	first, last := x.Shape()[:mask.Rank()], x.Shape()[x.Rank()-mask.Rank():]
	if !first.Equal(mask.Shape()) {
		return false
	}
	for axis, d := range first {
		if d != last[axis] && d != 1 && last[axis] != 1 {
			return true
		}
	}
	return false
}

// Compress returns the slices of x where the mask, a Bool, is true, in order, and their number, an Int64 scalar. The
// mask's axes match those of x from the given axis on. They are replaced by one axis of the given size, padded with
// fill, a number or a scalar of x's dtype. If there are more slices, the run stops with an error. Slices that are not
// selected have gradient 0. It is x[mask] in NumPy and PyTorch, and numpy.compress. To write slices back, as x[mask]
// = slices, use MaskedScatter(x, mask, slices), where the mask has axes of size 1 for those of a slice.
func Compress(x *graph.Node, axis int, mask *graph.Node, size graph.Dim, fill *graph.Node) (slices, count *graph.Node) {
	defer building("Compress", x, axis, mask, size, fill)()
	slices = Apply(opCompress, CompressAttrs{axis, size}, x, mask, filling(x, fill))
	if !slices.Judged() || slices.Err() != nil {
		return slices, slices
	}
	return slices, heldCount(Cast(mask, graph.Int64), size)
}

// Nonzero returns the indices of the elements of x that are not 0, in row-major order, and their number, an Int64
// scalar. NaN is not 0. The indices are Int64 [size, rank], with one element in each row, padded with fill, a number
// or an Int64 scalar. If there are more elements than size, the run stops. To index x with the result, pass the
// columns, separated by [Unbind], to [Index]. It is torch.nonzero.
func Nonzero(x *graph.Node, size graph.Dim, fill *graph.Node) (index, count *graph.Node) {
	defer building("Nonzero", x, size, fill)()
	call := refused("Nonzero", x, fill).with(size)
	if x == nil || fill == nil || !x.Judged() || !fill.Judged() {
		bad := refusal(call, nil)
		return bad, bad
	}
	if m := wrongFill(fill, graph.Int64); m != nil {
		bad := refusal(call, m)
		return bad, bad
	}
	g, n := x.Graph(), x.Shape().NumElements()
	places, count := heldPlaces(Reshape(Cast(x, graph.Bool), n), size)
	if x.Rank() == 0 {
		return Zeros(g, graph.Int64, size, 0), count
	}
	columns := make([]node, x.Rank())
	for axis, step := range rowMajorSteps(x.Shape()) {
		// Without elements sizes are 0, and divide nothing.
		column := Remainder(FloorDiv(places, atLeastOne(g, step)), atLeastOne(g, x.Shape()[axis]))
		columns[axis] = Where(Less(Iota(g, 0, size), count), column, g.Convert(fill, graph.Int64))
	}
	return Stack(1, columns...), count
}

func atLeastOne(g *graph.Graph, d graph.Dim) node {
	return Maximum(Size(g, graph.Int64, d), num64(1))
}
