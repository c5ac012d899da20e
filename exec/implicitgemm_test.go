package exec_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// copies counts the kernels that copy a value.
func copies(p *exec.Program) int {
	count := 0
	for _, k := range p.Plan().Kernels {
		if slices.ContainsFunc(k.Nodes, func(n *graph.Node) bool { return n.Op().Name == "clone" }) {
			count++
		}
	}
	return count
}

func TestConvolutionsReadWindowsWhereTheyLie(t *testing.T) {
	for _, c := range []struct {
		name string
		x, w []int
		opts []ops.ConvOption
	}{
		{name: "plain", x: []int{3, 2, 9, 11}, w: []int{4, 2, 3, 3}},
		{name: "strides and padding", x: []int{2, 3, 10, 8}, w: []int{5, 3, 3, 2},
			opts: []ops.ConvOption{ops.Stride(2), ops.Padding(1)}},
		{name: "dilation", x: []int{1, 2, 12, 9}, w: []int{7, 2, 3, 3}, opts: []ops.ConvOption{ops.Dilation(2)}},
		{name: "groups", x: []int{2, 4, 7, 7}, w: []int{6, 2, 3, 3}, opts: []ops.ConvOption{ops.Groups(2)}},
		{name: "one axis", x: []int{2, 3, 20}, w: []int{4, 3, 5}},
		{name: "one image", x: []int{2, 9, 11}, w: []int{4, 2, 3, 3}},
		{name: "a stride and single elements", x: []int{2, 3, 9, 9}, w: []int{8, 3, 1, 1},
			opts: []ops.ConvOption{ops.Stride(2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graph.New("conv")
			shape := graph.MakeShape(c.x...)
			if len(c.x) == len(c.w) {
				shape[0] = g.Dim("batch")
			}
			x, w := g.Input("x", graph.Float64, shape...), g.Input("w", graph.Float64, graph.MakeShape(c.w...)...)
			conv := ops.Conv2D
			if len(c.w) == 3 {
				conv = ops.Conv1D
			}
			y := conv(x, w, nil, c.opts...)
			grads := autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x, w})

			forward, err := exec.Compile(g, exec.Outputs(ops.Relu(y))) // which reads the product as it lies
			require.NoError(t, err)
			require.Zero(t, copies(forward), "%s", forward)

			outputs := append([]*graph.Node{y}, grads...)
			p, err := exec.Compile(g, exec.Outputs(outputs...))
			require.NoError(t, err)
			rng := rand.New(rand.NewPCG(1, 2))
			in := map[*graph.Node]reference.Value{x: drawn(rng, graph.Float64, c.x), w: drawn(rng, graph.Float64, c.w)}
			want, err := reference.Eval(outputs, in)
			require.NoError(t, err)
			out, err := p.NewSession().Run(context.Background(), exec.Feed{
				x: exec.Array{Shape: c.x, Data: in[x].Data}, w: exec.Array{Shape: c.w, Data: in[w].Data}})
			require.NoError(t, err)
			for i, n := range outputs {
				require.InDeltaSlice(t, want[i].Floats(), arrayOf(t, out, n).Data, 1e-9)
			}
		})
	}
}

// A window's memory may be written once the product has read it, and not before.
func TestWindowsOfWhatIsWrittenLater(t *testing.T) {
	g := graph.New("later")
	x, w := g.Input("x", graph.Float64, 1, 2, 6, 6), g.Input("w", graph.Float64, 3, 2, 3, 3)
	z := ops.Copy(ops.Exp(x))
	y := ops.Conv2D(z, w, nil)
	zeroed := ops.InPlace(ops.Lookup("mul"), nil, z, graph.Num(0))
	p, err := exec.Compile(g, exec.Outputs(y, zeroed))
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 4))
	in := map[*graph.Node]reference.Value{
		x: drawn(rng, graph.Float64, []int{1, 2, 6, 6}), w: drawn(rng, graph.Float64, []int{3, 2, 3, 3})}
	want, err := reference.Eval([]*graph.Node{y}, in)
	require.NoError(t, err)
	out, err := p.NewSession().Run(context.Background(), exec.Feed{
		x: exec.Array{Shape: []int{1, 2, 6, 6}, Data: in[x].Data},
		w: exec.Array{Shape: []int{3, 2, 3, 3}, Data: in[w].Data}})
	require.NoError(t, err)
	require.InDeltaSlice(t, want[0].Floats(), arrayOf(t, out, y).Data, 1e-9)
	require.Equal(t, make([]float64, 72), arrayOf(t, out, zeroed).Data)
}

// TestConvolutionsOf16BitsReadWindowsWhereTheyLie expects no copy of windows, and the bits of Float32, rounded once.
func TestConvolutionsOf16BitsReadWindowsWhereTheyLie(t *testing.T) {
	for _, dtype := range []graph.DType{graph.BFloat16, graph.Float16} {
		for name, opts := range map[string][]ops.ConvOption{
			"plain": nil, "strides and padding": {ops.Stride(2), ops.Padding(1)}, "dilation": {ops.Dilation(2)},
		} {
			t.Run(dtype.String()+" "+name, func(t *testing.T) {
				g := graph.New("conv")
				x, w := g.Input("x", dtype, g.Dim("batch"), 3, 19, 13), g.Input("w", dtype, 5, 3, 3, 3)
				y := ops.Conv2D(x, w, nil, opts...)
				wide := ops.Conv2D(ops.Cast(x, graph.Float32), ops.Cast(w, graph.Float32), nil, opts...)
				dw := autodiff.Grad(ops.Sum(ops.Cast(y, graph.Float32)), []*graph.Node{w})[0]
				forward, err := exec.Compile(g, exec.Outputs(ops.Relu(y)))
				require.NoError(t, err)
				require.Zero(t, copies(forward), "%s", forward)

				outputs := []*graph.Node{y, ops.Cast(wide, dtype), dw}
				p, err := exec.Compile(g, exec.Outputs(outputs...))
				require.NoError(t, err)
				rng := rand.New(rand.NewPCG(1, 2))
				in := map[*graph.Node]reference.Value{
					x: drawn(rng, dtype, []int{2, 3, 19, 13}), w: drawn(rng, dtype, []int{5, 3, 3, 3})}
				out, err := p.NewSession().Run(context.Background(), exec.Feed{
					x: exec.Array{Shape: []int{2, 3, 19, 13}, Data: in[x].Data},
					w: exec.Array{Shape: []int{5, 3, 3, 3}, Data: in[w].Data}})
				require.NoError(t, err)
				require.Equal(t, arrayOf(t, out, outputs[1]).Data, arrayOf(t, out, y).Data)
				want, err := reference.Eval([]*graph.Node{dw}, in)
				require.NoError(t, err)
				got := reference.Value{DType: dtype, Shape: want[0].Shape, Data: arrayOf(t, out, dw).Data}.Floats()
				for i, v := range want[0].Floats() {
					require.InEpsilon(t, v, got[i], 0.01)
				}
			})
		}
	}
}
