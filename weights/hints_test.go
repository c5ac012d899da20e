package weights_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/weights"
)

// Names in the file have a prefix that those of the program lack, or the other way round: the error says so, and what
// it suggests works.
func TestPrefixesOfNamesAreTold(t *testing.T) {
	for _, prefix := range []string{"model.", "module.", "_orig_mod.", "model.encoder."} {
		m := newModel(t, 8)
		s, other := m.prog.NewSession(exec.Seed(1)), m.prog.NewSession(exec.Seed(2))
		path := filepath.Join(t.TempDir(), "w.safetensors")
		with := weights.Rename(func(param string) string { return prefix + param })
		require.NoError(t, weights.Save(path, s, weights.Only(m.params...), with))
		_, err := weights.LoadFile(other, path, weights.Only(m.params...))
		require.ErrorContains(t, err, `help: names in the file start with "`+prefix+
			`": weights.Rename(func(param string) string { return "`+prefix+`" + param }) finds 3 of them`)
		_, err = weights.LoadFile(other, path, weights.Only(m.params...), with)
		require.NoError(t, err)
		same := func(s *exec.Session) any { v, err := s.Param(m.params[0]); require.NoError(t, err); return v.Data }
		assert.Equal(t, same(s), same(other))
	}
}

func TestPrefixesOfProgramsAreTold(t *testing.T) {
	m := newModel(t, 8)
	s := m.prog.NewSession()
	path := filepath.Join(t.TempDir(), "w.safetensors")
	require.NoError(t, weights.Save(path, s, weights.Only(m.params...),
		weights.Rename(func(param string) string { return strings.TrimPrefix(param, "hidden.") })))
	_, err := weights.LoadFile(s, path, weights.Only(m.params[:2]...))
	require.ErrorContains(
		t, err,
		`help: names in the program start with "hidden.", but those in the file do not: weights.Rename(func(param string) string { return strings.TrimPrefix(param, "hidden.") }) finds 2 of them`)

	require.NoError(t, weights.Write(path, []weights.Named{{"a.b", exec.Array{Shape: []int{1}, Data: []float32{1}}}}))
	_, err = weights.LoadFile(s, path, weights.Only(m.params...))
	require.Error(t, err)
	require.NotContains(t, err.Error(), "help:")
}

// Weights of Flax and Keras have the inputs before the outputs.
func TestTransposedWeightsAreToldAndTurned(t *testing.T) {
	g := graph.New("kernels")
	dense, conv := g.Param("fc.weight", graph.Float32, 2, 3), g.Param("conv.weight", graph.Float32, 3, 2, 1, 2)
	table := g.Param("table.weight", graph.Float32, 2, 2)
	prog, err := exec.Compile(g, exec.Outputs(ops.Sum(dense), ops.Sum(conv), ops.Sum(table)))
	require.NoError(t, err)
	s := prog.NewSession()
	path := filepath.Join(t.TempDir(), "w.npz")
	kernel := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11} // [1, 2, in 2, out 3]
	require.NoError(t, weights.Write(path, []weights.Named{
		{"fc.weight", exec.Array{Shape: []int{3, 2}, Data: []float64{1, 2, 3, 4, 5, 6}}},
		{"conv.weight", exec.Array{Shape: []int{1, 2, 2, 3}, Data: kernel}},
		{"table.weight", exec.Array{Shape: []int{2, 2}, Data: []float32{1, 2, 3, 4}}},
	}))
	_, err = weights.LoadFile(s, path)
	require.ErrorContains(
		t, err,
		`help: tensors have the axes of Flax and Keras, inputs before outputs: use weights.Transposed("fc.weight", "conv.weight")`)
	_, err = weights.LoadFile(s, path, weights.Transposed("[fc]*.weight"), weights.AllowNarrowing())
	require.NoError(t, err)
	for n, want := range map[*graph.Node][]float32{
		dense: {1, 3, 5, 2, 4, 6},
		conv:  {0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11},
		table: {1, 2, 3, 4},
	} {
		v, err := s.Param(n)
		require.NoError(t, err)
		assert.Equal(t, want, v.Data)
	}
	saved := filepath.Join(t.TempDir(), "kernels.npz") // as they were read
	require.NoError(t, weights.Save(saved, s, weights.Transposed("[fc]*.weight")))
	f, err := weights.Open(saved)
	require.NoError(t, err)
	v, err := f.Read("conv.weight")
	require.NoError(t, err)
	assert.Equal(t, exec.Array{Shape: []int{1, 2, 2, 3}, Data: kernel}, v)
	v, err = f.Read("fc.weight")
	require.NoError(t, err)
	assert.Equal(t, exec.Array{Shape: []int{3, 2}, Data: []float32{1, 2, 3, 4, 5, 6}}, v)
	require.NoError(t, f.Close())

	_, err = weights.LoadFile(s, path, weights.Transposed("["))
	require.ErrorContains(t, err, `weights: Transposed("["): syntax error in pattern`)
	require.NoError(t, weights.Write(path,
		[]weights.Named{{"fc.weight", exec.Array{Shape: []int{2, 3}, Data: make([]float32, 6)}}}))
	_, err = weights.LoadFile(s, path, weights.Only(dense), weights.Transposed("*"))
	require.ErrorContains(t, err, "but the file has [2, 3], which must be [3, 2] with Transposed")
}

// A head for another number of classes is told, with the option that loads all the rest, also of the optimiser's
// state. What is left out keeps its values.
func TestHeadsOfOtherClassesAreTold(t *testing.T) {
	build := func(classes graph.Dim, seed uint64) (*exec.Session, []*graph.Node) {
		g := graph.New("classifier")
		x, label := g.Input("x", graph.Float32, g.Dim("batch"), 4), g.Input("label", graph.Int64, g.Dim("batch"))
		net := nn.Sequential(nn.NewLinear(g, "body", 4, 4), nn.NewBatchNorm(g, "norm", 4),
			nn.NewLinear(g, "head", 4, classes))
		pass := nn.Training(g)
		loss := ops.CrossEntropy(net.Apply(pass, x), label)
		prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(0.1).Minimize(loss)...),
			exec.Updates(pass.Updates()...))
		require.NoError(t, err)
		return prog.NewSession(exec.Seed(seed)), g.Params()
	}
	value := func(s *exec.Session, n *graph.Node) any { v, err := s.Param(n); require.NoError(t, err); return v.Data }
	path := filepath.Join(t.TempDir(), "w.safetensors")
	saved, from := build(10, 1)
	require.NoError(t, weights.Save(path, saved))
	s, params := build(3, 2)
	head := value(s, params[len(params)-1])
	_, err := weights.LoadFile(s, path)
	require.ErrorContains(t, err, `head.weight is [3, 4]`)
	require.ErrorContains(t, err, `such as a head for other classes, use weights.Except("head.*")`)
	r, err := weights.LoadFile(s, path, weights.Except("head.*"))
	require.NoError(t, err)
	require.Contains(t, r.Loaded, "body.weight.exp_avg")
	for i, n := range params {
		if !strings.HasPrefix(n.Name(), "head.") {
			require.Equal(t, value(saved, from[i]), value(s, n), n.Name())
		}
	}
	require.Equal(t, head, value(s, params[len(params)-1]))

	_, err = weights.LoadFile(s, path, weights.Except("tail.*"))
	require.EqualError(t, err, `weights: Except("tail.*") matches no parameter of the session or program`)
	require.NoError(t, weights.Save(path, saved, weights.Except("head.*", "*.exp_*", "*.step")))
	f, err := weights.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for _, info := range f.Tensors() {
		require.NotContains(t, info.Name, "head")
		require.NotContains(t, info.Name, "exp_avg")
	}
}
