package ops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestEntriesInLoops computes every row of the table in the body of a loop over parts of its operands: along the first
// axis, where a part lies whole in memory, and along the last one, where it is a view with gaps. Values and gradients
// of each step must be what the row gives for the step's parts alone, but for the last digits, for as many steps as
// there are, 0 and 1 among them.
func TestEntriesInLoops(t *testing.T) {
	var compared atomic.Int64
	t.Cleanup(func() { require.Greater(t, compared.Load(), int64(250), "most rows are on float64") })
	for _, s := range allSamples() {
		if strings.HasPrefix(s.name, "in place ") || s.draws {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			tr := &trial{T: t, sample: s}
			for _, p := range tr.patterns(2, 3) {
				if slices.Contains([]string{"row", "empty axis"}, p.name) || tr.arity == 1 && p.name == "same" {
					if tr.compareInLoop(p) {
						compared.Add(1)
					}
				}
			}
		})
	}
}

// loopCases are the numbers of steps that a loop is run with.
var loopCases = []int{3, 1, 0}

// compareInLoop runs a pattern once by itself for each step, and once in a loop. It is false where the row does not
// take float64.
func (tr *trial) compareInLoop(p pattern) bool {
	alone, ok := tr.alone(p)
	if !ok {
		return false
	}
	looped := tr.looped(p, len(alone.outputs) > 1)
	fed := tr.fedSteps(p, alone.in[0], slices.Max(loopCases))
	for _, steps := range loopCases {
		tr.requireSteps(p, alone, looped, fed[:steps])
	}
	return true
}

// stepped is a compiled row: what is fed, and its result with its gradients behind it. Of loops there are several,
// each with inputs of its own.
type stepped struct {
	session *exec.Session
	in      [][]*graph.Node
	outputs []*graph.Node
}

func (tr *trial) compiled(in [][]*graph.Node, outputs []*graph.Node) *stepped {
	prog, err := exec.Compile(in[0][0].Graph(), exec.Outputs(outputs...), exec.OnWarning(nil))
	require.NoError(tr, err)
	return &stepped{prog.NewSession(), in, outputs}
}

// gradientsOf returns the gradients of the sum of y times y with respect to the operands of floating point.
func gradientsOf(y *graph.Node, in []*graph.Node) []*graph.Node {
	var wrt []*graph.Node
	for _, x := range in {
		if x.DType().IsFloat() {
			wrt = append(wrt, x)
		}
	}
	if !y.DType().IsFloat() || len(wrt) == 0 {
		return nil
	}
	return autodiff.Grad(ops.Sum(ops.Mul(y, y)), wrt, autodiff.ZeroForUnused())
}

// alone compiles the row with its gradients, or without where it has none. It is false where the row does not take
// float64.
func (tr *trial) alone(p pattern) (*stepped, bool) {
	g, in, y := tr.build(p, graph.Float64)
	if g.Err() != nil {
		return nil, false
	}
	outputs := append([]*graph.Node{y}, gradientsOf(y, in)...)
	if g.Err() != nil {
		g, in, y = tr.build(p, graph.Float64)
		outputs = []*graph.Node{y}
	}
	return tr.compiled([][]*graph.Node{in}, outputs), g.Err() == nil
}

// looped compiles the row in the body of two loops, over the first and over the last axis of what is fed.
func (tr *trial) looped(p pattern, gradients bool) *stepped {
	g := graph.New(tr.name, graph.WithPolicy(graph.Policy{MutualExpand: graph.AllowSilently}))
	steps := g.Dim("steps", graph.AtLeast(0))
	var all [][]*graph.Node
	var outputs []*graph.Node
	for _, axis := range []int{0, -1} {
		in := make([]*graph.Node, len(p.shapes))
		for i, s := range p.shapes {
			shape := slices.Insert(graph.MakeShape(s...), map[int]int{0: 0, -1: len(s)}[axis], steps)
			in[i] = g.Input(fmt.Sprintf("x%d along %d", i, axis), tr.operandType(i), shape...)
		}
		_, outs := ops.Scan(ops.Loop{Over: in, Axis: axis}, func(_, x []*graph.Node) (next, out []*graph.Node) {
			return nil, []*graph.Node{tr.call(x...)}
		})
		all, outputs = append(all, in), append(outputs, outs[0])
		if gradients {
			outputs = append(outputs, gradientsOf(outs[0], in)...)
		}
	}
	require.NoError(tr, g.Err())
	return tr.compiled(all, outputs)
}

// operandType is the dtype of operand i of a row on float64.
func (tr *trial) operandType(i int) graph.DType {
	switch {
	case tr.indexOf(i) > 0:
		return graph.Int64
	case tr.isTruth(i):
		return graph.Bool
	}
	return graph.Float64
}

// fedSteps draws what each step is fed.
func (tr *trial) fedSteps(p pattern, in []*graph.Node, steps int) (fed []feeds) {
	var wrt []*graph.Node
	for _, x := range in {
		if x.DType().IsFloat() {
			wrt = append(wrt, x)
		}
	}
	for t := range steps {
		step := feeds{}
		for i, x := range in {
			step[x] = tr.values(x, p.shapes[i], i+10*t, "random")
			if tr.indexOf(i) > 0 || tr.isTruth(i) {
				step[x] = tr.values(x, p.shapes[i], i, "random")
			}
		}
		tr.smoothPoints(rand.New(rand.NewPCG(7, uint64(t))), wrt, step, false)
		fed = append(fed, step)
	}
	return fed
}

// requireSteps compares a loop over steps with each step by itself.
func (tr *trial) requireSteps(p pattern, alone, looped *stepped, fed []feeds) {
	all := feeds{}
	for form, in := range looped.in {
		for i, x := range in {
			parts := make([]reference.Value, len(fed))
			for t := range fed {
				parts[t] = fed[t][alone.in[0][i]]
			}
			all[x] = joinedSteps(x.DType(), p.shapes[i], parts, form == 1)
		}
	}
	got, errLooped := tr.ran(looped, all)
	want := make([][]reference.Value, len(fed))
	for t := range fed {
		var err error
		if want[t], err = tr.ran(alone, fed[t]); err != nil {
			require.Error(tr, errLooped, "a step stops the run: %v", err)
			return
		}
	}
	require.NoError(tr, errLooped)
	for k, v := range got {
		one := k % len(alone.outputs)
		parts := make([]reference.Value, len(fed))
		for t := range fed {
			parts[t] = want[t][one]
		}
		if len(fed) == 0 {
			require.Empty(tr, v.Floats(), "%s: %v: output %d of a loop without steps", p.name, p.shapes, k)
			continue
		}
		whole := joinedSteps(v.DType, parts[0].Shape, parts, k >= len(alone.outputs))
		require.Equal(tr, whole.Shape, v.Shape, "%s: %v: output %d of %d steps", p.name, p.shapes, k, len(fed))
		if i := tr.firstDifference(whole, v); i >= 0 {
			tr.fail("%s %v: output %d of %d steps: element %d is %v in a loop, and %v alone", p.name, p.shapes, k,
				len(fed), i, elementOf(v, i), elementOf(whole, i))
		}
	}
}

// ran returns the outputs of a run.
func (tr *trial) ran(s *stepped, fed feeds) (values []reference.Value, err error) {
	feed := exec.Feed{}
	for n, v := range fed {
		feed[n] = exec.Array{Shape: v.Shape, Data: v.Data}
	}
	out, err := s.session.Run(tr.Context(), feed)
	if err != nil {
		return nil, err
	}
	for _, y := range s.outputs {
		a, err := out.Array(y)
		require.NoError(tr, err)
		values = append(values, reference.FromFloats(
			y.DType(), (reference.Value{DType: y.DType(), Shape: a.Shape, Data: a.Data}).Floats(), a.Shape...))
	}
	return values, nil
}

// joinedSteps puts the values of steps together along a new first axis, or a new last one.
func joinedSteps(t graph.DType, shape []int, parts []reference.Value, last bool) reference.Value {
	size := 1
	for _, n := range shape {
		size *= n
	}
	data := make([]float64, size*len(parts))
	for step, v := range parts {
		for i, f := range v.Floats() {
			if last {
				data[i*len(parts)+step] = f
			} else {
				data[step*size+i] = f
			}
		}
	}
	whole := slices.Insert(slices.Clone(shape), 0, len(parts))
	if last {
		whole = append(slices.Clone(shape), len(parts))
	}
	return reference.FromFloats(t, data, whole...)
}
