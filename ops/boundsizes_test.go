package ops_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// TestTransposedConvolutionOfNothing expects an image without rows to be refused when its size is
// bound, and at once where it is written in the program.
func TestTransposedConvolutionOfNothing(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", graph.Float64, 2, g.Dim("h", graph.AtLeast(0)), 3)
	w := g.Input("w", graph.Float64, 2, 2, 2, 3)
	y := ops.ConvTranspose2D(x, w, nil, ops.Groups(2), ops.Stride(3), ops.OutputPadding(2, 1))
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	_, err = prog.NewSession().Run(context.Background(), exec.Feed{
		x: exec.Array{Shape: []int{2, 0, 3}, Data: []float64{}},
		w: exec.Array{Shape: []int{2, 2, 2, 3}, Data: make([]float64, 24)},
	})
	require.ErrorContains(t, err, "h >= 1 fails: 0 against 1")

	g = graph.New("g")
	ops.ConvTranspose1D(g.Input("x", graph.Float64, 2, 0), g.Input("w", graph.Float64, 2, 1, 3), nil)
	require.ErrorContains(t, shapeinfer.Check(g).Err(), "non-zero dimensions")
}

// TestKernelOfNothing expects a kernel without elements to be refused when its size is bound.
func TestKernelOfNothing(t *testing.T) {
	for _, conv := range []func(x, w, bias *graph.Node, opts ...ops.ConvOption) *graph.Node{
		ops.Conv1D, ops.ConvTranspose1D} {
		g := graph.New("g")
		x, w := g.Input("x", graph.Float64, 1, 2, 5), g.Input("w", graph.Float64, 2, 2, g.Dim("k", graph.AtLeast(0)))
		prog, err := exec.Compile(g, exec.Outputs(conv(x, w, nil, ops.Dilation(2))))
		require.NoError(t, err)
		for k := range 3 {
			_, err = prog.NewSession().Run(context.Background(), exec.Feed{
				x: exec.Array{Shape: []int{1, 2, 5}, Data: make([]float64, 10)},
				w: exec.Array{Shape: []int{2, 2, k}, Data: make([]float64, 4*k)},
			})
			if k == 0 {
				require.ErrorContains(t, err, "k >= 1 fails: 0 against 1")
			} else {
				require.NoError(t, err)
			}
		}
	}
}

// TestPaddingRowOfNamedTable expects a table to have the row that is not trained.
func TestPaddingRowOfNamedTable(t *testing.T) {
	for _, padding := range []int{2, -3} {
		g := graph.New("g")
		index, table := g.Input("i", graph.Int64, g.Dim("n", graph.AtLeast(0))),
			g.Input("table", graph.Float64, g.Dim("rows", graph.AtLeast(0)), 2)
		prog, err := exec.Compile(g, exec.Outputs(ops.Embedding(index, table, padding)))
		require.NoError(t, err)
		for rows := range 4 {
			_, err = prog.NewSession().Run(context.Background(), exec.Feed{
				index: exec.Array{Shape: []int{0}, Data: []int64{}},
				table: exec.Array{Shape: []int{rows, 2}, Data: make([]float64, 2*rows)},
			})
			if rows < 3 {
				require.ErrorContains(t, err, fmt.Sprintf("rows >= 3 fails: %d against 3", rows))
			} else {
				require.NoError(t, err)
			}
		}
	}
	g := graph.New("g")
	ops.Embedding(g.Input("i", graph.Int64, 1), g.Input("table", graph.Float64, g.Dim("rows"), 2), math.MaxInt)
	require.ErrorContains(t, shapeinfer.Check(g).Err(), "Padding_idx must be within num_embeddings")
}

// TestScalarHasOneElementToSelect expects a scalar to be picked from once.
func TestScalarHasOneElementToSelect(t *testing.T) {
	g := graph.New("g")
	x, index := g.Input("x", graph.Float64), g.Input("i", graph.Int64, g.Dim("n", graph.AtLeast(0)))
	prog, err := exec.Compile(g, exec.Outputs(ops.IndexSelect(x, 0, index)), exec.OnWarning(nil))
	require.NoError(t, err)
	for n := range 3 {
		_, err = prog.NewSession().Run(context.Background(), exec.Feed{
			x:     exec.Array{Shape: []int{}, Data: []float64{7}},
			index: exec.Array{Shape: []int{n}, Data: make([]int64, n)},
		})
		if n == 1 {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, fmt.Sprintf("n == 1 fails: %d against 1", n))
		}
	}
}

// TestBatchOfOne expects channels of one element to be refused when sizes are bound; none and more
// are normalized, and what is never one needs no look at what is bound.
func TestBatchOfOne(t *testing.T) {
	g := graph.New("g")
	n, h := g.Dim("n", graph.AtLeast(0)), g.Dim("h")
	x := g.Input("x", graph.Float64, n, 3, h)
	y, _, variance := ops.BatchNorm(x, nil, nil, 1e-5)
	for _, wanted := range []*graph.Node{y, variance} {
		prog, err := exec.Compile(g, exec.Outputs(wanted))
		require.NoError(t, err)
		for _, n := range []int{0, 1, 2} {
			_, err = prog.NewSession().Run(context.Background(),
				exec.Feed{x: exec.Array{Shape: []int{n, 3, 1}, Data: make([]float64, 3*n)}})
			if n == 1 {
				require.ErrorContains(t, err, "h*n != 1 fails: 1 against 1")
				require.ErrorContains(t, err, "required by BatchNorm(x, nil, nil, 1e-05)")
			} else {
				require.NoError(t, err)
			}
		}
	}

	g = graph.New("g")
	ops.BatchNorm(g.Input("x", graph.Float64, g.Dim("n"), 3, 2), nil, nil, 1e-5)
	require.Empty(t, shapeinfer.Check(g).Requirements)
}

// TestRepeatedSubscriptOfNamedSizes expects the axes of a repeated subscript to have one size.
func TestRepeatedSubscriptOfNamedSizes(t *testing.T) {
	g := graph.New("g", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
	x := g.Input("x", graph.Float64, g.Dim("n"), 3)
	prog, err := exec.Compile(g, exec.Outputs(ops.Einsum("ii->", x)), exec.OnWarning(nil))
	require.NoError(t, err)
	for _, n := range []int{1, 3, 5} {
		_, err = prog.NewSession().Run(context.Background(),
			exec.Feed{x: exec.Array{Shape: []int{n, 3}, Data: make([]float64, 3*n)}})
		if n == 3 {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, fmt.Sprintf("n == 3 fails: %d against 3", n))
			require.ErrorContains(t, err, "a repeated subscript stands for one size")
		}
	}

	g = graph.New("g")
	n := g.Dim("n")
	ops.Einsum("ii", g.Input("x", graph.Float64, n, n.Plus(1)))
	require.ErrorContains(t, shapeinfer.Check(g).Err(),
		"a subscript is repeated for an operand but the sizes don't match, n+1 != n")

	g = graph.New("g")
	ops.Einsum("ii", g.Input("x", graph.Float64, g.Dim("n"), g.Dim("m")))
	require.ErrorContains(t, shapeinfer.Check(g).Err(), `the sizes "n" and "m" meet`)
}

// TestExpandUnifiesNames expects a size of 1 to be refused where names that meet are the same size.
func TestExpandUnifiesNames(t *testing.T) {
	g := graph.New("g", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
	y := ops.Expand(g.Input("x", graph.Float64, g.Dim("m")), g.Dim("n"))
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	x := exec.Array{Shape: []int{1}, Data: []float64{7}}
	_, err = prog.NewSession(exec.Size("n", 4)).Run(context.Background(), exec.Feed{g.ByName("x"): x})
	require.ErrorContains(t, err, "n == m fails: 4 against 1")
}

// TestGLUOfNamedSize expects halves that make up the whole, and an odd size to be refused when it is
// bound, also where halves of sizes 1 and 2 would broadcast.
func TestGLUOfNamedSize(t *testing.T) {
	for _, policy := range []graph.Policy{{}, {Names: graph.Numpy}} {
		g := graph.New("g", graph.WithPolicy(policy))
		x := g.Input("x", graph.Float64, 2, g.Dim("n"))
		y := ops.GLU(x, -1)
		prog, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		s := prog.NewSession()
		out, err := s.Run(context.Background(),
			exec.Feed{x: exec.Array{Shape: []int{2, 4}, Data: []float64{1, 2, 0, 0, 3, 4, 0, 0}}})
		require.NoError(t, err)
		values, err := exec.Values[float64](out, y)
		require.NoError(t, err)
		require.Equal(t, []float64{0.5, 1, 1.5, 2}, values)
		_, err = s.Run(context.Background(), exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: make([]float64, 6)}})
		require.ErrorContains(t, err, "required by GLU(x, -1) at boundsizes_test.go:")
	}
}

// TestPartsOfAnAxisBesideNothing expects an axis that its parts do not divide to be refused when its
// size is bound, also where another axis has no elements.
func TestPartsOfAnAxisBesideNothing(t *testing.T) {
	for name, parts := range map[string]func(x *graph.Node) *graph.Node{
		"GLU":       func(x *graph.Node) *graph.Node { return ops.GLU(x, 1) },
		"GroupNorm": func(x *graph.Node) *graph.Node { return ops.GroupNorm(x, 2, nil, nil, 1e-5) },
		"Unflatten": func(x *graph.Node) *graph.Node { return ops.Unflatten(x, 1, 2, -1) },
	} {
		g := graph.New("g")
		x := g.Input("x", graph.Float64, g.Dim("n", graph.AtLeast(0)), g.Dim("c"))
		prog, err := exec.Compile(g, exec.Outputs(parts(x)))
		require.NoError(t, err, name)
		for _, shape := range [][]int{{0, 3}, {2, 3}} {
			_, err = prog.NewSession().Run(context.Background(),
				exec.Feed{x: exec.Array{Shape: shape, Data: make([]float64, shape[0]*3)}})
			require.ErrorContains(t, err, "multiple of 2", "%s of %v", name, shape)
		}
		for _, shape := range [][]int{{0, 4}, {2, 4}} {
			_, err = prog.NewSession().Run(context.Background(),
				exec.Feed{x: exec.Array{Shape: shape, Data: make([]float64, shape[0]*4)}})
			require.NoError(t, err, "%s of %v", name, shape)
		}
	}
}
