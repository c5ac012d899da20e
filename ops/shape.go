package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opReshape, opSqueeze, opUnsqueeze, opExpand, opPermute, opTranspose *graph.Op

// ReshapeAttrs are the fixed arguments of Reshape.
type ReshapeAttrs struct{ Shape graph.Shape }

// SqueezeAttrs are the fixed arguments of Squeeze; nil means all axes of size 1.
type SqueezeAttrs struct{ Axes []int }

// UnsqueezeAttrs are the fixed arguments of Unsqueeze.
type UnsqueezeAttrs struct{ Axis int }

// ExpandAttrs are the fixed arguments of Expand.
type ExpandAttrs struct{ Shape graph.Shape }

// PermuteAttrs are the fixed arguments of Permute: axis i of the result is axis Perm[i] of the operand.
type PermuteAttrs struct{ Perm []int }

// TransposeAttrs are the fixed arguments of Transpose: the two axes exchanged.
type TransposeAttrs struct{ A, B int }

// movement is the entry of a view of one operand, of which it repeats no element.
func movement(name, fn, doc string, infer func(*graph.Call) graph.Shape,
	view func(*graph.Node, graph.Layout) (graph.Layout, bool), grad func(n, dy node) node) *graph.Op {
	return define(graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Movement, MinIn: 1, MaxIn: 1, View: view,
		Once:  true,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), infer(c) },
		Grad:  func(n, dy node, _ int) node { return grad(n, dy) }})
}

func reshapeBack(n, dy node) node { return Reshape(dy, n.In(0).Shape()...) }

func init() {
	opReshape = movement("reshape", "Reshape", "the same elements in row-major order under another shape.",
		func(c *graph.Call) graph.Shape { return rules.Reshape(c, c.Attrs().(ReshapeAttrs).Shape) },
		alias.ReshapeView, reshapeBack)
	opSqueeze = movement("squeeze", "Squeeze", "x without axes of size 1.", inferSqueeze, alias.ReshapeView,
		reshapeBack)
	opUnsqueeze = movement("unsqueeze", "Unsqueeze", "x with a new axis of size 1.",
		func(c *graph.Call) graph.Shape {
			s := c.Shape(0)
			at := rules.Axis(c, c.Attrs().(UnsqueezeAttrs).Axis, len(s)+1)
			if at < 0 {
				return unknownShape(len(s) + 1)
			}
			return slices.Insert(slices.Clone(s), at, 1)
		}, alias.ReshapeView, reshapeBack)
	opExpand = movement("expand", "Expand", "x repeated along axes of size 1 and new leading axes, without copying.",
		func(c *graph.Call) graph.Shape { return rules.Expand(c, c.Attrs().(ExpandAttrs).Shape) },
		alias.ExpandView,
		func(n, dy node) node { return dy }) // the walk sums to the operand's shape
	opSqueeze.Batch, opUnsqueeze.Batch = batchReshape, batchReshape
	opExpand.Once, opExpand.Batch = false, batchExpand
	opPermute = movement("permute", "Permute", "the axes in another order.", inferPermute,
		func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
			return permuteView(in, n.Shape(), countedFromZero(n.Attrs().(PermuteAttrs).Perm, n.Rank())), true
		},
		func(n, dy node) node {
			return Permute(dy, inverse(countedFromZero(n.Attrs().(PermuteAttrs).Perm, n.Rank()))...)
		})
	opTranspose = movement("transpose", "Transpose", "two axes exchanged.", inferTranspose,
		func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
			return permuteView(in, n.Shape(), exchanged(n)), true
		},
		func(n, dy node) node {
			a := n.Attrs().(TransposeAttrs)
			return Transpose(dy, a.A, a.B)
		})
	opExpand.Ref = named("numpy.broadcast_to", "torch.Tensor.expand", "jax.numpy.broadcast_to", "Expand", "",
		func(e *graph.Example) node { return Expand(e.Of("x", "n", "1"), e.Shape("n", "k")...) })
	opPermute.Ref = named("numpy.transpose, numpy.permute_dims", "torch.permute",
		"jax.numpy.transpose, jax.numpy.permute_dims", "Transpose", "Transpose",
		func(e *graph.Example) node { return Permute(e.Of("x", "n", "k", "m"), 2, 0, 1) })
	opReshape.Ref = named("numpy.reshape", "torch.reshape", "jax.numpy.reshape", "Reshape", "Reshape",
		func(e *graph.Example) node { return Reshape(e.Of("x", "n", "4"), e.Shape("2*n", "2")...) })
	opSqueeze.Ref = named("numpy.squeeze", "torch.squeeze", "jax.numpy.squeeze", "Squeeze", "",
		func(e *graph.Example) node { return Squeeze(e.Of("x", "n", "1", "k"), 1) })
	opTranspose.Ref = named("numpy.swapaxes, numpy.matrix_transpose, numpy.linalg.matrix_transpose",
		"torch.transpose, torch.t, torch.adjoint, torch.swapdims",
		"jax.numpy.swapaxes, jax.numpy.matrix_transpose, jax.numpy.linalg.matrix_transpose", "Transpose", "",
		func(e *graph.Example) node { return Transpose(e.Of("x", "n", "k"), 0, 1) })
	opUnsqueeze.Ref = named("numpy.expand_dims", "torch.unsqueeze", "jax.numpy.expand_dims", "Unsqueeze", "",
		func(e *graph.Example) node { return Unsqueeze(e.Of("x", "n"), 0) })
}

// countedFromZero counts axes that are in range from the first.
func countedFromZero(axes []int, rank int) []int {
	out := slices.Clone(axes)
	for i, a := range out {
		if a < 0 {
			out[i] = a + max(rank, 1)
		}
	}
	return out
}

// exchanged returns the order of axes that a Transpose makes.
func exchanged(n node) []int {
	perm := make([]int, n.Rank())
	for i := range perm {
		perm[i] = i
	}
	a := n.Attrs().(TransposeAttrs)
	if at := countedFromZero([]int{a.A, a.B}, n.Rank()); n.Rank() > 0 {
		perm[at[0]], perm[at[1]] = perm[at[1]], perm[at[0]]
	}
	return perm
}

func permuteView(in graph.Layout, shape graph.Shape, perm []int) graph.Layout {
	out := graph.Layout{Shape: shape, Offset: in.Offset}
	for _, a := range perm {
		out.Strides = append(out.Strides, in.Strides[a])
	}
	return out
}

func inferSqueeze(c *graph.Call) graph.Shape {
	s, given := c.Shape(0), c.Attrs().(SqueezeAttrs).Axes
	axes, ok := rules.Axes(c, given, len(s))
	if !ok {
		return nil
	}
	out := graph.Shape{}
	for i, d := range s {
		if d != 1 || !slices.Contains(axes, i) {
			out = append(out, d)
		}
	}
	return out
}

func inferTranspose(c *graph.Call) graph.Shape {
	s, at := slices.Clone(c.Shape(0)), c.Attrs().(TransposeAttrs)
	a, b := rules.Axis(c, at.A, len(s)), rules.Axis(c, at.B, len(s))
	if a < 0 || b < 0 {
		return unknownShape(len(s))
	}
	if len(s) > 0 {
		s[a], s[b] = s[b], s[a]
	}
	return s
}

func inferPermute(c *graph.Call) graph.Shape {
	s, perm := c.Shape(0), c.Attrs().(PermuteAttrs).Perm
	if len(perm) != len(s) {
		c.Fail(&graph.Mistake{Code: graph.CodeAxis, Operands: []graph.OperandNote{{Node: c.In(0)}},
			Summary: fmt.Sprintf(
				"permute: number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %d", len(
					s), len(perm))})
		return unknownShape(len(perm))
	}
	out, taken := make(graph.Shape, len(s)), make([]bool, len(s))
	for i, axis := range perm {
		a := rules.Axis(c, axis, len(s))
		if a >= 0 && taken[a] {
			c.Fail(&graph.Mistake{Code: graph.CodeAxis, Operands: []graph.OperandNote{{Node: c.In(0)}},
				Summary: "permute(): duplicate dims are not allowed."})
		}
		if c.Failed() {
			return unknownShape(len(s))
		}
		out[i], taken[a] = s[a], true
	}
	return out
}

// Reshape returns the same elements, in row-major order, in another shape. One size may be -1; it is inferred from
// the others.
func Reshape(x *graph.Node, shape ...graph.Dim) *graph.Node {
	return Apply(opReshape, ReshapeAttrs{append(graph.Shape{}, shape...)}, x)
}

// Squeeze removes the given axes if their size is 1. Without axes it removes all axes of size 1.
func Squeeze(x *graph.Node, axes ...int) *graph.Node {
	return Apply(opSqueeze, SqueezeAttrs{axes}, x)
}

// Unsqueeze returns x with a new axis of size 1 at the given position in the result.
func Unsqueeze(x *graph.Node, axis int) *graph.Node {
	return Apply(opUnsqueeze, UnsqueezeAttrs{axis}, x)
}

// Expand returns x repeated to the given shape along its axes of size 1 and along new leading axes, without copying.
// A size of -1 keeps the axis unchanged.
func Expand(x *graph.Node, shape ...graph.Dim) *graph.Node {
	return Apply(opExpand, ExpandAttrs{append(graph.Shape{}, shape...)}, x)
}

// Permute returns x with its axes in another order: axis i of the result is axis axes[i] of x.
func Permute(x *graph.Node, axes ...int) *graph.Node {
	return Apply(opPermute, PermuteAttrs{axes}, x)
}

// Transpose returns x with two axes exchanged, negative ones counted from the end. Transpose(x, -1, -2) transposes
// matrices.
func Transpose(x *graph.Node, a, b int) *graph.Node {
	return Apply(opTranspose, TransposeAttrs{a, b}, x)
}
