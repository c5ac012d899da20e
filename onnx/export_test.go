package onnx_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/opref"
	"github.com/broadloom/broadloom/internal/testkit/onnxrt"
	"github.com/broadloom/broadloom/onnx"
	"github.com/broadloom/broadloom/ops"
)

// mode is a way to export examples.
type mode struct {
	name     string
	dtype    graph.DType
	bound    bool // sizes are numbers
	gradient bool // not the results, but gradients
	opset    int
	plain    bool // without operators that stand for operations that are written with others
	special  bool // infinities, NaN, numbers that are large or small
}

// usual are the modes that are always tried. Others are where BROADLOOM_XLA_ALL asks for all.
var usual = []mode{
	{"float32", graph.Float32, false, false, 20, false, false},
	{"float32 with sizes", graph.Float32, true, false, 20, false, false},
	{"gradients of float32", graph.Float32, false, true, 20, false, false},
	{"gradients of float32 with sizes", graph.Float32, true, true, 20, false, false},
	{"int64", graph.Int64, false, false, 20, false, false},
	{"float64", graph.Float64, false, false, 20, false, false},
	{"int32 with sizes", graph.Int32, true, false, 20, false, false},
	{"bool", graph.Bool, false, false, 20, false, false},
	{"uint8", graph.Uint8, false, false, 20, false, false},
	{"float16", graph.Float16, false, false, 20, false, false},
	{"bfloat16", graph.BFloat16, false, false, 20, false, false},
	{"special float32", graph.Float32, false, false, 20, false, true},
	{"special int64", graph.Int64, false, false, 20, false, true},
	{"primitives", graph.Float32, false, false, 20, true, false},
	{"special primitives", graph.Float32, true, false, 20, true, true},
	{"opset 26", graph.Float32, false, false, 26, false, false},
}

var rare = []mode{
	{"gradients of float64", graph.Float64, false, true, 20, false, false},
	{"float64 with sizes", graph.Float64, true, false, 20, false, false},
	{"int8", graph.Int8, false, false, 20, false, false},
	{"int16", graph.Int16, false, false, 20, false, false},
	{"uint16", graph.Uint16, false, false, 20, false, false},
	{"uint32", graph.Uint32, false, false, 20, false, false},
	{"uint64", graph.Uint64, false, false, 20, false, false},
	{"special float64", graph.Float64, false, false, 20, false, true},
	{"special float16", graph.Float16, false, false, 20, false, true},
	{"special uint64", graph.Uint64, false, false, 20, false, true},
	{"special int32", graph.Int32, false, false, 20, false, true},
	{"special uint8", graph.Uint8, false, false, 20, false, true},
	{"opset 26 with sizes", graph.Float32, true, false, 26, false, false},
	{"gradients at opset 26", graph.Float32, true, true, 26, false, false},
}

// build makes the trial of a function; nil where it does not take the dtype, or has no gradient.
func build(f ops.Function, m mode) *trial {
	outputs, err := opref.Example(f, m.dtype)
	if err != nil {
		return nil
	}
	g, cancelled := outputs[0].Graph(), 0.0
	if m.gradient {
		n := outputs[0]
		var wrt []*graph.Node
		for _, x := range g.Inputs() {
			if x.DType() == m.dtype {
				wrt = append(wrt, x)
			}
		}
		if len(wrt) == 0 || n.DType() != m.dtype {
			return nil
		}
		outputs, cancelled = autodiff.Grad(ops.Sum(ops.Sin(n)), wrt, autodiff.ZeroForUnused()), 0.05
		if g.Err() != nil {
			return nil
		}
	}
	for i, n := range outputs {
		if t := n.DType(); t == graph.BFloat16 || t.IsStorage() { // NumPy has them not
			outputs[i] = ops.Cast(n, graph.Float32)
		}
	}
	return &trial{name: f.Name, g: g, outputs: outputs, cancelled: cancelled,
		special: m.special && !inOtherOrder[f.Name]}
}

// inOtherOrder are examples that apply reflections by blocks, and ONNX Runtime one by one: of sums with infinities, one
// order gives NaN and another does not. They get no special numbers.
var inOtherOrder = map[string]bool{"HouseholderProduct": true, "OrmQR": true}

// The reasons for which an export may be refused.
const (
	byGo      = "it is computed by a Go function"
	ofNumbers = "for rows and columns whose sizes are numbers"
	byBits    = "only for dtypes of the same size, from opset 26 on"
)

// refusals has the examples whose export is refused, and why: in Float32, with sizes that have names, at opset 20, all
// of them.
var refusals = map[string]string{
	"Callback": byGo, "CallbackResults": byGo, "PureCallback": byGo, "Print": byGo,
	"Eig": byGo, "Eigenvalues": byGo, "GeQRF": byGo, "Hessenberg": byGo, "LDLFactor": byGo, "LDLSolve": byGo,
	"LogM": byGo, "Schur": byGo, "SolveSylvester": byGo, "SqrtM": byGo,
	"Eigh": ofNumbers, "EigenvaluesH": ofNumbers, "EighTridiagonal": ofNumbers, "SVD": ofNumbers,
	"SingularValues": ofNumbers, "PInv": ofNumbers,
	"MatrixRank": ofNumbers, "Lstsq": ofNumbers, "Polar": ofNumbers,
	"BitCast": byBits,
}

// ofGradients has those of which only gradients are refused.
var ofGradients = map[string]string{"Det": ofNumbers, "Polar": byGo}

// isExpected reports whether a refusal stands in the table, for its reason.
func isExpected(name string, m mode, err error) bool {
	for _, table := range []map[string]string{refusals, ofGradients} {
		if why := table[name]; why != "" && strings.Contains(err.Error(), why) &&
			(m.gradient || table[name] == refusals[name]) {
			return true
		}
	}
	return false
}

// TestExamples exports the example of each operation and runs it by ONNX Runtime: what that gives must be what a run
// here gives.
func TestExamples(t *testing.T) {
	onnxrt.Python(t)
	modes := usual
	if os.Getenv("BROADLOOM_XLA_ALL") != "" {
		modes = append(modes, rare...)
	}
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			trials, refused, stopped := exported(t, m)
			judge(t, trials)
			if m.name == "float32" {
				require.ElementsMatch(t, slices.Collect(maps.Keys(refusals)), refused)
			}
			t.Logf("of %d functions, %d exported, %d refused, %v stopped by a check here", len(ops.Functions()),
				len(trials), len(refused), stopped)
		})
	}
}

// exported lists the examples that are exported in a mode, and the names of those that are refused, and of those that a
// check stops here.
func exported(t *testing.T, m mode) (trials []*trial, refused, stopped []string) {
	for _, f := range ops.Functions() {
		tr := build(f, m)
		if tr == nil {
			continue
		}
		if err := tr.run(t, m.bound); err != nil { // a check stops it
			stopped = append(stopped, f.Name)
			continue
		}
		opts := []onnx.ExportOption{onnx.WithOutputs(tr.outputs...), onnx.WithOpset(m.opset)}
		if m.plain {
			opts = append(opts, onnx.WithPrimitives())
		}
		if m.bound {
			opts = append(opts, onnx.WithSizes(tr.boundSizes()))
		}
		var err error
		if tr.data, err = onnx.Encode(tr.g, opts...); err != nil {
			require.True(t, isExpected(f.Name, m, err), "%s: %v", f.Name, err)
			refused = append(refused, f.Name)
			continue
		}
		trials = append(trials, tr)
	}
	return trials, refused, stopped
}

// TestReference runs examples by the evaluator of ONNX's own package, whose mistakes are not those of ONNX Runtime.
func TestReference(t *testing.T) {
	onnxrt.Python(t)
	for _, m := range []mode{{name: "float32", dtype: graph.Float32, bound: true, opset: 20},
		{name: "int32", dtype: graph.Int32, bound: true, opset: 20}} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			trials, _, _ := exported(t, m)
			var models []onnxrt.Model
			for _, tr := range trials {
				models = append(models, tr.model())
			}
			good := 0
			for i, o := range onnxrt.Reference(t, models) {
				d, known := trials[i].differs(o), mistaken[trials[i].name]
				switch {
				case d == "" && known == "":
					good++
				case known == "":
					t.Errorf("%s: %s", trials[i].name, d)
				case !strings.Contains(d, known):
					t.Errorf("%s: %s, and its mistake is %s", trials[i].name, d, known)
				}
			}
			t.Logf("%d exported, %d agree", len(trials), good)
		})
	}
}

// mistaken are examples with which that evaluator of ONNX 1.23 fails: what the steps of a Loop give it joins along an
// axis that they have, and NumPy chooses among 64 arrays at most.
var mistaken = map[string]string{
	"CumMax": byJoining, "CumMin": byJoining, "CumProd": byJoining, "NanCumProd": byJoining,
	"LinearRecurrence": byJoining, "LogCumSumExp": byJoining, "Mode": byJoining,
	"LinearAttention": "Inconsistent permutation", "AdaptiveMaxPoolIndex": ofMany, "FractionalMaxPool": ofMany,
}

const (
	byJoining = "out of bounds for array"
	ofMany    = "at most 64 array objects"
)

// judge compares what ONNX Runtime gives.
func judge(t *testing.T, trials []*trial) {
	var models []onnxrt.Model
	for _, tr := range trials {
		models = append(models, tr.model())
	}
	good := 0
	for i, o := range onnxrt.Do(t, models) {
		if d := trials[i].differs(o); d != "" {
			t.Errorf("%s: %s", trials[i].name, d)
			continue
		}
		good++
		require.True(t, trials[i].sees(o), "%s: a wrong element is not seen", trials[i].name)
	}
	t.Logf("%d exported, %d agree", len(trials), good)
}
