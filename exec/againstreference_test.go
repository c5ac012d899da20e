package exec_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
)

// referenceInputs are inputs of a program, with normal values of them for it and for the evaluator.
type referenceInputs struct {
	g      *graph.Graph
	rng    *rand.Rand
	values map[*graph.Node]reference.Value
}

func newReferenceInputs(g *graph.Graph, rng *rand.Rand) *referenceInputs {
	return &referenceInputs{g, rng, map[*graph.Node]reference.Value{}}
}

// input adds an input of float64 that has some sizes in the run.
func (in *referenceInputs) input(name string, shape graph.Shape, sizes ...int) *graph.Node {
	x := in.g.Input(name, graph.Float64, shape...)
	in.values[x] = normals(in.rng, sizes...)
	return x
}

// pickOf picks one of the values of a random program: often one of the latest, which are long chains.
func pickOf(rng *rand.Rand, values []*graph.Node) *graph.Node {
	if n := len(values); rng.IntN(2) == 0 && n > 4 {
		return values[n-1-rng.IntN(4)]
	}
	return values[rng.IntN(len(values))]
}

// nodesBehind lists the nodes of a program's graph behind a pass.
func nodesBehind(t *testing.T, p *exec.Program, pass string) []*graph.Node {
	t.Helper()
	for _, s := range p.Snapshots() {
		if s.Pass == pass {
			return s.Graph().Nodes()
		}
	}
	require.Fail(t, "there is no such pass", pass)
	return nil
}

// requireReference compares what a program computes of the inputs' values with what the evaluator does.
func requireReference(t *testing.T, outputs []*graph.Node, in map[*graph.Node]reference.Value, tolerance float64) {
	t.Helper()
	want, err := reference.Eval(outputs, in)
	require.NoError(t, err)
	p, err := exec.Compile(outputs[0].Graph(), exec.Outputs(outputs...), exec.OnWarning(nil))
	require.NoError(t, err)
	got, err := p.NewSession().Run(context.Background(), feedValues(in))
	require.NoError(t, err)
	for i, n := range outputs {
		have := arrayOf(t, got, n)
		require.Equal(t, want[i].Shape, have.Shape, "%d: %s", i, graph.Describe(n))
		require.InDeltaSlice(t, want[i].Floats(),
			reference.Value{DType: n.DType(), Shape: have.Shape, Data: have.Data}.Floats(), tolerance, "%d: %s", i,
			graph.Describe(n))
	}
}

// feedValues feeds inputs their values.
func feedValues(values map[*graph.Node]reference.Value) exec.Feed {
	feed := exec.Feed{}
	for x, v := range values {
		feed[x] = exec.Array{Shape: v.Shape, Data: v.Data}
	}
	return feed
}
