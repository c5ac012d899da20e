package rowprog

import "fmt"

// Op is what an instruction does.
type Op uint8

// The operations. Those from OpNeg to OpFMA are the primitives. scalar.Apply defines the meaning of one element of
// each, on operands of one type unless stated otherwise.
const (
	OpInvalid Op = iota

	OpConst // the literal Bits
	OpLoad  // an element of an operand
	// of an index and a limit: the element that lies index elements behind an operand's own, or the own one where the
	// index is not in 0..limit-1
	OpPick
	OpIota // the index along Axis, as I64

	// Of one value.
	OpNeg
	OpAbs
	OpSign // -1, 0 or 1; 0 of NaN
	OpSqrt
	OpRsqrt // 1 / sqrt(x), rounded twice
	OpRecip // 1 / x
	OpFloor
	OpCeil
	OpRound // half to even
	OpTrunc
	OpExp
	OpExpOrZero // of min(x, 0); 0 where the result is no normal number
	OpExpm1
	OpExp2
	OpLog
	OpLog1p
	OpLog2
	OpLog10
	OpTanh
	OpSigmoid
	OpErf
	OpSin
	OpCos
	OpNot // of Bool: negation; of integers: of each bit

	// OpConvert changes the type. Floating point to integer truncates, saturates and returns 0 for NaN; to Bool it is x
	// != 0; integers wrap around. A type for memory alone is only converted to and from its computed type.
	OpConvert

	// Of two values.
	OpAdd
	OpSub
	OpMul
	OpDiv      // of integers: truncated, 0 for a zero divisor
	OpRem      // Python's remainder with the divisor's sign; of integers by 0: 0
	OpFloorDiv // Python's floor division; of integers by 0: 0
	OpMax      // IEEE 754-2019 maximum: NaN wins, -0 < +0
	OpMin      // IEEE 754-2019 minimum: NaN wins, -0 < +0
	OpPow      // of integers: wraps around; a negative exponent truncates
	OpAtan2
	OpAnd // of Bool or of each bit, as are OpOr and OpXor
	OpOr
	OpXor
	OpLt // comparisons give Bool and are false for NaN, but for OpNe
	OpLe
	OpGt
	OpGe
	OpEq
	OpNe

	// Of three values.
	OpSelect // the second where the first, of Bool, is true, else the third
	OpFMA    // x*y + z, rounded once

	// Over the elements of a row.
	OpReduce // to a Row value, by Reduction

	// Without a result.
	OpStore      // to an operand
	OpAccumulate // into an operand, over its reduced axes, by Reduction
	OpGuard      // stops with Code where its Bool value is false, and tells the other value

	opCount
)

// result is a rule that derives an instruction's type from its operands' types.
type result uint8

const (
	own    result = iota // given by the instruction itself
	same                 // the operands' type
	truth                // Bool
	chosen               // Select: the type of its second and third operand
)

// opInfo describes the form of an operation.
type opInfo struct {
	name   string
	arity  int
	types  typeSet // of the operands that are of the operation's type
	result result
}

var ops = [opCount]opInfo{
	OpInvalid: {"invalid", 0, 0, own},
	OpConst:   {"const", 0, 0, own},
	OpLoad:    {"load", 0, 0, own},
	OpPick:    {"pick", 2, 1<<I32 | 1<<I64, own},
	OpIota:    {"iota", 0, 0, own},

	OpNeg:       {"neg", 1, numbers, same},
	OpAbs:       {"abs", 1, numbers, same},
	OpSign:      {"sign", 1, numbers, same},
	OpSqrt:      {"sqrt", 1, floats, same},
	OpRsqrt:     {"rsqrt", 1, floats, same},
	OpRecip:     {"recip", 1, floats, same},
	OpFloor:     {"floor", 1, floats, same},
	OpCeil:      {"ceil", 1, floats, same},
	OpRound:     {"round", 1, floats, same},
	OpTrunc:     {"trunc", 1, floats, same},
	OpExp:       {"exp", 1, floats, same},
	OpExpOrZero: {"exp_or_zero", 1, floats, same},
	OpExpm1:     {"expm1", 1, floats, same},
	OpExp2:      {"exp2", 1, floats, same},
	OpLog:       {"log", 1, floats, same},
	OpLog1p:     {"log1p", 1, floats, same},
	OpLog2:      {"log2", 1, floats, same},
	OpLog10:     {"log10", 1, floats, same},
	OpTanh:      {"tanh", 1, floats, same},
	OpSigmoid:   {"sigmoid", 1, floats, same},
	OpErf:       {"erf", 1, floats, same},
	OpSin:       {"sin", 1, floats, same},
	OpCos:       {"cos", 1, floats, same},
	OpNot:       {"not", 1, logical, same},
	OpConvert:   {"convert", 1, stored, own},

	OpAdd:      {"add", 2, numbers, same},
	OpSub:      {"sub", 2, numbers, same},
	OpMul:      {"mul", 2, numbers, same},
	OpDiv:      {"div", 2, numbers, same},
	OpRem:      {"rem", 2, numbers, same},
	OpFloorDiv: {"floordiv", 2, numbers, same},
	OpMax:      {"max", 2, numbers, same},
	OpMin:      {"min", 2, numbers, same},
	OpPow:      {"pow", 2, numbers, same},
	OpAtan2:    {"atan2", 2, floats, same},
	OpAnd:      {"and", 2, logical, same},
	OpOr:       {"or", 2, logical, same},
	OpXor:      {"xor", 2, logical, same},
	OpLt:       {"lt", 2, all, truth},
	OpLe:       {"le", 2, all, truth},
	OpGt:       {"gt", 2, all, truth},
	OpGe:       {"ge", 2, all, truth},
	OpEq:       {"eq", 2, all, truth},
	OpNe:       {"ne", 2, all, truth},

	OpSelect: {"select", 3, all, chosen},
	OpFMA:    {"fma", 3, floats, same},

	OpReduce: {"reduce", 1, all, own},

	OpStore:      {"store", 1, stored, own},
	OpAccumulate: {"accumulate", 1, all, own},
	OpGuard:      {"guard", 2, 1 << Bool, own},
}

// String names the operation as program text does, such as "mul".
func (o Op) String() string {
	if o >= opCount {
		return fmt.Sprintf("Op(%d)", uint8(o))
	}
	return ops[o].name
}

// Arity is the number of values that the operation takes.
func (o Op) Arity() int { return ops[o].arity }

// IsPrimitive reports whether the operation is a function of single elements.
func (o Op) IsPrimitive() bool { return o >= OpNeg && o <= OpFMA }

// IsEffect reports whether the operation has no result, but acts on memory or can stop the call.
func (o Op) IsEffect() bool { return o == OpStore || o == OpAccumulate || o == OpGuard }

// Accepts reports whether the operation is defined on operands of type t; for OpSelect, its second and third operand.
func (o Op) Accepts(t Type) bool { return o < opCount && ops[o].types.has(t) }

// Primitives lists the primitives in the order of their declaration.
func Primitives() []Op {
	list := make([]Op, 0, OpFMA-OpNeg+1)
	for o := OpNeg; o <= OpFMA; o++ {
		list = append(list, o)
	}
	return list
}
