package exec_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
)

// Masks by positions of dtypes that do not have all whole numbers hide what the rounded positions say, also where
// blocks skip columns.
func TestMasksOfRoundedPositions(t *testing.T) {
	for _, dt := range []graph.DType{graph.BFloat16, graph.Float16, graph.Float8E4M3FN, graph.Float8E5M2, graph.Uint8,
		graph.Int8, graph.Int16} {
		t.Run(dt.String(), func(t *testing.T) {
			g := graph.New("attention")
			length := graph.Dim(700)
			if dt == graph.Float16 {
				length = 2300
			}
			rounded := func(s *graph.Node) *graph.Node { return ops.Cast(ops.Cast(s, dt), graph.Float32) }
			c := attentionCase{"rounded", func(_ *graph.Graph, s *graph.Node) *graph.Node {
				rows, cols := positions(s)
				return maskedBy(s, ops.Greater(rounded(cols), rounded(rows)))
			}}
			q, k, v := g.Input("q", graph.Float32, length, 8), g.Input("k", graph.Float32, length, 8),
				g.Input("v", graph.Float32, length, 8)
			outputs := writtenAttention(g, c, q, k, v, v)[:1]
			feed := randomFeed(t, g)
			want := results(t, g, outputs, feed, 1, exec.ChainsOf(0))
			requireBits(t, want[0], results(t, g, outputs, feed, 1, exec.ChainsOf(16))[0], "blocks of 16 rows")
		})
	}
}

// What is behind the diagonal of a causal mask is not computed, whatever the dtype: a value there that is no number
// does not reach the rows before.
func TestBlocksSkipWhatIsMasked(t *testing.T) {
	const length, width = 1024, 16
	for _, dt := range []graph.DType{graph.Float32, graph.Float64, graph.BFloat16, graph.Float16} {
		t.Run(dt.String(), func(t *testing.T) {
			g := graph.New("attention")
			x, v := g.Input("x", dt, 4, length, width), g.Input("v", dt, 4, length, width)
			y := ops.Cast(ops.ScaledDotProductAttention(x, x, v, ops.Causal()), graph.Float32)
			p, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			values, last := make([]float32, 4*length*width), make([]float32, 4*length*width)
			for i := range last {
				if i/width%length == length-1 {
					last[i] = float32(math.NaN())
				}
			}
			r, err := p.NewSession(exec.Threads(1)).Run(
				t.Context(), exec.Feed{x: inDType(dt, values), v: inDType(dt, last)})
			require.NoError(t, err)
			got, err := exec.Values[float32](r, y)
			require.NoError(t, err)
			require.Zero(t, got[0])
			require.Zero(t, got[length/2*width])
			require.True(t, math.IsNaN(float64(got[(length-1)*width])))
		})
	}
}

// inDType are numbers as elements of a dtype.
func inDType(dt graph.DType, values []float32) any {
	switch dt {
	case graph.BFloat16:
		return half.ToBFloat16(values)
	case graph.Float16:
		return half.ToFloat16(values)
	case graph.Float64:
		wide := make([]float64, len(values))
		for i, v := range values {
			wide[i] = float64(v)
		}
		return wide
	}
	return values
}

// A few queries of many keys are one block: keys and values are read where they lie, and no copies of them are made.
func TestFewQueriesCopyNoKeys(t *testing.T) {
	for _, queries := range []graph.Dim{1, 5, 12} {
		t.Run(fmt.Sprint(queries), func(t *testing.T) {
			const keys, width = 8000, 64
			g := graph.New("decode")
			q, k, v := g.Input("q", graph.Float32, 8, queries, width), g.Input("k", graph.Float32, 8, keys, width),
				g.Input("v", graph.Float32, 8, keys, width)
			p, err := exec.Compile(g, exec.Outputs(ops.ScaledDotProductAttention(q, k, v)))
			require.NoError(t, err)
			f, err := p.Footprint(nil)
			require.NoError(t, err)
			require.Less(t, f.Arena, 1<<20)
		})
	}
}
