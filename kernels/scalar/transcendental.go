package scalar

import "github.com/broadloom/broadloom/kernels/rowprog"

// functions is the table of transcendental functions of one argument. They consist of operations that vectors have too.
var functions = [...]struct {
	f64 func(float64) float64
	f32 func(float32) float32
}{
	rowprog.OpExp:       {Exp64, Exp32},
	rowprog.OpExpOrZero: {ExpOrZero64, ExpOrZero32},
	rowprog.OpExpm1:     {Expm164, Expm132},
	rowprog.OpExp2:      {Exp264, Exp232},
	rowprog.OpLog:       {Log64, Log32},
	rowprog.OpLog1p:     {Log1p64, Log1p32},
	rowprog.OpLog2:      {Log264, Log232},
	rowprog.OpLog10:     {Log1064, Log1032},
	rowprog.OpTanh:      {Tanh64, Tanh32},
	rowprog.OpSigmoid:   {Sigmoid64, Sigmoid32},
	rowprog.OpErf:       {Erf64, Erf32},
	rowprog.OpSin:       {Sin64, Sin32},
	rowprog.OpCos:       {Cos64, Cos32},
}

// worst is the largest error of a function's float32 results, in units in the last place. The command
// kernels/internal/testkit/accuracy measures it over all inputs.
var worst = map[rowprog.Op]float64{
	rowprog.OpSqrt: 0.5, rowprog.OpRsqrt: 1.5, rowprog.OpRecip: 0.5, rowprog.OpPow: 0.51, rowprog.OpAtan2: 2,
	rowprog.OpExp: 1.1, rowprog.OpExpOrZero: 1.1, rowprog.OpExpm1: 2, rowprog.OpExp2: 1.1, rowprog.OpLog: 1,
	rowprog.OpLog1p: 1.5,
	rowprog.OpLog2:  2, rowprog.OpLog10: 2, rowprog.OpTanh: 3.5, rowprog.OpSigmoid: 2.5, rowprog.OpErf: 2.7,
	rowprog.OpSin: 1.7, rowprog.OpCos: 1.5,
}

// WorstULP is the largest error of a function's float32 results, in units in the last place.
func WorstULP(op rowprog.Op) float64 { return worst[op] }

// Function64 is a transcendental function of float64, or nil if op is none.
func Function64(op rowprog.Op) func(float64) float64 {
	if int(op) >= len(functions) {
		return nil
	}
	return functions[op].f64
}

// Function32 is a transcendental function of float32, or nil if op is none.
func Function32(op rowprog.Op) func(float32) float32 {
	if int(op) >= len(functions) {
		return nil
	}
	return functions[op].f32
}
