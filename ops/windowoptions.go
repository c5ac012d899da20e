package ops

import (
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// A ConvOption changes a convolution.
type ConvOption interface{ conv(*ConvAttrs) }

// A PoolOption changes a pooling operation.
type PoolOption interface{ pool(*PoolAttrs) }

// A StepOption says how the windows of convolutions and pooling move. One number holds for all spatial axes;
// otherwise there is one for each.
type StepOption func(*rules.Steps)

func (o StepOption) conv(a *ConvAttrs) { o.set(&a.Stride, &a.Padding, &a.Dilation) }

func (o StepOption) pool(a *PoolAttrs) { o.set(&a.Stride, &a.Padding, &a.Dilation) }

func (o StepOption) set(stride, padding, dilation *[]int) {
	s := rules.Steps{Stride: *stride, Padding: *padding, Dilation: *dilation}
	if o != nil {
		o(&s)
	}
	*stride, *padding, *dilation = s.Stride, s.Padding, s.Dilation
}

// Stride sets the distance between windows. The default is 1 for convolutions and the kernel size for pooling.
func Stride(steps ...int) StepOption {
	return func(s *rules.Steps) { s.Stride = slices.Clone(steps) }
}

// Padding adds elements on both sides of each axis: zeros, or for max pooling the least value of the dtype.
func Padding(elements ...int) StepOption {
	return func(s *rules.Steps) { s.Padding = slices.Clone(elements) }
}

// Dilation sets the distance between neighbouring elements of a window.
func Dilation(steps ...int) StepOption {
	return func(s *rules.Steps) { s.Dilation = slices.Clone(steps) }
}

// stepWords writes the options that differ from what they are when nothing is said.
func stepWords(operands []string, s rules.Steps, stride []int) []string {
	for _, o := range []struct {
		word         string
		given, usual []int
	}{{"Stride", s.Stride, stride}, {"Padding", s.Padding, []int{0}}, {"Dilation", s.Dilation, []int{1}}} {
		if !slices.Equal(o.given, forAxes(o.usual, len(o.given), 0)) {
			if len(slices.Compact(slices.Clone(o.given))) == 1 {
				o.given = o.given[:1]
			}
			operands = append(operands, o.word+"("+strings.Join(after(nil, axisWords(o.given)...), ", ")+")")
		}
	}
	return operands
}

// forAxes repeats one number for all axes; nil is the default.
func forAxes(list []int, axes, unlessGiven int) []int {
	switch {
	case list == nil:
		list = []int{unlessGiven}
	case len(list) != 1:
		return list
	}
	return slices.Repeat(list, axes)
}

// slide returns the windows over the last axes of x, which is padded with a number: the
// result has x's leading axes, then the elements of the windows, one axis for each axis
// over which they slide, then the windows. after is the padding behind each axis. The last
// axis comes first, and so last in the gradient: what is added up first there, and is most,
// are whole rows.
func slide(x node, kernel []graph.Dim, s rules.Steps, after []graph.Dim, fill float64) node {
	lead, last := x.Rank()-len(kernel), x.Rank()-1
	for i, elements := range s.Padding {
		x = Pad(x, lead+i, graph.Dim(elements), after[i], fill)
	}
	for i, size := range slices.Backward(kernel) {
		x = MoveAxis(Window(x, last, size, s.Stride[i], s.Dilation[i]), -1, lead)
	}
	return x
}

// unslide is the opposite of slide: it puts windows back on the last axes, whose sizes are
// given, and adds up what meets, first of all along the first one.
func unslide(x node, sizes []graph.Dim, s rules.Steps) node {
	lead, last := x.Rank()-2*len(sizes), x.Rank()-len(sizes)-1
	for i, size := range sizes {
		x = Fold(MoveAxis(x, lead, -1), last, size, s.Stride[i], s.Dilation[i])
	}
	return x
}
