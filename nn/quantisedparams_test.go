package nn_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/weights"
)

var quantisations = map[string]nn.Option{"Int8Weights": nn.Int8Weights(16), "Int4Weights": nn.Int4Weights(16),
	"Uint8Weights": nn.Uint8Weights(16), "Uint4Weights": nn.Uint4Weights(16)}

// Layers that have no integers say so: none ignores the option.
func TestLayersWithoutQuantisedWeights(t *testing.T) {
	for name, o := range quantisations {
		for layer, build := range map[string]func(g *graph.Graph){
			"Conv1D":          func(g *graph.Graph) { nn.NewConv1D(g, "l", 32, 4, 3, o) },
			"ConvTranspose2D": func(g *graph.Graph) { nn.NewConvTranspose2D(g, "l", 32, 4, 3, o) },
			"LSTM":            func(g *graph.Graph) { nn.NewLSTM(g, "l", 32, 32, o) },
			"GRUCell":         func(g *graph.Graph) { nn.NewGRUCell(g, "l", 32, 32, o) },
			"EmbeddingBag":    func(g *graph.Graph) { nn.NewEmbeddingBag(g, "l", 10, 32, o) },
			"Positions":       func(g *graph.Graph) { nn.NewPositions(g, "l", 10, 32, o) },
			"LayerNorm":       func(g *graph.Graph) { nn.NewLayerNorm(g, "l", 32, o) },
		} {
			g := graph.New("without")
			build(g)
			require.ErrorContains(t, g.Err(), name+" is not an option of "+layer, layer)
		}
	}
}

// A checkpoint of a training beside integers continues it with the same bits, in either format of files.
func TestCheckpointsWithQuantisedWeights(t *testing.T) {
	for name, o := range quantisations {
		g := graph.New("checkpoint")
		x, target := g.Input("x", graph.Float32, 8, 32), g.Input("target", graph.Float32, 8, 16)
		p := nn.Training(g)
		base := nn.NewLinear(g, "base", 32, 16, o)
		loss := ops.MSE(nn.NewLinear(g, "adapter", 16, 16).Apply(p, base.Apply(p, x)), target)
		prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(0.01).Minimize(loss)...))
		require.NoError(t, err)
		feed := exec.Feed{x: exec.Array{Shape: []int{8, 32}, Data: numbersLike(8 * 32)},
			target: exec.Array{Shape: []int{8, 16}, Data: numbersLike(8 * 16)}}
		step := func(s *exec.Session) []float32 {
			r, err := s.Run(t.Context(), feed)
			require.NoError(t, err)
			v, err := exec.Values[float32](r, loss)
			require.NoError(t, err)
			return v
		}
		s := prog.NewSession(exec.Seed(4))
		for range 3 {
			step(s)
		}
		paths := []string{filepath.Join(t.TempDir(), "c.safetensors"), filepath.Join(t.TempDir(), "c.npz")}
		for _, path := range paths {
			require.NoError(t, weights.Save(path, s))
		}
		held, want := param(t, s, base.Weight), step(s)
		for i, path := range paths {
			resumed := prog.NewSession(exec.Seed(uint64(i) + 5))
			require.NotEqual(t, held, param(t, resumed, base.Weight))
			_, err := weights.LoadFile(resumed, path)
			require.NoError(t, err)
			require.Equal(t, held, param(t, resumed, base.Weight), name)
			require.Equal(t, want, step(resumed), name)
		}
	}
}

// numbersLike are some numbers between -1 and 1.
func numbersLike(count int) []float32 {
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(i*37%101)/50 - 1
	}
	return values
}

// A pass that carries integers and scales puts others into a layer, and gradients reach the scales that it carries.
// WithParams, which is for what is trained, says so of these, and replaces a bias beside them.
func TestOtherValuesOfQuantisedWeights(t *testing.T) {
	for name, o := range quantisations {
		g := graph.New("values")
		x := g.Input("x", graph.Float32, 4, 32)
		p := nn.Evaluation(g)
		l, other := nn.NewLinear(g, "l", 32, 8, o), nn.NewLinear(g, "other", 32, 8, o)
		y, want := l.Apply(p, x), ops.Sub(other.Apply(p, x), other.Bias)
		bias := ops.Mul(l.Bias, graph.Num(0))
		plain := nn.WithParams(l, []*graph.Node{l.Bias}, []*graph.Node{bias})
		all, others := []*graph.Node{l.Weight, l.Scale}, []*graph.Node{other.Weight, other.Scale}
		if l.Minimum != nil {
			all, others = append(all, l.Minimum), append(others, other.Minimum)
		}
		swapped := plain.Apply(p.Carrying(all, others), x)
		var doubled []*graph.Node
		for _, n := range all[1:] {
			doubled = append(doubled, ops.Mul(n, graph.Num(2)))
		}
		twice := plain.Apply(p.Carrying(all[1:], doubled), x)
		loss := ops.Sum(ops.Mul(twice, twice))
		along := g.Scalar(graph.Float32, 0)
		for i, slope := range autodiff.Grad(loss, doubled) {
			along = ops.Add(along, ops.Sum(ops.Mul(slope, doubled[i]))) // Euler: the loss is of degree 2 in all of them
		}
		once := ops.Sub(y, l.Bias)
		prog, err := exec.Compile(g, exec.Outputs(once, twice, swapped, want, along, loss))
		require.NoError(t, err)
		r, err := prog.NewSession(exec.Seed(3)).Run(t.Context(),
			exec.Feed{x: exec.Array{Shape: []int{4, 32}, Data: numbersLike(4 * 32)}})
		require.NoError(t, err)
		values := func(n *graph.Node) []float32 {
			v, err := exec.Values[float32](r, n)
			require.NoError(t, err)
			return v
		}
		for i, v := range values(once) {
			require.InDelta(t, 2*v, values(twice)[i], 1e-5, name)
		}
		require.InDeltaSlice(t, values(want), values(swapped), 1e-5, name)
		require.NotEqual(t, values(once), values(swapped), name)
		require.InEpsilon(t, 2*values(loss)[0], values(along)[0], 1e-4, name)

		nn.WithParams(l, all[:1], []*graph.Node{other.Weight}).Apply(p, x)
		require.ErrorContains(t, g.Err(), "l.weight is state, which is not replaced")
		require.ErrorContains(t, g.Err(), "nn.Pass.Carrying")
	}
}
