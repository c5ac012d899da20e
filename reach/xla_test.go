package reach_test

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/reach"
	"github.com/broadloom/broadloom/reach/launch"
	"github.com/broadloom/broadloom/weights"
)

const steps = 50

// devices is a way to run a program.
type devices struct {
	name      string
	mesh      reach.Mesh
	processes int
	always    bool // and not only where all is asked for
}

var ways = []devices{
	{"one device", reach.NewMesh(reach.Axis("data", 1), reach.Axis("tensor", 1)), 1, false},
	{"eight devices", grid, 1, true},
	{"two processes of four devices", grid, 2, false},
}

// byBatch divides the batch over data.
var byBatch = reach.Dim("batch", "data")

// allVariable asks for all ways of all models, which takes most of a minute.
const allVariable = "BROADLOOM_XLA_ALL"

// TestXLATrainsTheSame trains each model here and on XLA, from the same parameters with the same data.
func TestXLATrainsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	python, err := launch.FindPython(t.Context())
	if err != nil {
		t.Skip(err)
	}
	for name, build := range models {
		for _, way := range ways {
			if !way.always && os.Getenv(allVariable) == "" && name != "mlp" {
				continue
			}
			t.Run(name+" on "+way.name, func(t *testing.T) {
				t.Parallel()
				r := newRun(t, build(), way, byBatch)
				r.train(t)
				r.launch(t, python)
				r.compare(t)
				r.prove(t)
			})
		}
	}
}

// prove wants the compiled program to be divided as it is planned, and to move what Explain tells.
func (r *run) prove(t *testing.T) {
	hlo, err := os.ReadFile(r.config.HLO)
	require.NoError(t, err)
	require.NoError(t, provePartitioned(string(hlo), r.plan, r.arguments(t)))
	e, err := r.plan.Explain()
	require.NoError(t, err)
	require.Equal(t, argumentBytes(string(hlo)), e.Memory.Parameters+e.Memory.States+e.Memory.Inputs)
	want, got := expectedTraffic(e), trafficOf(string(hlo), r.way.mesh)
	if r.g.Name() != "gpt" {
		require.Equal(t, want, got)
		return
	}
	// Of the joined projection of attention, whose state is divided by ZeRO, XLA also gathers the parts.
	require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
	for kind := range want {
		require.InEpsilon(t, want[kind], got[kind], 0.4, kind)
	}
}

// arguments are those of the module, in its order.
func (r *run) arguments(t *testing.T) (list []*graph.Node) {
	m, err := r.plan.Module()
	require.NoError(t, err)
	for _, a := range m.Signature().Arguments {
		list = append(list, r.g.ByName(a.Name))
	}
	return list
}

// A plan that forgets the batch computes the same, on devices that all do everything: the proof tells.
func TestAWrongShardingIsCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	python, err := launch.FindPython(t.Context())
	if err != nil {
		t.Skip(err)
	}
	m := mlp()
	r, right := newRun(t, m, ways[1]), newRun(t, m, ways[1], byBatch)
	r.config.Steps = 1
	r.launch(t, python)
	hlo, err := os.ReadFile(r.config.HLO)
	require.NoError(t, err)
	require.NoError(t, provePartitioned(string(hlo), r.plan, r.arguments(t)))
	require.EqualError(t, provePartitioned(string(hlo), right.plan, r.arguments(t)),
		"x is [16,64] on a device, want [4,64]")
}

// run is one comparison.
type run struct {
	*model
	way     devices
	plan    *reach.Plan
	session *exec.Session
	losses  []float64
	draws   [][]float32
	config  launch.Config
}

func newRun(t *testing.T, m *model, way devices, more ...reach.Option) *run {
	opts := slices.Concat(
		m.rules, more, []reach.Option{reach.Outputs(m.outputs()...), reach.Updates(m.step...),
			reach.Sizes(map[string]int{"batch": batch})})
	plan, err := reach.Shard(m.g, way.mesh, opts...)
	require.NoError(t, err)
	program, err := exec.Compile(m.g, exec.Outputs(m.outputs()...), exec.Updates(m.step...))
	require.NoError(t, err)
	folder := t.TempDir()
	r := &run{model: m, way: way, plan: plan, session: program.NewSession(exec.Seed(5))}
	r.config = launch.Config{Folder: filepath.Join(folder, "export"), Data: filepath.Join(folder, "data"),
		Platform: "cpu", Steps: steps,
		Processes: way.processes, Devices: way.mesh.Devices() / way.processes,
		Record: filepath.Join(folder, "record.npz"), Save: filepath.Join(folder, "trained.safetensors"),
		HLO: filepath.Join(folder, "hlo.txt")}
	require.NoError(t, plan.Export(r.config.Folder, r.session))
	require.NoError(t, os.Mkdir(r.config.Data, 0o755))
	for name, x := range m.data {
		require.NoError(t, weights.Write(filepath.Join(r.config.Data, name+".npy"), []weights.Named{{Value: x}}))
	}
	return r
}

// train trains here.
func (r *run) train(t *testing.T) {
	for step := range steps {
		result, err := r.session.Run(t.Context(), r.feed(step))
		require.NoError(t, err)
		loss, err := exec.Values[float32](result, r.loss)
		require.NoError(t, err)
		r.losses = append(r.losses, float64(loss[0]))
		if r.model.draws != nil {
			draws, err := exec.Values[float32](result, r.model.draws)
			require.NoError(t, err)
			r.draws = append(r.draws, slices.Clone(draws))
		}
	}
}

func (r *run) launch(t *testing.T, python string) {
	r.config.Python = python
	require.NoError(t, launch.Run(t.Context(), r.config))
}

// compare wants losses within 1e-5 of what they are here, parameters within 1e-4, and random numbers to be the same.
func (r *run) compare(t *testing.T) {
	record, err := weights.Open(r.config.Record)
	require.NoError(t, err)
	defer record.Close()
	losses, err := record.Read("loss")
	require.NoError(t, err)
	var worst float64
	for step, loss := range losses.Data.([]float32) {
		require.InEpsilon(t, r.losses[step], loss, 1e-5, "the loss of step %d", step)
		worst = max(worst, math.Abs(float64(loss)/r.losses[step]-1))
	}
	if r.model.draws != nil {
		draws, err := record.Read("draws")
		require.NoError(t, err)
		n := len(r.draws[0])
		for step, want := range r.draws {
			require.Equal(t, want, draws.Data.([]float32)[step*n:][:n], "what step %d draws", step)
		}
	}
	t.Logf("%s: largest differences: losses %.1e relative, parameters %.1e", t.Name(), worst, r.compareParameters(t))
}

// compareParameters loads what XLA has trained into another session: training could go on. It returns the largest
// difference.
func (r *run) compareParameters(t *testing.T) (worst float64) {
	other := r.session.Program().NewSession()
	_, err := weights.LoadFile(other, r.config.Save)
	require.NoError(t, err)
	params, err := r.session.Params()
	require.NoError(t, err)
	for _, n := range params {
		want, err := r.session.Param(n)
		require.NoError(t, err)
		got, err := other.Param(n)
		require.NoError(t, err)
		switch want := want.Data.(type) {
		case []float32:
			require.InDeltaSlice(t, want, got.Data, 1e-4, n.Name())
			for i, x := range got.Data.([]float32) {
				worst = max(worst, math.Abs(float64(x-want[i])))
			}
		case []int64:
			require.Equal(t, want, got.Data, n.Name())
		default:
			require.Equal(t, graph.Float64, n.DType(), n.Name())
		}
	}
	return worst
}
