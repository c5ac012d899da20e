package ops_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestPadWithAsPyTorch compares values and gradients with PyTorch's answers in
// testdata/padding.json, which testdata/padding.py wrote: with sizes that are numbers, and with
// names for them.
func TestPadWithAsPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/padding.json")
	require.NoError(t, err)
	var cases []struct {
		Mode          string
		Shape, Widths []int
		Y, Dx         []float64
	}
	require.NoError(t, json.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	modes := map[string]ops.PaddingMode{"reflect": ops.PadReflect, "replicate": ops.PadReplicate,
		"circular": ops.PadCircular}
	for _, c := range cases {
		values := make([]float64, len(c.Dx))
		for i := range values {
			values[i] = float64(i) + 0.5
		}
		for _, named := range []bool{false, true} {
			g := graph.New("padding")
			shape := graph.Shape{}
			for i, d := range c.Shape {
				if named {
					shape = append(shape, g.Dim(fmt.Sprint("n", i)))
				} else {
					shape = append(shape, graph.Dim(d))
				}
			}
			x := g.Input("x", graph.Float64, shape...)
			y := x
			for i := 0; i < len(c.Widths); i += 2 { // from the last axis on
				y = ops.PadWith(y, -1-i/2, graph.Dim(c.Widths[i]), graph.Dim(c.Widths[i+1]), modes[c.Mode])
			}
			flat := ops.Flatten(y, 0, -1)
			weights := ops.Add(ops.Cast(ops.Iota(g, 0, flat.Shape()...), graph.Float64), graph.Num(1))
			dx := autodiff.Grad(ops.Sum(ops.Mul(flat, weights)), []*graph.Node{x})[0]
			got := evaluate(t, feeds{x: reference.Of(values, c.Shape...)}, y, dx)
			about := fmt.Sprintf("%s %v around %v", c.Mode, c.Widths, c.Shape)
			require.Equal(t, c.Y, got[0].Floats(), about)
			require.Equal(t, c.Dx, got[1].Floats(), about)
		}
	}
}

// A value that is padded along several axes is put together of it in one kernel.
func TestPadWithOfSeveralAxesIsOneKernel(t *testing.T) {
	for _, mode := range []ops.PaddingMode{ops.PadReflect, ops.PadReplicate, ops.PadCircular} {
		g := graph.New("padding")
		y := g.Input("x", graph.Float32, g.Dim("n"), 3, 5, 6, 7)
		for axis := 2; axis < 5; axis++ {
			y = ops.PadWith(y, axis, 2, 1, mode)
		}
		prog, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		require.Equal(t, 1, prog.Kernels(), mode)
	}
}
