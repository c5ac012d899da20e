package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// identity is a rule of the numbers that leave the other operand as it is: see graph.Op.
type identity func(t graph.DType, i int) (float64, bool)

func zero(graph.DType, int) (float64, bool) { return 0, true }

func one(graph.DType, int) (float64, bool) { return 1, true }

// minusZero is the identity of sums: of floats it is -0, since -0 + 0 is 0.
func minusZero(t graph.DType, _ int) (float64, bool) {
	if t.IsFloat() {
		return math.Copysign(0, -1), true
	}
	return 0, true
}

// allBits is the identity of "and": true, or -1, whose bits are all set.
func allBits(t graph.DType, _ int) (float64, bool) {
	if t == graph.Bool {
		return 1, true
	}
	return -1, true
}

// beaten is what every other value beats in a search for the least or the greatest: the
// infinity of the sign, or a truth value. Integers have none that a float64 holds.
func beaten(sign int) identity {
	return func(t graph.DType, _ int) (float64, bool) {
		if t == graph.Bool {
			return max(float64(sign), 0), true
		}
		return math.Inf(sign), t.IsFloat()
	}
}

// onRight keeps the rule of the second operand alone.
func onRight(rule identity) identity {
	return func(t graph.DType, i int) (float64, bool) {
		e, ok := rule(t, i)
		return e, ok && i == 1
	}
}
