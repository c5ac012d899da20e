package nn

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// convolution is the operation of a layer.
type convolution func(x, weight, bias *graph.Node, opts ...ops.ConvOption) *graph.Node

// Conv is a convolution, or a transposed one.
type Conv struct {
	declared
	Weighted             // [out, in/groups, …], of a transposed one [in, out/groups, …]
	Bias     *graph.Node // [out], or nil
	in       graph.Dim
	axes     int
	op       convolution
	opts     []ops.ConvOption
}

const convOptions = "Stride Padding Dilation Groups WeightInit BiasInit NoBias WeightNorm SpectralNorm DType"

// NewConv1D declares a convolution over [N, in, L] or [in, L] with windows of kernel elements: see [ops.Conv1D]. The
// parameters are name.weight, [out, in/groups, kernel], and name.bias, [out], as in PyTorch's Conv1d, with the same
// initial values: uniform between ±1/√(in/groups·kernel). Options are [Stride], [Padding], [SamePadding],
// [PaddingMode], [Dilation], [Groups], [WeightInit], [BiasInit], [NoBias], [WeightNorm], [SpectralNorm] and [DType].
func NewConv1D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, conv1D, name, graph.Dim(in), graph.Dim(out), kernel, opts)
}

// NewConv2D is [NewConv1D] over images, [N, in, H, W] or [in, H, W], with windows of kernel ×
// kernel elements. The weight is [out, in/groups, kernel, kernel].
func NewConv2D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, conv2D, name, graph.Dim(in), graph.Dim(out), kernel, opts)
}

// NewConv3D is [NewConv1D] over volumes, [N, in, D, H, W] or [in, D, H, W], with windows of kernel ×
// kernel × kernel elements. The weight is [out, in/groups, kernel, kernel, kernel].
func NewConv3D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, conv3D, name, graph.Dim(in), graph.Dim(out), kernel, opts)
}

// NewConvTranspose1D declares a transposed convolution, like PyTorch's ConvTranspose1d: see [ops.ConvTranspose1D].
// The weight is [in, out/groups, kernel]. Options are those of [NewConv1D], with [OutputPadding] instead of
// [SamePadding] and [PaddingMode].
func NewConvTranspose1D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, convTranspose1D, name, graph.Dim(in), graph.Dim(out), kernel, opts)
}

// NewConvTranspose2D is [NewConvTranspose1D] over images, with the weight
// [in, out/groups, kernel, kernel].
func NewConvTranspose2D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, convTranspose2D, name, graph.Dim(in), graph.Dim(out), kernel, opts)
}

// NewConvTranspose3D is [NewConvTranspose1D] over volumes, with the weight
// [in, out/groups, kernel, kernel, kernel].
func NewConvTranspose3D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, convTranspose3D, name, graph.Dim(in), graph.Dim(out), kernel, opts)
}

// convKind is one of the kinds of convolutions.
type convKind struct {
	name         string
	axes         int // of an image
	isTransposed bool
	op           convolution
}

var (
	conv1D          = convKind{"Conv1D", 1, false, ops.Conv1D}
	conv2D          = convKind{"Conv2D", 2, false, ops.Conv2D}
	conv3D          = convKind{"Conv3D", 3, false, ops.Conv3D}
	convTranspose1D = convKind{"ConvTranspose1D", 1, true, ops.ConvTranspose1D}
	convTranspose2D = convKind{"ConvTranspose2D", 2, true, ops.ConvTranspose2D}
	convTranspose3D = convKind{"ConvTranspose3D", 3, true, ops.ConvTranspose3D}
)

// options lists those that a convolution has.
func (k convKind) options() string {
	if k.isTransposed {
		return convOptions + " OutputPadding"
	}
	return convOptions + " SamePadding PaddingMode"
}

func newConv(g *graph.Graph, k convKind, name string, in, out graph.Dim, kernel int, opts []Option) *Conv {
	l := &Conv{axes: k.axes, op: k.op}
	l.declared = declare(g, k.name, name, opts, k.options(), func(s *settings) {
		in, out := s.size("in", in), s.size("out", out)
		l.in = in
		width := s.size("kernel", graph.Dim(kernel))
		shape := []graph.Dim{out, in}
		if k.isTransposed {
			slices.Reverse(shape)
		}
		divides := func(d graph.Dim) bool { return d.IsUnknown() || known(g, d)%s.groups == 0 }
		if s.groups < 1 || !divides(in) || !divides(out) {
			s.layer.refuse("the groups must divide the input channels and the output channels")
		} else if !shape[1].IsUnknown() {
			shape[1] = shape[1].DividedBy(graph.Dim(s.groups))
		}
		shape = append(shape, slices.Repeat([]graph.Dim{width}, k.axes)...)
		outputs := 0
		if k.isTransposed {
			outputs = 1
		}
		l.Weighted = s.newWeight(g, torchWeight(), outputs, shape...)
		l.Bias = s.newBias(g, l.shape(), out)
		l.opts = s.conv
	})
	return l
}

// isName reports whether an axis has a named size where a number is expected: it is then probably the batch, and an
// axis is missing.
func isName(have, want graph.Dim) bool { return have.IsSymbolic() && want.IsConst() }

// Apply takes x, [N, in, …] or one example, [in, …], and returns [N, out, …] or [out, …].
func (l *Conv) Apply(p *Pass, x *graph.Node) *graph.Node {
	form := "n in"
	if x != nil && x.Rank() == l.axes+1 && !isName(x.Shape()[0], l.in) {
		form = "in"
	}
	for range l.axes {
		form += " _"
	}
	return l.apply(p, argumentOf(x, form), map[string]graph.Dim{"in": l.in}, "", func(x []*graph.Node) *graph.Node {
		return l.op(x[0], l.WeightIn(p), l.Bias, l.opts...)
	})
}
