package exec

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
)

// A product of 16 bits has the bits of the same numbers in float32, rounded once, and takes no memory for its factors:
// none of float32, and none for a factor that lies transposed. Windows of an image are read from its 16 bits.
func TestProductsReadFactorsOfHalves(t *testing.T) {
	for _, dtype := range []graph.DType{graph.Float16, graph.BFloat16} {
		g, wide := graph.New("halves"), graph.New("wide")
		feed, wideFeed := Feed{}, Feed{}
		input := func(name string, shape ...int) (x, y *graph.Node) {
			x, y = g.Input(name, dtype, graph.MakeShape(shape...)...),
				wide.Input(name, graph.Float32, graph.MakeShape(shape...)...)
			n := 1
			for _, d := range shape {
				n *= d
			}
			values := make([]float32, n)
			for i := range values {
				values[i] = float32(i*7919%1009-500) / 256
			}
			if dtype == graph.Float16 {
				data := half.ToFloat16(values)
				feed[x], wideFeed[y] = Array{shape, data}, Array{shape, half.ToFloat32(data)}
			} else {
				data := half.ToBFloat16(values)
				feed[x], wideFeed[y] = Array{shape, data}, Array{shape, half.ToFloat32(data)}
			}
			return x, y
		}
		a, wideA := input("a", 130, 200)
		b, wideB := input("b", 90, 200)
		image, wideImage := input("image", 2, 5, 16, 17)
		filters, wideFilters := input("filters", 7, 5, 3, 3)
		product := func(a, b *graph.Node) *graph.Node { return ops.MatMul(a, ops.Transpose(b, 0, 1)) }
		y, z := product(a, b), ops.Conv2D(image, filters, nil)
		wideY := ops.Cast(product(wideA, wideB), dtype)
		wideZ := ops.Cast(ops.Conv2D(wideImage, wideFilters, nil), dtype)
		p, err := Compile(g, Outputs(y))
		require.NoError(t, err)
		f, err := p.Footprint(nil)
		require.NoError(t, err)
		require.Less(t, f.Arena, 130*90*(4+2)+4096, "%s: the result in float32, and rounded: %s", dtype, p)
		run := func(g *graph.Graph, feed Feed, outputs ...*graph.Node) (all []Array) {
			p, err := Compile(g, Outputs(outputs...))
			require.NoError(t, err)
			out, err := p.NewSession().Run(context.Background(), feed)
			require.NoError(t, err)
			for _, n := range outputs {
				all = append(all, ArrayOf(t, out, n))
			}
			return all
		}
		require.Equal(t, run(wide, wideFeed, wideY, wideZ), run(g, feed, y, z), dtype.String())
	}
}
