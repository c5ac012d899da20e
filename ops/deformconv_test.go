package ops_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestDeformConv compares a deformable convolution with loops over its definition, where groups, fields of offsets,
// strides and paddings are all there, and offsets lead out of the image; and one without offsets with a convolution.
func TestDeformConv(t *testing.T) {
	g, rng := graph.New("deform"), rand.New(rand.NewPCG(3, 4))
	const n, c, h, w, o, kh, kw, outH, outW, fields, groups = 2, 4, 5, 4, 6, 2, 3, 3, 4, 2, 2
	input := func(name string, shape ...graph.Dim) node { return g.Input(name, graph.Float64, shape...) }
	batch := g.Dim("batch")
	x, weight, bias := input("x", batch, c, h, w), input("weight", o, c/groups, kh, kw), input("bias", o)
	offset, mask := input("offset", batch, 2*fields*kh*kw, outH, outW), input("mask", batch, fields*kh*kw, outH, outW)
	fed := feeds{x: random(rng, n, c, h, w), weight: random(rng, o, c/groups, kh, kw), bias: random(rng, o),
		offset: random(rng, n, 2*fields*kh*kw, outH, outW), mask: random(rng, n, fields*kh*kw, outH, outW)}
	steps := []ops.StepOption{ops.Stride(2, 1), ops.Padding(1, 2), ops.Dilation(1, 2)}
	far := ops.Mul(offset, graph.Num(4))
	got := value(t, fed, ops.DeformConv2D(x, far, weight, bias, mask, steps...))
	require.Equal(t, []int{n, o, outH, outW}, got.Shape)
	xs, ws, bs, os, ms := fed[x].Floats(), fed[weight].Floats(), fed[bias].Floats(), fed[offset].Floats(),
		fed[mask].Floats()
	read := func(image, channel int, y, x float64) (sum float64) {
		for i := range h {
			for j := range w {
				sum += max(0, 1-math.Abs(y-float64(i))) * max(0, 1-math.Abs(x-float64(j))) *
					xs[((image*c+channel)*h+i)*w+j]
			}
		}
		return sum
	}
	var want []float64
	for image := range n {
		for to := range o {
			for i := range outH {
				for j := range outW {
					sum := bs[to]
					for from := range c / groups {
						channel := to/(o/groups)*(c/groups) + from
						field := channel / (c / fields)
						for k := range kh * kw {
							at := func(channels, channel int) int { return ((image*channels+channel)*outH+i)*outW + j }
							first := at(2*fields*kh*kw, 2*(field*kh*kw+k))
							y := float64(2*i-1+k/kw) + 4*os[first]
							x := float64(j-2+2*(k%kw)) + 4*os[first+outH*outW]
							sum += ws[(to*(c/groups)+from)*kh*kw+k] * ms[at(fields*kh*kw, field*kh*kw+k)] * read(image,
								channel, y, x)
						}
					}
					want = append(want, sum)
				}
			}
		}
	}
	requireClose(t, want, got.Floats(), 1e-12, "deform_conv2d")
	straight := ops.DeformConv2D(x, ops.Mul(offset, graph.Num(0)), weight, nil, nil, steps...)
	conv := ops.Conv2D(x, weight, nil, ops.Stride(2, 1), ops.Padding(1, 2), ops.Dilation(1, 2), ops.Groups(groups))
	requireClose(t, value(t, fed, conv).Floats(), value(t, fed, straight).Floats(), 1e-12, "without offsets")
}

// TestDeformConvOfNothing wants images without elements to be refused, when the graph is checked or when they are fed.
func TestDeformConvOfNothing(t *testing.T) {
	deformed := func(g *graph.Graph, height graph.Dim) (x, offset, y node) {
		x = g.Input("x", graph.Float32, 1, 1, height, 3)
		offset = g.Input("offset", graph.Float32, 1, 18, height.Plus(2), 3)
		return x, offset, ops.DeformConv2D(x, offset, g.Input("weight", graph.Float32, 1, 1, 3, 3), nil, nil,
			ops.Padding(2, 1))
	}
	g := graph.New("static")
	_, _, y := deformed(g, 0)
	require.ErrorContains(
		t, y.Err(), "deform_conv2d: x has shape [1, 1, 0, 3], without elements along axis 2 to interpolate")

	g = graph.New("symbolic")
	x, offset, y := deformed(g, g.Dim("h", graph.AtLeast(0)))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	_, err = p.NewSession().Run(t.Context(), exec.Feed{
		x:                  exec.Array{Shape: []int{1, 1, 0, 3}, Data: []float32{}},
		offset:             exec.Array{Shape: []int{1, 18, 2, 3}, Data: make([]float32, 108)},
		g.ByName("weight"): exec.Array{Shape: []int{1, 1, 3, 3}, Data: make([]float32, 9)},
	})
	require.ErrorContains(t, err, "sampled images must have elements")
}
