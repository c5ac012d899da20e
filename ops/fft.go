package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops/internal/fourier"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opDFT, opRealDFT, opRealFromDFT *graph.Op

// dftAttrs are the fixed arguments of opDFT: whether the exponent has a plus sign, as in the inverse transform.
type dftAttrs struct{ Plus bool }

// IsInverse reports whether the exponent has a plus sign.
func (a dftAttrs) IsInverse() bool { return a.Plus }

// realFromDFTAttrs are the fixed arguments of opRealFromDFT: the number of real numbers.
type realFromDFTAttrs struct{ Size graph.Dim }

// Complex numbers are pairs on a last axis of size 2: the real part, and then the imaginary one. The three entries here divide no sum by
// its length. They transform the last axis, or the one before pairs.
func init() {
	opDFT = matrixFunction("dft", "dft", "the discrete Fourier transform of complex numbers.", []int{2, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s := c.Shape(0)
			rules.AtLeastOne(c, s[len(s)-2], len(s)-2, somePoints)
			return c.DType(0), s
		},
		func(a *graph.Arrays, y []float64) error {
			fourier.Complex(y, numbersOf(a, 0), a.Attrs.(dftAttrs).Plus)
			return nil
		},
		func(n, dy node, _ int) node { // the conjugate of a symmetric matrix
			return graph.Apply(opDFT, dftAttrs{!n.Attrs().(dftAttrs).Plus}, dy)
		})
	opRealDFT = matrixFunction("real_dft", "realDFT", "the first half of the discrete Fourier transform of real numbers.", []int{1, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s := c.Shape(0)
			last := len(s) - 1
			rules.AtLeastOne(c, s[last], last, somePoints)
			return c.DType(0), append(s[:last:last], half(s[last]), 2)
		},
		func(a *graph.Arrays, y []float64) error {
			fourier.Real(y, numbersOf(a, 0))
			return nil
		},
		func(n, dy node, _ int) node {
			size := n.In(0).Shape()[n.In(0).Rank()-1]
			return graph.Apply(opRealFromDFT, realFromDFTAttrs{size}, Div(dy, multiplicity(dy, size)))
		})
	opRealFromDFT = matrixFunction("real_from_dft", "realFromDFT", "the real numbers of which this is the first half of the discrete Fourier transform, times their number.", []int{2, 1},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, size := c.Shape(0), c.Attrs().(realFromDFTAttrs).Size
			rules.AtLeastOne(c, size, len(s)-2, somePoints)
			return c.DType(0), append(s[:len(s)-2:len(s)-2], size)
		},
		func(a *graph.Arrays, y []float64) error {
			fourier.ToReal(y, numbersOf(a, 0))
			return nil
		},
		func(n, dy node, _ int) node {
			return Mul(graph.Apply(opRealDFT, nil, dy), multiplicity(dy, n.Attrs().(realFromDFTAttrs).Size))
		})
	for _, f := range []struct {
		name, doc, word string
		shown           example
	}{
		{"FFT", "sum over j of x[j]·exp(-2πi·j·k/n) along an axis, of pairs of real and imaginary parts.", "fft", func(e *graph.Example) node { return FFT(e.Of("x", "n", "2")) }},
		{"IFFT", "the mean over j of x[j]·exp(2πi·j·k/n) along an axis, of pairs of real and imaginary parts.", "ifft", func(e *graph.Example) node { return IFFT(e.Of("x", "n", "2")) }},
		{"RFFT", "the first half of the FFT of real numbers, as pairs of real and imaginary parts.", "rfft", func(e *graph.Example) node { return RFFT(e.Of("x", "8")) }},
		{"IRFFT", "the real numbers of which this is the first half of the FFT.", "irfft", func(e *graph.Example) node { return IRFFT(e.Of("x", "5", "2")) }},
	} {
		composed(f.name, f.doc, named("numpy.fft."+f.word, "torch.fft."+f.word, "jax.numpy.fft."+f.word, "DFT", "", f.shown))
	}
}

// half is how many elements the first half of a transform has.
func half(n graph.Dim) graph.Dim { return n.FloorDiv(2).Plus(1) }

// multiplicity is how often each element of the first half of a transform of n numbers stands in the whole: once where it is its own
// mirror image, else twice. It broadcasts with pairs.
func multiplicity(like node, n graph.Dim) node {
	g := like.Graph()
	k := Iota(g, 0, half(n), 1)
	single := Or(Equal(k, num(0)), Equal(Mul(k, num64(2)), Size(g, graph.Int64, n)))
	return Cast(Where(single, num64(1), num64(2)), like.DType())
}

// FFT returns the discrete Fourier transform along an axis of complex numbers: y[k] = sum over j of x[j]·exp(-2πi·j·k/n). x is [..., n, 2],
// Float32 or Float64, the real and the imaginary part of each number; so is the result. Options are [FFTSize], [FFTAxis], which counts
// without the axis of pairs, and [FFTNorm]. Float32 is computed in float64, and rounded once.
func FFT(x *graph.Node, opts ...FFTOption) *graph.Node {
	return transform("FFT", "fft_fft", false, x, opts)
}

// IFFT undoes [FFT], and has the same operand and options.
func IFFT(x *graph.Node, opts ...FFTOption) *graph.Node {
	return transform("IFFT", "fft_ifft", true, x, opts)
}

func transform(fn, word string, inverse bool, x node, opts []FFTOption) node {
	a := fftOf(opts)
	defer building(fn, a.args(x)...)()
	if bad := a.refusedPairs(refused(fn, x).with(a.words()...), word, 1); bad != nil {
		return bad
	}
	return a.along(x, inverse)
}

// along transforms pairs along the axis of the options.
func (a fftOptions) along(x node, inverse bool) node {
	axis := a.axis
	if axis < 0 {
		axis += x.Rank() - 1
	}
	if a.sized {
		x = resized(x, axis, a.size)
	}
	y := graph.Apply(opDFT, dftAttrs{inverse}, MoveAxis(x, axis, -2))
	return a.scaled(MoveAxis(y, -2, axis), x.Shape()[axis], inverse)
}

// RFFT returns the first half, n/2 + 1 complex numbers, of the discrete Fourier transform of real numbers along an axis: [..., n/2+1, 2] of [..., n],
// Float32 or Float64, for the last axis. The others are conjugates. Options are those of [FFT].
func RFFT(x *graph.Node, opts ...FFTOption) *graph.Node {
	a := fftOf(opts)
	defer building("RFFT", a.args(x)...)()
	if bad := a.refusedReal(refused("RFFT", x).with(a.words()...)); bad != nil {
		return bad
	}
	return a.ofReal(x, false)
}

// ofReal is the first half of the transform of real numbers along the axis of the options, with the scale of a transform or its
// inverse.
func (a fftOptions) ofReal(x node, inverse bool) node {
	axis := countedFromZero([]int{a.axis}, x.Rank())[0]
	if a.sized {
		x = resized(x, axis, a.size)
	}
	y := graph.Apply(opRealDFT, nil, MoveAxis(x, axis, -1))
	return a.scaled(MoveAxis(y, -2, axis), x.Shape()[axis], inverse)
}

// IRFFT undoes [RFFT]: it returns the real numbers, [..., n] of [..., n/2+1, 2], of which this is the first half of the transform. There are 2·(m-1) of
// them for m complex ones, unless [FFTSize] says how many. The imaginary parts of the first number and, for even n, of the last do not count.
// Options are those of [FFT].
func IRFFT(x *graph.Node, opts ...FFTOption) *graph.Node {
	a := fftOf(opts)
	defer building("IRFFT", a.args(x)...)()
	call := refused("IRFFT", x).with(a.words()...)
	if bad := a.refusedPairs(call, "fft_irfft", 1); bad != nil {
		return bad
	}
	return a.toReal(call, x, true)
}

// toReal is the real numbers of which pairs are the first half of the transform, along the axis of the options.
func (a fftOptions) toReal(call refusedCall, x node, inverse bool) node {
	axis := a.axis
	if axis < 0 {
		axis += x.Rank() - 1
	}
	have := x.Shape()[axis]
	size := have.Minus(1).Times(2)
	if a.sized {
		size = a.size
	}
	if n, known := size.Int(); known && n < 1 {
		return refusal(call, noPoints(n))
	}
	if have != half(size) {
		x = resized(x, axis, half(size))
	}
	y := graph.Apply(opRealFromDFT, realFromDFTAttrs{size}, MoveAxis(x, axis, -2))
	return a.scaled(MoveAxis(y, -1, axis), size, inverse)
}

// resized cuts an axis, or fills it up with zeros.
func resized(x node, axis int, size graph.Dim) node {
	have := x.Shape()[axis]
	least := graph.MinDim(have, size)
	if least != have {
		x = Slice(x, axis, 0, least, 1)
	}
	if least != size {
		x = Pad(x, axis, 0, size.Minus(least), 0)
	}
	return x
}

const somePoints = "a Fourier transform has data points"

func noPoints(n int64) *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeEmpty, Summary: fmt.Sprintf("Invalid number of data points (%d) specified", n)}
}
