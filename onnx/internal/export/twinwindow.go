package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/ops"
)

// batched gives an example without a batch an axis for one, and tells whether it did.
func (e *exporter) batched(x *value, axes int) (*value, bool) {
	if len(x.shape) != axes+1 {
		return x, false
	}
	return e.unsqueeze(x, []int{0}), true
}

// unbatched takes the axis away that batched has added.
func (e *exporter) unbatched(y *value, single bool) *value {
	if single {
		return e.squeeze(y, []int{0})
	}
	return y
}

// withBatch is the shape of a result with an axis for the batch.
func withBatch(shape graph.Shape, single bool) graph.Shape {
	if single {
		return append(graph.Shape{1}, shape...)
	}
	return shape
}

// twice lists what is padded before axes, and then the same behind them.
func twice(list []int) []int { return slices.Concat(list, list) }

// kernelOf returns the sizes of weights behind two axes, if they are numbers above 0.
func kernelOf(w *value) (kernel []int, ok bool) {
	for _, d := range w.shape[2:] {
		n, static := d.Int()
		if !static || n == 0 {
			return nil, false
		}
		kernel = append(kernel, int(n))
	}
	return kernel, true
}

// conv is a convolution. Its weights have numbers as sizes.
func (e *exporter) conv(n *graph.Node, in []*value) *value {
	a := attrsOf[ops.ConvAttrs](n)
	kernel, ok := kernelOf(in[1])
	if !ok || a.Groups < 1 {
		return nil
	}
	x, single := e.batched(in[0], len(kernel))
	t := tensor{graph.Float32, withBatch(e.typeOf(n).shape, single)}
	y := e.apply("Conv", t, attrs{
		attrInts("kernel_shape", kernel), attrInts("strides", a.Stride), attrInts("pads", twice(a.Padding)),
		attrInts("dilations", a.Dilation), attrInt("group", a.Groups),
	}, append([]*value{x}, in[1:]...)...)
	return e.unbatched(y, single)
}

// convTranspose is a transposed convolution.
func (e *exporter) convTranspose(n *graph.Node, in []*value) *value {
	a := attrsOf[ops.ConvAttrs](n)
	kernel, ok := kernelOf(in[1])
	if !ok || a.Groups < 1 {
		return nil
	}
	x, single := e.batched(in[0], len(kernel))
	t := tensor{graph.Float32, withBatch(e.typeOf(n).shape, single)}
	list := attrs{
		attrInts("kernel_shape", kernel), attrInts("strides", a.Stride), attrInts("pads", twice(a.Padding)),
		attrInts("dilations", a.Dilation), attrInt("group", a.Groups),
	}
	if slices.ContainsFunc(a.OutputPadding, func(n int) bool { return n != 0 }) {
		list = append(list, attrInts("output_padding", a.OutputPadding))
	}
	return e.unbatched(e.apply("ConvTranspose", t, list, append([]*value{x}, in[1:]...)...), single)
}

// maxPool is the greatest element of each window. ONNX leaves open what becomes of NaN.
func (e *exporter) maxPool(n *graph.Node, in []*value) *value { return e.pool("MaxPool", n, in) }

// avgPool is the mean of each window.
func (e *exporter) avgPool(n *graph.Node, in []*value) *value {
	return e.pool("AveragePool", n, in, attrFlag("count_include_pad", !attrsOf[ops.PoolAttrs](n).ExcludePadding))
}

// pool is an operator on windows. A last window that reaches beyond the padding is counted otherwise in ONNX.
func (e *exporter) pool(op string, n *graph.Node, in []*value, more ...*wire.Attribute) *value {
	a := attrsOf[ops.PoolAttrs](n)
	if a.Ceil {
		return nil
	}
	x, single := e.batched(in[0], len(a.Kernel))
	t := tensor{graph.Float32, withBatch(e.typeOf(n).shape, single)}
	list := attrs{attrInts("kernel_shape", a.Kernel), attrInts("strides", a.Stride), attrInts("pads", twice(a.Padding)),
		attrInts("dilations", a.Dilation)}
	return e.unbatched(e.apply(op, t, append(list, more...), x), single)
}
