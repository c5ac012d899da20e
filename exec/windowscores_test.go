package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

type windowReduction struct {
	name   string
	result func(w, bias *graph.Node) *graph.Node
}

// windowReductions fold the axis of images and windows, which is split where the mask is added, and read the result.
var windowReductions = []windowReduction{
	{"the gradient of a relative position bias, heads last", func(w, bias *graph.Node) *graph.Node {
		return autodiff.Grad(ops.Sum(ops.Square(w), ops.AllAxes()), []*graph.Node{bias})[0]
	}},
	{"permuted", func(w, _ *graph.Node) *graph.Node {
		return ops.Permute(ops.Sum(w, 0, ops.KeepDims()), 1, 2, 0, 3)
	}},
	{"folded again", func(w, _ *graph.Node) *graph.Node {
		return ops.Sum(ops.Exp(ops.Sum(w, 0, ops.KeepDims())), 1)
	}},
	{"beside what was folded", func(w, _ *graph.Node) *graph.Node {
		return ops.Max(ops.Sub(w, ops.Mean(w, 0, ops.KeepDims())), 2)
	}},
}

// The windows of Swin: the scores have one axis for images and windows, except where a mask of windows is added.
func TestWindowsWithMasks(t *testing.T) {
	const images, windows, heads, size, width = 3, 2, 2, 8, 4
	run := func(t *testing.T, c windowReduction, isMasked bool) []float32 {
		g := graph.New("windows")
		batch := g.Dim("images")
		all := batch.Times(windows)
		q := g.Input("q", graph.Float32, all, heads, size, width)
		k := g.Input("k", graph.Float32, all, heads, size, width)
		bias := g.Input("bias", graph.Float32, size, size, heads)
		mask := g.Input("mask", graph.Float32, windows, size, size)
		s := ops.Add(ops.MatMul(q, ops.Transpose(k, 2, 3)), ops.Permute(bias, 2, 0, 1))
		if isMasked {
			masked := ops.Add(ops.Unflatten(s, 0, batch, windows), ops.Unsqueeze(mask, 1))
			s = ops.Reshape(masked, all, heads, size, size)
		} else {
			each := ops.Reshape(ops.Expand(mask, batch, windows, size, size), all, 1, size, size)
			s = ops.Add(s, each)
		}
		y := c.result(ops.Softmax(s, -1), bias)
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		values := func(n, times int) []float32 {
			list := make([]float32, n)
			for i := range list {
				list[i] = float32(i*times%17)/8 - 1
			}
			return list
		}
		r, err := p.NewSession().Run(context.Background(), exec.Feed{
			q:    values(images*windows*heads*size*width, 5),
			k:    values(images*windows*heads*size*width, 7),
			bias: values(size*size*heads, 3), mask: values(windows*size*size, 11),
		}, exec.RunSize("images", images))
		require.NoError(t, err)
		got, err := exec.Values[float32](r, y)
		require.NoError(t, err)
		return got
	}
	for _, c := range windowReductions {
		t.Run(c.name, func(t *testing.T) {
			assert.InDeltaSlice(t, run(t, c, false), run(t, c, true), 1e-5)
		})
	}
}
