package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opPadWith *graph.Op

// PaddingMode says what [PadWith] puts around an axis. It is an option of convolutions too.
type PaddingMode int

// Padding modes, as those of PyTorch's torch.nn.functional.pad.
const (
	PadZeros     PaddingMode = iota // zeros, like [Pad] with the value 0
	PadReflect                      // elements mirrored at the first and the last one, which are not repeated
	PadReplicate                    // the first and the last element repeated
	PadCircular                     // elements from the other end
)

var paddingModes = []string{"PadZeros", "PadReflect", "PadReplicate", "PadCircular"}

// String is the mode's name in programs.
func (m PaddingMode) String() string {
	if m < 0 || int(m) >= len(paddingModes) {
		return "PaddingMode(?)"
	}
	return paddingModes[m]
}

func (m PaddingMode) conv(a *ConvAttrs) { a.Mode = m }

// PadWithAttrs are the fixed arguments of PadWith.
type PadWithAttrs struct {
	Axis          int
	Before, After graph.Dim
	Mode          PaddingMode
}

// Args writes the axis, the widths and the mode.
func (a PadWithAttrs) Args(operands []string) []string {
	return after(operands, a.Axis, a.Before, a.After, a.Mode.String())
}

func init() {
	opPadWith = define(graph.Op{
		Name: "pad_with", Func: "PadWith",
		Doc:   "x with some of its elements added before and after one axis: mirrored, repeated or from the other end.",
		Class: graph.Composite, Storage: true, MinIn: 1, MaxIn: 1,
		Infer: inferPadWith, Expand: expandPadWith,
	})
	opPadWith.Ref = named("numpy.pad", "torch.nn.functional.pad", "jax.numpy.pad", "Pad", "",
		func(e *graph.Example) node { return PadWith(e.Of("x", "n", "8"), 1, 2, 1, PadReflect) })
}

func inferPadWith(c *graph.Call) (graph.DType, graph.Shape) {
	a := c.Attrs().(PadWithAttrs)
	padded := func(least func(graph.Dim) graph.Dim, why string) (graph.DType, graph.Shape) {
		return c.DType(0), rules.PadFrom(c, a.Axis, a.Before, a.After, least, why)
	}
	switch a.Mode {
	case PadZeros:
		return c.DType(0), rules.Pad(c, a.Axis, a.Before, a.After, 1)
	case PadReflect:
		return padded(func(width graph.Dim) graph.Dim { return width.Plus(1) },
			"Padding size should be less than the corresponding input dimension")
	case PadReplicate:
		return padded(func(graph.Dim) graph.Dim { return 1 }, "Expected an element to repeat")
	case PadCircular:
		return padded(func(width graph.Dim) graph.Dim { return width },
			"Padding value causes wrapping around more than once")
	}
	c.Fail(&graph.Mistake{Code: graph.CodeOperand,
		Summary: "Unrecognised padding mode: use PadZeros, PadReflect, PadReplicate or PadCircular"})
	return c.DType(0), c.Shape(0)
}

// expandPadWith joins views of x, so that nothing is picked by index, and the gradient is a sum
// of padded slices.
func expandPadWith(n *graph.Node, in []*graph.Node) *graph.Node {
	x, a := in[0], n.Attrs().(PadWithAttrs)
	if a.Mode == PadZeros {
		return Pad(x, a.Axis, a.Before, a.After, 0)
	}
	axis := countedFromZero([]int{a.Axis}, x.Rank())[0]
	parts := []node{x}
	if a.Before != 0 {
		parts = slices.Insert(parts, 0, edge(x, axis, a.Before, true, a.Mode))
	}
	if a.After != 0 {
		parts = append(parts, edge(x, axis, a.After, false, a.Mode))
	}
	return Concat(axis, parts...)
}

// mostJoined is the number of parts of a concatenation up to which what is taken from it is taken from each of them.
const mostJoined = 3

// edge returns what stands before, or after, the elements of an axis. That of a value that is padded along another axis
// is put together of edges of its parts, which are views: so a value that is padded along several axes is never in
// memory without all of them.
func edge(x node, axis int, width graph.Dim, before bool, mode PaddingMode) node {
	if a, ok := x.Attrs().(ConcatAttrs); ok && countedFromZero([]int{a.Axis}, x.Rank())[0] != axis &&
		len(x.Operands()) <= mostJoined {
		parts := make([]node, len(x.Operands()))
		for i, part := range x.Operands() {
			parts[i] = edge(part, axis, width, before, mode)
		}
		return Concat(a.Axis, parts...)
	}
	size := x.Shape()[axis]
	part := func(start graph.Dim) node { return Slice(x, axis, start, start.Plus(width), 1) }
	switch {
	case mode == PadReflect && before:
		return Flip(part(1), axis)
	case mode == PadReflect:
		return Flip(part(size.Minus(1).Minus(width)), axis)
	case mode == PadCircular && before:
		return part(size.Minus(width))
	case mode == PadCircular:
		return part(0)
	}
	one := graph.Dim(0)
	if !before {
		one = size.Minus(1)
	}
	wide := slices.Clone(x.Shape())
	wide[axis] = width
	return Expand(Slice(x, axis, one, one.Plus(1), 1), wide...)
}

// PadWith returns x with elements added before and after one axis, which the mode takes from x. With 2 before and 1
// after [a b c], [PadReflect] gives [c b a b c b], [PadReplicate] [a a a b c c] and [PadCircular] [b c a b c a]. To
// pad several axes, call it for each. The axis must have more elements than PadReflect mirrors, and at least as many
// as PadCircular takes. It is PyTorch's torch.nn.functional.pad with a mode.
func PadWith(x *graph.Node, axis int, before, after graph.Dim, mode PaddingMode) *graph.Node {
	if mode != PadCircular {
		defer inFloat32(&x)()
	}
	return Apply(opPadWith, PadWithAttrs{axis, before, after, mode}, x)
}
