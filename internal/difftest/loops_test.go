package difftest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// TestLoopsHaveWhatIsUsed has a product in a body that has no value at some sizes: a loop that does not use it runs,
// and one that does not.
func TestLoopsHaveWhatIsUsed(t *testing.T) {
	n := eager.Size{{Times: 1, Names: []string{"n"}}}
	for name, handed := range map[string]int{"unused": 0, "used": 3} {
		p := &Program{Names: []eager.Name{{Name: "n"}}, Policy: "numpy",
			Inputs: []eager.Input{{T: eager.Float64, Shape: []eager.Size{eager.Whole(2), eager.Whole(3)}},
				{T: eager.Float64, Shape: []eager.Size{eager.Whole(2)}}, {T: eager.Float64, Shape: []eager.Size{n, n}}},
			Steps: []eager.Step{{Op: "Scan", In: []int{0, 1, 2}, I: []int{1, 1, 0}, N: 2, Body: []eager.Step{
				{Op: "MatMul", In: []int{0, 2}, N: 1}, {Op: "Tanh", In: []int{handed}, N: 1}}}},
			Outputs: []int{3, 4}, Bindings: []map[string]int{{"n": 2}}, Foreign: []map[string]int{{"n": 5}}}
		v := Check(p)
		require.Empty(t, v.Fault, "%s: %s", name, v.Detail)
	}
}

// A loop whose results nothing needs, in the body of another one, is compiled.
func TestLoopsOfWhichResultsAreDropped(t *testing.T) { check(t, 300587) }
