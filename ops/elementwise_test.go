package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// points are arguments at which functions are compared with those of package math.
var points = []float64{0, math.Copysign(0, -1), 1e-9, -1e-9, 0.3, -0.3, 0.5, 1, -1, 1.5, -1.5, 2.5, -2.5, 3, -3, 5.75,
	19.5, -19.5, 25, -25,
	300.5, 710.2, -710.2, 1e9, -1e9, 1e200, math.Inf(1), math.Inf(-1), math.NaN()}

func TestFunctionsOfOneNumber(t *testing.T) {
	relu6 := func(x float64) float64 { return min(max(x, 0), 6) }
	for name, c := range map[string]struct {
		build func(x *graph.Node) *graph.Node
		want  func(x float64) float64
	}{
		"tan": {ops.Tan, math.Tan}, "asin": {ops.Asin, math.Asin}, "acos": {ops.Acos, math.Acos},
		"atan": {ops.Atan, math.Atan},
		"sinh": {ops.Sinh, math.Sinh}, "cosh": {ops.Cosh, math.Cosh}, "asinh": {ops.Asinh, math.Asinh},
		"acosh": {ops.Acosh, math.Acosh}, "atanh": {ops.Atanh, math.Atanh},
		"log2": {ops.Log2, math.Log2}, "cbrt": {ops.Cbrt, math.Cbrt}, "log10": {ops.Log10, math.Log10},
		"exp2": {ops.Exp2, math.Exp2}, "trunc": {ops.Trunc, math.Trunc},
		"hardtanh": {func(x *graph.Node) *graph.Node { return ops.HardTanh(x, -1, 2) }, func(x float64) float64 {
			return min(max(x, -1), 2)
		}},
		"hardsigmoid": {ops.HardSigmoid, func(x float64) float64 { return relu6(x+3) / 6 }},
		"hardswish":   {ops.HardSwish, func(x float64) float64 { return x * relu6(x+3) / 6 }},
		"mish":        {ops.Mish, func(x float64) float64 { return x * math.Tanh(math.Log1p(math.Exp(x))) }},
		"celu": {func(x *graph.Node) *graph.Node { return ops.Celu(x, 2) }, func(x float64) float64 {
			return max(x, 0) + min(0, 2*math.Expm1(x/2))
		}},
		"selu": {ops.Selu, func(x float64) float64 {
			return 1.0507009873554805 * (max(x, 0) + min(0, 1.6732632423543772*math.Expm1(x)))
		}},
		"softshrink": {func(x *graph.Node) *graph.Node { return ops.SoftShrink(x, 0.5) }, func(x float64) float64 {
			switch {
			case x > 0.5:
				return x - 0.5
			case x < -0.5:
				return x + 0.5
			}
			return x * 0
		}},
		"hardshrink": {func(x *graph.Node) *graph.Node { return ops.HardShrink(x, 0.5) }, func(x float64) float64 {
			if math.Abs(x) <= 0.5 {
				return 0
			}
			return x
		}},
		"softsign": {ops.Softsign, func(x float64) float64 { return x / (1 + math.Abs(x)) }},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("functions")
			x := g.Input("x", graph.Float64, graph.Dim(len(points)))
			want := make([]float64, len(points))
			for i, p := range points {
				want[i] = c.want(p)
			}
			requireClose(t, want, value(t, feeds{x: reference.Of(points, len(points))}, c.build(x)).Floats(), 1e-13,
				name)
		})
	}
}

func TestFunctionsOfTwoNumbers(t *testing.T) {
	n := len(points)
	for name, c := range map[string]struct {
		build func(x, y *graph.Node) *graph.Node
		want  func(x, y float64) float64
	}{
		"hypot": {ops.Hypot, math.Hypot}, "fmod": {ops.Fmod, math.Mod},
		"logaddexp": {ops.LogAddExp, func(x, y float64) float64 {
			if math.IsInf(x, 0) && x == y {
				return x
			}
			return max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("functions", graph.WithPolicy(graph.Policy{MutualExpand: graph.AllowSilently}))
			x, y := g.Input("x", graph.Float64, graph.Dim(n), 1), g.Input("y", graph.Float64, graph.Dim(n))
			var want []float64
			for _, p := range points {
				for _, q := range points {
					want = append(want, c.want(p, q))
				}
			}
			in := feeds{x: reference.Of(points, n, 1), y: reference.Of(points, n)}
			requireClose(t, want, value(t, in, c.build(x, y)).Floats(), 1e-13, name)
		})
	}
}

// TestAddCDivDividesInTheResultsDType expects a quotient of integers to be as exact as the sum.
func TestAddCDivDividesInTheResultsDType(t *testing.T) {
	g := graph.New("functions")
	x, a, b := g.Input("x", graph.Float64), g.Input("a", graph.Int64, 2), g.Input("b", graph.Int32)
	in := feeds{x: reference.Of([]float64{0.5}), a: reference.Of([]int64{1, 2}, 2), b: reference.Of([]int32{3})}
	y := ops.AddCDiv(x, a, b)
	require.Equal(t, graph.Float64, y.DType())
	requireClose(t, []float64{0.5 + 1./3, 0.5 + 2./3}, value(t, in, y).Floats(), 1e-15, "addcdiv")
	require.Equal(t, graph.Float64, ops.AddCDiv(x, a, graph.Num(0.5)).DType())
	require.Equal(t, graph.Float32, ops.AddCDiv(b, a, graph.Num(2)).DType())
}

func TestRoundingOfIntegers(t *testing.T) {
	g := graph.New("functions")
	x, y := g.Input("x", graph.Int32, 4), g.Input("y", graph.Int32, 4)
	in := feeds{x: reference.Of([]int32{7, -7, 7, -7}, 4), y: reference.Of([]int32{3, 3, -3, -3}, 4)}
	require.Equal(t, []int32{1, -1, 1, -1}, value(t, in, ops.Fmod(x, y)).Data)
	require.Equal(t, []int32{7, -7, 7, -7}, value(t, in, ops.Trunc(x)).Data)
	require.Equal(t, graph.Float32, ops.Sinh(x).DType())
	requireMistake(t, ops.Mish(x), `"mish_cpu" not implemented for 'Int'`)
	requireMistake(t, ops.Hypot(x, y), `"hypot_cpu" not implemented for 'Int'`)
}
