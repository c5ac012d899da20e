package ops_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestFakeQuantize has the numbers and gradients of PyTorch 2.6: fake_quantize_per_tensor_affine,
// fake_quantize_per_channel_affine, and _fake_quantize_learnable_per_tensor_affine for the scale.
func TestFakeQuantize(t *testing.T) {
	xs := []float32{-2, -0.3, 0.24, 0.26, 1.01, 9, 0.5, -0.76, 3.3, -64, 0, 12.6}
	for name, c := range map[string]struct {
		scale  []float32
		shape  []graph.Dim
		zero   any
		opts   []ops.QuantizeOption
		y, dx  []float64
		dscale float64
	}{
		"of a tensor": {[]float32{0.1}, nil, []int8{3}, nil,
			[]float64{-2, -0.3, 0.2, 0.3, 1, 9, 0.5, -0.8, 3.3, -13.1, 0, 12.4},
			[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 11, 0}, 174.7},
		"of channels": {[]float32{0.5, 0.25}, []graph.Dim{2, 1}, []uint8{0, 2},
			[]ops.QuantizeOption{ops.QuantizedBits(4)},
			[]float64{0, 0, 0, 0.5, 1, 7.5, 0.5, -0.5, 3.25, -0.5, 0, 3.25},
			[]float64{0, 0, 3, 4, 5, 0, 7, 0, 9, 0, 11, 0}, math.NaN()},
		"without a zero point": {[]float32{0.5}, nil, nil, []ops.QuantizeOption{ops.QuantizedDType(graph.Int8)},
			[]float64{-2, -0.5, 0, 0.5, 1, 9, 0.5, -1, 3.5, -64, 0, 12.5},
			[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("fake")
			x, scale := g.Input("x", graph.Float32, 2, 6), g.Input("scale", graph.Float32, c.shape...)
			shape := make([]int, len(c.shape))
			for i, d := range c.shape {
				shape[i] = int(d)
			}
			feed := exec.Feed{x: xs, scale: exec.Array{Shape: shape, Data: c.scale}}
			var zero node
			if c.zero != nil {
				dt, _ := graph.DTypeOfSlice(c.zero)
				zero = g.Input("zero", dt, c.shape...)
				feed[zero] = exec.Array{Shape: shape, Data: c.zero}
			}
			y := ops.FakeQuantize(x, scale, zero, c.opts...)
			same := ops.Dequantize(ops.Quantize(x, scale, zero, c.opts...), scale, zero)
			weights := ops.Reshape(ops.Arange(g, graph.Float32, 1, 13, 1), 2, 6)
			slopes := autodiff.Grad(ops.Sum(ops.Mul(y, weights)), []*graph.Node{x, scale})
			prog, err := exec.Compile(g, exec.Outputs(y, same, slopes[0], slopes[1]))
			require.NoError(t, err)
			r, err := prog.NewSession().Run(context.Background(), feed)
			require.NoError(t, err)
			get := func(n node) (wide []float64) {
				values, err := exec.Values[float32](r, n)
				require.NoError(t, err)
				for _, v := range values {
					wide = append(wide, float64(v))
				}
				return wide
			}
			require.InDeltaSlice(t, c.y, get(y), 1e-6)
			require.Equal(t, get(same), get(y))
			require.InDeltaSlice(t, c.dx, get(slopes[0]), 1e-6)
			if !math.IsNaN(c.dscale) {
				require.InDelta(t, c.dscale, get(slopes[1])[0], 1e-3)
			}
		})
	}
}

// TestFakeQuantizeEdges: infinities come to the ends of the range, a NaN stays, and Float16 is computed in Float32.
func TestFakeQuantizeEdges(t *testing.T) {
	g := graph.New("edges")
	x := g.Input("x", graph.Float32, 4)
	y := ops.FakeQuantize(x, g.Scalar(graph.Float32, 0.5), nil, ops.QuantizedDType(graph.Int8))
	half := ops.FakeQuantize(ops.Cast(x, graph.Float16), g.Scalar(graph.Float32, 0.5), nil,
		ops.QuantizedDType(graph.Int8))
	require.NoError(t, g.Err())
	require.Equal(t, graph.Float16, half.DType())
	prog, err := exec.Compile(g, exec.Outputs(y, ops.Cast(half, graph.Float32)))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(context.Background(),
		exec.Feed{x: []float32{float32(math.Inf(1)), float32(math.Inf(-1)), 1.3, float32(math.NaN())}})
	require.NoError(t, err)
	for _, n := range prog.Outputs() {
		got, err := exec.Values[float32](r, n)
		require.NoError(t, err)
		require.Equal(t, []float32{63.5, -64, 1.5}, got[:3])
		require.True(t, math.IsNaN(float64(got[3])))
	}
	for want, bad := range map[string]node{
		"FakeQuantize(Cast(x, graph.Int64), 0.5, nil): quantisation needs floating-point numbers": ops.FakeQuantize(
			ops.Cast(x, graph.Int64), g.Scalar(graph.Float32, 0.5), nil),
		"fake quantisation rounds to integers of 8 or 16 bits, not to float8_e4m3fn": ops.FakeQuantize(
			x, g.Scalar(graph.Float32, 0.5), nil, ops.QuantizedDType(graph.Float8E4M3FN)),
		"quantised numbers and their zero points must be Int8, Uint8, Int16, Uint16, Float8E4M3FN or": ops.FakeQuantize(
			x, g.Scalar(graph.Float32, 0.5), x),
	} {
		require.ErrorContains(t, bad.Err(), want)
		require.ErrorContains(t, bad.Err(), "fakequantize_test.go")
	}
}
