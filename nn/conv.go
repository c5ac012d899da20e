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

// NewConv1D declares a convolution over [N, in, L] or [in, L] with windows of kernel elements, with
// the parameters name.weight, [out, in/groups, kernel], and name.bias, [out], as PyTorch's Conv1d:
// see [ops.Conv1D]. They start as there, uniformly between ±1/√(in/groups·kernel). Options are
// [Stride], [Padding], [SamePadding], [PaddingMode], [Dilation], [Groups], [WeightInit], [BiasInit], [NoBias],
// [WeightNorm], [SpectralNorm] and [DType].
func NewConv1D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, "Conv1D", name, graph.Dim(in), graph.Dim(out), kernel, 1, ops.Conv1D, opts)
}

// NewConv2D is [NewConv1D] over images, [N, in, H, W] or [in, H, W], with windows of kernel ×
// kernel elements. The weight is [out, in/groups, kernel, kernel].
func NewConv2D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, "Conv2D", name, graph.Dim(in), graph.Dim(out), kernel, 2, ops.Conv2D, opts)
}

// NewConv3D is [NewConv1D] over volumes, [N, in, D, H, W] or [in, D, H, W], with windows of kernel ×
// kernel × kernel elements. The weight is [out, in/groups, kernel, kernel, kernel].
func NewConv3D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, "Conv3D", name, graph.Dim(in), graph.Dim(out), kernel, 3, ops.Conv3D, opts)
}

// NewConvTranspose1D declares a transposed convolution, as PyTorch's ConvTranspose1d: see
// [ops.ConvTranspose1D]. The weight is [in, out/groups, kernel]. Options are those of [NewConv1D],
// with [OutputPadding] instead of [SamePadding] and [PaddingMode].
func NewConvTranspose1D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, "ConvTranspose1D", name, graph.Dim(in), graph.Dim(out), kernel, 1, ops.ConvTranspose1D, opts)
}

// NewConvTranspose2D is [NewConvTranspose1D] over images, with the weight
// [in, out/groups, kernel, kernel].
func NewConvTranspose2D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, "ConvTranspose2D", name, graph.Dim(in), graph.Dim(out), kernel, 2, ops.ConvTranspose2D, opts)
}

// NewConvTranspose3D is [NewConvTranspose1D] over volumes, with the weight
// [in, out/groups, kernel, kernel, kernel].
func NewConvTranspose3D[In, Out Size](g *graph.Graph, name string, in In, out Out, kernel int, opts ...Option) *Conv {
	return newConv(g, "ConvTranspose3D", name, graph.Dim(in), graph.Dim(out), kernel, 3, ops.ConvTranspose3D, opts)
}

func newConv(g *graph.Graph, kind, name string, in, out graph.Dim, kernel, axes int, op convolution, opts []Option) *Conv {
	l := &Conv{axes: axes, op: op}
	transposed, has := kind[:5] == "ConvT", convOptions+" SamePadding PaddingMode"
	if transposed {
		has = convOptions + " OutputPadding"
	}
	l.declared = declare(g, kind, name, opts, has, func(s *settings) {
		in, out := s.size("in", in), s.size("out", out)
		l.in = in
		width := s.size("kernel", graph.Dim(kernel))
		shape := []graph.Dim{out, in}
		if transposed {
			slices.Reverse(shape)
		}
		divides := func(d graph.Dim) bool { return d.IsUnknown() || known(g, d)%s.groups == 0 }
		if s.groups < 1 || !divides(in) || !divides(out) {
			s.layer.refuse("the groups must divide the channels that go in and those that come out")
		} else if !shape[1].IsUnknown() {
			shape[1] = shape[1].DividedBy(graph.Dim(s.groups))
		}
		shape = append(shape, slices.Repeat([]graph.Dim{width}, axes)...)
		outputs := 0
		if transposed {
			outputs = 1
		}
		l.Weighted = s.newWeight(g, torchWeight(), outputs, shape...)
		l.Bias = s.newBias(g, l.Weight, out)
		l.opts = s.conv
	})
	return l
}

// isName reports whether an axis has a named size, and not the number that is wanted: examples of a batch then, of which
// an axis is missing.
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
