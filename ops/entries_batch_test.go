package ops_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestEntriesInBatches computes every row of the table for the examples of a batch by Vmap: with all operands of the
// example, and with all but one the same for all examples. Values and gradients of each example must be what the row
// gives for the example alone, but for the last digits, for as many examples as there are, 0 and 1 among them.
func TestEntriesInBatches(t *testing.T) {
	var compared atomic.Int64
	t.Cleanup(func() { require.Greater(t, compared.Load(), int64(500), "most rows are on float64") })
	for _, s := range allSamples() {
		if strings.HasPrefix(s.name, "in place ") {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			tr := &trial{T: t, sample: s}
			for _, p := range tr.patterns(2, 3) {
				if slices.Contains([]string{"row", "column", "empty axis"}, p.name) ||
					tr.arity == 1 && p.name == "same" || tr.shapes != nil {
					compared.Add(tr.compareInBatch(p))
				}
			}
		})
	}
}

// compareInBatch compares a pattern by itself and in a batch. It counts the ways in which operands were those of the
// example.
func (tr *trial) compareInBatch(p pattern) (compared int64) {
	alone, ok := tr.alone(p)
	if !ok {
		return 0
	}
	fed := tr.fedSteps(p, alone.in[0], slices.Max(loopCases))
	if tr.draws {
		tr.requireDraws(p, alone.in[0], fed)
		return 1
	}
	for _, mapped := range mappings(len(p.shapes)) {
		batch := tr.batched(p, mapped, len(alone.outputs) > 1)
		for _, examples := range loopCases {
			tr.requireExamples(p, alone, batch, mapped, fed, examples)
		}
		compared++
	}
	return compared
}

// mappings are ways in which operands are those of an example: all of them, and each by itself.
func mappings(operands int) (list [][]bool) {
	list = append(list, slices.Repeat([]bool{true}, operands))
	for i := range operands {
		if operands > 1 {
			mapped := make([]bool, operands)
			mapped[i] = true
			list = append(list, mapped)
		}
	}
	return list
}

// batched compiles the row in a Vmap over the operands that are mapped.
func (tr *trial) batched(p pattern, mapped []bool, gradients bool) *stepped {
	g := graph.New(tr.name, graph.WithPolicy(graph.Policy{MutualExpand: graph.AllowSilently}))
	examples := g.Dim("examples", graph.AtLeast(0))
	in := make([]*graph.Node, len(p.shapes))
	var over []*graph.Node
	for i, s := range p.shapes {
		shape := graph.MakeShape(s...)
		if mapped[i] {
			shape = append(graph.Shape{examples}, shape...)
		}
		in[i] = g.Input(fmt.Sprintf("x%d", i), tr.operandType(i), shape...)
		if mapped[i] {
			over = append(over, in[i])
		}
	}
	y := ops.Vmap(over, func(x []*graph.Node) []*graph.Node {
		operands := slices.Clone(in)
		for i := range operands {
			if mapped[i] {
				operands[i], x = x[0], x[1:]
			}
		}
		return append([]*graph.Node{tr.call(operands...)}, operandGradients(tr, gradients, operands)...)
	})
	require.NoError(tr, g.Err(), "%s %v %v", p.name, p.shapes, mapped)
	return tr.compiled([][]*graph.Node{in}, y)
}

// operandGradients are the gradients of one example.
func operandGradients(tr *trial, wanted bool, operands []*graph.Node) []*graph.Node {
	if !wanted {
		return nil
	}
	return gradientsOf(tr.call(operands...), operands)
}

// requireExamples compares a batch of examples with each example by itself.
func (tr *trial) requireExamples(p pattern, alone, batch *stepped, mapped []bool, fed []feeds, examples int) {
	all, each := feeds{}, make([]feeds, examples)
	for i, x := range batch.in[0] {
		of := alone.in[0][i]
		if !mapped[i] {
			all[x] = fed[0][of]
		} else {
			parts := make([]reference.Value, examples)
			for t := range parts {
				parts[t] = fed[t][of]
			}
			all[x] = joinedSteps(x.DType(), p.shapes[i], parts, false)
		}
		for t := range each {
			if each[t] == nil {
				each[t] = feeds{}
			}
			if each[t][of] = fed[0][of]; mapped[i] {
				each[t][of] = fed[t][of]
			}
		}
	}
	got, errBatch := tr.ran(batch, all)
	want := make([][]reference.Value, examples)
	for t := range each {
		var err error
		if want[t], err = tr.ran(alone, each[t]); err != nil {
			require.Error(tr, errBatch, "an example stops the run: %v", err)
			return
		}
	}
	require.NoError(tr, errBatch, "%s %v %v", p.name, p.shapes, mapped)
	for k, v := range got {
		if examples == 0 {
			require.Empty(tr, v.Floats(), "%s: %v: output %d of no example", p.name, p.shapes, k)
			continue
		}
		parts := make([]reference.Value, examples)
		for t := range parts {
			parts[t] = want[t][k]
		}
		whole := joinedSteps(v.DType, parts[0].Shape, parts, false)
		require.Equal(tr, whole.Shape, v.Shape, "%s: %v: output %d of %d examples", p.name, p.shapes, k, examples)
		if i := tr.firstDifference(whole, v); i >= 0 {
			tr.fail("%s %v %v: output %d of %d examples: element %d is %v in a batch, and %v alone", p.name, p.shapes,
				mapped, k, examples, i, elementOf(v, i), elementOf(whole, i))
		}
	}
}

// requireDraws compares a batch with the steps of a loop, which draw the same numbers.
func (tr *trial) requireDraws(p pattern, in []*graph.Node, fed []feeds) {
	batch := tr.batched(p, slices.Repeat([]bool{true}, len(p.shapes)), false)
	looped := tr.looped(p, false)
	looped.outputs = looped.outputs[:1]
	allBatch, allLooped := feeds{}, feeds{}
	for i, x := range in {
		parts := make([]reference.Value, len(fed))
		for t := range fed {
			parts[t] = fed[t][x]
		}
		allBatch[batch.in[0][i]] = joinedSteps(x.DType(), p.shapes[i], parts, false)
		for form, of := range looped.in {
			allLooped[of[i]] = joinedSteps(x.DType(), p.shapes[i], parts, form == 1)
		}
	}
	got, err := tr.ran(batch, allBatch)
	require.NoError(tr, err)
	want, err := tr.ran(looped, allLooped)
	require.NoError(tr, err)
	require.Equal(tr, want, got)
}
