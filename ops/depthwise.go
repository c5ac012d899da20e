package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// opDepthwiseConv is a convolution of each channel with a filter of its own, and opDepthwiseFilters is its gradient for
// the filters. As products of matrices they have one row for each channel; they are faster as sums of elementwise
// products, one for each number of a filter.
var opDepthwiseConv, opDepthwiseFilters *graph.Op

// depthwiseAttrs are the fixed arguments of both: steps and dilation along each axis, how far apart the elements of x
// lie on it, and how many zeros are before and after them.
type depthwiseAttrs struct {
	Stride, Dilation, Spread []int
	Before, After            []graph.Dim
}

// depthwiseFilterAttrs are those of opDepthwiseFilters, and the shape of the filters.
type depthwiseFilterAttrs struct {
	depthwiseAttrs
	Shape graph.Shape
}

const (
	// mostDepthwiseTaps is the most numbers of a filter that sums are written out for.
	mostDepthwiseTaps = 64
	// Rows of so many places are long enough for vectors. Shorter ones are computed with the channels last, where there
	// are so many of these.
	longDepthwiseRow, manyDepthwiseChannels = 24, 8
	// mostFewDepthwise places of all images, seen and given, are few.
	mostFewDepthwise = 49
)

func init() {
	opDepthwiseConv = &graph.Op{Name: "depthwise_conv", Func: "DepthwiseConv",
		Doc:   "a convolution of each channel with a filter of its own.",
		Class: graph.Composite, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), c.Attrs().(depthwiseAttrs).places(c.Shape(0), c.Shape(1)[2:])
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a, shape, w := n.Attrs().(depthwiseAttrs), n.Shape(), in[1]
			filters := Reshape(w, w.Shape()[0], 1, w.Shape()[2:].NumElements())
			return Reshape(MatMul(filters, a.windows(in[0], w.Shape()[2:], shape[2:])), shape...)
		},
		Faster: fasterDepthwiseConv,
		Grad:   depthwiseConvGrad,
	}
	opDepthwiseFilters = &graph.Op{Name: "depthwise_filters", Func: "DepthwiseFilters",
		Doc:   "the gradient of a convolution of each channel for the filters.",
		Class: graph.Composite, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), slices.Clone(c.Attrs().(depthwiseFilterAttrs).Shape)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a, dy := n.Attrs().(depthwiseFilterAttrs), in[1]
			windows := a.windows(in[0], a.Shape[2:], dy.Shape()[2:])
			dy = Reshape(dy, dy.Shape()[0], dy.Shape()[1], 1, dy.Shape()[2:].NumElements())
			return Reshape(Sum(MatMul(dy, Transpose(windows, 2, 3)), 0), a.Shape...)
		},
		Faster: fasterDepthwiseFilters,
		Grad: func(n, dw *graph.Node, i int) *graph.Node {
			x, dy, a := n.In(0), n.In(1), n.Attrs().(depthwiseFilterAttrs).depthwiseAttrs
			if i == 0 {
				return a.back(dy, dw, x.Shape())
			}
			return Apply(opDepthwiseConv, a, x, dw)
		},
	}
}

// depthwiseConv is the convolution of x [N, C, …] with w [C·m, 1, …], where that is one of each channel, with filters
// of few numbers.
func depthwiseConv(x, w node, a ConvAttrs) (y node, can bool) {
	filters, known := w.Shape()[0].Int()
	taps, bound := w.Shape()[2:].NumElements().Int()
	if !known || !bound || taps > mostDepthwiseTaps || a.Groups < 2 || w.Shape()[1] != 1 || !x.DType().IsFloat() {
		return nil, false
	}
	for i, size := range w.Shape()[2:] {
		if _, isNumber := x.Shape()[2+i].Int(); !isNumber && a.Stride[i] != 1 && size.Minus(1).Times(
			graph.Dim(a.Dilation[i])) < graph.Dim(a.Padding[i]) {
			return nil, false // how many zeros come after the gradient is a remainder, or less than none
		}
	}
	if m := int(filters) / a.Groups; m > 1 {
		x = RepeatInterleave(x, 1, graph.Dim(m))
	}
	d := depthwiseAttrs{Stride: a.Stride, Dilation: a.Dilation, Spread: slices.Repeat([]int{1}, len(a.Stride)),
		Before: graph.MakeShape(a.Padding...), After: graph.MakeShape(a.Padding...)}
	wide, round := computedWide(x, w)
	return round(Apply(opDepthwiseConv, d, wide...)), true
}

func depthwiseConvGrad(n, dy *graph.Node, i int) *graph.Node {
	x, w, a := n.In(0), n.In(1), n.Attrs().(depthwiseAttrs)
	if i == 0 {
		return a.back(dy, w, x.Shape())
	}
	return Apply(opDepthwiseFilters, depthwiseFilterAttrs{a, w.Shape()}, x, dy)
}

// back is the gradient for x: a convolution of dy, spread by the steps, with the filters turned round.
func (a depthwiseAttrs) back(dy, w node, x graph.Shape) node {
	b := depthwiseAttrs{Stride: a.Spread, Dilation: a.Dilation, Spread: a.Stride}
	var axes, longer []int
	known := prove.NewProver(dy.Graph().Bounds)
	for i, size := range w.Shape()[2:] {
		axes = append(axes, 2+i)
		b.Before = append(b.Before, rules.WindowExtent(size, a.Dilation[i]).Minus(1).Minus(a.Before[i]))
		b.After = append(b.After, spacedLength(x[2+i], a.Spread[i]).Plus(a.Before[i]).Minus(
			spacedLength(dy.Shape()[2+i], a.Stride[i])))
		if known.AtLeast(x[2+i], 1) != prove.Proved { // no filter fits where there is no element: one more is computed
			b.After[i] = b.After[i].Plus(graph.Dim(a.Spread[i]))
			longer = append(longer, 2+i)
		}
	}
	dx := Apply(opDepthwiseConv, b, dy, Flip(w, axes...))
	for _, axis := range longer {
		dx = Slice(dx, axis, 0, x[axis], 1)
	}
	return dx
}

// padded is x with zeros between and around its elements along the axes from the first on, in memory of its own where
// copied says so.
func (a depthwiseAttrs) padded(x node, first int, copied bool) node {
	before := x
	for i, spread := range a.Spread {
		if spread != 1 {
			x = Apply(opPad, PadAttrs{Axis: first + i, Step: spread}, x)
		}
		if a.Before[i] != 0 || a.After[i] != 0 {
			x = Pad(x, first+i, a.Before[i], a.After[i], 0)
		}
	}
	if copied && x == before {
		return Copy(x)
	}
	return x
}

// windows are those of all places, as columns: [N, C, numbers of a filter, places].
func (a depthwiseAttrs) windows(x node, kernel, places graph.Shape) node {
	none := make([]int, len(kernel))
	windows := slide(a.padded(x, 2, false), kernel, rules.Steps{Stride: a.Stride, Dilation: a.Dilation, Padding: none},
		graph.MakeShape(none...), 0)
	return Reshape(windows, x.Shape()[0], x.Shape()[1], kernel.NumElements(), places.NumElements())
}

// hasChannelsLast reports whether sums are computed with the channels last: rows are too short for vectors, or not of
// neighbouring elements.
func (a depthwiseAttrs) hasChannelsLast(y node) bool {
	last := len(a.Stride) - 1
	channels, known := y.Shape()[1].Int()
	width, bound := y.Shape()[2+last].Int()
	return known && channels >= manyDepthwiseChannels &&
		(a.Stride[last] != 1 || a.Spread[last] != 1 || bound && width < longDepthwiseRow)
}

// hasFewPlaces reports whether images have so few places that other convolutions of them leave and read the channels
// last: see hasFewPlaces.
func (a depthwiseAttrs) hasFewPlaces(x, y node) bool {
	channels, known := x.Shape()[1].Int()
	if !known || channels < leastFewFilters {
		return false
	}
	for _, v := range []node{x, y} {
		if places, known := v.Shape().NumElements().Int(); !known || places > mostFewDepthwise*channels {
			return false
		}
	}
	return true
}

// taps are what the numbers of a filter multiply at all places, in the order of the filter: [N, C, places…], or [N,
// places…, C].
func (a depthwiseAttrs) taps(x node, kernel graph.Shape, channelsLast bool) []node {
	first, axis := 2, 2+len(kernel) // of the places, and of what windows show
	if channelsLast {
		first, x = 1, MoveAxis(x, 1, -1)
	}
	x = a.padded(x, first, channelsLast)
	for i, size := range kernel {
		x = Window(x, first+i, size, a.Stride[i], a.Dilation[i])
	}
	taps := []node{x}
	for _, size := range kernel {
		count, _ := size.Int()
		var parts []node
		for _, t := range taps {
			for k := range count {
				parts = append(parts, Select(t, axis, graph.Dim(k)))
			}
		}
		taps = parts
	}
	return taps
}

func fasterDepthwiseConv(n *graph.Node, in []*graph.Node, isFixed []bool) *graph.Node {
	a, shape := n.Attrs().(depthwiseAttrs), in[1].Shape()
	if w, b, fewer := a.onlySeen(in[0], in[1], n.Shape()[2:]); fewer {
		return Apply(opDepthwiseConv, b, in[0], w)
	}
	if a.areImages(in[0], shape[2:]) && !(isFixed[1] && a.hasFewPlaces(in[0], n)) {
		x := imageOf(in[0])
		return Reshape(Apply(opDepthwiseImages, a.withRows(), x, filtersOf(in[1], x)), n.Shape()...)
	}
	last := a.hasChannelsLast(n) || isFixed[1] && a.hasFewPlaces(in[0], n)
	filters := Reshape(in[1], shape[0], shape[2:].NumElements())
	// axis and shape
	number, factor := 1, append(graph.Shape{shape[0]}, slices.Repeat([]graph.Dim{1}, len(a.Stride))...)
	if last {
		filters, number, factor = Copy(Transpose(filters, 0, 1)), 0, factor[:1]
	}
	var y node
	for i, x := range a.taps(in[0], shape[2:], last) {
		if product := Mul(x, Reshape(Select(filters, number, graph.Dim(i)), factor...)); y == nil {
			y = product
		} else {
			y = Add(y, product)
		}
	}
	if last {
		return Copy(MoveAxis(y, -1, 1))
	}
	return y
}

func fasterDepthwiseFilters(n *graph.Node, in []*graph.Node, _ []bool) *graph.Node {
	a, dy := n.Attrs().(depthwiseFilterAttrs), in[1]
	if a.areImages(in[0], a.Shape[2:]) && !slices.Contains(a.Spread, 2) {
		images := depthwiseFilterAttrs{a.withRows(), withRow(a.Shape)}
		dw := Apply(opDepthwiseImagesFilters, images, imageOf(in[0]), imageOf(dy))
		if in[0].Shape()[0] != 1 {
			dw = Sum(dw, 0)
		}
		return Reshape(dw, n.Shape()...)
	}
	last := a.hasChannelsLast(dy)
	over := []Axis{0}
	for i := range a.Stride {
		over = append(over, Axis(2+i))
	}
	if last {
		dy = Copy(MoveAxis(dy, 1, -1))
		for i := range a.Stride {
			over[1+i]--
		}
	}
	var sums []node
	for _, x := range a.taps(in[0], a.Shape[2:], last) {
		sums = append(sums, Sum(Mul(dy, x), over...))
	}
	return Reshape(Stack(1, sums...), n.Shape()...)
}
