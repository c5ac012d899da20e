package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// Detrend returns x minus its mean along an axis, or with linear minus the least-squares line. breaks are positions,
// in ascending order, that split the axis into separate parts. Integers give Float32. It is scipy.signal.detrend,
// which splits only for lines.
func Detrend(x *graph.Node, axis int, linear bool, breaks ...int) *graph.Node {
	words := append([]any{axis, linear}, axisWords(breaks)...)
	defer building("Detrend", append([]any{x}, words...)...)()
	call := refused("Detrend", x).with(words...)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	at, bad := call.axis(axis)
	if bad != nil {
		return bad
	}
	for i, b := range breaks {
		if n, known := x.Shape()[at].Int(); b <= 0 || known && int64(b) >= n || i > 0 && b <= breaks[i-1] {
			return call.wrong(graph.CodeOperand,
				"Breakpoints must be ascending, above 0, and less than length of data along given axis: axis %d of %s of shape %s has %s elements",
				at, x.Called(), x.Shape(), x.Shape()[at])
		}
	}
	if x = Div(x, num(1)); x.Err() != nil || !x.Judged() {
		return x
	}
	places := make([]graph.Dim, len(breaks))
	for i, b := range breaks {
		places[i] = graph.Dim(b)
	}
	parts := SplitAt(x, at, places...)
	for i, part := range parts {
		parts[i] = withoutTrend(part, at, linear)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return Concat(at, parts...)
}

// withoutTrend takes the mean or the line away. Numbers of 16 bits are Float32 inside: squares of places are soon too
// large for them.
func withoutTrend(x node, axis int, linear bool) node {
	t := x.DType()
	x = Cast(x, t.Computed())
	left := Sub(x, Mean(x, Axis(axis), KeepDims()))
	if !linear {
		return Cast(left, t)
	}
	g, n := x.Graph(), x.Shape()[axis]
	place := Cast(Iota(g, 0, n), x.DType())
	place = Sub(place, Mul(Sub(Size(g, x.DType(), n), num(1)), num(0.5)))
	squares := Sum(Square(place))
	for range x.Rank() - 1 - axis {
		place = Unsqueeze(place, -1)
	}
	slope := Div(Sum(Mul(left, place), Axis(axis), KeepDims()), Where(Equal(squares, num(0)), num(1), squares))
	return Cast(Sub(left, Mul(slope, place)), t)
}

// Welch returns the power spectral density of signals x, [L] or [N, L], Float32 or Float64, by Welch's method: the
// frequencies, [n/2+1], and the power of each per Hz, [n/2+1] or [N, n/2+1]. It is the mean over frames of n
// elements, from each of which the mean is subtracted before a window is applied. rate is the sample rate. Options
// are [STFTHop], by default half a frame; [STFTWindow] or [STFTWide], by default a periodic [HannWindow]; and
// [STFTWhole], which returns all frequencies instead of adding the negative ones to the positive ones. It is
// scipy.signal.welch. Source: P. D. Welch, The Use of Fast Fourier Transform for the Estimation of Power Spectra,
// 1967.
func Welch(x *graph.Node, rate float64, n int, opts ...STFTOption) (frequencies, power *graph.Node) {
	return spectral("Welch", []node{x}, rate, n, opts)
}

// CSD returns the frequencies of [Welch] and the cross spectral density of two signals of the same shape, as pairs of
// real and imaginary parts: the means of the conjugate transform of x times that of y. Options are those of Welch. It
// is scipy.signal.csd.
func CSD(x, y *graph.Node, rate float64, n int, opts ...STFTOption) (frequencies, density *graph.Node) {
	return spectral("CSD", []node{x, y}, rate, n, opts)
}

func spectral(fn string, in []node, rate float64, n int, opts []STFTOption) (frequencies, density node) {
	a := spectraOf(rate, n, opts)
	words := append([]any{rate}, a.words...)
	args := make([]any, len(in))
	for i, x := range in {
		args[i] = x
	}
	defer building(fn, append(args, words...)...)()
	if bad := a.refused(refused(fn, in...).with(words...)); bad != nil {
		return bad, bad
	}
	window := a.windowFor(in[0])
	transforms := make([]node, len(in))
	for i, x := range in {
		transforms[i] = a.transform(x, window)
	}
	frequencies, weight := a.frequencies(window)
	re, im := func(z node) node { return Select(z, -1, 0) }, func(z node) node { return Select(z, -1, 1) }
	overFrames := func(z node) node { return Mul(Mean(z, -2), weight) }
	p := transforms[0]
	if len(in) == 1 {
		return frequencies, overFrames(Add(Square(re(p)), Square(im(p))))
	}
	q := transforms[1]
	return frequencies, Stack(-1, overFrames(Add(Mul(re(p), re(q)), Mul(im(p), im(q)))),
		overFrames(Sub(Mul(re(p), im(q)), Mul(im(p), re(q)))))
}

// spectra is what a spectral density is computed with: frames of n elements of signals with a rate.
type spectra struct {
	stftOptions
	given stftOptions // what the options say, and nothing else
	rate  float64
	n     int
}

// spectraOf reads options. Without one, frames are half a frame apart, and not a quarter as those of [STFT].
func spectraOf(rate float64, n int, opts []STFTOption) spectra {
	a := spectra{stftOf(n, opts), stftOptions{hop: n - n/2, mode: -1}, rate, n}
	for _, o := range opts {
		if o != nil {
			o(&a.given)
		}
	}
	a.hop = a.given.hop
	return a
}

// refused is the refusal of signals, options or a rate; nil where there is nothing wrong with them.
func (a spectra) refused(call refusedCall) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	first := call.in[0]
	for _, x := range call.in {
		if _, bad := a.call(call.fn, x); bad != nil {
			return bad
		}
		if x.Rank() < 1 || x.Rank() > 2 || !x.Shape().Equal(first.Shape()) || x.DType() != first.DType() {
			return call.wrong(graph.CodeRank,
				"signals must be [L] or [N, L], with the same shape and dtype, but %s is %s of shape %s", x.Called(),
				x.DType(), x.Shape())
		}
	}
	switch {
	case a.given.mode >= 0 || a.beside || a.normalized || a.cut:
		return call.wrong(graph.CodeOperand, "the only options are STFTHop, STFTWindow, STFTWide and STFTWhole")
	case !(a.rate > 0) || math.IsInf(a.rate, 0):
		return call.wrong(graph.CodeOperand, "the sample rate must be above 0, but it is %v", a.rate)
	}
	return nil
}

// windowFor is what frames of a signal are multiplied by.
func (a spectra) windowFor(x node) node {
	g, t := x.Graph(), x.DType()
	window := a.frame(x)
	switch {
	case a.window == nil && a.given.wide == 0:
		return HannWindow(g, t, graph.Dim(a.n), true)
	case window == nil:
		return Ones(g, t, graph.Dim(a.n))
	}
	return window
}

// transform is that of each frame of a signal, less its mean.
func (a spectra) transform(x, window node) node {
	frames := Window(x, -1, graph.Dim(a.n), a.hop, 1)
	frames = Mul(Sub(frames, Mean(frames, -1, KeepDims())), window)
	if a.whole {
		return FFT(Stack(-1, frames, ZerosLike(frames)))
	}
	return RFFT(frames)
}

// frequencies returns those of a transform, and the weight of each: twice as much for those that also represent a
// negative frequency.
func (a spectra) frequencies(window node) (frequencies, weight node) {
	g, t := window.Graph(), window.DType()
	weight = Reciprocal(Mul(num(a.rate), Sum(Square(window))))
	if a.whole {
		return FFTFreq(g, t, graph.Dim(a.n), 1/a.rate), weight
	}
	place := Iota(g, 0, graph.Dim(a.n/2+1))
	isOnce := Or(Equal(place, num64(0)), Equal(Mul(place, num64(2)), num64(int64(a.n))))
	weight = Mul(weight, Cast(Where(isOnce, num(1), num(2)), t))
	return RFFTFreq(g, t, graph.Dim(a.n), 1/a.rate), weight
}

func init() {
	composed("Detrend", "x less its mean along an axis, or less the nearest line.",
		named("scipy.signal.detrend", "", "jax.scipy.signal.detrend", "", "", func(e *graph.Example) node {
			return Detrend(e.Of("x", "n", "8"), 1, true)
		}))
	composed("Welch", "the power of frequencies, the mean over frames of a signal.",
		named("scipy.signal.welch", "", "jax.scipy.signal.welch", "", "", func(e *graph.Example) node {
			_, power := Welch(e.Of("x", "n", "32"), 2, 8)
			return power
		}))
	composed("CSD", "the cross spectral density of two signals, as pairs.",
		named("scipy.signal.csd", "", "jax.scipy.signal.csd", "", "", func(e *graph.Example) node {
			_, density := CSD(e.Of("x", "n", "32"), e.Of("y", "n", "32"), 2, 8)
			return density
		}))
}
