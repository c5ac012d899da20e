package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// opPlainConv is a convolution without groups and bias. With steps of one it may be computed by tiles, and its gradient
// for x is one too, where that pays: of dy, with the weights turned round and their channels exchanged. What the
// product of transposed weights with dy would leave, a window for each place, is in no memory then, and is not added up
// window by window.
//
// opPlainFilters is the gradient for the filters.
var opPlainConv, opPlainFilters *graph.Op

// plainFilterAttrs are the fixed arguments of opPlainFilters: those of the convolution, and the shape of the filters.
type plainFilterAttrs struct {
	ConvAttrs
	Shape graph.Shape
}

func init() {
	opPlainConv = &graph.Op{Name: "plain_conv", Func: "PlainConv", Doc: "a convolution without groups and bias.",
		Class: graph.Composite, MinIn: 2, MaxIn: 2, Batch: batchConv,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			// Sizes were checked as those of the convolution. That there are channels was not: a gradient may have
			// none.
			a, x, w := c.Attrs().(ConvAttrs), c.Shape(0), c.Shape(1)
			shape := graph.Shape{x[0], w[0]}
			for i, p := range a.Padding {
				shape = append(shape, rules.WindowCount(
					x[2+i].Plus(graph.Dim(2*p)), w[2+i], a.Stride[i], a.Dilation[i]))
			}
			return c.DType(0), shape
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			shape := n.Shape()
			return Reshape(productOfWindows(in[0], in[1], n.Attrs().(ConvAttrs), shape[2:].NumElements()), shape...)
		},
		Faster: func(n *graph.Node, in []*graph.Node, isFixed []bool) *graph.Node {
			a, places := n.Attrs().(ConvAttrs), n.Shape()[2:]
			if all, fewer := seenOf(in[0].Shape(), in[1].Shape(), places, a, !isFixed[1]); fewer {
				x, w, a := onlySeen(in[0], in[1], a, all)
				return Apply(opPlainConv, a, x, w)
			}
			if isFixed[1] && hasFewPlaces(in[0], in[1], places.NumElements()) {
				return productOfFilters(in[0], in[1], a, places)
			}
			if sizes, pays := winogradOf(in[0], in[1].Shape(), a, isFixed[1]); pays {
				return winograd(in[0], in[1], sizes)
			}
			if hasRaggedPlaces(in[0], in[1], places.NumElements()) {
				return productOfFilters(in[0], in[1], a, places)
			}
			return nil
		},
		Grad: plainConvGrad,
	}
	opPlainFilters = &graph.Op{Name: "plain_filters", Func: "PlainFilters",
		Doc:   "the gradient of a convolution for the filters.",
		Class: graph.Composite, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), slices.Clone(c.Attrs().(plainFilterAttrs).Shape)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a, x, dy := n.Attrs().(plainFilterAttrs), in[0], in[1]
			places := dy.Shape()[2:].NumElements()
			windows := windowsAsColumns(x, a.Shape, a.ConvAttrs, places)
			columns := allColumns(Reshape(dy, dy.Shape()[0], dy.Shape()[1], places))
			return Reshape(MatMul(columns, asMatrix(Transpose(windows, -1, -2))), a.Shape...)
		},
		Faster: func(n *graph.Node, in []*graph.Node, _ []bool) *graph.Node {
			a := n.Attrs().(plainFilterAttrs)
			if sizes, pays := winogradOf(in[0], a.Shape, a.ConvAttrs, false); pays {
				return winogradFilters(in[0], in[1], sizes)
			}
			return nil
		},
		Grad: func(n, dw *graph.Node, i int) *graph.Node {
			x, dy, a := n.In(0), n.In(1), n.Attrs().(plainFilterAttrs).ConvAttrs
			if i == 0 {
				return plainConvBack(x, dw, dy, a)
			}
			return Apply(opPlainConv, a, x, dw)
		},
	}
}

// plainConv is a convolution without groups, [N, O, …] in some shape.
func plainConv(x, w node, a ConvAttrs, places graph.Shape) node {
	if x.DType().IsFloat() && w.Shape()[2:].IsStatic() {
		return Apply(opPlainConv, a, x, w)
	}
	return productOfWindows(x, w, a, places.NumElements())
}

// fewestChannels is the number of channels from which on the gradient was measured to be faster as a convolution: they
// are the rows of its product, of which fewer do not fill tiles.
const fewestChannels = 16

// hasConvolvedGradient reports whether the gradient of a plain convolution for x is best a convolution: if x has hardly
// more places than the result, as each costs a window, and no more weights than windows to be put back, as the weights
// are copied to be turned round.
func hasConvolvedGradient(x, w node, a ConvAttrs, places graph.Dim) bool {
	for i, k := range w.Shape()[2:] {
		size, known := k.Int()
		if !known || a.Stride[i] != 1 || a.Padding[i] > a.Dilation[i]*(int(size)-1) {
			return false
		}
	}
	return hasFewMorePlaces(x, w, a, places) && hasFewWeights(w.Shape()[1], w.Shape()[0], x.Shape()[0], places)
}

// putBackOutputs is how much putting back one number of a window costs beside a product's work for it, which is one for
// each channel of the result, as measured on images. Along a single axis windows are put back in long rows, for next to
// nothing.
const putBackOutputs = 24

// hasFewMorePlaces reports whether windows at all places of x cost no more than those at the places of the result and
// putting these back.
func hasFewMorePlaces(x, w node, a ConvAttrs, places graph.Dim) bool {
	all, known := x.Shape()[2:].NumElements().Int()
	few, alsoKnown := places.Int()
	outputs, told := w.Shape()[0].Int()
	if known && alsoKnown && told && len(a.Stride) > 1 {
		return (all-few)*outputs <= few*putBackOutputs
	}
	for i, k := range w.Shape()[2:] {
		if size, _ := k.Int(); 2*a.Padding[i] < a.Dilation[i]*(int(size)-1) {
			return false
		}
	}
	return true
}

func plainConvGrad(n, dy *graph.Node, i int) *graph.Node {
	x, w, a := n.In(0), n.In(1), n.Attrs().(ConvAttrs)
	if i == 1 {
		return Apply(opPlainFilters, plainFilterAttrs{a, w.Shape()}, x, dy)
	}
	return plainConvBack(x, w, dy, a)
}

// plainConvBack is the gradient for x.
func plainConvBack(x, w, dy node, a ConvAttrs) node {
	places := dy.Shape()[2:].NumElements()
	if !hasConvolvedGradient(x, w, a, places) {
		return Apply(opConvBack, convBackAttrs{a, x.Shape()}, dy, w)
	}
	padding, axes := make([]int, len(a.Stride)), make([]int, len(a.Stride))
	for j, k := range w.Shape()[2:] {
		size, _ := k.Int()
		padding[j], axes[j] = a.Dilation[j]*(int(size)-1)-a.Padding[j], 2+j
	}
	back := a
	back.Padding = padding
	return Apply(opPlainConv, back, dy, Flip(Transpose(w, 0, 1), axes...))
}
