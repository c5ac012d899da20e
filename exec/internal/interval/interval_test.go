package interval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

var functions = map[rowprog.Op]func(x, y float64) float64{
	rowprog.OpAdd: func(x, y float64) float64 { return x + y },
	rowprog.OpSub: func(x, y float64) float64 { return x - y },
	rowprog.OpMul: func(x, y float64) float64 { return x * y },
	rowprog.OpMax: func(x, y float64) float64 { return max(x, y) },
	rowprog.OpMin: func(x, y float64) float64 { return min(x, y) },
	rowprog.OpNeg: func(x, _ float64) float64 { return -x },
	rowprog.OpExp: func(x, _ float64) float64 { return math.Exp(x) },
	rowprog.OpLt:  func(x, y float64) float64 { return truth(x < y) },
	rowprog.OpLe:  func(x, y float64) float64 { return truth(x <= y) },
	rowprog.OpGt:  func(x, y float64) float64 { return truth(x > y) },
	rowprog.OpGe:  func(x, y float64) float64 { return truth(x >= y) },
}

// TestResultsLieWithinTheirBounds computes with numbers within some bounds.
func TestResultsLieWithinTheirBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for op, f := range functions {
		told := false
		for range 2000 {
			var args [2]Bounds
			var x [2]float64
			for i := range args {
				lo := r.IntN(9) - 4
				args[i] = Bounds{float64(lo), float64(lo + r.IntN(4))}
				x[i] = args[i].Lo + r.Float64()*(args[i].Hi-args[i].Lo)
				if r.IntN(8) == 0 {
					args[i], x[i] = Exactly(math.Inf(-1)), math.Inf(-1)
				}
			}
			in := &rowprog.Inst{Op: op, Type: rowprog.F64}
			got, want := Of(in, func(k int) Bounds { return args[k] }), f(x[0], x[1])
			require.False(t, want < got.Lo || want > got.Hi, "%s of %v in %v is %v, not in %v", op, x, args, want, got)
			told = told || got != Anything
		}
		require.True(t, told, "nothing is known of %s", op)
	}
}

// TestWhatTypesRoundIsNotKnown wants no bounds for numbers that a type may round.
func TestWhatTypesRoundIsNotKnown(t *testing.T) {
	sum := func(typ rowprog.Type, x, y float64) Bounds {
		return Of(&rowprog.Inst{Op: rowprog.OpAdd, Type: typ}, func(k int) Bounds {
			return Exactly([]float64{x, y}[k])
		})
	}
	require.Equal(t, Exactly(1<<24), sum(rowprog.F32, 1<<23, 1<<23))
	require.Equal(t, Anything, sum(rowprog.F32, 1<<24, 1))
	require.Equal(t, Anything, sum(rowprog.F64, 0.5, 0.25))
	require.Equal(t, Anything, sum(rowprog.U8, 255, 1))
}

func TestReductionsIgnoreWhatIsNeutral(t *testing.T) {
	require.True(t, Exactly(0).IsNeutral(rowprog.Sum))
	require.True(t, Exactly(1).IsNeutral(rowprog.Prod))
	require.True(t, Exactly(math.Inf(-1)).IsNeutral(rowprog.Max))
	require.False(t, Bounds{0, 1}.IsNeutral(rowprog.Sum))
	require.False(t, Anything.IsNeutral(rowprog.Max))
}
