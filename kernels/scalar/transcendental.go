package scalar

import (
	"math"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// functions is the one table of transcendental functions of one argument. Most of
// float32 are made of operations that vectors have too, within 3 ulp; the others are
// taken through float64 and rounded at the end.
var functions = [...]struct {
	f64 func(float64) float64
	f32 func(float32) float32
}{
	rowprog.OpExp:     {math.Exp, Exp32},
	rowprog.OpExpm1:   {math.Expm1, Expm132},
	rowprog.OpLog:     {math.Log, Log32},
	rowprog.OpLog1p:   {math.Log1p, Log1p32},
	rowprog.OpLog2:    {log2, Log232},
	rowprog.OpTanh:    {math.Tanh, Tanh32},
	rowprog.OpSigmoid: {sigmoid, Sigmoid32},
	rowprog.OpErf:     {math.Erf, Erf32},
	rowprog.OpSin:     {math.Sin, via(math.Sin)},
	rowprog.OpCos:     {math.Cos, via(math.Cos)},
}

// worst states how far float32 results of a function may be from the exact values, in
// units in the last place; the command kernels/internal/accuracy measures it over all
// inputs.
var worst = map[rowprog.Op]float64{
	rowprog.OpSqrt: 0.5, rowprog.OpRsqrt: 1.5, rowprog.OpExp: 1.1, rowprog.OpExpm1: 2, rowprog.OpLog: 1, rowprog.OpLog1p: 1.5,
	rowprog.OpLog2: 2, rowprog.OpTanh: 3.5, rowprog.OpSigmoid: 2.5, rowprog.OpErf: 1.2, rowprog.OpSin: 0.51, rowprog.OpCos: 0.51,
}

// WorstULP is how far float32 results of a function may be from the exact values, in
// units in the last place.
func WorstULP(op rowprog.Op) float64 { return worst[op] }

// Function64 is a transcendental function of float64, nil if op is none.
func Function64(op rowprog.Op) func(float64) float64 {
	if int(op) >= len(functions) {
		return nil
	}
	return functions[op].f64
}

// Function32 is a transcendental function of float32, nil if op is none.
func Function32(op rowprog.Op) func(float32) float32 {
	if int(op) >= len(functions) {
		return nil
	}
	return functions[op].f32
}

func via(f func(float64) float64) func(float32) float32 {
	return func(x float32) float32 { return float32(f(float64(x))) }
}

// PowFloat is x to the power of y.
func PowFloat[T Float](x, y T) T { return T(math.Pow(float64(x), float64(y))) }

// Atan2 is the angle of the point (y, x).
func Atan2[T Float](y, x T) T { return T(math.Atan2(float64(y), float64(x))) }

// log2 is exact for powers of two and, unlike math.Log2, accurate near 1.
func log2(x float64) float64 {
	if d := x - 1; math.Abs(d) < 0.25 {
		return math.Log1p(d) * (1 / math.Ln2)
	}
	return math.Log2(x)
}

// sigmoid is 1/(1+exp(-x)), written so that nothing overflows.
func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}
