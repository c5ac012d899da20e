package ops

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// The functions here return windows that fade a signal out at both ends of a frame, as those of torch.signal and SciPy.
// A periodic window is a symmetric one with one element more, without its last one: it is the one for [STFT].

// taper is [taperBy] of a function of the places alone.
func taper(g *graph.Graph, fn string, t graph.DType, size graph.Dim, periodic bool, f func(place node) node,
	more ...any) node {
	return taperBy(g, fn, t, size, periodic, func(place, _ node) node { return f(place) }, more...)
}

// taperBy is a window of dtype t whose elements are f of the places n/d, where d is the size, or for a symmetric window
// one less. A window of one element is 1. f is given d too.
func taperBy(g *graph.Graph, fn string, t graph.DType, size graph.Dim, periodic bool, f func(place, over node) node,
	more ...any) node {
	defer creating(g, fn, append([]any{"graph." + t.GoName(), size, periodic}, more...)...)()
	if !t.IsFloat() {
		return badRange(g, fn, fmt.Sprintf("a window needs a floating-point dtype, not %s", t))
	}
	over := Size(g, graph.Float64, size)
	single := Equal(over, num(1))
	if !periodic {
		over = Sub(over, num(1))
	}
	over = Where(Equal(over, num(0)), num(1), over)
	place := Div(Cast(Iota(g, 0, size), graph.Float64), over)
	return Cast(Where(single, num(1), f(place, over)), t)
}

// cosines is the sum of a number for each k times cos(2πk·place).
func cosines(numbers ...float64) func(place node) node {
	return func(place node) node {
		sum := num(numbers[0])
		for k, a := range numbers[1:] {
			sum = Add(sum, Mul(num(a), Cos(Mul(place, num(2*math.Pi*float64(k+1))))))
		}
		return sum
	}
}

// HannWindow returns 0.5 - 0.5·cos(2πn/d), [size].
func HannWindow(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) *graph.Node {
	return taper(g, "HannWindow", t, size, periodic, cosines(0.5, -0.5))
}

// HammingWindow returns 0.54 - 0.46·cos(2πn/d), [size].
func HammingWindow(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) *graph.Node {
	return taper(g, "HammingWindow", t, size, periodic, cosines(0.54, -0.46))
}

// BlackmanWindow returns 0.42 - 0.5·cos(2πn/d) + 0.08·cos(4πn/d), [size].
func BlackmanWindow(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) *graph.Node {
	return taper(g, "BlackmanWindow", t, size, periodic, cosines(0.42, -0.5, 0.08))
}

// BartlettWindow returns 1 - |2n/d - 1|, [size]: a triangle.
func BartlettWindow(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) *graph.Node {
	return taper(g, "BartlettWindow", t, size, periodic, func(place node) node {
		return Sub(num(1), Abs(Sub(Mul(num(2), place), num(1))))
	})
}

// KaiserWindow returns I0(beta·√(1 - (2n/d - 1)²)) / I0(beta), [size], where [I0] is a modified Bessel function.
// PyTorch's default beta is 12. Source: J. F. Kaiser and R. W. Schafer, On the use of the I0-sinh window for spectrum
// analysis, 1980.
func KaiserWindow(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool, beta float64) *graph.Node {
	return taper(g, "KaiserWindow", t, size, periodic, func(place node) node {
		away := Square(Sub(Mul(num(2), place), num(1)))
		return Div(I0(Mul(num(beta), Sqrt(ClampMin(Sub(num(1), away), 0)))), I0(g.Scalar(graph.Float64, beta)))
	}, beta)
}

func init() {
	for _, w := range []struct {
		name, doc, numpy, word, onnx string
		shown                        func(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) *graph.Node
	}{
		{"HannWindow", "0.5 - 0.5·cos(2πn/d).", "hanning", "hann", "HannWindow", HannWindow},
		{"HammingWindow", "0.54 - 0.46·cos(2πn/d).", "hamming", "hamming", "HammingWindow", HammingWindow},
		{"BlackmanWindow", "0.42 - 0.5·cos(2πn/d) + 0.08·cos(4πn/d).", "blackman", "blackman", "BlackmanWindow",
			BlackmanWindow},
		{"BartlettWindow", "1 - |2n/d - 1|.", "bartlett", "bartlett", "", BartlettWindow},
		{"KaiserWindow", "I0(beta·√(1 - (2n/d - 1)²)) / I0(beta).", "kaiser", "kaiser", "",
			func(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) *graph.Node {
				return KaiserWindow(g, t, size, periodic, 12)
			}},
	} {
		composed(w.name, w.doc,
			flat(noSlope, "numpy."+w.numpy, "torch."+w.word+"_window, torch.signal.windows."+w.word,
				"jax.numpy."+w.numpy, w.onnx, "",
				func(e *graph.Example) node { return w.shown(e.Graph, e.DType, e.Shape("n")[0], true) }))
	}
}
