package difftest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// entry returns an operation of two operands as a function.
func entry(m *eager.Machine, op string) func(x, y *eager.Tensor) *eager.Tensor {
	f := eager.Entries[op]
	return func(x, y *eager.Tensor) *eager.Tensor { return f(m, &eager.Step{}, []*eager.Tensor{x, y})[0] }
}

func number(m *eager.Machine, v float64) *eager.Tensor {
	return eager.Entries["Num"](m, &eager.Step{F: []float64{v}}, nil)[0]
}

// changed changes the first value of an operation.
func changed(op string, change func(m *eager.Machine, y *eager.Tensor) *eager.Tensor) eager.Entry {
	right := eager.Entries[op]
	return func(m *eager.Machine, s *eager.Step, x []*eager.Tensor) []*eager.Tensor {
		out := right(m, s, x)
		out[0] = change(m, out[0])
		return out
	}
}

// times multiplies the first value of an operation.
func times(op string, by float64) eager.Entry {
	return changed(op, func(m *eager.Machine, y *eager.Tensor) *eager.Tensor {
		return entry(m, "Mul")(y, number(m, by))
	})
}

// plus adds to the first value of an operation.
func plus(op string, v float64) eager.Entry {
	return changed(op, func(m *eager.Machine, y *eager.Tensor) *eager.Tensor {
		return entry(m, "Add")(y, number(m, v))
	})
}

// sloped multiplies the derivatives of the first value of an operation, and leaves the value.
func sloped(op string, by float64) eager.Entry {
	return changed(op, func(m *eager.Machine, y *eager.Tensor) *eager.Tensor {
		still := eager.Entries["StopGradient"](m, &eager.Step{}, []*eager.Tensor{y})[0]
		return entry(m, "Add")(y, entry(m, "Mul")(entry(m, "Sub")(y, still), number(m, by-1)))
	})
}

// TestSeededFaultsAreFound makes operations of the evaluator wrong, one after the other, and
// expects random programs to disagree, also where rounding can explain much: at jumps and kinks.
func TestSeededFaultsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("draws many programs")
	}
	for name, wrong := range map[string]eager.Entry{
		"Floor": eager.Entries["Ceil"], "Ceil": plus("Ceil", 1), "Round": eager.Entries["Trunc"],
		"Trunc": eager.Entries["Round"],
		"Sign":  times("Sign", -1), "FloorDiv": plus("FloorDiv", 1), "Remainder": eager.Entries["Fmod"],
		"Any": eager.Entries["All"], "Less": eager.Entries["LessEqual"], "Equal": eager.Entries["GreaterEqual"],
		"ArgMax": eager.Entries["ArgMin"], "Maximum": eager.Entries["AtLeast"],
		"LogSumExp": times("LogSumExp", 1.001), "LogSoftmax": plus("LogSoftmax", 0.001),
		"Softmax":      sloped("Softmax", 1.01),
		"CrossEntropy": times("CrossEntropy", 1.001), "NLL": plus("NLL", 0.001), "Relu": sloped("Relu", 0.99),
		"Atan2": sloped("Atan2", 1.01), "BatchNorm": times("BatchNorm", 1.001), "MatMul": sloped("MatMul", 1.01),
		"AddInPlace": eager.Entries["SubInPlace"], "SegmentMax": eager.Entries["SegmentMin"],
		"SegmentProd": sloped("SegmentProd", 1.01),
		"SegmentMean": times("SegmentMean", 1.01), "ScatterReduce": sloped("ScatterReduce", 0.99),
		"EmbeddingBag": sloped("EmbeddingBag", 1.01),
		"QR":           sloped("QR", 1.01), "SVD": sloped("SVD", 1.01), "Resize": times("Resize", 1.001),
		"STFT": sloped("STFT", 1.01), "IndexPut": eager.Entries["Copy"],
	} {
		t.Run(name, func(t *testing.T) {
			programs, found := disagreeing(name, wrong, 400)
			require.Positive(t, found, "none of %d programs disagrees", programs)
		})
	}
}

// disagreeing counts programs with an operation until one disagrees, or as many as said do not,
// where the evaluator's operation is another.
func disagreeing(op string, wrong eager.Entry, most int) (programs, found int) {
	right := eager.Entries[op]
	defer func() { eager.Entries[op] = right }()
	for seed := uint64(5000); programs < most && found == 0; seed++ {
		p := Generate(seed)
		if !slices.ContainsFunc(p.Steps, func(s eager.Step) bool { return s.Op == op }) {
			continue
		}
		programs++
		eager.Entries[op] = wrong
		if v := Check(p); v.Fault != "" {
			found++
		}
		eager.Entries[op] = right
	}
	return programs, found
}
