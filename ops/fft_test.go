package ops_test

import (
	"context"
	"fmt"
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
	}
	for _, n := range []int{1, 2, 5, 8, 12} {
		calls[fmt.Sprintf("fft %d", n)], calls[fmt.Sprintf("ifft %d", n)] = with(ops.FFT), with(ops.IFFT)
		calls[fmt.Sprintf("rfft %d", n)], calls[fmt.Sprintf("irfft %d", n)] = with(ops.RFFT), with(ops.IRFFT, ops.FFTSize(graph.Dim(n)))
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
	for _, shape := range [][]int{{1, 1}, {3, 2}, {2, 7}, {0, 4}, {2, 100}, {2, 0}} {
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

func TestFourierTransformsRefuse(t *testing.T) {
	g := graph.New("refused")
	in := func(dt graph.DType, sizes ...graph.Dim) node { return g.Input("x", dt, sizes...) }
	requireMistake(t, ops.FFT(in(graph.Float32, 8)), "fft_fft: complex numbers are pairs of real and imaginary parts on a last axis of size 2, and x has shape [8]")
	requireMistake(t, ops.RFFT(in(graph.Int64, 8)), "transforms are of float32 and float64, and x has dtype int64")
	requireMistake(t, ops.RFFT(in(graph.Float32, 8), ops.FFTAxis(1)), "Dimension out of range (expected to be in range of [-1, 0], but got 1)")
	requireMistake(t, ops.IRFFT(in(graph.Float32, 1, 2)), "Invalid number of data points (0) specified")
}
