package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opConvTranspose1D, opConvTranspose2D, opConvTranspose3D *graph.Op

// transposedConvolution is the entry of the opposite of a convolution.
func transposedConvolution(name, fn string, axes int) *graph.Op {
	return define(graph.Op{
		Name: name, Func: fn,
		Doc:   "each element of x times the weights, added up where the windows of a convolution meet, plus a bias.",
		Class: graph.Composite, MinIn: 2, MaxIn: 3, Autocast: graph.AutocastLowers,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(ConvAttrs)
			if a.Mode != PadZeros {
				c.Fail(&graph.Mistake{Code: graph.CodeOperand,
					Summary: a.Mode.String() +
						" does not apply to a transposed convolution, whose padding removes elements of the result"})
			}
			return rules.ConvTranspose(c, axes, a.steps(), a.OutputPadding, a.Groups)
		},
		Expand: expandConvTranspose,
		Batch:  func(n node, in []node, mapped []bool) node { return overImages(n, in, mapped) },
	})
}

func init() {
	opConvTranspose1D = transposedConvolution("conv_transpose1d", "ConvTranspose1D", 1)
	opConvTranspose2D = transposedConvolution("conv_transpose2d", "ConvTranspose2D", 2)
	opConvTranspose3D = transposedConvolution("conv_transpose3d", "ConvTranspose3D", 3)
	opConvTranspose1D.Ref = named("", "torch.nn.functional.conv_transpose1d", "jax.lax.conv_transpose",
		"ConvTranspose", "",
		func(e *graph.Example) node {
			return ConvTranspose1D(e.Of("x", "n", "c", "8"), e.Of("w", "c", "d", "3"), e.Of("b", "d"), Stride(2))
		})
	opConvTranspose2D.Ref = named("", "torch.nn.functional.conv_transpose2d", "jax.lax.conv_transpose",
		"ConvTranspose", "",
		func(e *graph.Example) node {
			return ConvTranspose2D(e.Of("x", "n", "c", "8", "8"), e.Of("w", "c", "d", "3", "3"), e.Of("b", "d"),
				Stride(2))
		})
	opConvTranspose3D.Ref = named("", "torch.nn.functional.conv_transpose3d", "jax.lax.conv_transpose",
		"ConvTranspose", "",
		func(e *graph.Example) node {
			return ConvTranspose3D(e.Of("x", "n", "c", "4", "4", "4"), e.Of("w", "c", "d", "3", "3", "3"),
				e.Of("b", "d"), Stride(2))
		})
}

// expandConvTranspose makes the windows by a matrix product, with the groups as batches,
// puts them back, and cuts the padding off.
func expandConvTranspose(n *graph.Node, in []*graph.Node) *graph.Node {
	x, w, a := in[0], in[1], n.Attrs().(ConvAttrs)
	axes := len(a.Stride)
	shape := n.Shape()
	if single := x.Rank() == axes+1; single {
		x = Unsqueeze(x, 0)
		shape = slices.Insert(slices.Clone(shape), 0, 1)
	}
	if a.Groups == 1 && x.DType().IsFloat() {
		return Reshape(withBias(Apply(opConvBack, convBackAttrs{a, shape}, x, w), in), n.Shape()...)
	}
	kernel, windows := w.Shape()[2:], x.Shape()[2:]
	groups := graph.Dim(a.Groups)
	inputs, outputs := w.Shape()[0].FloorDiv(int64(a.Groups)), w.Shape()[1].Times(kernel.NumElements())
	weights := Transpose(Reshape(w, groups, inputs, outputs), 1, 2)
	columns := MatMul(weights, Reshape(x, shape[0], groups, inputs, windows.NumElements()))
	y := putBack(columns, kernel, windows, shape, a)
	return Reshape(withBias(y, in), n.Shape()...)
}

type outputPadding []int

func (o outputPadding) conv(a *ConvAttrs) { a.OutputPadding = slices.Clone(o) }

// OutputPadding adds elements at the end of each axis of the result of a transposed convolution. With a stride,
// inputs of several sizes give a convolution the same result size; this selects one of them. It must be less than the
// stride or the dilation.
func OutputPadding(elements ...int) ConvOption { return outputPadding(elements) }

// ConvTranspose1D is the adjoint of a convolution, which computes the gradient of [Conv1D]. x is [N, C, L] or [C, L],
// and the weights w are [C, O/groups, K]. The result is [N, O, (L-1)*stride - 2*padding + dilation*(K-1) + output
// padding + 1]. The bias b is [O] or nil. It is PyTorch's conv_transpose1d.
func ConvTranspose1D(x, w, b *graph.Node, opts ...ConvOption) *graph.Node {
	return convTranspose(opConvTranspose1D, 1, x, w, b, opts)
}

// ConvTranspose2D is [ConvTranspose1D] for images x, [N, C, H, W] or [C, H, W], with weights [C, O/groups, KH, KW].
func ConvTranspose2D(x, w, b *graph.Node, opts ...ConvOption) *graph.Node {
	return convTranspose(opConvTranspose2D, 2, x, w, b, opts)
}

// ConvTranspose3D is [ConvTranspose1D] for volumes x, [N, C, D, H, W] or [C, D, H, W], with weights [C, O/groups, KD,
// KH, KW].
func ConvTranspose3D(x, w, b *graph.Node, opts ...ConvOption) *graph.Node {
	return convTranspose(opConvTranspose3D, 3, x, w, b, opts)
}

func convTranspose(op *graph.Op, axes int, x, w, b node, opts []ConvOption) node {
	extra := ConvAttrs{}
	for _, o := range opts {
		if o != nil {
			o.conv(&extra)
		}
	}
	return convolve(op, axes, x, w, b, append(
		slices.Clip(opts), OutputPadding(forAxes(extra.OutputPadding, axes, 0)...)))
}
