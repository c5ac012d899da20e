package ops

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// The windows here are those of torch.signal.windows beside the ones in signalwindow.go. n counts elements, and d is
// the size, or for a symmetric window one less.

// GaussianWindow returns exp(-((n - d/2)/std)²/2), [size]. std is the standard deviation in elements.
func GaussianWindow(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool, std float64) *graph.Node {
	defer creating(g, "GaussianWindow", "graph."+t.GoName(), size, periodic, std)()
	if !(std > 0) {
		return badRange(g, "GaussianWindow", fmt.Sprintf("Standard deviation must be positive, got: %v instead.", std))
	}
	return taperBy(g, "GaussianWindow", t, size, periodic, func(place, over node) node {
		return Exp(Mul(num(-0.5), Square(Div(Mul(Sub(place, num(0.5)), over), num(std)))))
	}, std)
}

// ExponentialWindow returns exp(-|n - d/2|/tau), [size].
func ExponentialWindow(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool, tau float64) *graph.Node {
	defer creating(g, "ExponentialWindow", "graph."+t.GoName(), size, periodic, tau)()
	if !(tau > 0) {
		return badRange(g, "ExponentialWindow", fmt.Sprintf("Tau must be positive, got: %v instead.", tau))
	}
	return taperBy(g, "ExponentialWindow", t, size, periodic, func(place, over node) node {
		return Exp(Neg(Div(Abs(Mul(Sub(place, num(0.5)), over)), num(tau))))
	}, tau)
}

// CosineWindow returns sin(π(n + 1/2)/(d + 1)), [size].
func CosineWindow(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) *graph.Node {
	return taperBy(g, "CosineWindow", t, size, periodic, func(place, over node) node {
		return Sin(Mul(num(math.Pi), Div(Add(Mul(place, over), num(0.5)), Add(over, num(1)))))
	})
}

// GeneralCosineWindow returns the sum over k of (-1)^k·numbers[k]·cos(2πkn/d), [size].
func GeneralCosineWindow(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool, numbers ...float64) *graph.Node {
	if len(numbers) == 0 {
		defer creating(g, "GeneralCosineWindow", "graph."+t.GoName(), size, periodic)()
		return badRange(g, "GeneralCosineWindow", "Coefficients cannot be empty")
	}
	words, turned := make([]any, len(numbers)), make([]float64, len(numbers))
	for k, v := range numbers {
		if words[k], turned[k] = v, v; k%2 == 1 {
			turned[k] = -v
		}
	}
	return taper(g, "GeneralCosineWindow", t, size, periodic, cosines(turned...), words...)
}

// GeneralHammingWindow returns alpha - (1-alpha)·cos(2πn/d), [size].
func GeneralHammingWindow(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool, alpha float64) *graph.Node {
	return taper(g, "GeneralHammingWindow", t, size, periodic, cosines(alpha, alpha-1), alpha)
}

// NuttallWindow returns the four-term cosine window with the lowest sidelobes, [size]. Source: A. H. Nuttall, Some
// Windows with Very Good Sidelobe Behavior, 1981.
func NuttallWindow(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) *graph.Node {
	return taper(g, "NuttallWindow", t, size, periodic, cosines(0.3635819, -0.4891775, 0.1365995, -0.0106411))
}

// maxMels bounds a matrix of weights, which is a constant.
const maxMels = 1 << 24

// MelWeights returns a matrix [length/2+1, mels] that maps the spectrum of frames of length elements to mel bands
// from low to high, in Hz. rate is the sample rate in Hz. The bands are triangles with maximum 1, equally wide in
// mels. t is a floating-point dtype. It is ONNX's MelWeightMatrix.
func MelWeights(g *graph.Graph, t graph.DType, mels, length int, rate, low, high float64) *graph.Node {
	defer creating(g, "MelWeights", "graph."+t.GoName(), mels, length, rate, low, high)()
	bins := length/2 + 1
	mel := func(hertz float64) float64 { return 2595 * math.Log1p(hertz/700) / math.Ln10 }
	switch {
	case !t.IsFloat() || t.IsStorage():
		return badRange(g, "MelWeights", fmt.Sprintf("mel weights need a floating-point dtype, not %s", t))
	case mels < 1 || length < 1 || mels > maxMels || length > maxMels || mels*bins > maxMels:
		return badRange(g, "MelWeights", fmt.Sprintf(
			"%d bands of %d frequencies: there must be at least one of each, and at most %d weights", mels, bins,
			maxMels))
	case !(rate > 0) || math.IsInf(rate, 0) || !(low >= 0) || !(low <= high) || !(high <= rate/2):
		return badRange(g, "MelWeights", fmt.Sprintf(
			"bands must be between 0 and half the rate %v, but are from %v to %v", rate, low, high))
	}
	edges := make([]int, mels+2)
	step := (mel(high) - mel(low)) / float64(mels+2)
	for i := range edges {
		hertz := 700 * math.Expm1((float64(i)*step+mel(low))/2595*math.Ln10)
		edges[i] = int(math.Floor(float64(length+1) * hertz / rate))
	}
	weights := make([]float64, bins*mels)
	set := func(bin, band int, w float64) {
		if bin < bins {
			weights[bin*mels+band] = w
		}
	}
	for i := range mels {
		left, tip, right := edges[i], edges[i+1], edges[i+2]
		if left == tip {
			set(tip, i, 1)
		} else {
			for j := left; j <= tip; j++ {
				set(j, i, float64(j-left)/float64(tip-left))
			}
		}
		for j := tip; j < right; j++ {
			set(j, i, float64(right-j)/float64(right-tip))
		}
	}
	return Cast(graph.Constant(g, weights, graph.Dim(bins), graph.Dim(mels)), t)
}

func init() {
	type window = func(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) *graph.Node
	for _, w := range []struct {
		name, doc, word string
		shown           window
	}{
		{"GaussianWindow", "exp(-((n - d/2)/std)²/2).", "gaussian",
			func(g *graph.Graph, t graph.DType, n graph.Dim, p bool) *graph.Node {
				return GaussianWindow(g, t, n, p, 2)
			}},
		{"ExponentialWindow", "exp(-|n - d/2|/tau).", "exponential",
			func(g *graph.Graph, t graph.DType, n graph.Dim, p bool) *graph.Node {
				return ExponentialWindow(g, t, n, p, 2)
			}},
		{"CosineWindow", "sin(π(n + 1/2)/(d + 1)).", "cosine", CosineWindow},
		{"GeneralCosineWindow", "the sum of (-1)^k numbers[k] cos(2πkn/d).", "general_cosine",
			func(g *graph.Graph, t graph.DType, n graph.Dim, p bool) *graph.Node {
				return GeneralCosineWindow(g, t, n, p, 0.5, 0.375, 0.125)
			}},
		{"GeneralHammingWindow", "alpha - (1-alpha)·cos(2πn/d).", "general_hamming",
			func(g *graph.Graph, t graph.DType, n graph.Dim, p bool) *graph.Node {
				return GeneralHammingWindow(g, t, n, p, 0.625)
			}},
		{"NuttallWindow", "0.3635819 - 0.4891775·cos(2πn/d) + 0.1365995·cos(4πn/d) - 0.0106411·cos(6πn/d).", "nuttall",
			NuttallWindow},
	} {
		composed(w.name, w.doc,
			flat(noSlope, "scipy.signal.windows."+w.word, "torch.signal.windows."+w.word, "", "", "",
				func(e *graph.Example) node { return w.shown(e.Graph, e.DType, e.Shape("n")[0], true) }))
	}
	composed("MelWeights", "triangles of frequencies, equally wide in mels.",
		flat(noSlope, "", "", "", "MelWeightMatrix", "",
			func(e *graph.Example) node { return MelWeights(e.Graph, e.DType, 8, 64, 8000, 0, 4000) }))
}
