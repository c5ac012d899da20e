package weights_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/weights"
)

// TestValues gives the values of a file to a session, with the options of Load.
func TestValues(t *testing.T) {
	path := t.TempDir() + "/w.safetensors"
	g := graph.New("values")
	w, b, other := g.Param("w", graph.Float32, 2), g.Param("b", graph.Float32), g.Param("other", graph.Float32)
	y := ops.Add(w, b)
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	require.NoError(t, weights.Write(path, []weights.Named{
		// is widened
		{Name: "w", Value: exec.Array{Shape: []int{2}, Data: []half.Float16{half.NewFloat16(1), half.NewFloat16(2)}}},
		{Name: "b", Value: exec.Array{Shape: []int{}, Data: []float32{10}}},
	}))
	f, err := weights.Open(path)
	require.NoError(t, err)
	defer f.Close()

	values, report, err := weights.Values(prog, f) // the program needs no other
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"w", "b"}, report.Loaded)
	r, err := prog.NewSession(exec.BorrowParams(values)).Run(t.Context(), nil)
	require.NoError(t, err)
	v, err := exec.Values[float32](r, y)
	require.NoError(t, err)
	require.Equal(t, []float32{11, 12}, v)

	values, _, err = weights.Values(prog, f, weights.Only(w), weights.AllowUnexpected())
	require.NoError(t, err)
	require.Len(t, values, 1)
	_, report, err = weights.Values(prog, f, weights.Rename(func(param string) string { return "model." + param }))
	var mismatch *weights.MismatchError
	require.ErrorAs(t, err, &mismatch)
	require.Len(t, report.Missing, 2)
	_, _, err = weights.Values(prog, f, weights.Only(other))
	require.ErrorContains(t, err, "other is not a parameter of the session or program")
	_, _, err = weights.Values(nil, f)
	require.ErrorContains(t, err, "the program is nil")
	_, _, err = weights.Values(prog, nil)
	require.ErrorContains(t, err, "the file is nil")
}
