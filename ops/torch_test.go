package ops_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// numbers are floats of JSON, with words for those that it lacks.
type numbers []float64

func (n *numbers) UnmarshalJSON(text []byte) error {
	var list []any
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*n = make(numbers, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case float64:
			(*n)[i] = v
		case string:
			f, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return err
			}
			(*n)[i] = f
		}
	}
	return nil
}

// torchRow is PyTorch's answer for one operation: values, and gradients of their sum by operand.
type torchRow struct {
	Value numbers
	Grads []numbers
}

// readTorch reads one part of testdata/elementwise.json: operands by name, and rows.
func readTorch(t *testing.T, part string) map[string]json.RawMessage {
	text, err := os.ReadFile(filepath.Join("testdata", "elementwise.json"))
	require.NoError(t, err)
	var parts map[string]map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &parts))
	require.NotEmpty(t, parts[part])
	return parts[part]
}

func decode[T any](t *testing.T, text json.RawMessage) (v T) {
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

var torchOne = map[string]func(x node) node{
	"erfc": ops.Erfc, "erfcx": ops.Erfcx, "erfinv": ops.Erfinv, "ndtr": ops.Ndtr, "log_ndtr": ops.LogNdtr,
	"ndtri":  ops.Ndtri,
	"lgamma": ops.LGamma, "digamma": ops.Digamma, "polygamma1": polygamma(1), "i0": ops.I0, "i0e": ops.I0e,
	"i1": ops.I1, "i1e": ops.I1e,
	"sinc": ops.Sinc, "logit": ops.Logit, "entr": ops.Entr, "signbit": ops.SignBit,
	"nan_to_num":     func(x node) node { return ops.NanToNum(x, 1.5, math.Inf(1), -3) },
	"frexp_mantissa": func(x node) node { m, _ := ops.Frexp(x); return m },
	"frexp_exponent": func(x node) node { _, e := ops.Frexp(x); return e },
	"threshold":      func(x node) node { return ops.Threshold(x, 0.5, 7) },
	"rad2deg":        ops.Rad2Deg, "deg2rad": ops.Deg2Rad, "isposinf": ops.IsPosInf, "isneginf": ops.IsNegInf,
}

var torchTwo = map[string]func(x, y node) node{
	"copysign": ops.CopySign, "nextafter": ops.NextAfter, "fmax": ops.Fmax, "fmin": ops.Fmin,
	"heaviside": ops.Heaviside, "xlog1py": ops.XLog1PY,
	"isclose": func(x, y node) node { return ops.IsClose(x, y, 1e-5, 1e-8) }, "hypot": ops.Hypot,
}

var torchWhole = map[string]func(x, y node) node{
	"gcd": ops.Gcd, "lcm": ops.Lcm, "bitwise_left_shift": ops.ShiftLeft, "bitwise_right_shift": ops.ShiftRight,
}

// torchOff is how far off PyTorch's own answers are, relative to themselves, where that is more than
// rounding: its trigamma has six terms of a series, and at a pole the square of 1/sin(πx).
var torchOff = map[string]float64{"polygamma1 value": 1e-8, "digamma gradient 0": 1e-8}

// exactly are the operations whose smallest numbers and zeros must be PyTorch's.
var exactly = map[string]bool{"copysign value": true, "nextafter value": true, "frexp_mantissa value": true}

// agrees reports whether what is computed at x is PyTorch's answer, or a better one: a limit where
// PyTorch has NaN at an infinity, NaN where NaN came in, and what PyTorch rounds to 0 or takes for a pole.
func agrees(about string, x, want, got float64) bool {
	off := max(1e-13, torchOff[about])
	switch {
	case exactly[about]:
		return want == got && math.Signbit(want) == math.Signbit(got) || math.IsNaN(want) && math.IsNaN(got)
	case want == got, math.IsNaN(want) && (math.IsNaN(got) || math.IsInf(x, 0)), math.IsNaN(x) && math.IsNaN(got):
		return true
	case math.IsInf(got, 0) && off > 1e-13:
		return math.Abs(want) > 1e28
	case about == "ndtr value" && want == 0:
		return got < 1e-100
	}
	return math.Abs(want-got) <= max(off*math.Abs(want), 1e-15)
}

// TestEdgesAsPyTorch compares values and gradients at the edges with those of PyTorch.
func TestEdgesAsPyTorch(t *testing.T) {
	rows := readTorch(t, "one")
	points := decode[numbers](t, rows["x"])
	require.Len(t, rows, len(torchOne)+1)
	for name, f := range torchOne {
		t.Run(name, func(t *testing.T) {
			g := graph.New("edges")
			x := g.Input("x", graph.Float64, graph.Dim(len(points)))
			compareWithTorch(t, name, decode[torchRow](t, rows[name]), feeds{x: reference.Of(points, len(points))},
				f(x), x)
		})
	}
	rows = readTorch(t, "two")
	left, right := decode[numbers](t, rows["x"]), decode[numbers](t, rows["y"])
	require.Len(t, rows, len(torchTwo)+2)
	for name, f := range torchTwo {
		t.Run(name, func(t *testing.T) {
			g := graph.New("edges")
			x, y := g.Input("x", graph.Float64, graph.Dim(len(left))), g.Input("y", graph.Float64, graph.Dim(len(left)))
			in := feeds{x: reference.Of(left, len(left)), y: reference.Of(right, len(left))}
			compareWithTorch(t, name, decode[torchRow](t, rows[name]), in, f(x, y), x, y)
		})
	}
}

func compareWithTorch(t *testing.T, name string, want torchRow, in feeds, y node, wrt ...node) {
	got := value(t, in, y).Floats()
	requireAsTorch(t, name, "value", in, wrt, want.Value, got)
	if len(want.Grads) == 0 || !y.DType().IsFloat() {
		return
	}
	for i, dx := range autodiff.Grad(ops.Sum(y), wrt, autodiff.ZeroForUnused()) {
		if len(want.Grads[i]) > 0 {
			requireAsTorch(t, name, fmt.Sprintf("gradient %d", i), in, wrt, want.Grads[i], value(t, in, dx).Floats())
		}
	}
}

func requireAsTorch(t *testing.T, name, what string, in feeds, wrt []node, want, got []float64) {
	require.Len(t, got, len(want))
	for i, w := range want {
		at := in[wrt[0]].Floats()[i]
		if !agrees(name+" "+what, at, w, got[i]) {
			t.Errorf("%s of %s at place %d, %v: %v, and PyTorch's is %v", what, name, i, at, got[i], w)
		}
	}
}

// TestWholeNumbersAsPyTorch compares operations on 64-bit integers.
func TestWholeNumbersAsPyTorch(t *testing.T) {
	rows := readTorch(t, "integers")
	whole := func(name string) (list []int64) {
		for _, s := range decode[[]string](t, rows[name]) {
			v, err := strconv.ParseInt(s, 10, 64)
			require.NoError(t, err)
			list = append(list, v)
		}
		return list
	}
	x, y := whole("x"), whole("y")
	for name, f := range torchWhole {
		t.Run(name, func(t *testing.T) {
			g := graph.New("integers")
			a, b := g.Input("a", graph.Int64, graph.Dim(len(x))), g.Input("b", graph.Int64, graph.Dim(len(x)))
			got := value(t, feeds{a: reference.Of(x, len(x)), b: reference.Of(y, len(x))}, f(a, b)).Data.([]int64)
			for i, want := range whole(name) {
				require.Equal(t, want, got[i], "%s(%d, %d)", name, x[i], y[i])
			}
		})
	}
}
