package ops

import (
	"github.com/broadloom/broadloom/graph"
)

// opPlainConv is a convolution without strides, groups and bias, whose gradient for x is one too: of dy, with the
// weights turned round and their channels exchanged. What the product of transposed weights with dy would leave, a window
// for each place, is in no memory, and is not added up window by window.
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
		Faster: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a := n.Attrs().(ConvAttrs)
			if sizes, pays := winogradOf(in[0], in[1], a); pays {
				return winograd(in[0], in[1], a, sizes)
			}
			return nil
		},
		Grad: plainConvGrad,
	}
}

// fewestChannels is the number of channels from which on the gradient was measured to be faster as a convolution: they are
// the rows of its product, of which fewer do not fill tiles.
const fewestChannels = 16

// hasConvolvedGradient reports whether the gradient of a convolution for x is best a convolution: if it has steps of one,
// as much padding as keeps x no larger than the result, of which each place costs a window, and no more weights than windows to
// be put back, as the weights are copied to be turned round.
func hasConvolvedGradient(x, w node, a ConvAttrs, places graph.Dim) bool {
	if a.Groups != 1 || !x.DType().IsFloat() {
		return false
	}
	for i, k := range w.Shape()[2:] {
		size, known := k.Int()
		reach := a.Dilation[i] * (int(size) - 1)
		if !known || a.Stride[i] != 1 || a.Padding[i] > reach || 2*a.Padding[i] < reach {
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
	padding, axes := make([]int, len(a.Stride)), make([]int, len(a.Stride))
	for j, k := range w.Shape()[2:] {
		size, _ := k.Int()
		padding[j], axes[j] = a.Dilation[j]*(int(size)-1)-a.Padding[j], 2+j
	}
	back := a
	back.Padding = padding
	return Apply(opPlainConv, back, dy, Flip(Transpose(w, 0, 1), axes...))
}
