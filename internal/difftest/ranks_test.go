package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// manyAxes is an input of that rank: few of its axes have more than one element.
func manyAxes(rank int) eager.Input {
	in := eager.Input{T: eager.Float64, Shape: slices.Repeat([]eager.Size{eager.Whole(1)}, rank)}
	in.Shape[1], in.Shape[rank-2], in.Shape[rank-1] = eager.Whole(2), eager.Whole(2), eager.Whole(3)
	in.Shape[rank/2] = eager.Size{{Times: 1, Names: []string{"n"}}}
	return in
}

// onManyAxes are steps that a value of that rank has.
func onManyAxes(rank int) []eager.Step {
	mid, letters := rank/2, "abcdefghijklmnopqrstuvwxyzHIJKLMN"[:rank]
	backwards := make([]int, rank)
	for i := range backwards {
		backwards[i] = rank - 1 - i
	}
	tiles := slices.Repeat([]eager.Size{eager.Whole(1)}, rank)
	tiles[0], tiles[rank-1] = eager.Whole(2), eager.Whole(2)
	same := slices.Repeat([]eager.Size{eager.Whole(-1)}, rank)
	same[mid+1] = eager.Whole(3)
	of := func(n ...int) (list []eager.Size) {
		for _, v := range n {
			list = append(list, eager.Whole(v))
		}
		return list
	}
	return []eager.Step{
		{Op: "Tanh"}, {Op: "Sum"}, {Op: "Sum", I: []int{mid}}, {Op: "Mean", I: []int{-1, 1}, Keep: true},
		{Op: "Max", I: []int{mid, 0}},
		{Op: "Prod", I: []int{1}}, {Op: "LogSumExp", I: []int{mid}}, {Op: "Softmax", I: []int{mid}},
		{Op: "CumSum", I: []int{mid}},
		{Op: "Standardize", I: []int{mid, -1}, F: []float64{0.1}}, {Op: "MaxPool1D", I: []int{1, 0, 1, 2}},
		{Op: "Transpose", I: []int{1, mid}}, {Op: "Transpose", I: []int{-1, 0}}, {Op: "Permute", I: backwards},
		{Op: "MoveAxis", I: []int{mid, 0}},
		{Op: "Flip", I: []int{1, mid, -1}}, {Op: "Unsqueeze", I: []int{mid}}, {Op: "Squeeze", I: []int{0, 2}},
		{Op: "Tile", S: tiles},
		{Op: "Expand", S: same}, {Op: "Diagonal", I: []int{0, 1, mid}}, {Op: "Triu", I: []int{0}},
		{Op: "Flatten", I: []int{0, -1}},
		{Op: "Flatten", I: []int{1, mid}}, {Op: "Slice", I: []int{-1, 2}, S: of(0, eager.End)},
		{Op: "Narrow", I: []int{-1}, S: of(1, 2)},
		{Op: "Select", I: []int{1}, S: of(1)}, {Op: "Pad", I: []int{mid}, S: of(1, 2), F: []float64{0.5}},
		{Op: "Roll", I: []int{mid, 1}},
		{Op: "RepeatInterleave", I: []int{1}, S: of(2)}, {Op: "Window", I: []int{-1, 2, 1, 1}},
		{Op: "Concat", I: []int{mid}, In: []int{0}},
		{Op: "Stack", I: []int{mid}, In: []int{0}}, {Op: "Add", In: []int{0}}, {Op: "Copy"},
		{Op: "OneHot", S: of(3), T: eager.Float64},
		{Op: "Einsum", Text: letters + "->" + letters[mid:mid+1] + letters[1:2]}, {Op: "ArgMax", I: []int{mid}},
		{Op: "Cast", T: eager.Int32},
	}
}

// TestManyAxes computes operations, and chains of them, on values of 32 and 33 axes, with the
// first and second gradients.
func TestManyAxes(t *testing.T) {
	for _, rank := range []int{32, 33} {
		for _, s := range onManyAxes(rank) {
			manyAxesAgree(t, rank, s)
		}
		rng := rand.New(rand.NewPCG(1, uint64(rank)))
		for range 60 {
			var chain []eager.Step
			for range 2 + rng.IntN(4) {
				steps := onManyAxes(rank)
				chain = append(chain, steps[rng.IntN(len(steps))])
			}
			manyAxesAgree(t, rank, chain...)
		}
	}
}

// manyAxesAgree drops the steps that have no value, and checks what is left.
func manyAxesAgree(t *testing.T, rank int, chain ...eager.Step) {
	t.Helper()
	var steps []eager.Step
	for _, s := range chain {
		p := program(manyAxes(rank), append(steps, s)...)
		if values, err := evaluate(p, 0); err == nil && len(values) == len(p.Inputs)+len(p.Steps) {
			steps = append(steps, s)
		}
	}
	p := program(manyAxes(rank), append(steps, eager.Step{Op: "Copy"})...)
	p.Bindings = append(p.Bindings, map[string]int{"n": 1}, map[string]int{"n": 4})
	if values, err := evaluate(p, 0); err == nil && values[len(steps)].T.IsFloat() {
		p.Steps = append(p.Steps, eager.Step{Op: "Sin", In: []int{len(steps)}, N: 1},
			eager.Step{Op: "Sum", In: []int{len(steps) + 2}, N: 1})
		p.Gradient = &eager.Gradient{Of: len(steps) + 3, Up: -1, Wrt: []int{0}, Second: true}
	}
	if hasValues(p) {
		v := Check(p)
		require.Empty(t, v.Fault, "%s\n%s", fmt.Sprint(chain), v.Detail)
		require.Empty(t, v.Refused, "%s\n%s", fmt.Sprint(chain), v.Detail)
	}
}
