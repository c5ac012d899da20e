package ops

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// This file tells how the fixed arguments of operations are written in a user's program,
// for messages: see graph.Arguments. It also says which of them a message can propose to
// change.

// after puts arguments behind the operands of a call.
func after(operands []string, more ...any) []string {
	for _, a := range more {
		operands = append(operands, goWord(a))
	}
	return operands
}

// goWord writes an argument as Go does.
func goWord(a any) string {
	switch a := a.(type) {
	case []int:
		return "[]int{" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(a), "[]")), ", ") + "}"
	case graph.Shape:
		return strings.Replace(dimsWord(a), "[]graph.Dim", "graph.Shape", 1)
	case []graph.Dim:
		return dimsWord(a)
	case []graph.AxisKind:
		return "kinds"
	case graph.Dim:
		if a == End {
			return "End"
		}
	}
	return fmt.Sprint(a)
}

func axisWords(axes []int) []any {
	words := make([]any, len(axes))
	for i, a := range axes {
		words[i] = a
	}
	return words
}

// dimsWord writes a list of sizes.
func dimsWord(s graph.Shape) string { return "[]graph.Dim{" + strings.Trim(s.String(), "[]") + "}" }

func shapeWords(s graph.Shape) []any {
	words := make([]any, len(s))
	for i, d := range s {
		words[i] = d
	}
	return words
}

// Args writes the axes and options of a reduction.
func (a ReduceAttrs) Args(operands []string) []string {
	switch {
	case a.Axes != nil && len(a.Axes) == 0:
		operands = append(operands, "NoAxes()")
	case len(a.Axes) == 1 && a.Axes[0] == ambiguousAxes:
	default:
		operands = after(operands, axisWords(a.Axes)...)
	}
	if a.KeepDims {
		operands = append(operands, "KeepDims()")
	}
	return operands
}

// WithKeepDims keeps the reduced axes.
func (a ReduceAttrs) WithKeepDims() any {
	a.KeepDims = true
	return a
}

// Args writes the correction, the axes and options.
func (a VarianceAttrs) Args(operands []string) []string {
	return a.reduced().Args(after(operands, a.Correction))
}

// WithKeepDims keeps the reduced axes.
func (a VarianceAttrs) WithKeepDims() any {
	a.KeepDims = true
	return a
}

// Args writes the order of the norm, the axes and options.
func (a NormAttrs) Args(operands []string) []string { return a.reduced().Args(after(operands, a.P)) }

// WithKeepDims keeps the reduced axes.
func (a NormAttrs) WithKeepDims() any {
	a.KeepDims = true
	return a
}

// Args writes the new shape.
func (a ReshapeAttrs) Args(operands []string) []string {
	return after(operands, shapeWords(a.Shape)...)
}

// WithShape reshapes to another shape.
func (a ReshapeAttrs) WithShape(s graph.Shape) any { return ReshapeAttrs{s} }

// Args writes the requested shape.
func (a ExpandAttrs) Args(operands []string) []string {
	return after(operands, shapeWords(a.Shape)...)
}

// WithShape expands to another shape.
func (a ExpandAttrs) WithShape(s graph.Shape) any { return ExpandAttrs{s} }

// Args writes the axes.
func (a SqueezeAttrs) Args(operands []string) []string { return after(operands, axisWords(a.Axes)...) }

// Args writes the axis.
func (a UnsqueezeAttrs) Args(operands []string) []string { return after(operands, a.Axis) }

// Args writes the order of the axes.
func (a PermuteAttrs) Args(operands []string) []string { return after(operands, axisWords(a.Perm)...) }

// Args writes the two axes.
func (a TransposeAttrs) Args(operands []string) []string { return after(operands, a.A, a.B) }

// Args writes the axis and the bounds.
func (a SliceAttrs) Args(operands []string) []string {
	return after(operands, a.Axis, a.Start, a.Stop, a.Step)
}

// Args writes the axis, the widths and the number.
func (a PadAttrs) Args(operands []string) []string {
	return after(operands, a.Axis, a.Before, a.After, a.Value)
}

// Args writes the axis before the operands.
func (a ConcatAttrs) Args(operands []string) []string { return before(a.Axis, operands) }

// WithAxis joins along another axis.
func (a ConcatAttrs) WithAxis(axis int) any { return ConcatAttrs{axis} }

// Args writes the axis before the operands.
func (a StackAttrs) Args(operands []string) []string { return before(a.Axis, operands) }

func before(axis int, operands []string) []string {
	return append([]string{strconv.Itoa(axis)}, operands...)
}

// Args writes the axis between the operand and the indices.
func (a GatherAttrs) Args(operands []string) []string { return behindFirst(operands, a.Axis) }

// Args writes the axis between the operand and the indices.
func (a TakeAttrs) Args(operands []string) []string { return behindFirst(operands, a.Axis) }

// Args writes the axis between the operand and the mask, and the size after it.
func (a CompressAttrs) Args(operands []string) []string {
	args := behindFirst(operands, a.Axis)
	return slices.Insert(args, min(3, len(args)), a.Size.String())
}

// Args writes the axis between the operand and the indices, and the size after them.
func (a SegmentAttrs) Args(operands []string) []string {
	return append(behindFirst(operands, a.Axis), a.Size.String())
}

// behindFirst writes the axis of a function by index: behind the operand, before the indices.
func behindFirst(operands []string, axis int) []string {
	if len(operands) == 0 {
		return []string{strconv.Itoa(axis)}
	}
	return slices.Insert(slices.Clone(operands), 1, strconv.Itoa(axis))
}

// Args writes the padding row.
func (a EmbeddingAttrs) Args(operands []string) []string {
	return after(operands, axisWords(a.Padding)...)
}

// Args writes the options.
func (a CrossEntropyAttrs) Args(operands []string) []string {
	if a.IgnoreIndex != defaultIgnoreIndex {
		operands = append(operands, fmt.Sprintf("IgnoreIndex(%d)", a.IgnoreIndex))
	}
	switch a.Reduction {
	case "sum":
		operands = append(operands, "SumLoss()")
	case "none":
		operands = append(operands, "EachLoss()")
	}
	return operands
}

// Args writes the axis.
func (a SoftmaxAttrs) Args(operands []string) []string { return after(operands, a.Axis) }

// WithAxis works along another axis.
func (a SoftmaxAttrs) WithAxis(axis int) any {
	a.Axis = axis
	return a
}

// WithAxis takes the element along another axis.
func (a SelectAttrs) WithAxis(axis int) any {
	a.Axis = axis
	return a
}

// WithAxis reduces another axis.
func (a ReduceAttrs) WithAxis(axis int) any {
	a.Axes = []int{axis}
	return a
}

// Args writes the slope.
func (a SlopeAttrs) Args(operands []string) []string { return after(operands, a.Slope) }

// Args writes the diagonal.
func (a TriangleAttrs) Args(operands []string) []string { return after(operands, a.Diagonal) }

// Args writes the axis and the index.
func (a SelectAttrs) Args(operands []string) []string { return after(operands, a.Axis, a.Index) }

// Args writes the axes.
func (a FlipAttrs) Args(operands []string) []string { return after(operands, axisWords(a.Axes)...) }

// Args writes the dtype, the number and the shape.
func (a FullAttrs) Args(operands []string) []string {
	operands = after(operands, "graph."+a.To.GoName(), a.Value)
	return after(operands, shapeWords(a.Shape)...)
}

// Args writes the axis and the shape.
func (a IotaAttrs) Args(operands []string) []string {
	return after(after(operands, a.Axis), shapeWords(a.Shape)...)
}

// Args writes the dtype and the size.
func (a SizeAttrs) Args(operands []string) []string {
	return after(operands, "graph."+a.To.GoName(), a.Dim)
}

// Args writes the bounds; an infinite one means no bound.
func (a ClampAttrs) Args(operands []string) []string {
	return after(operands, boundWord(a.Min), boundWord(a.Max))
}

// boundWord is a number as Go writes it, also an infinite one.
func boundWord(v float64) any {
	switch {
	case math.IsNaN(v):
		return "math.NaN()"
	case math.IsInf(v, 0):
		return fmt.Sprintf("math.Inf(%+d)", int(math.Copysign(1, v)))
	}
	return v
}

// Args writes the offset and the two axes.
func (a DiagonalAttrs) Args(operands []string) []string { return after(operands, a.Offset, a.A, a.B) }

// Args writes the shape, the strides and the offset.
func (a StridedAttrs) Args(operands []string) []string {
	return after(operands, a.Shape, a.Strides, a.Offset)
}

// WithPadding sets the same padding for all axes.
func (a ConvAttrs) WithPadding(p int) any {
	a.Padding = slices.Repeat([]int{p}, len(a.Padding))
	return a
}

// WithPadding sets the same padding for all axes.
func (a PoolAttrs) WithPadding(p int) any {
	a.Padding = slices.Repeat([]int{p}, len(a.Padding))
	return a
}
