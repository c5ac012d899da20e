package interval

import (
	"math"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Bounds are two numbers between which a value lies.
type Bounds struct{ Lo, Hi float64 }

// Anything is the bounds of a value of which nothing is known.
var Anything = Bounds{math.Inf(-1), math.Inf(1)}

// Exactly returns the bounds of a known number.
func Exactly(x float64) Bounds { return Bounds{x, x} }

// Is reports whether the value is known to be x.
func (f Bounds) Is(x float64) bool { return f.Lo == x && f.Hi == x }

// known reports whether both bounds are finite.
func (f Bounds) known() bool { return !math.IsInf(f.Lo, 0) && !math.IsInf(f.Hi, 0) }

// masked reports whether the value is -∞, as masked scores are.
func (f Bounds) masked() bool { return f.Is(math.Inf(-1)) }

// IsNeutral reports whether leaving out elements with these bounds does not change a reduction.
func (f Bounds) IsNeutral(r rowprog.Reduction) bool {
	switch r {
	case rowprog.Sum:
		return f.Is(0)
	case rowprog.Prod:
		return f.Is(1)
	case rowprog.Max, rowprog.MaxNumber:
		return f.masked()
	case rowprog.Min:
		return f.Is(math.Inf(1))
	}
	return false
}

// Of returns the bounds of an elementwise instruction's result from those of its arguments.
func Of(in *rowprog.Inst, arg func(int) Bounds) Bounds {
	switch in.Op {
	case rowprog.OpConst:
		return Exactly(numberOf(in.Type, in.Bits))
	case rowprog.OpConvert:
		return exact(in.Type, arg(0))
	case rowprog.OpSelect:
		switch c := arg(0); {
		case c.Is(1):
			return arg(1)
		case c.Is(0):
			return arg(2)
		}
		return Bounds{min(arg(1).Lo, arg(2).Lo), max(arg(1).Hi, arg(2).Hi)}
	case rowprog.OpExp, rowprog.OpExpOrZero, rowprog.OpSigmoid:
		if arg(0).masked() {
			return Exactly(0)
		}
	case rowprog.OpNot:
		if in.Type == rowprog.Bool {
			return Bounds{1 - arg(0).Hi, 1 - arg(0).Lo}
		}
	case rowprog.OpNeg:
		return Bounds{-arg(0).Hi, -arg(0).Lo}
	case rowprog.OpMax:
		return Bounds{max(arg(0).Lo, arg(1).Lo), max(arg(0).Hi, arg(1).Hi)}
	case rowprog.OpMin:
		return Bounds{min(arg(0).Lo, arg(1).Lo), min(arg(0).Hi, arg(1).Hi)}
	case rowprog.OpAnd, rowprog.OpOr:
		if in.Type == rowprog.Bool {
			return logical(in.Op, arg(0), arg(1))
		}
	case rowprog.OpAdd, rowprog.OpSub, rowprog.OpMul, rowprog.OpDiv:
		return arithmetic(in, arg(0), arg(1))
	case rowprog.OpLt, rowprog.OpLe, rowprog.OpGt, rowprog.OpGe:
		return comparison(in.Op, arg(0), arg(1))
	}
	if in.Type == rowprog.Bool {
		return Bounds{0, 1}
	}
	return Anything
}
