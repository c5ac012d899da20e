package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Bytes hold two integers each, the first in the lower half, and give them back.
func TestInt4(t *testing.T) {
	g := graph.New("int4")
	n := g.Dim("n", graph.AtLeast(0))
	x, u := g.Input("x", graph.Int8, n, 16), g.Input("u", graph.Uint8, n, 16)
	packed, unsigned := ops.PackInt4(x), ops.PackInt4(u)
	back, unsignedBack := ops.UnpackInt4(packed), ops.UnpackUint4(unsigned)
	named := ops.UnpackUint4(ops.Transpose(unsigned, 0, 1)) // a named size doubles, and halves
	again := ops.PackInt4(named)
	require.NoError(t, g.Err())
	require.Equal(t, "[n, 8]", packed.Shape().String())
	require.Equal(t, "[8, 2*n]", named.Shape().String())
	p, err := exec.Compile(g, exec.Outputs(packed, unsigned, back, unsignedBack, again))
	require.NoError(t, err)
	var xs []int8
	var us []uint8
	for i := range 32 {
		xs, us = append(xs, int8(i%16-8)), append(us, uint8((i*7)%16))
	}
	for rows := range 3 {
		xs, us := xs[:16*rows], us[:16*rows]
		r, err := p.NewSession().Run(t.Context(),
			exec.Feed{x: exec.Array{Shape: []int{rows, 16}, Data: xs}, u: exec.Array{Shape: []int{rows, 16}, Data: us}})
		require.NoError(t, err)
		var signedBytes, unsignedBytes []uint8
		for i := 0; i < 16*rows; i += 2 {
			signedBytes = append(signedBytes, uint8(xs[i])&15|uint8(xs[i+1])<<4)
			unsignedBytes = append(unsignedBytes, us[i]|us[i+1]<<4)
		}
		require.ElementsMatch(t, signedBytes, valuesOf[uint8](t, r, packed))
		require.Equal(t, append([]uint8{}, signedBytes...), valuesOf[uint8](t, r, packed))
		require.Equal(t, append([]uint8{}, unsignedBytes...), valuesOf[uint8](t, r, unsigned))
		require.Equal(t, append([]int8{}, xs...), valuesOf[int8](t, r, back))
		require.Equal(t, append([]uint8{}, us...), valuesOf[uint8](t, r, unsignedBack))
		transposed := make([]uint8, 0, 8*rows)
		for column := range 8 {
			for row := range rows {
				transposed = append(transposed, unsignedBytes[row*8+column])
			}
		}
		require.Equal(t, transposed, valuesOf[uint8](t, r, again))
	}
}

func valuesOf[T graph.Element](t *testing.T, r *exec.Results, n *graph.Node) []T {
	t.Helper()
	v, err := exec.Values[T](r, n)
	require.NoError(t, err)
	return append([]T{}, v...)
}

// Each block has a scale and a zero point, also a last one that is shorter.
func TestBlocksOfQuantisedNumbers(t *testing.T) {
	for _, size := range []int{0, 1, 4, 8, 10} {
		g := graph.New("blocks")
		const rows, block = 3, 4
		blocks := (size + block - 1) / block
		x, scale := g.Input("x", graph.Float32, rows, graph.Dim(size)),
			g.Input("scale", graph.Float32, rows, graph.Dim(blocks))
		zero := g.Input("zero", graph.Int8, rows, graph.Dim(blocks))
		q := ops.QuantizeBlocks(x, scale, zero, -1, block)
		y, centred := ops.DequantizeBlocks(q, scale, zero, 1, block), ops.DequantizeBlocks(q, scale, nil, 1, block)
		require.NoError(t, g.Err())
		p, err := exec.Compile(g, exec.Outputs(q, y, centred))
		require.NoError(t, err)
		xs, scales, zeros := make([]float32, rows*size), make([]float32, rows*blocks), make([]int8, rows*blocks)
		for i := range xs {
			xs[i] = float32(i%7) - 3
		}
		for i := range scales {
			scales[i], zeros[i] = float32(i+1)/4, int8(i-2)
		}
		r, err := p.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{rows, size}, Data: xs},
			scale: exec.Array{Shape: []int{rows, blocks}, Data: scales},
			zero:  exec.Array{Shape: []int{rows, blocks}, Data: zeros}})
		require.NoError(t, err)
		qs, ys, cs := valuesOf[int8](t, r, q), valuesOf[float32](t, r, y), valuesOf[float32](t, r, centred)
		for i := range xs {
			of := i/size*blocks + i%size/block
			require.InDelta(t, xs[i], ys[i], float64(scales[of])/2, "size %d, element %d", size, i)
			require.Equal(t, scales[of]*float32(int(qs[i])-int(zeros[of])), ys[i])
			require.Equal(t, scales[of]*float32(qs[i]), cs[i])
		}
	}
}

// Wrong pairs, blocks and dtypes are reported when the call is built.
func TestMistakesOfInt4(t *testing.T) {
	for want, build := range map[string]func(g *graph.Graph) *graph.Node{
		"is not known to be even": func(g *graph.Graph) *graph.Node {
			return ops.PackInt4(g.Input("x", graph.Int8, 2, 3))
		},
		"write an even named size as twice another one": func(g *graph.Graph) *graph.Node {
			return ops.PackInt4(g.Input("x", graph.Int8, g.Dim("n")))
		},
		"x is a scalar":  func(g *graph.Graph) *graph.Node { return ops.UnpackInt4(g.Input("x", graph.Uint8)) },
		"and x has int8": func(g *graph.Graph) *graph.Node { return ops.UnpackUint4(g.Input("x", graph.Int8, 2)) },
		"a block must have at least 1 element": func(g *graph.Graph) *graph.Node {
			x := g.Input("x", graph.Int8, 4)
			return ops.DequantizeBlocks(x, g.Input("s", graph.Float32, 4), nil, 0, 0)
		},
		"has no axis 1": func(g *graph.Graph) *graph.Node {
			x := g.Input("x", graph.Int8, 4)
			return ops.DequantizeBlocks(x, g.Input("s", graph.Float32, 4), nil, 1, 2)
		},
		"need scales and zero points of shape [2], but s has [4]": func(g *graph.Graph) *graph.Node {
			x := g.Input("x", graph.Int8, 4)
			return ops.DequantizeBlocks(x, g.Input("s", graph.Float32, 4), nil, 0, 2)
		},
	} {
		g := graph.New("mistakes")
		build(g)
		require.ErrorContains(t, g.Err(), want)
		require.ErrorContains(t, g.Err(), "int4_test.go")
	}
}
