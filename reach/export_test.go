package reach_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/reach/launch"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/stablehlo"
	"github.com/broadloom/broadloom/weights"
)

// longestExport is far more than an export takes on an idle processor, a part of a second.
const longestExport = 5 * time.Second

// The training step of twelve layers is exported within a second.
func TestExportOfTwelveLayers(t *testing.T) {
	const seq, width, vocabulary = 128, 768, 50257
	g := graph.New("gpt")
	x, y := g.Input("x", graph.Int64, g.Dim("batch"), seq), g.Input("y", graph.Int64, g.Dim("batch"), seq)
	p := nn.Training(g)
	h := nn.NewEmbedding(g, "token", vocabulary, width).Apply(p, x)
	h = nn.NewPositions(g, "position", seq, width).Apply(p, h)
	h = nn.NewTransformerEncoder(g, "layers", 12, width, 12, nn.FeedForward(4*width), nn.NormFirst(),
		nn.Causal()).Apply(p, h)
	logits := nn.NewLinear(g, "head", width, vocabulary).Apply(p, nn.NewLayerNorm(g, "norm", width).Apply(p, h))
	loss := ops.CrossEntropy(ops.Reshape(logits, -1, vocabulary), ops.Reshape(y, -1))
	step := append(optim.AdamW(0.001).Minimize(loss), p.Updates()...)
	begin := time.Now()
	m, err := stablehlo.Export(g, stablehlo.Outputs(loss), stablehlo.Updates(step...),
		stablehlo.Bind(shapeinfer.Sizes{"batch": 8}))
	require.NoError(t, err)
	text := m.String()
	took := time.Since(begin)
	t.Logf("%d nodes became %d bytes in %v", len(g.Nodes()), len(text), took)
	require.Less(t, took, longestExport)
}

// A user's own operations run on XLA. A check of theirs that fails is reported at the user's line, like an index out of
// range.
func TestOwnOperationsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	python, err := launch.FindPython(t.Context())
	if err != nil {
		t.Skip(err)
	}
	softsign := &graph.Op{Name: "soft_sign", Func: "softSign", Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
		Emit: func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
			one := e.Const(n.DType(), 1)
			e.Check(e.Prim(graph.PrimLt, x[0], e.Const(n.DType(), 100)),
				graph.Claim{Message: "the element is too large"})
			return e.Prim(graph.PrimDiv, x[0], e.Prim(graph.PrimAdd, one, e.Prim(graph.PrimAbs, x[0])))
		}}
	twice := &graph.Op{Name: "twice", Func: "twice", Class: graph.Composite, MinIn: 1, MaxIn: 1,
		Infer:  func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
		Expand: func(_ *graph.Node, in []*graph.Node) *graph.Node { return ops.Add(in[0], in[0]) }}
	g := graph.New("own")
	x, at := g.Input("x", graph.Float32, 4), g.Input("at", graph.Int64, 2)
	y := ops.Take(graph.Apply(twice, nil, graph.Apply(softsign, nil, x)), 0, at).Named("y")
	program, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	m, err := stablehlo.Export(g, stablehlo.Outputs(y))
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, m.Save(filepath.Join(folder, "own"), nil))
	for _, c := range []struct {
		x     []float32
		at    []int64
		wrong string
	}{
		{[]float32{1, -2, 3, -4}, []int64{3, 0}, ""},
		{[]float32{1, -2, 3, -4}, []int64{0, 4}, "index out of range in self"},
		{[]float32{1, -2, 300, -4}, []int64{0, 1}, "the element is too large"},
	} {
		xs, ats := exec.Array{Shape: []int{4}, Data: c.x}, exec.Array{Shape: []int{2}, Data: c.at}
		config := launch.Config{Folder: filepath.Join(folder, "own"), Python: python, Platform: "cpu", Steps: 1,
			Data: filepath.Join(folder, "data.npz"), Record: filepath.Join(folder, "record.npz")}
		require.NoError(t, weights.Write(config.Data,
			[]weights.Named{{Name: "x", Value: xs}, {Name: "at", Value: ats}}))
		err := launch.Run(t.Context(), config)
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong)
			require.ErrorContains(t, err, "export_test.go:")
			continue
		}
		require.NoError(t, err)
		result, err := program.NewSession().Run(t.Context(), exec.Feed{x: xs, at: ats})
		require.NoError(t, err)
		want, err := result.Array(y)
		require.NoError(t, err)
		record, err := weights.Open(config.Record)
		require.NoError(t, err)
		got, err := record.Read("y")
		require.NoError(t, err)
		require.NoError(t, record.Close())
		require.InDeltaSlice(t, want.Data, got.Data, 1e-6)
	}
}

// An operation that is written with itself is refused.
func TestExportEndsForWhatDoesNot(t *testing.T) {
	endless := &graph.Op{Name: "endless", Func: "endless", Class: graph.Composite, MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) }}
	endless.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return graph.Apply(endless, nil, in[0]) }
	g := graph.New("endless")
	_, err := stablehlo.Export(g, stablehlo.Outputs(graph.Apply(endless, nil, g.Input("x", graph.Float32, 4))))
	require.ErrorContains(t, err, "without end")
	require.ErrorContains(t, err, "export_test.go:")
}
