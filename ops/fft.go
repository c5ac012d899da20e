package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/fourier"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opDFT, opRealDFT, opRealFromDFT *graph.Op

// dftAttrs are the fixed arguments of opDFT: whether the exponent has a plus sign, as in the inverse transform, and how
// many axes lie between the one that is transformed and that of pairs.
type dftAttrs struct {
	Plus   bool
	Beside int
}

// IsInverse reports whether the exponent has a plus sign.
func (a dftAttrs) IsInverse() bool { return a.Plus }

// Behind is how many axes lie between the one that is transformed and that of pairs.
func (a dftAttrs) Behind() int { return a.Beside }

// realDFTAttrs are those of opRealDFT: how many axes lie behind the one that is transformed.
type realDFTAttrs struct{ Beside int }

// Behind is the number of axes after the one that is transformed.
func (a realDFTAttrs) Behind() int { return a.Beside }

// realFromDFTAttrs are those of opRealFromDFT, and the number of real numbers.
type realFromDFTAttrs struct {
	Size   graph.Dim
	Beside int
}

// Behind is how many axes lie between the one that is transformed and that of pairs.
func (a realFromDFTAttrs) Behind() int { return a.Beside }

// Complex numbers are pairs on a last axis of size 2: the real part, and then the imaginary one. The three entries here
// divide no sum by its length. Their transforms are those of package kernels/fourier.
func init() {
	opDFT = fourierFunction("dft", "dft", "the discrete Fourier transform of complex numbers.", 2, 2,
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s := c.Shape(0)
			at := len(s) - 2 - c.Attrs().(dftAttrs).Beside
			rules.AtLeastOne(c, s[at], at, somePoints)
			return c.DType(0), s
		},
		eachFloat(dft[float32], dft[float64]),
		func(n, dy node, _ int) node { // the conjugate of a symmetric matrix
			a := n.Attrs().(dftAttrs)
			return graph.Apply(opDFT, dftAttrs{!a.Plus, a.Beside}, dy)
		})
	opRealDFT = fourierFunction("real_dft", "realDFT",
		"the first half of the discrete Fourier transform of real numbers.", 1, 2,
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s := slices.Clone(c.Shape(0))
			at := len(s) - 1 - c.Attrs().(realDFTAttrs).Beside
			rules.AtLeastOne(c, s[at], at, somePoints)
			s[at] = half(s[at])
			return c.DType(0), append(s, 2)
		},
		eachFloat(realDFT[float32], realDFT[float64]),
		func(n, dy node, _ int) node {
			beside := n.Attrs().(realDFTAttrs).Beside
			size := n.In(0).Shape()[n.In(0).Rank()-1-beside]
			return graph.Apply(opRealFromDFT, realFromDFTAttrs{size, beside}, Div(dy, multiplicity(dy, size, beside)))
		})
	opRealFromDFT = fourierFunction("real_from_dft", "realFromDFT",
		"the real numbers of which this is the first half of the discrete Fourier transform, times their number.", 2, 1,
		func(c *graph.Call) (graph.DType, graph.Shape) {
			a, s := c.Attrs().(realFromDFTAttrs), slices.Clone(c.Shape(0))
			s = s[:len(s)-1]
			at := len(s) - 1 - a.Beside
			rules.AtLeastOne(c, a.Size, at, somePoints)
			s[at] = a.Size
			return c.DType(0), s
		},
		eachFloat(realFromDFT[float32], realFromDFT[float64]),
		func(n, dy node, _ int) node {
			a := n.Attrs().(realFromDFTAttrs)
			return Mul(graph.Apply(opRealDFT, realDFTAttrs{a.Beside}, dy), multiplicity(dy, a.Size, a.Beside))
		})
	for _, f := range []struct {
		name, doc, word string
		shown           example
	}{
		{"FFT", "sum over j of x[j]·exp(-2πi·j·k/n) along an axis, of pairs of real and imaginary parts.", "fft",
			func(e *graph.Example) node { return FFT(e.Of("x", "n", "2")) }},
		{"IFFT", "the mean over j of x[j]·exp(2πi·j·k/n) along an axis, of pairs of real and imaginary parts.", "ifft",
			func(e *graph.Example) node { return IFFT(e.Of("x", "n", "2")) }},
		{"RFFT", "the first half of the FFT of real numbers, as pairs of real and imaginary parts.", "rfft",
			func(e *graph.Example) node { return RFFT(e.Of("x", "8")) }},
		{"IRFFT", "the real numbers of which this is the first half of the FFT.", "irfft", func(e *graph.Example) node {
			return IRFFT(e.Of("x", "5", "2"))
		}},
	} {
		composed(f.name, f.doc,
			named("numpy.fft."+f.word, "torch.fft."+f.word, "jax.numpy.fft."+f.word, "DFT", "", f.shown))
	}
}

// fourierFunction is the entry of a transform. An example has the axis that is transformed and those behind it: operand
// and result say how many of these there are besides those beside it.
func fourierFunction(name, fn, doc string, operand, result int, infer func(*graph.Call) (graph.DType, graph.Shape),
	compute func(a *graph.Arrays) error, grad func(n, dy node, i int) node) *graph.Op {
	return define(graph.Op{
		Name: name, Func: fn, Doc: doc, Class: graph.Function, MinIn: 1, MaxIn: 1, Infer: infer, Grad: grad,
		Together: true, Function: compute,
		Core: func(n *graph.Node) ([]int, int) {
			beside := n.Attrs().(interface{ Behind() int }).Behind()
			return []int{operand + beside}, result + beside
		},
	})
}

// eachFloat computes with numbers of the dtype of the result.
func eachFloat(of32, of64 func(a *graph.Arrays)) func(a *graph.Arrays) error {
	return func(a *graph.Arrays) error {
		if a.Out.DType == graph.Float32 {
			of32(a)
		} else {
			of64(a)
		}
		return nil
	}
}

func dft[T float32 | float64](a *graph.Arrays) {
	attrs := a.Attrs.(dftAttrs)
	n, beside := axisOf(a.Out.Shape[:len(a.Out.Shape)-1], attrs.Beside)
	fourier.Complex(a, graph.Elements[T](a.Out), graph.Elements[T](a.In[0]), n, beside, attrs.Plus)
}

func realDFT[T float32 | float64](a *graph.Arrays) {
	n, beside := axisOf(a.In[0].Shape, a.Attrs.(realDFTAttrs).Beside)
	fourier.Real(a, graph.Elements[T](a.Out), graph.Elements[T](a.In[0]), n, beside)
}

func realFromDFT[T float32 | float64](a *graph.Arrays) {
	n, beside := axisOf(a.Out.Shape, a.Attrs.(realFromDFTAttrs).Beside)
	fourier.ToReal(a, graph.Elements[T](a.Out), graph.Elements[T](a.In[0]), n, beside)
}

// axisOf returns the size of an axis that some others follow, and how many elements these have.
func axisOf(shape []int, others int) (size, beside int) {
	at, beside := len(shape)-1-others, 1
	for _, n := range shape[at+1:] {
		beside *= n
	}
	return shape[at], beside
}

// half is how many elements the first half of a transform has.
func half(n graph.Dim) graph.Dim { return n.FloorDiv(2).Plus(1) }

// multiplicity is how often each element of the first half of a transform of n numbers stands in the whole: once where
// it is its own mirror image, else twice. It broadcasts with pairs, before which there are some other axes.
func multiplicity(like node, n graph.Dim, beside int) node {
	g := like.Graph()
	k := Iota(g, 0, append(graph.Shape{half(n)}, slices.Repeat(graph.Shape{1}, beside+1)...)...)
	single := Or(Equal(k, num(0)), Equal(Mul(k, num64(2)), Size(g, graph.Int64, n)))
	return Cast(Where(single, num64(1), num64(2)), like.DType())
}

// FFT returns the discrete Fourier transform of complex numbers along an axis: y[k] = sum over j of
// x[j]·exp(-2πi·j·k/n). x and the result are [..., n, 2], Float32 or Float64, with the real and the imaginary part of
// each number on the last axis. Options are [FFTSize], [FFTAxis] and [FFTNorm]. Sizes that are products of 2, 3, 5
// and 7 are fastest.
func FFT(x *graph.Node, opts ...FFTOption) *graph.Node {
	return transform("FFT", "fft_fft", false, x, opts)
}

// IFFT is the inverse of [FFT], with the same operand and options.
func IFFT(x *graph.Node, opts ...FFTOption) *graph.Node {
	return transform("IFFT", "fft_ifft", true, x, opts)
}

func transform(fn, word string, inverse bool, x node, opts []FFTOption) node {
	a := fftOf(opts)
	defer building(fn, a.args(x)...)()
	defer inFloat32(&x)()
	if bad := a.refusedPairs(refused(fn, x).with(a.words()...), word); bad != nil {
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
	y := graph.Apply(opDFT, dftAttrs{inverse, x.Rank() - 2 - axis}, x)
	return a.scaled(y, x.Shape()[axis], inverse)
}

// RFFT returns the first n/2 + 1 complex numbers of the discrete Fourier transform of real numbers along an axis: for
// the last axis, [..., n/2+1, 2] of x [..., n], Float32 or Float64. The others are their conjugates. Options are
// those of [FFT].
func RFFT(x *graph.Node, opts ...FFTOption) *graph.Node {
	a := fftOf(opts)
	defer building("RFFT", a.args(x)...)()
	defer inFloat32(&x)()
	if bad := a.refusedReal(refused("RFFT", x).with(a.words()...)); bad != nil {
		return bad
	}
	return a.ofReal(x, false)
}

// ofReal is the first half of the transform of real numbers along the axis of the options, with the scale of a
// transform or its inverse.
func (a fftOptions) ofReal(x node, inverse bool) node {
	axis := countedFromZero([]int{a.axis}, x.Rank())[0]
	if a.sized {
		x = resized(x, axis, a.size)
	}
	y := graph.Apply(opRealDFT, realDFTAttrs{x.Rank() - 1 - axis}, x)
	return a.scaled(y, x.Shape()[axis], inverse)
}

// IRFFT is the inverse of [RFFT]: it returns real numbers, [..., n] of x [..., n/2+1, 2]. For m complex numbers n is
// 2·(m-1), unless [FFTSize] sets it. The imaginary part of the first number is ignored, and for even n also that of
// the last. Options are those of [FFT].
func IRFFT(x *graph.Node, opts ...FFTOption) *graph.Node {
	a := fftOf(opts)
	defer building("IRFFT", a.args(x)...)()
	defer inFloat32(&x)()
	call := refused("IRFFT", x).with(a.words()...)
	if bad := a.refusedPairs(call, "fft_irfft"); bad != nil {
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
	y := graph.Apply(opRealFromDFT, realFromDFTAttrs{size, x.Rank() - 2 - axis}, x)
	return a.scaled(y, size, inverse)
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

const somePoints = "a Fourier transform needs data points"

func noPoints(n int64) *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeEmpty,
		Summary: fmt.Sprintf("Invalid number of data points (%d) specified", n)}
}
