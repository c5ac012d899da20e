package difftest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// program returns a program of one input and the steps, each of which reads the value before it.
func program(in eager.Input, steps ...eager.Step) *Program {
	p := &Program{Seed: 7, Names: []eager.Name{{Name: "n"}}, Policy: "numpy", Inputs: []eager.Input{in},
		Bindings: []map[string]int{{"n": 3}}}
	for i, s := range steps {
		s.N = 1
		s.In = append([]int{i}, s.In...)
		p.Steps = append(p.Steps, s)
	}
	p.Outputs = []int{len(steps)}
	return p
}

// judged runs a program and lets the evaluator's operation be another one.
func judged(p *Program, op string, wrong eager.Entry) Verdict {
	right := eager.Entries[op]
	defer func() { eager.Entries[op] = right }()
	if wrong != nil {
		eager.Entries[op] = wrong
	}
	return Check(p)
}

// TestResiduesMeetJumps has values that are 0 but for rounding, of either side, where a function
// jumps: both answers are right there, and no third one.
func TestResiduesMeetJumps(t *testing.T) {
	row := eager.Input{T: eager.Float64, Shape: []eager.Size{eager.Whole(8), eager.Whole(5)}}
	residue := []eager.Step{{Op: "LogSoftmax", I: []int{1}}, {Op: "LogSumExp", I: []int{1}}} // 0
	for _, last := range []eager.Step{{Op: "Any", I: []int{0}}, {Op: "Floor"}, {Op: "Sign"}, {Op: "Ceil"},
		{Op: "Cast", T: eager.Bool}} {
		p := program(row, append(residue, last)...)
		require.Empty(t, judged(p, "", nil).Fault, last.Op)
		if last.T == "" && last.Op != "Any" {
			require.NotEmpty(t, judged(p, last.Op, plus(last.Op, 3)).Fault, last.Op)
			require.NotEmpty(t, judged(p, last.Op, plus(last.Op, -3)).Fault, last.Op)
		}
	}
	away := program(row, append(residue, eager.Step{Op: "Cos"}, eager.Step{Op: "Any", I: []int{0}})...) // of 1
	require.NotEmpty(t, judged(away, "Any", func(m *eager.Machine, s *eager.Step, x []*eager.Tensor) []*eager.Tensor {
		return []*eager.Tensor{eager.Entries["Not"](m, s, eager.Entries["All"](m, s, x))[0]}
	}).Fault)
}

// TestSumsInsideAreRounded has a logarithm of a float32 sum near 1: it bears the rounding of the sum.
func TestSumsInsideAreRounded(t *testing.T) {
	for seed := range uint64(20) {
		p := program(eager.Input{T: eager.Float32, Shape: []eager.Size{eager.Whole(64), eager.Whole(2)}},
			eager.Step{Op: "Sinh"}, eager.Step{Op: "Sinh"}, eager.Step{Op: "LogSoftmax", I: []int{1}},
			eager.Step{Op: "LogSoftmax", I: []int{1}})
		p.Seed = seed
		require.Empty(t, judged(p, "", nil).Fault, seed)
		require.NotEmpty(t, judged(p, "LogSoftmax", times("LogSoftmax", 1.01)).Fault, seed)
	}
}

// TestOneValueOfAStepAlone uses the mean that BatchNorm gives where the gain has a wrong size:
// the normalised value alone needs it.
func TestOneValueOfAStepAlone(t *testing.T) {
	n := eager.Size{{Times: 1, Names: []string{"n"}}}
	p := &Program{Names: []eager.Name{{Name: "n"}}, Policy: "numpy", Bindings: []map[string]int{{"n": 4}},
		Foreign: []map[string]int{{"n": 3}},
		Inputs: []eager.Input{{T: eager.Float64, Shape: []eager.Size{eager.Whole(8), eager.Whole(4)}},
			{T: eager.Float64, Shape: []eager.Size{n}}},
		Steps: []eager.Step{{Op: "BatchNorm", In: []int{0, 1, 1}, F: []float64{0.1}, N: 3}}, Outputs: []int{3}}
	require.Empty(t, Check(p).Fault)
	m := &eager.Machine{At: map[string]int{"n": 3}}
	values, err := m.Run(
		p, []*eager.Tensor{m.Leaf(p.Inputs[0], p.Draw(0, 1), nil, nil), m.Leaf(p.Inputs[1], p.Draw(1, 1), nil, nil)})
	require.NoError(t, err)
	require.Error(t, values[2].Err())
	require.NoError(t, values[3].Err())
	_, err = m.Do(&eager.Step{Op: "Neg", In: []int{2}}, values)
	require.Error(t, err)
}

// TestFloorDivIsPythons has the quotients that differ from the floor of x / y.
func TestFloorDivIsPythons(t *testing.T) {
	negInf := math.Inf(-1)
	m := &eager.Machine{}
	for _, c := range []struct{ x, y, want float64 }{
		{2, negInf, -1}, {-2, negInf, 0}, {1, 0.1, 9}, {-7, 2, -4}, {7, -2, -4}, {6, 3, 2}, {0, -3, 0}} {
		got := entry(m, "FloorDiv")(number(m, c.x), number(m, c.y)).Cells()[0].V
		require.Equal(t, c.want, got+0, "%v // %v", c.x, c.y)
	}
}
