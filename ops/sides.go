package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// A SideOption pads the two sides of an axis of a convolution differently.
type SideOption func(*paddingSides)

func (SideOption) conv(*ConvAttrs) {}

// paddingSides is what the options of a call say of the two sides.
type paddingSides struct {
	behind      []int
	same, lower bool
	words       []any // the options as the user wrote them
}

// PaddingBehind sets the padding after each axis; [Padding] then sets only that before it. ONNX's pads are Padding of
// their first half and PaddingBehind of their second. A transposed convolution removes that many elements at the end
// of its result.
func PaddingBehind(elements ...int) SideOption {
	elements = slices.Clone(elements)
	return func(s *paddingSides) {
		s.behind = elements
		s.words = append(s.words, "PaddingBehind("+strings.Join(after(nil, axisWords(elements)...), ", ")+")")
	}
}

// SamePadding pads so that a convolution with stride s has ⌈size/s⌉ windows along each axis. If the number of added
// elements is odd, the end of the axis gets one more. It is padding='same' in PyTorch, "SAME" in JAX and SAME_UPPER
// in ONNX.
func SamePadding() SideOption {
	return func(s *paddingSides) {
		s.same, s.lower = true, false
		s.words = append(s.words, "SamePadding()")
	}
}

// SamePaddingLower is [SamePadding], but if the number is odd, the start of the axis gets one more. It is SAME_LOWER
// in ONNX.
func SamePaddingLower() SideOption {
	return func(s *paddingSides) {
		s.same, s.lower = true, true
		s.words = append(s.words, "SamePaddingLower()")
	}
}

// after writes all options of a convolution.
func (s paddingSides) after(a ConvAttrs) (words []any) {
	for _, w := range a.Args([]string{"", "", ""})[3:] {
		words = append(words, w)
	}
	return append(words, s.words...)
}

// judge returns the node of a mistake of the options. given is the padding that the call says.
func (s paddingSides) judge(call refusedCall, given []int, axes int, transposed bool) node {
	refuse := func(format string, args ...any) node {
		return refusal(call, &graph.Mistake{Code: graph.CodeOperand, Summary: fmt.Sprintf(format, args...)})
	}
	switch {
	case s.words == nil:
	case s.same && transposed:
		return refuse(
			"SamePadding does not apply to a transposed convolution: its padding removes elements of the result; use Padding and PaddingBehind")
	case s.same && (given != nil || s.behind != nil):
		return refuse("SamePadding excludes Padding and PaddingBehind")
	case s.behind != nil && len(s.behind) != 1 && len(s.behind) != axes:
		return refuse("PaddingBehind must have one number, or one for each of %d axes, but has %d", axes, len(s.behind))
	case len(s.behind) > 0 && slices.Min(s.behind) < 0:
		return refuse("negative padding is not supported")
	}
	return nil
}

// widths is how an axis of x is padded, before it and behind it. ok is false where the sizes do not say.
func (s paddingSides) widths(a *ConvAttrs, i int, size, kernel graph.Dim) (before, behind graph.Dim, ok bool) {
	switch {
	case !s.same && s.behind == nil:
		return graph.Dim(a.Padding[i]), graph.Dim(a.Padding[i]), true
	case !s.same:
		return graph.Dim(a.Padding[i]), graph.Dim(s.behind[min(i, len(s.behind)-1)]), true
	}
	stride := graph.Dim(a.Stride[i])
	all := kernel.Minus(1).Times(graph.Dim(a.Dilation[i])) // of stride 1
	if stride != 1 {
		all = size.CeilDiv(int64(stride)).Minus(1).Times(stride).Plus(all).Plus(1).Minus(size)
	}
	if n, whole := all.Int(); whole {
		all = graph.Dim(max(n, 0))
	} else if extent, whole := kernel.Minus(1).Times(graph.Dim(a.Dilation[i])).Plus(1).Int(); stride != 1 &&
		(!whole || extent < int64(stride)) {
		return 0, 0, false // it could be less than none
	}
	half := all.FloorDiv(2)
	if s.lower {
		return all.Minus(half), half, true
	}
	return half, all.Minus(half), true
}

// padForWindows pads the last axes of a convolution's operand as its mode and its sides say, and leaves zeros that both
// sides have to the convolution. What the convolution refuses stays as it is.
func padForWindows(x, w node, a *ConvAttrs, axes int, s paddingSides) node {
	mode := a.Mode
	a.Mode = PadZeros
	if mode == PadZeros && s.words == nil || x == nil || !x.Judged() || x.Rank() <= axes || len(a.Padding) != axes ||
		slices.Min(a.Padding) < 0 ||
		w == nil || !w.Judged() || w.Rank() != axes+2 || len(a.Stride) != axes || len(a.Dilation) != axes ||
		min(slices.Min(a.Stride), slices.Min(a.Dilation)) < 1 {
		return x
	}
	of := x
	for i := range a.Padding {
		if !x.Judged() {
			return x // the padding of the axis before is refused
		}
		size := x.Shape()[x.Rank()-axes+i]
		before, behind, ok := s.widths(a, i, size, w.Shape()[2+i])
		switch {
		case size.IsUnknown() || w.Shape()[2+i].IsUnknown():
			continue
		case !ok:
			return refusal(refused("SamePadding", of, w),
				&graph.Mistake{Code: graph.CodeOperand,
					Operands: []graph.OperandNote{{Node: of, Bad: []int{x.Rank() - axes + i}}},
					Summary: fmt.Sprintf(
						"the padding for windows of %s elements with stride %d depends on the axis size %s, which is not known",
						w.Shape()[2+i], a.Stride[i], size),
					Help: []string{"set the padding with Padding and PaddingBehind"}})
		}
		both := 0
		if b, whole := before.Int(); whole && mode == PadZeros {
			if e, whole := behind.Int(); whole {
				both = int(min(b, e))
			}
		}
		if before, behind = before.Minus(graph.Dim(both)), behind.Minus(graph.Dim(both)); before != 0 || behind != 0 {
			if mode == PadZeros {
				x = Pad(x, i-axes, before, behind, 0)
			} else {
				x = PadWith(x, i-axes, before, behind, mode)
			}
		}
		a.Padding[i] = both
	}
	return x
}

// cut makes the padding of a transposed convolution what both sides leave out, and returns what leaves out the rest.
func (s paddingSides) cut(a *ConvAttrs) func(y node) node {
	if s.words == nil || len(a.Padding) == 0 {
		return func(y node) node { return y }
	}
	before := slices.Clone(a.Padding)
	behind := forAxes(s.behind, len(before), 0)
	for i := range before {
		a.Padding[i] = min(before[i], behind[i])
	}
	return func(y node) node {
		for i := range before {
			axis := i - len(before)
			if front, back := before[i]-a.Padding[i], behind[i]-a.Padding[i]; front != 0 || back != 0 {
				y = Pad(y, axis, graph.Dim(-front), graph.Dim(-back), 0)
			}
		}
		return y
	}
}
