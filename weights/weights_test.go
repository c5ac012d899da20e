package weights_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
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

// model is a network that is trained.
type model struct {
	loss, x, y *graph.Node
	params     []*graph.Node
	prog       *exec.Program
}

func newModel(t *testing.T, width int) model {
	g := graph.New("net")
	var m model
	batch := g.Dim("batch")
	m.x, m.y = g.Input("x", graph.Float32, batch, 4), g.Input("y", graph.Float32, batch, 1)
	var hidden, out *graph.Node
	g.Scope("hidden", func() {
		w, b := g.ParamInit("weight", graph.Float32, nn.KaimingNormal(), graph.Dim(width), 4),
			g.Param("bias", graph.Float32, graph.Dim(width))
		hidden = ops.Tanh(ops.Linear(m.x, w, b))
		m.params = append(m.params, w, b)
	})
	g.Scope("out", func() {
		w := g.ParamInit("weight", graph.Float32, nn.KaimingNormal(), 1, graph.Dim(width))
		out = ops.Linear(hidden, w, nil)
		m.params = append(m.params, w)
	})
	m.loss = ops.MSE(out, m.y)
	prog, err := exec.Compile(g, exec.Outputs(m.loss), exec.Updates(optim.Adam(0.05).Minimize(m.loss, m.params...)...))
	require.NoError(t, err)
	m.prog = prog
	return m
}

// train trains for the steps from one to another one and returns the last loss.
func (m model) train(t *testing.T, s *exec.Session, from, to int) float32 {
	var last float32
	for step := from; step < to; step++ {
		xs, ys := make([]float32, 32), make([]float32, 8)
		for i := range xs {
			xs[i] = float32(math.Sin(float64(step*32 + i)))
			ys[i/4] += xs[i] / 2
		}
		r, err := s.Run(context.Background(),
			exec.Feed{m.x: exec.Array{Shape: []int{8, 4}, Data: xs}, m.y: exec.Array{Shape: []int{8, 1}, Data: ys}})
		require.NoError(t, err)
		v, err := exec.Values[float32](r, m.loss)
		require.NoError(t, err)
		last = v[0]
	}
	return last
}

// same asserts that two sessions hold the same parameters, to the last bit.
func same(t *testing.T, a, b *exec.Session) {
	held, err := a.Params()
	require.NoError(t, err)
	others, err := b.Params()
	require.NoError(t, err)
	require.Len(t, others, len(held))
	for i, n := range held {
		x, err := a.Param(n)
		require.NoError(t, err)
		y, err := b.Param(others[i])
		require.NoError(t, err)
		require.Equal(t, n.Name(), others[i].Name())
		require.Equal(t, x, y, n.Name())
	}
}

func TestTrainingGoesOnAsIfItHadNotStopped(t *testing.T) {
	for _, file := range []string{"w.safetensors", "w.npz", "w.safetensors.index.json"} {
		m := newModel(t, 16)
		whole := m.prog.NewSession(exec.Seed(3))
		m.train(t, whole, 0, 40)

		path := filepath.Join(t.TempDir(), file)
		first := m.prog.NewSession(exec.Seed(3))
		m.train(t, first, 0, 20)
		var opts []weights.Option
		if strings.HasSuffix(file, ".json") {
			opts = append(opts, weights.ShardBytes(200))
		}
		require.NoError(t, weights.Save(path, first, opts...))

		m = newModel(t, 16)
		second := m.prog.NewSession(exec.Seed(4))
		r, err := weights.LoadFile(second, path)
		require.NoError(t, err)
		held, err := second.Params()
		require.NoError(t, err)
		assert.Len(t, r.Loaded, len(held))
		m.train(t, second, 20, 40)
		same(t, whole, second)
	}
}

func TestAllThatDoesNotFitIsToldAtOnceAndNothingIsSet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	require.NoError(t, weights.Write(path, []weights.Named{
		{"hidden.weight", exec.Array{Shape: []int{4, 8}, Data: make([]float32, 32)}},
		{"hidden.bias", exec.Array{Shape: []int{8}, Data: make([]float64, 8)}},
		{"other", exec.Array{Shape: []int{1}, Data: []int64{1}}},
	}))
	m := newModel(t, 8)
	s := m.prog.NewSession()
	fresh := m.prog.NewSession()
	_, err := weights.LoadFile(s, path, weights.Only(m.params...))
	var mismatch *weights.MismatchError
	require.ErrorAs(t, err, &mismatch)
	text := err.Error()
	for _, want := range []string{"nothing was set", "hidden.weight is [8, 4] (weights_test.go:",
		"but the file has [4, 8]", "hidden.bias is float32, but the file has F64: use AllowNarrowing() to round it",
		"missing in the file: out.weight [1, 8]", "no parameter: other I64 [1]"} {
		assert.Contains(t, text, want)
	}
	same(t, s, fresh)

	_, err = weights.LoadFile(s, path, weights.Only(m.params[1]), weights.AllowUnexpected(), weights.AllowNarrowing())
	require.NoError(t, err)
	_, err = weights.LoadFile(s, path, weights.Only(m.params[1:]...), weights.AllowUnexpected(),
		weights.AllowNarrowing(), weights.AllowMissing())
	require.NoError(t, err)
	_, err = weights.LoadFile(s, path, weights.Only(m.loss))
	require.ErrorContains(t, err, "is not a parameter of the session")
}

func TestNamesOfPyTorch(t *testing.T) {
	m := newModel(t, 8)
	s, other := m.prog.NewSession(exec.Seed(1)), m.prog.NewSession(exec.Seed(2))
	path := filepath.Join(t.TempDir(), "w.safetensors")
	require.NoError(t, weights.Save(path, s, weights.Only(m.params...),
		weights.Metadata(map[string]string{"format": "pt"})))
	f, err := weights.Open(path)
	require.NoError(t, err)
	defer f.Close()
	assert.Equal(t, []weights.Info{{"hidden.bias", "F32", []int{8}}, {"hidden.weight", "F32", []int{8, 4}},
		{"out.weight", "F32", []int{1, 8}}}, f.Tensors())
	assert.Equal(t, "pt", f.Metadata()["format"])
	_, err = weights.Load(other, f)
	require.ErrorContains(t, err, "missing in the file: hidden.bias.exp_avg")
	_, err = weights.Load(other, f, weights.AllowMissing("sgd.*"))
	require.ErrorContains(t, err, "missing in the file: hidden.bias.exp_avg")
	_, err = weights.Load(other, f, weights.AllowMissing("*.exp_avg*", "*.step"))
	require.NoError(t, err)
	same(t, s, other)
}

func TestFilesThatAreNone(t *testing.T) {
	folder := t.TempDir()
	for name, want := range map[string]string{
		"absent.safetensors": "no such file",
		"absent":             "no such file",
		".":                  "it is a folder: open a file in it",
		"model.pt":           "safetensors.torch.save_file",
		"model.onnx":         "numpy.savez (for ONNX, see docs/weights.md)",
	} {
		_, err := weights.Open(filepath.Join(folder, name))
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "dir.safetensors"), 0o755))
	_, err := weights.Open(filepath.Join(folder, "dir.safetensors"))
	require.ErrorContains(t, err, "not a regular file")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "empty.safetensors"), nil, 0o600))
	_, err = weights.Open(filepath.Join(folder, "empty.safetensors"))
	require.ErrorContains(t, err, "fewer than 8 bytes")
	require.ErrorContains(t, weights.Write(filepath.Join(folder, "absent", "w.npz"), nil), "no such file")
	require.ErrorContains(t, weights.Write(filepath.Join(folder, "w.npz"), nil, weights.ShardBytes(9)),
		"require each other")
}

func TestIndexesThatLie(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "model.safetensors.index.json")
	values := []weights.Named{{"a", exec.Array{Shape: []int{2}, Data: []float32{1, 2}}},
		{"b", exec.Array{Shape: []int{2}, Data: []float32{3, 4}}}}
	require.NoError(t, weights.Write(path, values, weights.ShardBytes(8)))
	require.FileExists(t, filepath.Join(folder, "model-00001-of-00002.safetensors"))

	values[0].Value.Data = []float32{5, 6}
	require.NoError(t, weights.Write(path, values, weights.ShardBytes(1000)))
	require.NoFileExists(t, filepath.Join(folder, "model-00001-of-00002.safetensors"),
		"files of the last index are removed")
	f, err := weights.Open(path)
	require.NoError(t, err)
	a, err := f.Read("a")
	require.NoError(t, err)
	assert.Equal(t, []float32{5, 6}, a.Data)
	require.NoError(t, f.Close())
	_, err = f.Read("a")
	require.ErrorContains(t, err, "closed")

	for text, want := range map[string]string{
		`{"weight_map":{"a":"../a.safetensors"}}`:     "is not next to it",
		`{"weight_map":{"a":"/etc/a.safetensors"}}`:   "is not next to it",
		`{"weight_map":{"a":"absent.safetensors"}}`:   "no such file",
		`{"weight_map":{}}`:                           "no weight_map",
		`{"weight_map":{"a":3}}`:                      "not valid JSON",
		`{"weight_map":{"zzz":"other.safetensors"}}`:  `says that other.safetensors contains "zzz", but it does not`,
		`{"weight_map":{"a":"model.safetensors.x"}}`:  "no such file",
		strings.Repeat(`[`, 100000):                   "not valid JSON",
		`{"weight_map":{"a":"other.safetensors"}} {}`: "not valid JSON",
	} {
		require.NoError(t, weights.Write(filepath.Join(folder, "other.safetensors"), values))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := weights.Open(path)
		require.ErrorContains(t, err, want, text)
	}
}

// TestDamagedFiles reads files of which one byte is another: an error or other numbers, but no panic.
func TestDamagedFiles(t *testing.T) {
	values := []weights.Named{{"a", exec.Array{Shape: []int{2}, Data: []float32{1, 2}}},
		{"b", exec.Array{Shape: []int{0}, Data: []uint8{}}}}
	for _, name := range []string{"w.safetensors", "w.npz"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, weights.Write(path, values))
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		for at := range whole {
			damaged := slices.Clone(whole)
			damaged[at] ^= 0xff
			require.NoError(t, os.WriteFile(path, damaged, 0o600))
			require.NotPanics(t, func() {
				f, err := weights.Open(path)
				if err != nil {
					return
				}
				for _, tensor := range f.Tensors() {
					_, _ = f.Read(tensor.Name)
				}
				require.NoError(t, f.Close())
			}, "%s: byte %d", name, at)
		}
	}
}

// TestFilesThatAreCutOffWhileTheyAreOpen: memory that the system maps cannot be touched then.
func TestFilesThatAreCutOffWhileTheyAreOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	require.NoError(t, weights.Write(path,
		[]weights.Named{{"a", exec.Array{Shape: []int{1 << 20}, Data: make([]float32, 1<<20)}}}))
	f, err := weights.Open(path)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, os.Truncate(path, 4096))
	_, err = f.Read("a")
	require.Error(t, err)
}

func TestCheckpoints(t *testing.T) {
	m := newModel(t, 8)
	s := m.prog.NewSession(exec.Seed(1))
	c := weights.NewCheckpoints(filepath.Join(t.TempDir(), "run"), 2)
	r, err := c.Restore(s)
	require.NoError(t, err)
	require.Nil(t, r, "there is none")

	for step := range 5 {
		m.train(t, s, step, step+1)
		require.NoError(t, c.Save(s, step, map[string]string{"epoch": "7"}))
	}
	steps, err := c.Steps()
	require.NoError(t, err)
	assert.Equal(t, []int{3, 4}, steps)

	other := m.prog.NewSession(exec.Seed(2))
	r, err = c.Restore(other)
	require.NoError(t, err)
	assert.Equal(t, &weights.Restored{Step: 4, Metadata: map[string]string{"epoch": "7"}}, r)
	same(t, s, other)
}

// A folder may have any name; what a process left half written there is removed with the next checkpoint.
func TestCheckpointsInFoldersOfAnyName(t *testing.T) {
	for _, name := range []string{"rate[0.1]", "rate[0.1", "a*?", "-"} {
		folder := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.MkdirAll(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "step-0000000001.safetensors.tmp-00000001"), nil, 0o600))
		s := newModel(t, 2).prog.NewSession()
		c := weights.NewCheckpoints(folder, 1)
		require.NoError(t, c.Save(s, 1, nil))
		require.NoError(t, c.Save(s, 2, nil))
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.Equal(t, "step-0000000002.safetensors", entries[0].Name())
	}
}

// A folder that is not there is named as the user did.
func TestSavingIntoNoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "model.npz")
	err := weights.Write(path, nil)
	require.ErrorContains(t, err, "weights: "+path+": there is no folder "+filepath.Dir(path)+": ")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestCheckPath(t *testing.T) {
	for _, path := range []string{"a.safetensors", "a.npz", "b/c.npy"} {
		require.NoError(t, weights.CheckPath(path))
	}
	require.NoError(t, weights.CheckPath("a.index.json", weights.ShardBytes(1)))
	require.ErrorContains(t, weights.CheckPath("a.pt"), `weights: a.pt: the extension ".pt" is unknown`)
	require.ErrorContains(t, weights.CheckPath("a.index.json"),
		"ShardBytes and a path ending in .index.json require each other")
	require.ErrorContains(t, weights.CheckPath("a.npz", weights.Metadata(map[string]string{})),
		"only .safetensors has metadata")
}

func TestACheckpointThatBrokeIsSkippedAndToldOf(t *testing.T) {
	folder := t.TempDir()
	m := newModel(t, 8)
	s := m.prog.NewSession(exec.Seed(1))
	c := weights.NewCheckpoints(folder, 5)
	require.NoError(t, c.Save(s, 1, nil))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "step-0000000002.safetensors"), []byte("half"), 0o600))
	r, err := c.Restore(s)
	require.NoError(t, err)
	assert.Equal(t, 1, r.Step)
	require.Len(t, r.Skipped, 1)
	assert.Contains(t, r.Skipped[0].Error(), "step-0000000002.safetensors")

	require.NoError(t, os.Truncate(filepath.Join(folder, "step-0000000001.safetensors"), 100))
	_, err = c.Restore(s)
	require.ErrorContains(t, err, "truncated")
	require.ErrorContains(t, c.Save(s, -1, nil), "the step is -1")

	var mismatch *weights.MismatchError
	other := newModel(t, 9)
	require.NoError(t, c.Save(s, 3, nil))
	_, err = c.Restore(other.prog.NewSession())
	require.True(t, errors.As(err, &mismatch))
}

// TestAnAbsentFileIsNamedOnce in the error, which tells what it is.
func TestAnAbsentFileIsNamedOnce(t *testing.T) {
	for _, name := range []string{"absent.safetensors", "absent.npz", "absent.index.json"} {
		path := filepath.Join(t.TempDir(), name)
		_, err := weights.LoadFile(newModel(t, 2).prog.NewSession(), path)
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.Equal(t, 1, strings.Count(err.Error(), path), err.Error())
	}
}

// A model is read into a session that evaluates, though its graph also has an optimiser.
func TestWhatAProgramNeedsNotMayStayAway(t *testing.T) {
	m := newModel(t, 8)
	evaluation, err := exec.Compile(m.loss.Graph(), exec.Outputs(m.loss))
	require.NoError(t, err)
	s, path := evaluation.NewSession(), filepath.Join(t.TempDir(), "w.safetensors")
	model := weights.Only(evaluation.Params()...)
	require.NoError(t, weights.Save(path, s, model))
	_, err = weights.LoadFile(s, path)
	require.ErrorContains(t, err, "hidden.weight.exp_avg")
	require.ErrorContains(t, err, "does not need what is missing: Only(session.Program().Params()...) loads the rest")
	_, err = weights.LoadFile(s, path, model)
	require.NoError(t, err)
	_, err = weights.LoadFile(m.prog.NewSession(), path)
	require.ErrorContains(t, err, "hidden.weight.exp_avg")
	require.NotContains(t, err.Error(), "needs none", "training uses it")
}

// A request that cannot be fulfilled is reported before a file is touched.
func TestOptionsThatSayNothing(t *testing.T) {
	m := newModel(t, 4)
	s, path := m.prog.NewSession(), filepath.Join(t.TempDir(), "w.npz")
	require.NoError(t, weights.Save(path, s, weights.Rename(nil)))
	_, err := weights.LoadFile(s, path, weights.AllowMissing("[a"))
	require.ErrorContains(t, err, `AllowMissing("[a"): syntax error in pattern`)
	_, err = weights.Load(s, nil)
	require.ErrorContains(t, err, "the file is nil")
	require.ErrorContains(t, weights.NewCheckpoints("", 1).Save(s, 1, nil), "have no folder")
}
