package difftest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// TestThinAxesAreViewed writes through a reshape that merges an axis of one element at most, whatever
// the named size: it shows the operand's memory, as PyTorch's does.
func TestThinAxesAreViewed(t *testing.T) {
	n := eager.Size{{Times: 1, Names: []string{"n"}}}
	one := eager.Whole(1)
	for _, c := range []struct {
		shape []eager.Size
		axes  []int // of the diagonal
		to    []eager.Size
	}{
		{[]eager.Size{n, one, n}, []int{0, 0, 1}, []eager.Size{eager.Whole(-1)}},
		{[]eager.Size{n, one, eager.Whole(3), eager.Whole(2)}, []int{0, 0, 1}, []eager.Size{eager.Whole(-1)}},
		{[]eager.Size{one, n, eager.Whole(3), eager.Whole(2)}, []int{0, 0, 1},
			[]eager.Size{eager.Whole(3), eager.Whole(-1)}},
		{[]eager.Size{n, one, n, eager.Whole(2)}, []int{0, 0, 1}, []eager.Size{one, eager.Whole(-1)}},
	} {
		p := program(eager.Input{T: eager.Float64, Shape: c.shape, Mutable: true},
			eager.Step{Op: "Diagonal", I: c.axes}, eager.Step{Op: "Reshape", S: c.to}, eager.Step{Op: "AddInPlace"})
		p.Steps[2].In = []int{2, 2}
		p.Outputs, p.Updates = nil, []int{3}
		p.Bindings = []map[string]int{{"n": 1}, {"n": 2}, {"n": 5}}
		v := Check(p)
		require.Empty(t, v.Fault+v.Refused, "%v: %s", c, v.Detail)
	}
}
