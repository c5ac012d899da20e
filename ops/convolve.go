package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// ConvolveMode says which positions of a convolution are returned.
type ConvolveMode uint8

// The modes of a convolution, as SciPy's "full", "same" and "valid".
const (
	ConvolveFull  ConvolveMode = iota // all positions where the operands overlap
	ConvolveSame                      // the middle part, as large as the first operand
	ConvolveValid                     // positions where one operand lies completely within the other
)

var convolveModes = [...]string{"ConvolveFull", "ConvolveSame", "ConvolveValid"}

// String returns the name of the constant.
func (m ConvolveMode) String() string {
	if int(m) < len(convolveModes) {
		return "ops." + convolveModes[m]
	}
	return fmt.Sprintf("ops.ConvolveMode(%d)", uint8(m))
}

// Convolve returns the convolution of x and y over all axes: element k is the sum of x[i] y[k-i]. Both have the same
// dtype and rank. Along axes of n and m elements the mode gives n+m-1, n or |n-m|+1 elements. It is
// scipy.signal.convolve; numpy.convolve differs for ConvolveSame, where its result is as long as the longer operand.
// For ConvolveValid along several axes of symbolic sizes, y must lie within x.
func Convolve(x, y *graph.Node, mode ConvolveMode) *graph.Node {
	return convolved("Convolve", x, y, mode, false, byWindows)
}

// Correlate returns the cross-correlation of x and y over all axes: element k is the sum of x[i+k] y[i]. Both have
// the same dtype and rank. Positions are those of [Convolve] of x and the reversed y. It is scipy.signal.correlate.
func Correlate(x, y *graph.Node, mode ConvolveMode) *graph.Node {
	return convolved("Correlate", x, y, mode, true, byWindows)
}

// FFTConvolve is [Convolve] of floating-point numbers by Fourier transforms. It is faster if both operands are long,
// but all results have the rounding error of the greatest one. It is scipy.signal.fftconvolve.
func FFTConvolve(x, y *graph.Node, mode ConvolveMode) *graph.Node {
	return convolved("FFTConvolve", x, y, mode, false, byTransforms)
}

// convolved checks operands and picks the places of the mode. convolve is given padding before and behind x, and the
// axes' lengths of the result.
func convolved(fn string, x, y node, mode ConvolveMode, flipped bool,
	convolve func(x, y node, padding, places graph.Shape) node) node {
	defer building(fn, x, y, mode)()
	call := refused(fn, x, y).with(mode)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	switch {
	case int(mode) >= len(convolveModes):
		return call.wrong(graph.CodeOperand,
			"%s is not a mode of a convolution: use ConvolveFull, ConvolveSame or ConvolveValid", mode)
	case x.Rank() != y.Rank() || x.Rank() == 0:
		return call.wrong(graph.CodeRank,
			"in1 and in2 should have the same dimensionality, but their shapes are %s and %s", x.Shape(), y.Shape())
	case x.DType() != y.DType():
		return call.wrongDType(oneDType(x, y), "%s is %s and %s is %s: they must have one dtype", x.Called(),
			x.DType(), y.Called(), y.DType())
	case slices.Contains(x.Shape(), 0) || slices.Contains(y.Shape(), 0):
		return call.wrong(graph.CodeEmpty,
			"the operands of a convolution must have elements, but their shapes are %s and %s", x.Shape(), y.Shape())
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
		inside, around := covers(x, y), covers(y, x)
		switch {
		case !inside && around:
			x, y = y, x
		case !inside:
			return call.wrong(graph.CodeOperand,
				"For 'valid' mode, one must be at least as large as the other in every dimension, but the shapes are %s and %s",
				x.Shape(), y.Shape())
		}
	}
	for i, n := range x.Shape() {
		m := y.Shape()[i]
		if padding[i] = m.Minus(1); mode == ConvolveValid {
			padding[i] = m.Minus(lengthInside(x, y, i))
		}
		places[i] = n.Plus(padding[i].Times(2)).Minus(m).Plus(1)
	}
	z := convolve(x, y, padding, places)
	requireElements(z, x, y, mode)
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

// lengthInside is the size along an axis of the operand that lies within the other. Along a single axis runs decide
// which does; along several y does, since the same operand lies within the other along all of them.
func lengthInside(x, y node, axis int) graph.Dim {
	if x.Rank() == 1 {
		return lesserSize(x.Graph(), x.Shape()[axis], y.Shape()[axis])
	}
	return y.Shape()[axis]
}

// requireElements requires of a convolution z that its operands have elements, and that y lies within x where all of it
// does.
func requireElements(z, x, y node, mode ConvolveMode) {
	for i, n := range x.Shape() {
		m := y.Shape()[i]
		needs := []graph.Requirement{{Kind: graph.MustBeAtLeast, A: n, B: 1}, {Kind: graph.MustBeAtLeast, A: m, B: 1}}
		if mode == ConvolveValid && x.Rank() > 1 {
			needs = append(needs, graph.Requirement{Kind: graph.MustBeAtLeast, A: n, B: m})
		}
		for _, need := range needs {
			if need.Why = "operands of a convolution have elements, and of a valid one the second lies within the first"; z.Judged() {
				requireSizes(z, need, need.Why)
			}
		}
	}
}

// byWindows slides the reverse of y over x with zeros around it.
func byWindows(x, y node, padding, places graph.Shape) node {
	for i := range x.Shape() {
		x, y = Pad(x, i, padding[i], padding[i], 0), Flip(y, i)
	}
	image := func(v node) node { return Reshape(v, append(graph.Shape{1, 1}, v.Shape()...)...) }
	a := ConvAttrs{Stride: forAxes(nil, x.Rank(), 1), Padding: forAxes(nil, x.Rank(), 0),
		Dilation: forAxes(nil, x.Rank(), 1), Groups: 1}
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
		named("scipy.signal.convolve, numpy.convolve, scipy.signal.convolve2d", "",
			"jax.scipy.signal.convolve, jax.numpy.convolve, jax.scipy.signal.convolve2d", "", "",
			func(e *graph.Example) node { return Convolve(e.Of("x", "n"), e.Of("y", "3"), ConvolveFull) }))
	composed("Correlate", "the sum of x[i+k] y[i], along all axes.",
		named("scipy.signal.correlate, numpy.correlate, scipy.signal.correlate2d", "",
			"jax.scipy.signal.correlate, jax.numpy.correlate, jax.scipy.signal.correlate2d", "", "",
			func(e *graph.Example) node { return Correlate(e.Of("x", "n", "8"), e.Of("y", "2", "3"), ConvolveFull) }))
	composed("FFTConvolve", "the sum of x[i] y[k-i], along all axes, by Fourier transforms.",
		named("scipy.signal.fftconvolve", "", "jax.scipy.signal.fftconvolve", "", "",
			func(e *graph.Example) node {
				return FFTConvolve(e.Of("x", "n", "8"), e.Of("y", "2", "3"), ConvolveFull)
			}))
}
