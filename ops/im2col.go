package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// stepsOf reads options of windows over two axes.
func stepsOf(opts []StepOption) rules.Steps {
	var s rules.Steps
	for _, o := range opts {
		if o != nil {
			o(&s)
		}
	}
	return rules.Steps{Stride: forAxes(s.Stride, 2, 1), Padding: forAxes(s.Padding, 2, 0),
		Dilation: forAxes(s.Dilation, 2, 1)}
}

// badSteps is the refusal of wrong windows and steps; nil if they are right.
func badSteps(call refusedCall, height, width int, s rules.Steps) node {
	if bad := notNodes(call); bad != nil {
		return bad
	}
	for _, list := range [][]int{{height, width}, s.Stride, s.Dilation, s.Padding} {
		if len(list) != 2 || slices.Max(list) > 1<<30 || slices.Min(list) < 0 {
			return refusal(call, &graph.Mistake{
				Code: graph.CodeWindow, Summary: fmt.Sprintf(
					"a window, its stride, padding and dilation must have a number of at least 0 for each of two axes, but got %v",
					list)})
		}
	}
	if min(height, width, slices.Min(s.Stride), slices.Min(s.Dilation)) < 1 {
		return refusal(call,
			&graph.Mistake{Code: graph.CodeWindow, Summary: "window sizes, strides and dilations must be at least 1"})
	}
	return nil
}

// Im2Col returns the windows of height × width elements of images x, [N, C, H, W] or [C, H, W], as columns: [N,
// C*height*width, L] or [C*height*width, L] for L windows in row-major order. Options are [Stride], [Padding] with
// zeros, and [Dilation]. It is PyTorch's unfold.
func Im2Col(x *graph.Node, height, width int, opts ...StepOption) *graph.Node {
	s := stepsOf(opts)
	words := stepWords(after(nil, height, width), s, []int{1})
	defer building("Im2Col", append([]any{x}, anys(words)...)...)()
	call := refused("Im2Col", x).with(anys(words)...)
	if bad := badSteps(call, height, width, s); bad != nil {
		return bad
	}
	if x.Rank() != 3 && x.Rank() != 4 {
		return refusal(call,
			&graph.Mistake{Code: graph.CodeRank,
				Summary: fmt.Sprintf("im2col: Expected 3D or 4D tensor, but %s has shape %s", x.Called(), x.Shape())})
	}
	windows := slide(x, graph.Shape{graph.Dim(height), graph.Dim(width)}, s, graph.MakeShape(s.Padding...), 0)
	if !windows.Judged() {
		return windows
	}
	shape, lead := windows.Shape(), x.Rank()-3
	return Reshape(windows,
		append(slices.Clone(shape[:lead]), shape[lead:lead+3].NumElements(), shape[lead+3:].NumElements())...)
}

// Col2Im is the adjoint of [Im2Col]: it adds columns, [N, C*kh*kw, L] or [C*kh*kw, L], at the positions of their
// windows. The kernel is (kh, kw), and the result [N, C, height, width] or [C, height, width]. It is PyTorch's fold.
func Col2Im(x *graph.Node, height, width graph.Dim, kernel [2]int, opts ...StepOption) *graph.Node {
	s := stepsOf(opts)
	words := stepWords(after(nil, height, width, fmt.Sprintf("[2]int{%d, %d}", kernel[0], kernel[1])), s, []int{1})
	defer building("Col2Im", append([]any{x}, anys(words)...)...)()
	call := refused("Col2Im", x).with(anys(words)...)
	if bad := badSteps(call, kernel[0], kernel[1], s); bad != nil {
		return bad
	}
	if x.Rank() != 2 && x.Rank() != 3 {
		return refusal(call,
			&graph.Mistake{Code: graph.CodeRank,
				Summary: fmt.Sprintf("col2im: Expected 2D or 3D tensor, but %s has shape %s", x.Called(), x.Shape())})
	}
	padded, counts := make([]graph.Dim, 2), make([]graph.Dim, 2)
	for i, size := range []graph.Dim{height, width} {
		padded[i] = size.Plus(graph.Dim(2 * s.Padding[i]))
		counts[i] = rules.WindowCount(padded[i], graph.Dim(kernel[i]), s.Stride[i], s.Dilation[i])
	}
	apart := Unflatten(Unflatten(x, -1, counts...), -3, -1, graph.Dim(kernel[0]), graph.Dim(kernel[1]))
	if !apart.Judged() {
		return apart
	}
	image := unslide(apart, padded, s)
	for i, size := range []graph.Dim{height, width} {
		image = Narrow(image, i-2, graph.Dim(s.Padding[i]), size)
	}
	return image
}

func anys[T any](words []T) []any {
	list := make([]any, len(words))
	for i, w := range words {
		list[i] = w
	}
	return list
}

func init() {
	composed("Im2Col", "windows of images as columns.",
		named("", "torch.nn.functional.unfold", "jax.lax.conv_general_dilated_patches", "", "",
			func(e *graph.Example) node { return Im2Col(e.Of("x", "n", "c", "8", "8"), 3, 3, Padding(1)) }))
	composed("Col2Im", "columns added up at the places of their windows.",
		named("", "torch.nn.functional.fold", "", "Col2Im", "",
			func(e *graph.Example) node { return Col2Im(e.Of("x", "n", "9", "64"), 8, 8, [2]int{3, 3}, Padding(1)) }))
}
