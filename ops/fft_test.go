package ops_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// fftCalls are the functions whose answers by PyTorch are in testdata/fft.json, which testdata/fft.py wrote.
func fftCalls() map[string]func(in ...node) node {
	with := func(f func(*graph.Node, ...ops.FFTOption) *graph.Node, opts ...ops.FFTOption) func(in ...node) node {
		return on(func(x node) node { return f(x, opts...) })
	}
	calls := map[string]func(in ...node) node{
		"fft ortho axis":      with(ops.FFT, ops.FFTAxis(0), ops.FFTNorm(ops.ScaleBoth)),
		"ifft forward longer": with(ops.IFFT, ops.FFTSize(7), ops.FFTNorm(ops.ScaleForward)),
		"fft shorter":         with(ops.FFT, ops.FFTSize(3), ops.FFTNorm(ops.ScaleForward)),
		"rfft ortho axis":     with(ops.RFFT, ops.FFTSize(9), ops.FFTAxis(0), ops.FFTNorm(ops.ScaleBoth)),
		"irfft axis":          with(ops.IRFFT, ops.FFTAxis(0)),
		"irfft longer":        with(ops.IRFFT, ops.FFTSize(11), ops.FFTNorm(ops.ScaleForward)),
		"fft2":                with(ops.FFT2),
		"ifft2":               with(ops.IFFT2, ops.FFTNorm(ops.ScaleBoth)),
		"fft2 axes":           with(ops.FFT2, ops.FFTSizes(4, 3), ops.FFTAxes(0, 2)),
		"fftn":                with(ops.FFTN), "rfftn": with(ops.RFFTN), "rfft2": with(ops.RFFT2),
		"irfftn":      with(ops.IRFFTN),
		"fftn axes":   with(ops.FFTN, ops.FFTAxes(2, 0), ops.FFTNorm(ops.ScaleForward)),
		"ifftn sizes": with(ops.IFFTN, ops.FFTSizes(2, 5)),
		"rfftn axes":  with(ops.RFFTN, ops.FFTSizes(3, 4), ops.FFTAxes(2, 0), ops.FFTNorm(ops.ScaleBoth)),
		"irfftn axes": with(ops.IRFFTN, ops.FFTSizes(3, 5), ops.FFTAxes(1, 0), ops.FFTNorm(ops.ScaleForward)),
		"irfft2":      with(ops.IRFFT2, ops.FFTSizes(3, 7)),
		"hfft":        with(ops.HFFT), "ihfft": with(ops.IHFFT),
		"hfft odd":    with(ops.HFFT, ops.FFTSize(7), ops.FFTAxis(0), ops.FFTNorm(ops.ScaleForward)),
		"ihfft ortho": with(ops.IHFFT, ops.FFTSize(5), ops.FFTNorm(ops.ScaleBoth)),
		"fftshift":    on(func(x node) node { return ops.FFTShift(x, 0, 1) }),
		"ifftshift":   on(func(x node) node { return ops.IFFTShift(x, 0, -1) }),
	}
	for _, n := range []int{1, 2, 5, 8, 12} {
		calls[fmt.Sprintf("fft %d", n)], calls[fmt.Sprintf("ifft %d", n)] = with(ops.FFT), with(ops.IFFT)
		calls[fmt.Sprintf("rfft %d", n)], calls[fmt.Sprintf("irfft %d", n)] = with(ops.RFFT),
			with(ops.IRFFT, ops.FFTSize(graph.Dim(n)))
	}
	return calls
}

// TestFourierTransformsAsPyTorch compares values and gradients with PyTorch's.
func TestFourierTransformsAsPyTorch(t *testing.T) { compareFile(t, "testdata/fft.json", fftCalls()) }

// TestFourierTransformOfAnySize requires that the inverse gives back what was transformed, for sizes that runs decide.
func TestFourierTransformOfAnySize(t *testing.T) {
	g := graph.New("any")
	n := g.Dim("n", graph.AtLeast(0))
	x := g.Input("x", graph.Float32, g.Dim("batch", graph.AtLeast(0)), n)
	y := ops.IRFFT(ops.RFFT(x), ops.FFTSize(n))
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	s := prog.NewSession()
	for _, shape := range [][]int{{1, 1}, {3, 2}, {2, 7}, {0, 4}, {2, 100}} {
		data := make([]float32, shape[0]*shape[1])
		for i := range data {
			data[i] = float32(i%13) - 6
		}
		out, err := s.Run(context.Background(), exec.Feed{x: exec.Array{Shape: shape, Data: data}})
		require.NoError(t, err)
		a, err := out.Array(y)
		require.NoError(t, err)
		require.Equal(t, shape, a.Shape)
		require.InDeltaSlice(t, data, a.Data, 1e-5)
	}
}

// TestFrequencies compares with NumPy's.
func TestFrequencies(t *testing.T) {
	g := graph.New("frequencies")
	for name, c := range map[string]struct {
		y    node
		want []float64
	}{
		"even": {ops.FFTFreq(g, graph.Float64, 4, 0.5), []float64{0, 0.5, -1, -0.5}},
		"odd":  {ops.FFTFreq(g, graph.Float64, 5, 1), []float64{0, 0.2, 0.4, -0.4, -0.2}},
		"half": {ops.RFFTFreq(g, graph.Float64, 5, 0.1), []float64{0, 2, 4}},
	} {
		requireClose(t, c.want, value(t, feeds{}, c.y).Floats(), 1e-15, name)
	}
}

// TestFourierTransformsOfNamedSizes undoes transforms along several axes.
func TestFourierTransformsOfNamedSizes(t *testing.T) {
	g := graph.New("named")
	n, m := g.Dim("n"), g.Dim("m")
	x := g.Input("x", graph.Float64, n, m)
	in := feeds{x: random(rand.New(rand.NewPCG(1, 2)), 3, 5)}
	y := ops.IRFFTN(ops.RFFTN(x), ops.FFTSizes(n, m))
	requireClose(t, in[x].Floats(), value(t, in, y).Floats(), 1e-14, "transforms")
	requireClose(t, in[x].Floats(), value(t, in, ops.IFFTShift(ops.FFTShift(x, 0, 1), 0, 1)).Floats(), 0, "shifts")
	requireGradients(t, in, ops.Square(ops.RFFT2(x)), x)
}

func TestFourierTransformsRefuse(t *testing.T) {
	g := graph.New("refused")
	in := func(dt graph.DType, sizes ...graph.Dim) node { return g.Input("x", dt, sizes...) }
	requireMistake(t, ops.FFT(in(graph.Float32, 8)),
		"fft_fft: complex numbers must be pairs of real and imaginary parts on a last axis of size 2, but x has shape [8]")
	requireMistake(t, ops.RFFT(in(graph.Int64, 8)), "transforms need float32 or float64, but x has dtype int64")
	requireMistake(t, ops.RFFT(in(graph.Float32, 8), ops.FFTAxis(1)),
		"Dimension out of range (expected to be in range of [-1, 0], but got 1)")
	requireMistake(t, ops.FFTN(in(graph.Float32, 4, 3, 2), ops.FFTAxes(0, -2)), "FFT dims must be unique")
	requireMistake(t, ops.FFT2(in(graph.Float32, 3, 2)),
		"Dimension out of range (expected to be in range of [-1, 0], but got -2)")
	requireMistake(t, ops.RFFTN(in(graph.Float32, 3, 2), ops.FFTAxis(0)), "RFFTN transforms several axes")
	requireMistake(t, ops.FFTShift(in(graph.Float32, 3)),
		"give the axes: all axes of real numbers, or all but the last of pairs")
	requireMistake(t, ops.IRFFT(in(graph.Float32, 1, 2)), "Invalid number of data points (0) specified")
}

// Transforms of nothing are refused when sizes are bound, as PyTorch does; a batch may be empty.
func TestFourierTransformsOfNothing(t *testing.T) {
	for name, call := range map[string]func(x node) node{
		"FFT":   func(x node) node { return ops.FFT(ops.Stack(-1, x, x)) },
		"IFFT":  func(x node) node { return ops.IFFT(ops.Stack(-1, x, x)) },
		"RFFT":  func(x node) node { return ops.RFFT(x) },
		"IRFFT": func(x node) node { return ops.IRFFT(ops.Stack(-1, x, x), ops.FFTSize(x.Shape()[1])) },
	} {
		g := graph.New("nothing")
		x := g.Input("x", graph.Float64, g.Dim("batch", graph.AtLeast(0)), g.Dim("n", graph.AtLeast(0)))
		y := call(x)
		prog, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err, name)
		_, err = prog.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{2, 0}, Data: []float64{}}})
		require.ErrorContains(t, err, "n >= 1 fails: 0 against 1", name)
		_, err = prog.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{0, 3}, Data: []float64{}}})
		require.NoError(t, err, name)
	}
}
