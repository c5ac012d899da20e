package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opConv1D, opConv2D, opConv3D *graph.Op

// ConvAttrs are the fixed arguments of convolutions. The first three have one number for each spatial axis.
type ConvAttrs struct {
	Stride, Padding, Dilation []int
	// OutputPadding is used by transposed convolutions only, and is nil otherwise.
	OutputPadding []int
	Groups        int
	// Mode is PadZeros in every node: other modes pad the operand in a node of its own.
	Mode PaddingMode
}

// GroupCount returns the number of groups of channels.
func (a ConvAttrs) GroupCount() int { return a.Groups }

func (a ConvAttrs) steps() rules.Steps {
	return rules.Steps{Stride: a.Stride, Padding: a.Padding, Dilation: a.Dilation}
}

// Args writes the options; operands without a bias are written with nil.
func (a ConvAttrs) Args(operands []string) []string {
	if len(operands) == 2 {
		operands = append(operands, "nil")
	}
	operands = stepWords(operands, a.steps(), []int{1})
	if slices.ContainsFunc(a.OutputPadding, func(n int) bool { return n != 0 }) {
		operands = append(operands, "OutputPadding("+strings.Join(after(nil, axisWords(a.OutputPadding)...), ", ")+")")
	}
	if a.Groups != 1 {
		operands = append(operands, fmt.Sprintf("Groups(%d)", a.Groups))
	}
	return operands
}

// convolution is the entry of a convolution over the last axes.
func convolution(name, fn string, axes int) *graph.Op {
	return define(graph.Op{
		Name: name, Func: fn,
		Doc:   "the sum of weights times elements over every window and all channels of a group, plus a bias.",
		Class: graph.Composite, MinIn: 2, MaxIn: 3, Autocast: graph.AutocastLowers,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(ConvAttrs)
			if a.OutputPadding != nil {
				c.Fail(&graph.Mistake{Code: graph.CodeOperand, Summary: "OutputPadding is for transposed convolutions"})
			}
			return rules.Conv(c, axes, a.steps(), a.Groups)
		},
		Expand: expandConv, Batch: batchConv,
	})
}

func init() {
	opConv1D = convolution("conv1d", "Conv1D", 1)
	opConv2D = convolution("conv2d", "Conv2D", 2)
	opConv3D = convolution("conv3d", "Conv3D", 3)
	opConv1D.Ref = named("", "torch.nn.functional.conv1d", "jax.lax.conv_general_dilated", "Conv", "Conv1d",
		func(e *graph.Example) node {
			return Conv1D(e.Of("x", "n", "c", "8"), e.Of("w", "d", "c", "3"), e.Of("b", "d"), Padding(1))
		})
	opConv2D.Ref = named("", "torch.nn.functional.conv2d", "jax.lax.conv_general_dilated", "Conv", "Conv2d",
		func(e *graph.Example) node {
			return Conv2D(e.Of("x", "n", "c", "8", "8"), e.Of("w", "d", "c", "3", "3"), e.Of("b", "d"), Padding(1))
		})
	opConv3D.Ref = named("", "torch.nn.functional.conv3d", "jax.lax.conv_general_dilated", "Conv", "",
		func(e *graph.Example) node {
			return Conv3D(e.Of("x", "n", "c", "4", "4", "4"), e.Of("w", "d", "c", "3", "3", "3"), e.Of("b", "d"),
				Padding(1))
		})
}

// expandConv lays the windows of each example out as the columns of a matrix, so that the
// convolution is a matrix product, with the groups as batches. The gradients are then
// those of its parts: a product, and windows put back.
func expandConv(n *graph.Node, in []*graph.Node) *graph.Node {
	x, w, a := in[0], in[1], n.Attrs().(ConvAttrs)
	if n.Shape().NumElements() == 0 {
		return Zeros(x.Graph(), n.DType(), n.Shape()...)
	}
	axes := len(a.Stride)
	shape := n.Shape()
	if single := x.Rank() == axes+1; single {
		x = Unsqueeze(x, 0)
		shape = slices.Insert(slices.Clone(shape), 0, 1)
	}
	places := shape[2:].NumElements()
	y, isDepthwise := depthwiseConv(x, w, a)
	switch {
	case isDepthwise:
	case a.Groups == 1:
		y = plainConv(x, w, a, shape[2:])
	default:
		if all, fewer := seenOf(x.Shape(), w.Shape(), shape[2:], a, true); fewer {
			x, w, a = onlySeen(x, w, a, all)
		}
		kernel := w.Shape()[2:]
		groups, group := graph.Dim(a.Groups), w.Shape()[1].Times(kernel.NumElements())
		outputs := w.Shape()[0].FloorDiv(int64(a.Groups))
		windows := slide(Reshape(x, slices.Concat(graph.Shape{shape[0], groups, w.Shape()[1]}, x.Shape()[2:])...),
			kernel, a.steps(), graph.MakeShape(a.Padding...), 0)
		y = MatMul(Reshape(w, groups, outputs, group), Reshape(windows, shape[0], groups, group, places))
	}
	if shape[1] != w.Shape()[0] { // of no channels come none
		y = Slice(Reshape(y, shape[0], w.Shape()[0], places), 1, 0, shape[1], 1)
	}
	return Reshape(withBias(Reshape(y, shape...), in), n.Shape()...)
}

// productOfWindows is the product of the weights [O, C, ...] with the windows of x [N, C, ...] as columns: [N, O,
// places].
func productOfWindows(x, w node, a ConvAttrs, places graph.Dim) node {
	windows := windowsAsColumns(x, w.Shape(), a, places)
	return MatMul(Reshape(w, w.Shape()[0], windows.Shape()[1]), windows)
}

// windowsAsColumns are the windows of x that filters of this shape meet: [N, C·numbers of a filter, places].
func windowsAsColumns(x node, filter graph.Shape, a ConvAttrs, places graph.Dim) node {
	kernel := filter[2:]
	windows := slide(x, kernel, a.steps(), graph.MakeShape(a.Padding...), 0)
	return Reshape(windows, x.Shape()[0], filter[1].Times(kernel.NumElements()), places)
}

// withBias adds the third operand, if there is one, to each output channel of y, [N, O, …].
func withBias(y node, in []node) node {
	if len(in) < 3 {
		return y
	}
	b, channels := in[2], y.Shape()[1]
	if b.Shape()[0] != channels {
		b = Slice(b, 0, 0, channels, 1) // of no channels come none
	}
	return Add(y, Reshape(b, append(graph.Shape{channels}, slices.Repeat([]graph.Dim{1}, y.Rank()-2)...)...))
}

type groupsOption int

func (o groupsOption) conv(a *ConvAttrs) { a.Groups = int(o) }

// Groups divides the channels of a convolution into n groups. An output channel sees only the input channels of its
// own group.
func Groups(n int) ConvOption { return groupsOption(n) }

// Conv1D convolves x [N, C, L], or one example [C, L], with weights w [O, C/groups, K]. The result is [N, O, floor((L
// + 2*padding - dilation*(K-1) - 1)/stride) + 1]. The bias b is [O] or nil. It is PyTorch's conv1d.
func Conv1D(x, w, b *graph.Node, opts ...ConvOption) *graph.Node {
	return convolve(opConv1D, 1, x, w, b, opts)
}

// Conv2D convolves images x [N, C, H, W], or one image [C, H, W], with weights w [O, C/groups, KH, KW]. The result is
// [N, O, H', W'], with sizes as in [Conv1D]. The bias b is [O] or nil. It is PyTorch's conv2d.
func Conv2D(x, w, b *graph.Node, opts ...ConvOption) *graph.Node {
	return convolve(opConv2D, 2, x, w, b, opts)
}

// Conv3D convolves volumes x [N, C, D, H, W], or one volume [C, D, H, W], with weights w [O, C/groups, KD, KH, KW].
// The result is [N, O, D', H', W'], with sizes as in [Conv1D]. The bias b is [O] or nil. It is PyTorch's conv3d.
func Conv3D(x, w, b *graph.Node, opts ...ConvOption) *graph.Node {
	return convolve(opConv3D, 3, x, w, b, opts)
}

func convolve(op *graph.Op, axes int, x, w, b node, opts []ConvOption) node {
	a, sides := ConvAttrs{Groups: 1}, paddingSides{}
	for _, o := range opts {
		if side, ok := o.(SideOption); ok && side != nil {
			side(&sides)
		}
		if o != nil {
			o.conv(&a)
		}
	}
	if sides.words != nil {
		defer building(op.Func, append([]any{x, w, b}, sides.after(a)...)...)()
	}
	given := a.Padding
	a.Stride, a.Padding, a.Dilation = forAxes(a.Stride, axes, 1), forAxes(a.Padding, axes, 0),
		forAxes(a.Dilation, axes, 1)
	if bad := sides.judge(refused(op.Func, x, w).with(sides.after(a)...), given, axes, a.OutputPadding != nil); bad !=
		nil {
		return bad
	}
	cut := func(y node) node { return y }
	if a.OutputPadding == nil {
		x = padForWindows(x, w, &a, axes, sides)
	} else {
		cut = sides.cut(&a)
	}
	if b == nil {
		return cut(Apply(op, a, x, w))
	}
	return cut(Apply(op, a, x, w, b))
}
