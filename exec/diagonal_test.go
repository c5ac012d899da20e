package exec_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestDiagonalOfNamedSizes takes diagonals of matrices of which either side may be the shorter
// one, with their gradients and with what is made of their shapes.
func TestDiagonalOfNamedSizes(t *testing.T) {
	for _, offset := range []int{-4, -1, 0, 2, 7} {
		g := graph.New("diagonal")
		n, m := g.Dim("n", graph.AtLeast(0)), g.Dim("m")
		x := g.Input("x", graph.Float64, n, m)
		y := ops.Diagonal(x, offset, 0, 1)
		dx := autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x})[0]
		like, places := ops.FullLike(y, 2), ops.Iota(g, 0, y.Shape()...)
		p, err := exec.Compile(g, exec.Outputs(y, dx, like, places))
		require.NoError(t, err)
		s := p.NewSession()
		for _, size := range [][2]int{{3, 3}, {2, 6}, {6, 2}, {0, 4}, {1, 1}, {9, 12}} {
			in := exec.Array{Shape: size[:], Data: make([]float64, size[0]*size[1])}
			grad := make([]float64, size[0]*size[1])
			want, twos, at := []float64{}, []float64{}, []int64{}
			for i := range grad {
				in.Data.([]float64)[i] = float64(i + 1)
				if row, col := i/size[1], i%size[1]; col == row+offset {
					want, twos, at = append(want, float64(i+1)), append(twos, 2), append(at, int64(len(at)))
					grad[i] = 2 * float64(i+1)
				}
			}
			r, err := s.Run(t.Context(), exec.Feed{x: in})
			what := fmt.Sprintf("diagonal %d of %v", offset, size)
			require.NoError(t, err, what)
			for node, want := range map[*graph.Node]any{y: want, dx: grad, like: twos, places: at} {
				have, err := r.Array(node)
				require.NoError(t, err)
				require.Equal(t, want, have.Data, "%s: %s", what, node.Called())
			}
		}
	}
}

// TestTrianglesOfFarDiagonals keeps all of a matrix or nothing, and one kernel does it, as for near diagonals.
func TestTrianglesOfFarDiagonals(t *testing.T) {
	const rows, columns = 3, 40
	for _, diagonal := range []int{math.MinInt, -rows, -1, 0, 1, columns, math.MaxInt} {
		g := graph.New("triangles")
		x := g.Input("x", graph.Float32, g.Dim("n"), columns)
		upper, lower := ops.Triu(x, diagonal), ops.Tril(x, diagonal)
		p, err := exec.Compile(g, exec.Outputs(upper, lower))
		require.NoError(t, err)
		require.Equal(t, 1, p.Kernels(), p)
		data := make([]float32, rows*columns)
		above, below := make([]float32, len(data)), make([]float32, len(data))
		for i := range data {
			data[i] = float32(i + 1)
			if away := i%columns - i/columns; away >= diagonal {
				above[i] = data[i]
			}
			if away := i%columns - i/columns; away <= diagonal {
				below[i] = data[i]
			}
		}
		r, err := p.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{rows, columns}, Data: data}})
		require.NoError(t, err)
		require.Equal(t, above, arrayOf(t, r, upper).Data, "above diagonal %d", diagonal)
		require.Equal(t, below, arrayOf(t, r, lower).Data, "below diagonal %d", diagonal)
	}
}

// TestDiagonalMatrixIsOneKernel compares positions where elements are stored: none are in memory.
func TestDiagonalMatrixIsOneKernel(t *testing.T) {
	g := graph.New("diagonal")
	x := g.Input("x", graph.Float32, 1000)
	p, err := exec.Compile(g, exec.Outputs(ops.DiagEmbed(x, 0)))
	require.NoError(t, err)
	require.Equal(t, 1, p.Kernels(), p)
}
