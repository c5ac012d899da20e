package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/ops"
)

// TestSlicesHaveTheShapeOfTheirInput where it leaves one size open.
func TestSlicesHaveTheShapeOfTheirInput(t *testing.T) {
	g := graph.New("slices")
	width := g.Dim("width", graph.Exactly(3))
	x := g.Input("x", graph.Float32, g.Dim("batch"), width)
	label := g.Input("label", graph.Int64, g.Dim("batch"))
	y := ops.Add(ops.Sum(x, 1), label)
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	s := prog.NewSession()
	type alias []float32
	for name, c := range map[string]struct {
		x, label any
		want     []float32
		err      string
	}{
		"slices":         {[]float32{1, 2, 3, 4, 5, 6}, []int{10, 20}, []float32{16, 35}, ""},
		"nested slices":  {[][]float32{{1, 2, 3}, {4, 5, 6}}, []int64{0, 0}, []float32{6, 15}, ""},
		"an array":       {[1][3]float32{{1, 2, 3}}, [1]int{1}, []float32{7}, ""},
		"slices' slices": {[]alias{{1, 2, 3}}, []int64{0}, []float32{6}, ""},
		"no multiple": {[]float32{1, 2, 3, 4}, []int{10, 20}, nil,
			"input x: the slice has 4 elements, but [batch, width] needs a multiple of 3"},
		"ragged": {[][]float32{{1, 2, 3}, {4, 5}}, []int{1, 2}, nil,
			"input x: the list at [1] has 2 elements, but the first one at its level has 3: all must have the same number"},
		"empty": {[][]float32{}, []int{}, nil, "it has no elements, so its shape is unknown: use exec.Array"},
		"another dtype": {[]float64{1, 2, 3}, []int{1}, nil,
			"input x needs dtype float32, got float64 (declared at feedslice_test.go:18:7): feed []float32, or declare the input as graph.Float64"},
		"text":        {[]string{"a"}, []int{1}, nil, "its data is []string, not a slice of a dtype"},
		"other sizes": {[]float32{1, 2, 3}, []int{1, 2}, nil, "batch"},
	} {
		r, err := s.Run(t.Context(), exec.Feed{x: c.x, label: c.label})
		if c.err != "" {
			require.ErrorContains(t, err, c.err, name)
			continue
		}
		require.NoError(t, err, name)
		got, err := exec.Values[float32](r, y)
		require.NoError(t, err)
		require.Equal(t, c.want, got, name)
	}
	feed := exec.Feed{x: []float32{1, 2, 3}, label: []int64{1}}
	allocs.RequireNone(t, 5, func() {
		if _, err := s.Run(t.Context(), feed); err != nil {
			t.Error(err)
		}
	})
}

// TestSlicesThatDoNotTellTheirShape are refused, unless the run is given sizes.
func TestSlicesThatDoNotTellTheirShape(t *testing.T) {
	g := graph.New("slices")
	x := g.Input("x", graph.Float32, g.Dim("rows", graph.AtLeast(0)), g.Dim("columns"))
	w := g.Param("w", graph.Float32, 2, 2)
	y := ops.Sum(ops.MatMul(ops.Sum(x, 1, ops.KeepDims()), ops.Slice(w, 0, 0, 1, 1)), 0)
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	_, err = prog.NewSession().Run(t.Context(), exec.Feed{x: []float32{1, 2, 3, 4}})
	require.ErrorContains(
		t, err, "input x: a slice does not determine the sizes rows and columns of [rows, columns]: use exec.Array")
	s := prog.NewSession(exec.Size("columns", 2))
	require.NoError(t, s.SetParam(w, []float32{1, 2, 3, 4}))
	require.ErrorContains(t, s.SetParam(w, []float32{1, 2, 3}),
		"parameter w: the slice has 3 elements, but [2, 2] needs 4")
	r, err := s.Run(t.Context(), exec.Feed{x: []float32{1, 2, 3, 4}})
	require.NoError(t, err)
	got, err := exec.Values[float32](r, y)
	require.NoError(t, err)
	require.Equal(t, []float32{10, 20}, got)
	r, err = s.Run(t.Context(), exec.Feed{x: []float32{}})
	require.NoError(t, err)
	got, err = exec.Values[float32](r, y)
	require.NoError(t, err)
	require.Equal(t, []float32{0, 0}, got)
}
