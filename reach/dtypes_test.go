package reach_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/reach/launch"
	"github.com/broadloom/broadloom/stablehlo"
	"github.com/broadloom/broadloom/weights"
)

// The launcher feeds, holds, records and saves values of every dtype, from files of Broadloom's.
func TestLauncherTakesEveryDType(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	python, err := launch.FindPython(t.Context())
	if err != nil {
		t.Skip(err)
	}
	g := graph.New("dtypes")
	feed := exec.Feed{}
	var data []weights.Named
	var outputs, updates []*graph.Node
	for _, dt := range graph.DTypes() {
		x, p := g.Input("x_"+dt.String(), dt, 2, 3), g.Param("p_"+dt.String(), dt, 2, 3)
		value := dt.MakeSlice(6)
		for i := range 6 {
			graph.SetNumberAt(value, i, float64(i)/3, int64(i*60-90))
		}
		a := exec.Array{Shape: []int{2, 3}, Data: value}
		feed[x] = a
		if dt == graph.BFloat16 || dt.IsStorage() { // which NumPy's files lack
			a = a.Widened()
		}
		data = append(data, weights.Named{Name: x.Name(), Value: a})
		one := ops.Full(g, dt, 1, 2, 3)
		if dt.IsStorage() {
			updates = append(updates, ops.CopyInPlace(
				p, ops.Concat(0, ops.Slice(x, 0, 1, 2, 1), ops.Slice(p, 0, 0, 1, 1))))
			outputs = append(outputs, ops.Cast(x, graph.Float32).Named("wide_"+dt.String()),
				ops.Transpose(ops.Cast(ops.Cast(x, graph.Float16), dt), 0, 1).Named("turned_"+dt.String()))
			continue
		}
		if dt == graph.Bool {
			updates = append(updates, ops.CopyInPlace(p, ops.Or(x, p)))
		} else {
			updates = append(updates, ops.AddInPlace(p, ops.Add(x, one)))
		}
		outputs = append(outputs, ops.Equal(x, one).Named("is_one_"+dt.String()),
			ops.Maximum(x, one).Named("most_"+dt.String()))
	}
	program, err := exec.Compile(g, exec.Outputs(outputs...), exec.Updates(updates...))
	require.NoError(t, err)
	session, folder := program.NewSession(), t.TempDir()
	m, err := stablehlo.Export(g, stablehlo.Outputs(outputs...), stablehlo.Updates(updates...))
	require.NoError(t, err)
	c := launch.Config{Folder: filepath.Join(folder, "export"), Python: python, Platform: "cpu", Steps: 2,
		Data: filepath.Join(folder, "data.npz"),
		Save: filepath.Join(folder, "trained.safetensors"), Record: filepath.Join(folder, "record.npz")}
	require.NoError(t, m.Save(c.Folder, session))
	require.NoError(t, weights.Write(c.Data, data))
	require.NoError(t, launch.Run(t.Context(), c))

	var last *exec.Results
	for range 2 {
		last, err = session.Run(t.Context(), feed)
		require.NoError(t, err)
	}
	record, err := weights.Open(c.Record)
	require.NoError(t, err)
	defer record.Close()
	for _, y := range outputs {
		got, err := record.Read(y.Name())
		require.NoError(t, err)
		want, err := last.Array(y)
		require.NoError(t, err)
		require.Equal(t, append([]int{2}, want.Shape...), got.Shape)
		for i := range 12 {
			a, b := graph.NumberAt(got.Data, i)
			c, d := graph.NumberAt(want.Data, i%6)
			require.Equal(t, []any{c, d}, []any{a, b}, y.Name())
		}
	}
	loaded := program.NewSession()
	_, err = weights.LoadFile(loaded, c.Save)
	require.NoError(t, err)
	for _, p := range g.Params() {
		want, err := session.Param(p)
		require.NoError(t, err)
		got, err := loaded.Param(p)
		require.NoError(t, err)
		require.Equal(t, want, got, p.Name())
	}
}
