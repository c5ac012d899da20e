package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// opPlainConv is a convolution without strides, groups and bias. It may be computed by tiles, and its gradient for x is one too, where
// that pays: of dy, with the weights turned round and their channels exchanged. What the product of transposed weights with dy would leave,
// a window for each place, is in no memory then, and is not added up window by window.
var opPlainConv *graph.Op

func init() {
	opPlainConv = &graph.Op{Name: "plain_conv", Func: "PlainConv", Doc: "a convolution with steps of one.", Class: graph.Composite, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			// Sizes were checked as those of the convolution. That there are channels was not: a gradient may have none.
			a, x, w := c.Attrs().(ConvAttrs), c.Shape(0), c.Shape(1)
			shape := graph.Shape{x[0], w[0]}
			for i, p := range a.Padding {
				k, _ := w[2+i].Int()
				shape = append(shape, x[2+i].Plus(graph.Dim(2*p-a.Dilation[i]*(int(k)-1))))
			}
			return c.DType(0), shape
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			shape := n.Shape()
			return Reshape(productOfWindows(in[0], in[1], n.Attrs().(ConvAttrs), shape[2:].NumElements()), shape...)
		},
		Faster: func(n *graph.Node, in []*graph.Node, isFixed []bool) *graph.Node {
			a := n.Attrs().(ConvAttrs)
			sizes, can := winogradOf(in[0], in[1], a)
			if !can || !sizes.pays(isFixed[1]) {
				return nil
			}
			return winograd(in[0], in[1], a, sizes)
		},
		Grad: plainConvGrad,
	}
}

// fewestChannels is the number of channels from which on the gradient was measured to be faster as a convolution: they are
// the rows of its product, of which fewer do not fill tiles.
const fewestChannels = 16

// isPlainConv reports whether a convolution, but for its bias, is a plain one, with filters of known sizes.
func isPlainConv(x, w node, a ConvAttrs) bool {
	return a.Groups == 1 && x.DType().IsFloat() && w.Shape()[2:].IsStatic() && !slices.ContainsFunc(a.Stride, func(step int) bool { return step != 1 })
}

// hasConvolvedGradient reports whether the gradient of a plain convolution for x is best a convolution: if it has
// as much padding as keeps x no larger than the result, of which each place costs a window, and no more weights than windows to
// be put back, as the weights are copied to be turned round.
func hasConvolvedGradient(x, w node, a ConvAttrs, places graph.Dim) bool {
	for i, k := range w.Shape()[2:] {
		size, known := k.Int()
		reach := a.Dilation[i] * (int(size) - 1)
		if !known || a.Padding[i] > reach || 2*a.Padding[i] < reach {
			return false
		}
	}
	channels, known := w.Shape()[1].Int()
	if known && channels < fewestChannels {
		return false
	}
	outputs, known := w.Shape()[0].Int()
	windows, bound := x.Shape()[0].Times(places).Int()
	return known && (!bound || outputs <= windows)
}

func plainConvGrad(n, dy *graph.Node, i int) *graph.Node {
	x, w, a := n.In(0), n.In(1), n.Attrs().(ConvAttrs)
	places := n.Shape()[2:].NumElements()
	if i == 1 {
		y := productOfWindows(x, w, a, places)
		return Reshape(matMulGrad(y, Reshape(dy, y.Shape()...), 0), w.Shape()...)
	}
	if !hasConvolvedGradient(x, w, a, places) {
		return putBack(productOfWindows(x, w, a, places), dy, x, a)
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

// putBack is the gradient for x of a product of weights with windows: what each window gets, put back in its place.
func putBack(product, dy, x node, a ConvAttrs) node {
	windows := product.In(1).In(0)
	dx := Reshape(matMulGrad(product, Reshape(dy, product.Shape()...), 1), windows.Shape()...)
	sizes := slices.Clone(x.Shape()[2:])
	for i, p := range a.Padding {
		sizes[i] = sizes[i].Plus(graph.Dim(2 * p))
	}
	dx = unslide(dx, sizes, a.steps())
	for i, p := range a.Padding {
		dx = Slice(dx, 2+i, graph.Dim(p), x.Shape()[2+i].Plus(graph.Dim(p)), 1)
	}
	return dx
}
