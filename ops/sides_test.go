package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A convolution that is padded so that it gives one element for each stride of x has the numbers of one whose padding
// is written out, and its gradients, for each size that a named one takes.
func TestSamePadding(t *testing.T) {
	for _, c := range []struct{ kernel, stride, dilation int }{
		{3, 1, 1}, {4, 1, 1}, {2, 1, 3}, {3, 2, 1}, {4, 3, 1}, {2, 2, 2}, {1, 1, 1}} {
		g := graph.New("same")
		x, w := g.Input("x", graph.Float64, 1, 2, g.Dim("n"), 5),
			g.Input("w", graph.Float64, 3, 2, graph.Dim(c.kernel), 1)
		steps := []ops.ConvOption{ops.Stride(c.stride, 1), ops.Dilation(c.dilation, 1)}
		upper := ops.Conv2D(x, w, nil, append(steps, ops.SamePadding())...)
		lower := ops.Conv2D(x, w, nil, append(steps, ops.SamePaddingLower())...)
		mirrored := ops.Conv2D(x, w, nil, append(steps, ops.SamePadding(), ops.PadReplicate)...)
		outputs := append([]node{upper, lower, mirrored}, autodiff.Grad(ops.Sum(ops.Square(upper)), []node{x})...)
		p, err := exec.Compile(g, exec.Outputs(outputs...))
		require.NoError(t, err)
		for n := 1; n < 9; n++ {
			places := (n + c.stride - 1) / c.stride
			all := max(0, (places-1)*c.stride+(c.kernel-1)*c.dilation+1-n)
			h := graph.New("written out")
			hx, hw := h.Input("x", graph.Float64, 1, 2, graph.Dim(n), 5),
				h.Input("w", graph.Float64, 3, 2, graph.Dim(c.kernel), 1)
			wide := func(x node, before, behind int) node {
				return ops.Conv2D(ops.Pad(x, 2, graph.Dim(before), graph.Dim(behind), 0), hw, nil, steps...)
			}
			up := wide(hx, all/2, all-all/2)
			replicated := ops.PadWith(hx, 2, graph.Dim(all/2), graph.Dim(all-all/2), ops.PadReplicate)
			want := append([]node{up, wide(hx, all-all/2, all/2), ops.Conv2D(replicated, hw, nil, steps...)},
				autodiff.Grad(ops.Sum(ops.Square(up)), []node{hx})...)
			hp, err := exec.Compile(h, exec.Outputs(want...))
			require.NoError(t, err)
			xs, ws := make([]float64, 10*n), make([]float64, 6*c.kernel)
			for i := range xs {
				xs[i] = float64(i*7%11) - 5
			}
			for i := range ws {
				ws[i] = float64(i*5%7) - 3
			}
			images, weights := exec.Array{Shape: []int{1, 2, n, 5}, Data: xs},
				exec.Array{Shape: []int{3, 2, c.kernel, 1}, Data: ws}
			got, err := p.NewSession().Run(t.Context(), exec.Feed{x: images, w: weights})
			require.NoError(t, err)
			other, err := hp.NewSession().Run(t.Context(), exec.Feed{hx: images, hw: weights})
			require.NoError(t, err)
			for i := range outputs {
				a, err := got.Array(outputs[i])
				require.NoError(t, err)
				b, err := other.Array(want[i])
				require.NoError(t, err)
				require.Equal(t, b, a, "%+v of %d, result %d", c, n, i)
			}
		}
	}
}

// The end of a transposed convolution is left out as PaddingBehind says.
func TestPaddingBehind(t *testing.T) {
	g := graph.New("behind")
	x, w := g.Input("x", graph.Float64, 1, 2, 4, 3), g.Input("w", graph.Float64, 2, 2, 3, 3)
	whole := ops.ConvTranspose2D(x, w, nil, ops.Stride(2))
	cut := ops.ConvTranspose2D(x, w, nil, ops.Stride(2), ops.Padding(0, 2), ops.PaddingBehind(1))
	want := ops.Slice(ops.Slice(whole, 2, 0, 8, 1), 3, 2, 6, 1)
	uneven := ops.Conv2D(x, w, nil, ops.Padding(1, 0), ops.PaddingBehind(0, 2))
	padded := ops.Conv2D(ops.Pad(ops.Pad(x, 2, 1, 0, 0), 3, 0, 2, 0), w, nil)
	differences := ops.Add(ops.Max(ops.Abs(ops.Sub(cut, want))), ops.Max(ops.Abs(ops.Sub(uneven, padded))))
	p, err := exec.Compile(g, exec.Outputs(differences))
	require.NoError(t, err)
	xs, ws := make([]float64, 24), make([]float64, 36)
	for i := range ws {
		xs[i*24/36], ws[i] = float64(i), float64(i*i%13)-6
	}
	r, err := p.NewSession().Run(t.Context(),
		exec.Feed{x: exec.Array{Shape: []int{1, 2, 4, 3}, Data: xs}, w: exec.Array{Shape: []int{2, 2, 3, 3}, Data: ws}})
	require.NoError(t, err)
	got, err := r.Scalar(differences)
	require.NoError(t, err)
	require.Zero(t, got)
}

func TestMistakesOfSides(t *testing.T) {
	for want, build := range map[string]func(x, w node) node{
		"SamePadding excludes Padding and PaddingBehind": func(x, w node) node {
			return ops.Conv2D(x, w, nil, ops.Padding(1), ops.SamePadding())
		},
		"does not apply to a transposed convolution": func(x, w node) node {
			return ops.ConvTranspose2D(x, w, nil, ops.SamePadding())
		},
		"one for each of 2 axes, but has 3": func(x, w node) node {
			return ops.Conv2D(x, w, nil, ops.PaddingBehind(1, 2, 3))
		},
		"negative padding is not supported": func(x, w node) node {
			return ops.Conv2D(x, w, nil, ops.PaddingBehind(-1))
		},
		"with stride 4 depends on the axis size": func(x, w node) node {
			return ops.Conv2D(x, w, nil, ops.Stride(4), ops.SamePadding())
		},
		"Conv2D(x, w, nil, Groups(3), SamePadding())": func(x, w node) node {
			return ops.Conv2D(x, w, nil, ops.Groups(3), ops.SamePadding())
		},
	} {
		g := graph.New("mistakes")
		build(g.Input("x", graph.Float32, 1, 2, g.Dim("n"), 6), g.Input("w", graph.Float32, 2, 2, 3, 3))
		require.ErrorContains(t, g.Err(), want)
		require.ErrorContains(t, g.Err(), "sides_test.go")
	}
}
