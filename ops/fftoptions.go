package ops

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// An FFTOption changes [FFT] and similar functions.
type FFTOption func(*fftOptions)

// fftOptions are the options of a transform.
type fftOptions struct {
	axis  int
	size  graph.Dim
	sized bool
	// Of a transform along several axes.
	several bool
	axes    []int
	sizes   []graph.Dim
	norm    FFTScale
}

// FFTScale says which of a transform and its inverse is divided by the number of elements n, or by its square root.
type FFTScale uint8

// The scales of a transform, as PyTorch's "backward", "forward" and "ortho".
const (
	ScaleInverse FFTScale = iota // the inverse by n
	ScaleForward                 // the transform by n
	ScaleBoth                    // both by the square root of n
)

var fftScales = [...]string{"ScaleInverse", "ScaleForward", "ScaleBoth"}

// String returns the name of the constant.
func (s FFTScale) String() string {
	if int(s) < len(fftScales) {
		return "ops." + fftScales[s]
	}
	return fmt.Sprintf("ops.FFTScale(%d)", uint8(s))
}

// FFTAxis sets the axis, negative from the end, not counting the axis of pairs. The default is the last one.
func FFTAxis(axis int) FFTOption { return func(a *fftOptions) { a.axis = axis } }

// FFTSize sets the number of elements that are transformed. Others are ignored, and missing ones are 0. For [IRFFT]
// it is the number of elements of the result.
func FFTSize(n graph.Dim) FFTOption { return func(a *fftOptions) { a.size, a.sized = n, true } }

// FFTAxes sets the axes of a transform along several, such as [FFTN]. They count as in [FFTAxis].
func FFTAxes(axes ...int) FFTOption {
	return func(a *fftOptions) { a.axes = append([]int{}, axes...) }
}

// FFTSizes sets the numbers of elements that are transformed along several axes, each as in [FFTSize]. Without
// [FFTAxes] they are those of the last axes.
func FFTSizes(sizes ...graph.Dim) FFTOption {
	return func(a *fftOptions) { a.sizes = append([]graph.Dim{}, sizes...) }
}

// FFTNorm says what is divided by the number of elements. The default is [ScaleInverse].
func FFTNorm(s FFTScale) FFTOption { return func(a *fftOptions) { a.norm = s } }

func fftOf(opts []FFTOption) fftOptions {
	a := fftOptions{axis: -1}
	for _, o := range opts {
		if o != nil {
			o(&a)
		}
	}
	return a
}

// words are the options as the user writes them.
func (a fftOptions) words() (words []any) {
	if a.axis != -1 {
		words = append(words, fmt.Sprintf("FFTAxis(%d)", a.axis))
	}
	if a.sized {
		words = append(words, fmt.Sprintf("FFTSize(%s)", a.size))
	}
	if a.axes != nil {
		words = append(words, "FFTAxes("+listed(a.axes)+")")
	}
	if a.sizes != nil {
		words = append(words, "FFTSizes("+listed(a.sizes)+")")
	}
	if a.norm != ScaleInverse {
		words = append(words, fmt.Sprintf("FFTNorm(%s)", a.norm))
	}
	return words
}

func listed[T any](list []T) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

func (a fftOptions) args(x node) []any { return append([]any{x}, a.words()...) }

// refusedPairs is the refusal of what is not complex numbers with the axis of the options; nil where it is.
func (a fftOptions) refusedPairs(call refusedCall, word string) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	x := call.in[0]
	last := x.Rank() - 1
	if bad := a.notFull(call); bad != nil {
		return bad
	}
	if last < 1 || x.Shape()[last] != 2 {
		return refusal(call, &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf(
				"%s: complex numbers must be pairs of real and imaginary parts on a last axis of size 2, but %s has shape %s",
				word, x.Called(), x.Shape()),
			Help: []string{"use Stack(-1, re, im) to make them, or RFFT for real numbers"}})
	}
	return a.refusedAxis(call, last)
}

// refusedReal is the refusal of what is not real numbers with the axis of the options.
func (a fftOptions) refusedReal(call refusedCall) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if bad := a.notFull(call); bad != nil {
		return bad
	}
	return a.refusedAxis(call, call.in[0].Rank())
}

func (a fftOptions) notFull(call refusedCall) node {
	x := call.in[0]
	switch {
	case a.several && (a.sized || a.axis != -1):
		return refusal(call,
			&graph.Mistake{Code: graph.CodeOperand, Summary: call.fn + " transforms several axes",
				Help: []string{"use FFTAxes and FFTSizes, or FFT along each axis"}})
	case !a.several && (a.axes != nil || a.sizes != nil):
		return refusal(call,
			&graph.Mistake{Code: graph.CodeOperand, Summary: call.fn + " transforms one axis",
				Help: []string{"use FFTAxis and FFTSize, or FFTN"}})
	case a.norm > ScaleBoth:
		return refusal(call,
			&graph.Mistake{Code: graph.CodeOperand, Summary: fmt.Sprintf("there is no scale %s", a.norm)})
	case x.DType() != graph.Float32 && x.DType() != graph.Float64:
		return refusal(call,
			&graph.Mistake{Code: graph.CodeDType, Casts: oneWideFloat(x),
				Summary: "transforms need float32 or float64, but " + x.Called() + " has dtype " + x.DType().String()})
	}
	return nil
}

// refusedAxis refuses an axis that is not one of so many, or has no elements. Those of several are looked at one by
// one.
func (a fftOptions) refusedAxis(call refusedCall, axes int) node {
	if a.several {
		return nil
	}
	axis := a.axis
	if axis < 0 {
		axis += axes
	}
	if axis < 0 || axis >= axes {
		return refusal(call, &graph.Mistake{Code: graph.CodeAxis,
			Summary: fmt.Sprintf("Dimension out of range (expected to be in range of [%d, %d], but got %d)", -axes,
				axes-1, a.axis)})
	}
	size := call.in[0].Shape()[axis]
	if a.sized {
		size = a.size
	}
	if n, known := size.Int(); known && n < 1 {
		return refusal(call, noPoints(n))
	}
	return nil
}

// scaled divides a transform of n elements.
func (a fftOptions) scaled(y node, n graph.Dim, inverse bool) node {
	size := Size(y.Graph(), y.DType(), n)
	switch {
	case a.norm == ScaleBoth:
		return Div(y, Sqrt(size))
	case inverse == (a.norm == ScaleInverse):
		return Div(y, size)
	}
	return y
}
