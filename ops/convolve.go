package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// ConvolveMode says which places of a convolution are returned.
type ConvolveMode uint8

// The modes of a convolution, as SciPy's "full", "same" and "valid".
const (
	ConvolveFull  ConvolveMode = iota // all places where the two meet
	ConvolveSame                      // as many as the first operand has, in the middle of these
	ConvolveValid                     // those where one lies wholly within the other
)

var convolveModes = [...]string{"ConvolveFull", "ConvolveSame", "ConvolveValid"}

// String is the name of the constant.
func (m ConvolveMode) String() string {
	if int(m) < len(convolveModes) {
		return "ops." + convolveModes[m]
	}
	return fmt.Sprintf("ops.ConvolveMode(%d)", uint8(m))
}

// Convolve returns the convolution of x and y, which have one dtype and as many axes each, all of which are convolved: at place k the sum of
// x[i] y[k-i]. Along an axis of n and m elements there are n+m-1, n, or |n-m|+1 places by mode. As scipy.signal.convolve; of
// ConvolveSame, numpy.convolve returns as many places as the longer operand has.
func Convolve(x, y *graph.Node, mode ConvolveMode) *graph.Node {
	return convolved("Convolve", x, y, mode, false, byWindows)
}

// Correlate returns the correlation of x and y, which have one dtype and as many axes each: at place k the sum of x[i+k] y[i]. Places are those of
// [Convolve] of x and the reverse of y, as scipy.signal.correlate has them.
func Correlate(x, y *graph.Node, mode ConvolveMode) *graph.Node {
	return convolved("Correlate", x, y, mode, true, byWindows)
}

// FFTConvolve returns [Convolve] of floating-point numbers by Fourier transforms, which is faster where both operands are long, and errs by the
// rounding of the greatest result. As scipy.signal.fftconvolve.
func FFTConvolve(x, y *graph.Node, mode ConvolveMode) *graph.Node {
	return convolved("FFTConvolve", x, y, mode, false, byTransforms)
}

// convolved checks operands and picks the places of the mode. convolve is given padding before and behind x, and the axes' lengths of
// the result.
func convolved(fn string, x, y node, mode ConvolveMode, flipped bool, convolve func(x, y node, padding, places graph.Shape) node) node {
	defer building(fn, x, y, mode)()
	call := refused(fn, x, y).with(mode)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	switch {
	case int(mode) >= len(convolveModes):
		return call.wrong(graph.CodeOperand, "%s is no mode of a convolution: full, same or valid", mode)
	case x.Rank() != y.Rank() || x.Rank() == 0:
		return call.wrong(graph.CodeRank, "in1 and in2 should have the same dimensionality, and they have the shapes %s and %s", x.Shape(), y.Shape())
	case x.DType() != y.DType():
		return call.wrong(graph.CodeDType, "%s is %s and %s is %s: Cast brings them to one dtype", x.Called(), x.DType(), y.Called(), y.DType())
	case slices.Contains(x.Shape(), 0) || slices.Contains(y.Shape(), 0):
		return call.wrong(graph.CodeEmpty, "shapes %s and %s: operands of a convolution have elements", x.Shape(), y.Shape())
	}
	axes := make([]int, x.Rank())
	for i := range axes {
		axes[i] = i
	}
	if flipped {
		y = Flip(y, axes...)
	}
	padding, places := make(graph.Shape, x.Rank()), make(graph.Shape, x.Rank())
	if mode == ConvolveValid {
		within, around := covers(x, y), covers(y, x)
		switch {
		case !within && around:
			x, y = y, x
		case !within:
			return call.wrong(graph.CodeOperand, "For 'valid' mode, one must be at least as large as the other in every dimension, and the shapes are %s and %s", x.Shape(), y.Shape())
		}
	}
	for i, n := range x.Shape() {
		m := y.Shape()[i]
		if places[i] = n.Plus(m).Minus(1); mode == ConvolveValid {
			places[i] = n.Minus(m).Plus(1)
		} else {
			padding[i] = m.Minus(1)
		}
	}
	z := convolve(x, y, padding, places)
	if mode == ConvolveSame {
		for i, n := range x.Shape() {
			first := y.Shape()[i].Minus(1).FloorDiv(2)
			z = Slice(z, i, first, first.Plus(n), 1)
		}
	}
	return z
}

// covers reports whether x may be at least as long as y along all axes: sizes that runs decide are believed.
func covers(x, y node) bool {
	for i, n := range x.Shape() {
		if m := y.Shape()[i]; n.IsConst() && m.IsConst() && n < m {
			return false
		}
	}
	return true
}

// byWindows slides the reverse of y over x with zeros around it.
func byWindows(x, y node, padding, places graph.Shape) node {
	for i := range x.Shape() {
		x, y = Pad(x, i, padding[i], padding[i], 0), Flip(y, i)
	}
	image := func(v node) node { return Reshape(v, append(graph.Shape{1, 1}, v.Shape()...)...) }
	a := ConvAttrs{Stride: forAxes(nil, x.Rank(), 1), Padding: forAxes(nil, x.Rank(), 0), Dilation: forAxes(nil, x.Rank(), 1), Groups: 1}
	return Reshape(productOfWindows(image(x), image(y), a, places.NumElements()), places...)
}

// byTransforms multiplies transforms of as many elements as the full convolution has.
func byTransforms(x, y node, padding, places graph.Shape) node {
	sizes := make(graph.Shape, x.Rank())
	for i, n := range x.Shape() {
		sizes[i] = n.Plus(y.Shape()[i]).Minus(1)
	}
	a, b := RFFTN(x, FFTSizes(sizes...)), RFFTN(y, FFTSizes(sizes...))
	re, im := func(z node) node { return Select(z, -1, 0) }, func(z node) node { return Select(z, -1, 1) }
	product := Stack(-1, Sub(Mul(re(a), re(b)), Mul(im(a), im(b))), Add(Mul(re(a), im(b)), Mul(im(a), re(b))))
	z := IRFFTN(product, FFTSizes(sizes...))
	for i, n := range places {
		if first := y.Shape()[i].Minus(1).Minus(padding[i]); first != 0 {
			z = Slice(z, i, first, first.Plus(n), 1)
		}
	}
	return z
}

func init() {
	composed("Convolve", "the sum of x[i] y[k-i], along all axes.",
		named("scipy.signal.convolve, numpy.convolve, scipy.signal.convolve2d", "", "jax.scipy.signal.convolve, jax.numpy.convolve, jax.scipy.signal.convolve2d", "", "",
			func(e *graph.Example) node { return Convolve(e.Of("x", "n"), e.Of("y", "3"), ConvolveFull) }))
	composed("Correlate", "the sum of x[i+k] y[i], along all axes.",
		named("scipy.signal.correlate, numpy.correlate, scipy.signal.correlate2d", "", "jax.scipy.signal.correlate, jax.numpy.correlate, jax.scipy.signal.correlate2d", "", "",
			func(e *graph.Example) node { return Correlate(e.Of("x", "n", "8"), e.Of("y", "2", "3"), ConvolveFull) }))
	composed("FFTConvolve", "the sum of x[i] y[k-i], along all axes, by Fourier transforms.",
		named("scipy.signal.fftconvolve", "", "jax.scipy.signal.fftconvolve", "", "",
			func(e *graph.Example) node {
				return FFTConvolve(e.Of("x", "n", "8"), e.Of("y", "2", "3"), ConvolveFull)
			}))
}
