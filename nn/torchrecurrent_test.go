package nn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// TestRecurrentNetworksOfPyTorchNow compares networks that testdata/layers.py draws: of several layers, directions,
// projections, lengths, states, of single sequences, with the batch or with time first, with dropout of all in
// training, and of half in evaluation. Outputs, last states and all gradients must be PyTorch's.
func TestRecurrentNetworksOfPyTorchNow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recurrent.npz")
	for _, seed := range []string{"11", "12"} {
		require.NoError(t, os.WriteFile(path, torch(t, "layers.py", seed, "recurrent"), 0o600))
		for name, want := range readTorch(t, path) {
			t.Run(seed+" "+name, func(t *testing.T) { compareWithTorch(t, drawnRecurrent(t, name), want) })
		}
	}
}

// drawnRecurrent makes the network that a name of testdata/layers.py describes.
func drawnRecurrent(t *testing.T, name string) torchCase {
	var kind, drops string
	var number, hidden, layers, both, bias, first, projected, padded int
	_, err := fmt.Sscan(name, &number, &kind, &hidden, &layers, &both, &bias, &first, &projected, &padded, &drops)
	require.NoError(t, err)
	opts := []nn.Option{nn.Layers(layers), f64}
	for _, o := range []struct {
		is  bool
		set nn.Option
	}{{both == 1, nn.Bidirectional()}, {bias == 0, nn.NoBias()}, {first == 0, nn.TimeFirst()},
		{projected > 0, nn.ProjSize(projected)},
		{drops == "all", nn.DropoutRate(1)}, {drops == "evaluation", nn.DropoutRate(0.5)}} {
		if o.is {
			opts = append(opts, o.set)
		}
	}
	return func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		l := map[string]func(*graph.Graph, string, int, int, ...nn.Option) *nn.Recurrent{
			"rnn": nn.NewRNN[int, int], "lstm": nn.NewLSTM[int, int], "gru": nn.NewGRU[int, int],
		}[kind](g, "", 3, hidden, opts...)
		if drops == "evaluation" {
			p = nn.Evaluation(g)
		}
		y, final := (*graph.Node)(nil), []*graph.Node(nil)
		if padded == 1 {
			y, final = l.ApplyPadded(p, x[0], x[1], x[2:]...)
		} else {
			y, final = l.ApplyFrom(p, x[0], x[1:]...)
		}
		parts := []*graph.Node{ops.Flatten(y, 0, -1)}
		for _, s := range final {
			parts = append(parts, ops.Flatten(s, 0, -1))
		}
		return ops.Concat(0, parts...)
	}
}
