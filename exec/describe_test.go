package exec_test

import (
	"slices"
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
			assert.True(t, n.Op().Class == graph.Source || written[n] ||
				contains(k.Writes, n), "%s is read before it is written", n.Label())
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

// The plan's graph has the bodies of loops, and what their kernels compute is in it, in its order.
func TestPlansOfLoops(t *testing.T) {
	outer := func(outputs, inputs nodes) nodes {
		return append(outputs, autodiff.Grad(ops.Sum(outputs[0]), inputs, autodiff.ZeroForUnused())...)
	}
	programs := map[string]*exec.Program{}
	for name := range loops {
		programs[name] = newLoopProgramWith(t, name, graph.Float64, true, 0, outer).Program
	}
	g := graph.New("branches")
	x := g.Input("x", graph.Float32, 3)
	counted, steps := ops.While(9, nodes{x}, func(c nodes) *graph.Node { return ops.Less(ops.Sum(c[0]), graph.Num(5)) },
		func(step *graph.Node, c nodes) nodes { return nodes{ops.Add(c[0], ops.Cast(step, graph.Float32))} })
	chosen := ops.Cond(ops.Greater(ops.Sum(x), graph.Num(0)), func() nodes { return nodes{ops.Sin(x)} }, func() nodes {
		return nodes{ops.Tanh(counted[0])}
	})
	var err error
	programs["branches"], err = exec.Compile(g, exec.Outputs(append(chosen, steps)...))
	require.NoError(t, err)
	for name, prog := range programs {
		plan := prog.Plan()
		require.NoError(t, plan.Graph.Err(), name)
		require.Len(t, plan.Kernels, prog.Kernels(), name)
		known := map[*graph.Node]bool{}
		for _, n := range plan.Graph.Nodes() {
			for _, x := range n.Operands() {
				require.True(t, known[x], "%s: %s is an operand of %s before it is made", name, x.Label(), n.Label())
			}
			known[n] = true
		}
		bodies := 0
		var visit func(list []exec.KernelPlan)
		visit = func(list []exec.KernelPlan) {
			for _, k := range list {
				for _, n := range slices.Concat(k.Nodes, k.Reads, k.Writes) {
					require.True(t, known[n], name)
				}
				bodies += len(k.Body)
				visit(k.Body)
			}
		}
		visit(plan.Kernels)
		require.Positive(t, bodies, name)
		page := prog.Page(map[string]int{"steps": 4}, nil)
		require.Greater(t, len(page.Kernels), len(plan.Kernels), name)
		for _, v := range page.Columns[len(page.Columns)-1].Values {
			require.NotEmpty(t, v.Sources, "%s: %s comes from nowhere", name, v.Label)
		}
	}
}
