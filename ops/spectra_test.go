package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// windowed multiplies an operand by a window of its size, periodic if the case says 1.
func windowed(f func(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) *graph.Node) func(*testing.T,
	choiceCase, []node) []node {
	return ofFirst(func(x *graph.Node, a []float64) *graph.Node {
		return ops.Mul(x, f(x.Graph(), x.DType(), x.Shape()[0], a[0] == 1))
	})
}

// hermitian calls a transform with the scale and the axes of a case, or with sizes, or as it is.
func hermitian(f func(x *graph.Node, opts ...ops.FFTOption) *graph.Node) func(*testing.T, choiceCase, []node) []node {
	return func(t *testing.T, c choiceCase, in []node) []node {
		switch words := c.words(); {
		case len(words) == 0:
			return []node{f(in[0])}
		case words[0] == "sized":
			return []node{f(in[0], ops.FFTSizes(5, 7), ops.FFTAxes(0, 1))}
		}
		a := c.numbers(t)
		axes := make([]int, len(a)-1)
		for i := range axes {
			axes[i] = int(a[i+1])
		}
		return []node{
			f(in[0], ops.FFTNorm([]ops.FFTScale{ops.ScaleInverse, ops.ScaleBoth, ops.ScaleForward}[int(a[0])]),
				ops.FFTAxes(axes...))}
	}
}

// spectralOptions are the size of frames and the options of a case.
func spectralOptions(t *testing.T, c choiceCase, in []node) (int, []ops.STFTOption) {
	switch c.words()[1] {
	case "w":
		return 6, []ops.STFTOption{ops.STFTWindow(in[1])}
	case "wide":
		return 6, []ops.STFTOption{ops.STFTWide(6)}
	}
	a := c.numbers(t)
	opts := []ops.STFTOption{nil}
	if n, hop := int(a[0]), int(a[1]); hop != n-n/2 {
		opts = append(opts, ops.STFTHop(hop))
	}
	if a[2] == 1 {
		opts = append(opts, ops.STFTWhole())
	}
	return int(a[0]), opts
}

// ofDType calls a function of integers of the dtype of a case.
func ofDType(f func(x *graph.Node) *graph.Node) func(*testing.T, choiceCase, []node) []node {
	return func(_ *testing.T, c choiceCase, in []node) []node {
		for _, t := range []graph.DType{graph.Int8, graph.Uint8, graph.Int16, graph.Uint16, graph.Int32, graph.Uint32,
			graph.Int64, graph.Uint64} {
			if t.String() == c.words()[0] {
				return []node{ops.Cast(f(ops.Cast(in[0], t)), graph.Int64)}
			}
		}
		return nil
	}
}

// spectraCalls build the functions of the cases in testdata/spectra.json.
var spectraCalls = map[string]func(t *testing.T, c choiceCase, in []node) []node{
	"GaussianWindow": windowed(func(g *graph.Graph, t graph.DType, n graph.Dim, periodic bool) *graph.Node {
		return ops.GaussianWindow(g, t, n, periodic, 1.5)
	}),
	"ExponentialWindow": windowed(func(g *graph.Graph, t graph.DType, n graph.Dim, periodic bool) *graph.Node {
		return ops.ExponentialWindow(g, t, n, periodic, 2.5)
	}),
	"CosineWindow": windowed(ops.CosineWindow),
	"GeneralCosineWindow": windowed(func(g *graph.Graph, t graph.DType, n graph.Dim, periodic bool) *graph.Node {
		return ops.GeneralCosineWindow(g, t, n, periodic, 0.5, 0.25, 0.125, 0.0625)
	}),
	"GeneralHammingWindow": windowed(func(g *graph.Graph, t graph.DType, n graph.Dim, periodic bool) *graph.Node {
		return ops.GeneralHammingWindow(g, t, n, periodic, 0.7)
	}),
	"NuttallWindow": windowed(ops.NuttallWindow),
	"MelWeights": ofFirst(func(x *graph.Node, a []float64) *graph.Node {
		return ops.MatMul(x, ops.MelWeights(x.Graph(), x.DType(), int(a[0]), int(a[1]), a[2], a[3], a[4]))
	}),
	"HFFTN": hermitian(ops.HFFTN), "IHFFTN": hermitian(ops.IHFFTN), "HFFT2": hermitian(ops.HFFT2),
	"IHFFT2": hermitian(ops.IHFFT2),
	"Detrend": ofFirst(func(x *graph.Node, a []float64) *graph.Node {
		var breaks []int
		for _, b := range a[2:] {
			breaks = append(breaks, int(b))
		}
		return ops.Detrend(x, int(a[0]), a[1] == 1, breaks...)
	}),
	"Welch": func(t *testing.T, c choiceCase, in []node) []node {
		n, opts := spectralOptions(t, c, in)
		frequencies, power := ops.Welch(in[0], 2.5, n, opts...)
		return two(power, frequencies)
	},
	"CSD": func(t *testing.T, c choiceCase, in []node) []node {
		n, opts := spectralOptions(t, c, in)
		frequencies, density := ops.CSD(in[0], in[1], 2.5, n, opts...)
		return two(density, frequencies)
	},
	"PopulationCount": ofDType(ops.PopulationCount), "LeadingZeros": ofDType(ops.LeadingZeros),
	"PackBits": ofFirst(func(x *graph.Node, a []float64) *graph.Node {
		return ops.Cast(ops.PackBits(x, int(a[0]), a[1] == 1), graph.Int64)
	}),
	"UnpackBits": ofFirst(func(x *graph.Node, a []float64) *graph.Node {
		return ops.Cast(ops.UnpackBits(ops.Cast(x, graph.Uint8), int(a[0]), a[1] == 1), graph.Int64)
	}),
	"Comb": ofBoth(ops.Comb), "Poch": ofBoth(ops.Poch), "OwensT": ofBoth(ops.OwensT),
	"Factorial": ofFirst(func(x *graph.Node, _ []float64) *graph.Node { return ops.Factorial(x) }),
	"GammaSign": ofFirst(func(x *graph.Node, _ []float64) *graph.Node { return ops.GammaSign(x) }),
	"BesselJ":   ofFirst(func(x *graph.Node, a []float64) *graph.Node { return ops.BesselJ(int(a[0]), x) }),
	"SphericalHarmonic": func(t *testing.T, c choiceCase, in []node) []node {
		a := c.numbers(t)
		return []node{ops.SphericalHarmonic(int(a[0]), int(a[1]), in[0], in[1])}
	},
	"LogMeanExp": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.LogMeanExp(in[0], c.axes(t, 0)...)}
	},
}

// TestSpectraAsSciPy compares windows, weights of mels, Hermitian transforms, trends, spectra, bits, choices and
// harmonics with what NumPy, SciPy and ONNX give, and gradients with JAX's.
func TestSpectraAsSciPy(t *testing.T) { runCases(t, "spectra", spectraCalls) }

// TestSpectraOfNamedSizes wants the same of sizes that runs decide, and the gradients of gradients of central
// differences.
func TestSpectraOfNamedSizes(t *testing.T) {
	runNamed(t, "spectra", spectraCalls, "MelWeights", "HFFT", "IHFFTN 1", "IHFFTN 2", "CSD 7", "CSD 8 8", "Welch 6",
		"Welch 7", "Welch 8 8", "OwensT", "BesselJ 5", "BesselJ 2", "BesselJ 6", "SphericalHarmonic 2",
		"SphericalHarmonic 6", "SphericalHarmonic 7")
}

// TestLongAxesOfShortDTypes wants numbers of Float16 along axes whose counts and squares of places Float16 does not
// hold.
func TestLongAxesOfShortDTypes(t *testing.T) {
	const count = 70000
	g := graph.New("long")
	places := ops.Iota(g, 0, 512)
	x := ops.Cast(places, graph.Float16)
	zeros := ops.Zeros(g, graph.Float16, count)
	zigzag := ops.Cast(ops.BitAnd(ops.Iota(g, 0, count), graph.Num(1)), graph.Float16)
	got := evaluate(t, feeds{}, ops.Detrend(x, 0, true), ops.LogMeanExp(zeros), ops.StandardError(zigzag, 1))
	requireClose(t, make([]float64, 512), got[0].Floats(), 1e-3, "Detrend")
	requireClose(t, []float64{0}, got[1].Floats(), 1e-2, "LogMeanExp")
	requireClose(t, []float64{0.00189}, got[2].Floats(), 1e-5, "StandardError")
}

// TestSpectraRefuse wants what is wrong in words.
func TestSpectraRefuse(t *testing.T) {
	g := graph.New("refused")
	in := func(dt graph.DType, sizes ...graph.Dim) node { return g.Input("x", dt, sizes...) }
	x := in(graph.Float32, 3, 9)
	welch := func(x node, rate float64, n int, opts ...ops.STFTOption) error {
		_, power := ops.Welch(x, rate, n, opts...)
		return power.Err()
	}
	for want, err := range map[string]error{
		"Standard deviation must be positive, got: 0 instead.": ops.GaussianWindow(
			g, graph.Float32, 5, true, 0).Err(),
		"GaussianWindow(graph.Float32, 5, true, -1)": ops.GaussianWindow(
			g, graph.Float32, 5, true, -1).Err(),
		"Tau must be positive, got: -1 instead.": ops.ExponentialWindow(
			g, graph.Float32, 5, true, -1).Err(),
		"Coefficients cannot be empty": ops.GeneralCosineWindow(
			g, graph.Float32, 5, true).Err(),
		"a window needs a floating-point dtype, not int32": ops.CosineWindow(
			g, graph.Int32, 5, true).Err(),
		"bands must be between 0 and half the rate 8000, but are from 0 to 5000": ops.MelWeights(
			g, graph.Float32, 4, 16, 8000, 0, 5000).Err(),
		"bands must be between 0 and half the rate +Inf": ops.MelWeights(
			g, graph.Float32, 4, 16, math.Inf(1), 0, math.Inf(1)).Err(),
		"there must be at least one of each": ops.MelWeights(
			g, graph.Float32, 0, 16, 8000, 0, 4000).Err(),
		"axis 1 of x of shape [3, 9] has 9 elements": ops.Detrend(
			x, 1, true, 4, 9).Err(),
		"Detrend(x, 1, true, 4, 2)": ops.Detrend(
			x, 1, true, 4, 2).Err(),
		"transforms need float32 or float64, but x has dtype int32": welch(
			in(graph.Int32, 9), 1, 4),
		"the sample rate must be above 0, but it is 0": welch(x, 0, 4),
		"the only options are STFTHop, STFTWindow, STFTWide and STFTWhole": welch(
			x, 1, 4, ops.STFTNormalized()),
		"Welch(x, 1, 4, STFTPad(PadReflect))": welch(
			x, 1, 4, ops.STFTPad(ops.PadReflect)),
		"expected hop_length > 0, but got hop_length=0": welch(
			x, 1, 4, ops.STFTHop(0)),
		"signals must be [L] or [N, L], with the same shape and dtype, but x is float32 of shape []": welch(
			in(graph.Float32), 1, 4),
		"this needs integers, but x is float32":                   ops.PopulationCount(x).Err(),
		"Expected an input array of integer or boolean data type": ops.PackBits(x, 0, true).Err(),
		"Expected an input array of unsigned byte data type, but x is int32": ops.UnpackBits(
			in(graph.Int32, 2), 0, true).Err(),
		"BesselJ":                    ops.BesselJ(-1, x).Err(),
		"HFFTN":                      ops.HFFTN(x).Err(),
		"SphericalHarmonic":          ops.SphericalHarmonic(1, 2, x, x).Err(),
		"order -9223372036854775808": ops.SphericalHarmonic(1, math.MinInt, x, x).Err(),
	} {
		require.ErrorContains(t, err, want)
	}
}
