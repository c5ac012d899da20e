package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// FFTN returns the discrete Fourier transform along several axes, all or those of [FFTAxes]. The operand is that of
// [FFT]. Options are [FFTAxes], [FFTSizes] and [FFTNorm].
func FFTN(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "FFTN", word: "fft_fftn", compute: fftAxes}.of(x, opts)
}

// IFFTN is the inverse of [FFTN].
func IFFTN(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "IFFTN", word: "fft_ifftn", compute: ifftAxes}.of(x, opts)
}

// FFT2 is [FFTN] along the last two axes, [..., n, m, 2], unless [FFTAxes] lists others.
func FFT2(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "FFT2", word: "fft_fft2", lastTwo: true, compute: fftAxes}.of(x, opts)
}

// IFFT2 is the inverse of [FFT2].
func IFFT2(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "IFFT2", word: "fft_ifft2", lastTwo: true, compute: ifftAxes}.of(x, opts)
}

// RFFTN is [FFTN] of real numbers, without the half that is conjugate to the other: [RFFT] along the last of the
// axes, and [FFT] along the others. Axes and options are those of FFTN.
func RFFTN(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "RFFTN", compute: rfftAxes}.of(x, opts)
}

// RFFT2 is [RFFTN] along the last two axes, unless [FFTAxes] lists others.
func RFFT2(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "RFFT2", lastTwo: true, compute: rfftAxes}.of(x, opts)
}

// IRFFTN is the inverse of [RFFTN]: it returns real numbers. For m complex numbers along the last of the axes, there
// are 2·(m-1), unless [FFTSizes] sets their number.
func IRFFTN(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "IRFFTN", word: "fft_irfftn", compute: irfftAxes}.of(x, opts)
}

// IRFFT2 is [IRFFTN] along the last two axes, unless [FFTAxes] lists others.
func IRFFT2(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "IRFFT2", word: "fft_irfft2", lastTwo: true, compute: irfftAxes}.of(x, opts)
}

// manyAxes is a transform along several axes.
type manyAxes struct {
	fn, word string // word is PyTorch's, of a function of complex numbers; that of real ones has none
	lastTwo  bool   // unless the options list axes
	compute  func(call refusedCall, x node, each []fftOptions) node
}

// of begins the call, refuses what is no operand of it, and computes it with the options of each axis.
func (t manyAxes) of(x node, opts []FFTOption) node {
	a := fftOf(opts)
	a.several = true
	defer building(t.fn, a.args(x)...)()
	defer inFloat32(&x)()
	call := refused(t.fn, x).with(a.words()...)
	isReal := t.word == ""
	var bad node
	if isReal {
		bad = a.refusedReal(call)
	} else {
		bad = a.refusedPairs(call, t.word)
	}
	if bad != nil {
		return bad
	}
	rank := x.Rank()
	if !isReal {
		rank-- // without the axis of pairs
	}
	each, bad := a.eachAxis(call, rank, t.lastTwo)
	if bad != nil {
		return bad
	}
	return t.compute(call, x, each)
}

// alongEach transforms pairs along axes.
func alongEach(x node, each []fftOptions, inverse bool) node {
	for _, one := range each {
		x = one.along(x, inverse)
	}
	return x
}

// partLast parts the last axis, along which numbers are real, from the others.
func partLast(each []fftOptions) (last fftOptions, others []fftOptions) {
	return each[len(each)-1], each[:len(each)-1]
}

func fftAxes(_ refusedCall, x node, each []fftOptions) node { return alongEach(x, each, false) }

func ifftAxes(_ refusedCall, x node, each []fftOptions) node { return alongEach(x, each, true) }

func rfftAxes(_ refusedCall, x node, each []fftOptions) node {
	last, others := partLast(each)
	return alongEach(last.ofReal(x, false), others, false)
}

func irfftAxes(call refusedCall, x node, each []fftOptions) node {
	last, others := partLast(each)
	return last.toReal(call, alongEach(x, others, true), true)
}

func hfftAxes(call refusedCall, x node, each []fftOptions) node {
	last, others := partLast(each)
	return last.toReal(call, conjugate(alongEach(x, others, false)), false)
}

func ihfftAxes(_ refusedCall, x node, each []fftOptions) node {
	last, others := partLast(each)
	return alongEach(conjugate(last.ofReal(x, true)), others, true)
}

// eachAxis has the options of each axis of a transform along several of so many: those that are listed, or the last
// two, or as many of the last ones as there are sizes, or all.
func (a fftOptions) eachAxis(call refusedCall, rank int, two bool) (each []fftOptions, bad node) {
	axes := slices.Clone(a.axes)
	if axes == nil {
		count := rank
		switch {
		case a.sizes != nil:
			count = len(a.sizes)
		case two:
			count = 2
		}
		for i := range count {
			axes = append(axes, i-count)
		}
	}
	switch {
	case a.sizes != nil && len(a.sizes) != len(axes):
		return nil, call.wrong(graph.CodeAxis,
			"When given, dim and shape arguments must have the same length: there are %d axes and %d sizes", len(axes),
			len(a.sizes))
	case len(axes) == 0:
		return nil, call.wrong(graph.CodeAxis, "at least one axis must be transformed")
	}
	for i := range axes {
		one := fftOptions{axis: axes[i], norm: a.norm}
		if a.sizes != nil {
			one.size, one.sized = a.sizes[i], true
		}
		if bad := one.refusedAxis(call, rank); bad != nil {
			return nil, bad
		}
		if one.axis < 0 {
			one.axis += rank
		}
		if slices.ContainsFunc(each, func(o fftOptions) bool { return o.axis == one.axis }) {
			return nil, call.wrong(graph.CodeAxis, "FFT dims must be unique")
		}
		each = append(each, one)
	}
	return each, nil
}

// HFFT returns the real transform, [..., n], of a Hermitian signal, of which x, [..., n/2+1, 2], is the first half.
// Operand and options are those of [IRFFT], with the scales exchanged.
func HFFT(x *graph.Node, opts ...FFTOption) *graph.Node {
	a := fftOf(opts)
	defer building("HFFT", a.args(x)...)()
	defer inFloat32(&x)()
	call := refused("HFFT", x).with(a.words()...)
	if bad := a.refusedPairs(call, "fft_hfft"); bad != nil {
		return bad
	}
	return a.toReal(call, conjugate(x), false)
}

// IHFFT is the inverse of [HFFT]: it returns the first half of a Hermitian signal, as pairs. Operand and options are
// those of [RFFT], with the scales exchanged.
func IHFFT(x *graph.Node, opts ...FFTOption) *graph.Node {
	a := fftOf(opts)
	defer building("IHFFT", a.args(x)...)()
	defer inFloat32(&x)()
	if bad := a.refusedReal(refused("IHFFT", x).with(a.words()...)); bad != nil {
		return bad
	}
	return conjugate(a.ofReal(x, true))
}

// HFFTN is [HFFT] along the last of several axes, and [FFT] along the others. Axes and options are those of [IRFFTN],
// with the scales exchanged.
func HFFTN(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "HFFTN", word: "fft_hfftn", compute: hfftAxes}.of(x, opts)
}

// HFFT2 is [HFFTN] along the last two axes, unless [FFTAxes] lists others.
func HFFT2(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "HFFT2", word: "fft_hfft2", lastTwo: true, compute: hfftAxes}.of(x, opts)
}

// IHFFTN is the inverse of [HFFTN]: [IHFFT] along the last of several axes, and [IFFT] along the others. Axes and
// options are those of [RFFTN], with the scales exchanged.
func IHFFTN(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "IHFFTN", compute: ihfftAxes}.of(x, opts)
}

// IHFFT2 is [IHFFTN] along the last two axes, unless [FFTAxes] lists others.
func IHFFT2(x *graph.Node, opts ...FFTOption) *graph.Node {
	return manyAxes{fn: "IHFFT2", lastTwo: true, compute: ihfftAxes}.of(x, opts)
}

// conjugate turns the sign of the second of each pair.
func conjugate(x node) node {
	return Mul(x, Cast(Where(Equal(Iota(x.Graph(), 0, 2), num64(0)), num64(1), num64(-1)), x.DType()))
}

// FFTShift moves frequency 0 of a transform to the middle of the given axes, by n/2 positions. Axis numbers count the
// axis of pairs, which must not be among them.
func FFTShift(x *graph.Node, axes ...int) *graph.Node { return shifted("FFTShift", x, axes, false) }

// IFFTShift is the inverse of [FFTShift].
func IFFTShift(x *graph.Node, axes ...int) *graph.Node { return shifted("IFFTShift", x, axes, true) }

func shifted(fn string, x node, axes []int, back bool) node {
	words := make([]any, len(axes))
	for i, axis := range axes {
		words[i] = axis
	}
	defer building(fn, append([]any{x}, words...)...)()
	call := refused(fn, x).with(words...)
	if bad := notNodes(call); bad != nil {
		return bad
	}
	if len(axes) == 0 {
		return call.wrong(graph.CodeAxis, "give the axes: all axes of real numbers, or all but the last of pairs")
	}
	for _, axis := range axes {
		at, bad := call.axis(axis)
		if bad != nil {
			return bad
		}
		size := x.Shape()[at]
		first := size.FloorDiv(2)
		if !back {
			first = size.Minus(first)
		}
		x = Concat(at, Slice(x, at, first, size, 1), Slice(x, at, 0, first, 1))
	}
	return x
}

// FFTFreq returns the frequencies of a transform of n elements that are spacing apart: 0, 1, …, and from the middle
// on -n/2, …, -1, each divided by n·spacing.
func FFTFreq(g *graph.Graph, t graph.DType, n graph.Dim, spacing float64) *graph.Node {
	defer creating(g, "FFTFreq", "graph."+t.GoName(), n, spacing)()
	if bad := notFrequencies(g, "FFTFreq", t, n); bad != nil {
		return bad
	}
	place, size := Iota(g, 0, n), Size(g, graph.Int64, n)
	place = Where(Less(place, FloorDiv(Add(size, num64(1)), num64(2))), place, Sub(place, size))
	return frequencies(place, t, n, spacing)
}

// RFFTFreq returns the n/2 + 1 frequencies of [RFFT] of n elements that are spacing apart.
func RFFTFreq(g *graph.Graph, t graph.DType, n graph.Dim, spacing float64) *graph.Node {
	defer creating(g, "RFFTFreq", "graph."+t.GoName(), n, spacing)()
	if bad := notFrequencies(g, "RFFTFreq", t, n); bad != nil {
		return bad
	}
	return frequencies(Iota(g, 0, half(n)), t, n, spacing)
}

const oneElement = "frequencies are of a transform of at least one element"

func notFrequencies(g *graph.Graph, fn string, t graph.DType, n graph.Dim) node {
	if size, known := n.Int(); known && size < 1 || !t.IsFloat() || t.IsStorage() {
		return badRange(g, fn, "frequencies need a floating-point dtype and a transform of at least one element")
	}
	return nil
}

func frequencies(place node, t graph.DType, n graph.Dim, spacing float64) node {
	width := Mul(Size(place.Graph(), graph.Float64, n), num(spacing))
	y := Cast(Mul(Cast(place, graph.Float64), Reciprocal(width)), t)
	if y.Judged() {
		requireSizes(y, graph.Requirement{Kind: graph.MustBeAtLeast, A: n, B: 1, Why: oneElement}, oneElement)
	}
	return y
}

func init() {
	for _, f := range []struct {
		name, doc, word string
		shown           example
	}{
		{"FFTN", "the FFT along several axes, of pairs of real and imaginary parts.", "fftn",
			func(e *graph.Example) node { return FFTN(e.Of("x", "n", "k", "2"), FFTAxes(0, 1)) }},
		{"IFFTN", "the inverse FFT along several axes, of pairs of real and imaginary parts.", "ifftn",
			func(e *graph.Example) node { return IFFTN(e.Of("x", "n", "k", "2"), FFTAxes(0, 1)) }},
		{"FFT2", "the FFT along two axes, of pairs of real and imaginary parts.", "fft2", func(e *graph.Example) node {
			return FFT2(e.Of("x", "n", "k", "2"))
		}},
		{"IFFT2", "the inverse FFT along two axes, of pairs of real and imaginary parts.", "ifft2",
			func(e *graph.Example) node { return IFFT2(e.Of("x", "n", "k", "2")) }},
		{"RFFTN", "the half of the FFT of real numbers along several axes, as pairs of real and imaginary parts.",
			"rfftn", func(e *graph.Example) node { return RFFTN(e.Of("x", "n", "8"), FFTAxes(0, 1)) }},
		{"IRFFTN", "the real numbers of which this is the half of the FFT along several axes.", "irfftn",
			func(e *graph.Example) node { return IRFFTN(e.Of("x", "n", "5", "2"), FFTAxes(0, 1)) }},
		{"RFFT2", "the half of the FFT of real numbers along two axes, as pairs of real and imaginary parts.", "rfft2",
			func(e *graph.Example) node { return RFFT2(e.Of("x", "n", "8")) }},
		{"IRFFT2", "the real numbers of which this is the half of the FFT along two axes.", "irfft2",
			func(e *graph.Example) node { return IRFFT2(e.Of("x", "n", "5", "2")) }},
		{"HFFT", "the real FFT of a Hermitian signal, of its first half.", "hfft", func(e *graph.Example) node {
			return HFFT(e.Of("x", "5", "2"))
		}},
		{"IHFFT", "the first half of the Hermitian signal whose FFT this is.", "ihfft", func(e *graph.Example) node {
			return IHFFT(e.Of("x", "8"))
		}},
		{"FFTShift", "the frequency 0 moved to the middle of axes.", "fftshift", func(e *graph.Example) node {
			return FFTShift(e.Of("x", "n", "8"), 1)
		}},
		{"IFFTShift", "the frequency 0 moved from the middle of axes to their beginning.", "ifftshift",
			func(e *graph.Example) node { return IFFTShift(e.Of("x", "n", "8"), 1) }},
	} {
		composed(f.name, f.doc,
			named("numpy.fft."+f.word, "torch.fft."+f.word, "jax.numpy.fft."+f.word, "", "", f.shown))
	}
	for _, f := range []struct {
		name, doc, word string
		shown           example
	}{
		{"FFTFreq", "the frequencies of an FFT.", "fftfreq", func(e *graph.Example) node {
			return FFTFreq(e.Graph, e.DType, e.Shape("n")[0], 0.5)
		}},
		{"RFFTFreq", "the frequencies of the first half of an FFT.", "rfftfreq", func(e *graph.Example) node {
			return RFFTFreq(e.Graph, e.DType, e.Shape("n")[0], 0.5)
		}},
	} {
		ref := named("numpy.fft."+f.word, "torch.fft."+f.word, "jax.numpy.fft."+f.word, "", "", f.shown)
		ref.NoGradient = noSlope
		composed(f.name, f.doc, ref)
	}
	for _, f := range []struct {
		name, doc, word string
		shown           example
	}{
		{"HFFTN", "the real FFT along several axes of what is Hermitian along the last, of its first half.", "hfftn",
			func(e *graph.Example) node { return HFFTN(e.Of("x", "n", "5", "2"), FFTAxes(0, 1)) }},
		{"IHFFTN", "the first half of what has this real FFT along several axes.", "ihfftn",
			func(e *graph.Example) node { return IHFFTN(e.Of("x", "n", "8"), FFTAxes(0, 1)) }},
		{"HFFT2", "the real FFT along two axes of what is Hermitian along the last, of its first half.", "hfft2",
			func(e *graph.Example) node { return HFFT2(e.Of("x", "n", "5", "2")) }},
		{"IHFFT2", "the first half of what has this real FFT along two axes.", "ihfft2", func(e *graph.Example) node {
			return IHFFT2(e.Of("x", "n", "8"))
		}},
	} {
		composed(f.name, f.doc, named("scipy.fft."+f.word, "torch.fft."+f.word, "", "", "", f.shown))
	}
}
