package exec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// chain compiles z = tanh(x·y + b)·x − y with its gradient.
func chain(t *testing.T) *exec.Program {
	t.Helper()
	g := graph.New("chain")
	x := g.Input("x", graph.Float32, 32, 128)
	y := g.Param("y", graph.Float32, 128)
	b := g.Param("b", graph.Float32, 32, 1)
	h := ops.Tanh(ops.Add(ops.Mul(x, y), b)).Named("h")
	z := ops.Sub(ops.Mul(h, x), y).Named("z")
	dz := g.Input("dz", graph.Float32, 32, 128)
	grads := autodiff.Grad(z, []*graph.Node{x, y, b}, autodiff.Upstream(dz))
	prog, err := exec.Compile(g, exec.Outputs(append(grads, z)...))
	require.NoError(t, err)
	return prog
}

func TestPlanNamesKernelsAndBuffers(t *testing.T) {
	plan := chain(t).Plan()
	require.NotEmpty(t, plan.Kernels)
	written := map[*graph.Node]bool{}
	for _, k := range plan.Kernels {
		assert.NotEmpty(t, k.Programs)
		for _, n := range k.Reads {
			assert.True(t, n.Op().Class == graph.Source || written[n] || contains(k.Writes, n), "%s is read before it is written", n.Label())
		}
		for _, n := range k.Writes {
			written[n] = true
		}
	}
	for _, n := range plan.Outputs {
		for n.Op().View != nil {
			n = n.In(0)
		}
		assert.True(t, written[n], "output %s is written to memory", n.Label())
	}
	kinds := map[exec.BufferKind]int{}
	for _, b := range plan.Buffers {
		kinds[b.Kind]++
		assert.LessOrEqual(t, b.First, b.Last)
	}
	assert.Equal(t, 2, kinds[exec.Input])
	assert.Equal(t, 2, kinds[exec.Param])
}

func TestPassesKnowWhatTheyCameFrom(t *testing.T) {
	prog := chain(t)
	plan, passes := prog.Plan(), prog.Snapshots()
	last := passes[len(passes)-1]
	sources := last.Sources()
	for _, n := range last.Graph().Nodes() {
		require.NotEmpty(t, sources[n.ID()], "%s comes from nowhere", n.Label())
		if n.Name() == "h" {
			assert.Equal(t, "h", plan.Source.Nodes()[sources[n.ID()][0]].Name())
		}
	}
}

func TestFootprintCountsBytes(t *testing.T) {
	prog := chain(t)
	f, err := prog.Footprint(nil)
	require.NoError(t, err)
	plan := prog.Plan()
	require.Len(t, f.Buffers, len(plan.Buffers))
	for i, b := range f.Buffers {
		n := plan.Buffers[i].Node
		count, _ := n.Shape().NumElements().Int()
		assert.Equal(t, int(count)*4, b.Bytes, n.Label())
		assert.LessOrEqual(t, b.Offset+b.Bytes, max(f.Arena, b.Bytes))
	}
	for _, k := range f.Kernels {
		assert.Positive(t, k.Moved)
		assert.LessOrEqual(t, k.Moved, k.Unfused, "fusion moves no more than single operations")
	}
}

func TestFootprintWantsEveryName(t *testing.T) {
	g := graph.New("named")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 3)
	prog, err := exec.Compile(g, exec.Outputs(ops.Exp(x)))
	require.NoError(t, err)
	_, err = prog.Footprint(nil)
	require.ErrorContains(t, err, "batch")
	f, err := prog.Footprint(map[string]int{"batch": 10})
	require.NoError(t, err)
	assert.Equal(t, 2*10*3*4, f.Kernels[0].Moved)
}

func contains(list []*graph.Node, n *graph.Node) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}
