package graph

import "fmt"

// Prim is a primitive of one element.
type Prim uint8

// The primitives. Arithmetic on integers wraps around.
const (
	PrimAdd Prim = iota
	PrimSub
	PrimMul
	PrimDiv      // IEEE division; of integers: truncated
	PrimRem      // Python's remainder: the sign of the divisor
	PrimFloorDiv // Python's floor division
	PrimMax      // NaN wins
	PrimMin      // NaN wins
	PrimPow
	PrimAtan2
	PrimNeg
	PrimAbs
	PrimSign
	PrimSqrt
	PrimRsqrt
	PrimRecip
	PrimFloor
	PrimCeil
	PrimRound // half to even
	PrimTrunc
	PrimExp
	PrimExpOrZero // of min(x, 0); 0 if the result is not a normal number
	PrimExpm1
	PrimExp2
	PrimLog
	PrimLog1p
	PrimLog2
	PrimLog10
	PrimTanh
	PrimSigmoid
	PrimErf
	PrimSin
	PrimCos
	PrimLt
	PrimLe
	PrimGt
	PrimGe
	PrimEq
	PrimNe
	PrimAnd
	PrimOr
	PrimXor
	PrimNot
	PrimSelect // condition, then, else
	PrimFMA    // x*y + z, rounded once
	primCount
)

// primTypes are the dtypes that a primitive takes.
type primTypes uint8

const (
	anyType primTypes = iota
	numbers           // integers and floating-point numbers
	floats
	logical // booleans and integers
)

func (s primTypes) has(t DType) bool {
	switch s {
	case numbers:
		return t.IsInt() || t.IsFloat()
	case floats:
		return t.IsFloat()
	case logical:
		return t.IsInt() || t == Bool
	}
	return t.Valid()
}

var prims = [primCount]struct {
	name     string
	operands int
	types    primTypes
}{
	{"add", 2, numbers}, {"sub", 2, numbers}, {"mul", 2, numbers}, {"div", 2, numbers}, {"rem", 2, numbers},
	{"floordiv", 2, numbers}, {"max", 2, numbers}, {"min", 2, numbers}, {"pow", 2, numbers}, {"atan2", 2, floats},
	{"neg", 1, numbers}, {"abs", 1, numbers}, {"sign", 1, numbers}, {"sqrt", 1, floats}, {"rsqrt", 1, floats},
	{"recip", 1, floats},
	{"floor", 1, floats}, {"ceil", 1, floats}, {"round", 1, floats}, {"trunc", 1, floats},
	{"exp", 1, floats}, {"exp_or_zero", 1, floats}, {"expm1", 1, floats}, {"exp2", 1, floats}, {"log", 1, floats},
	{"log1p", 1, floats}, {"log2", 1, floats}, {"log10", 1, floats},
	{"tanh", 1, floats}, {"sigmoid", 1, floats}, {"erf", 1, floats}, {"sin", 1, floats}, {"cos", 1, floats},
	{"lt", 2, anyType}, {"le", 2, anyType}, {"gt", 2, anyType}, {"ge", 2, anyType}, {"eq", 2, anyType},
	{"ne", 2, anyType},
	{"and", 2, logical}, {"or", 2, logical}, {"xor", 2, logical}, {"not", 1, logical}, {"select", 3, anyType},
	{"fma", 3, floats},
}

// String returns the primitive's name in lower case.
func (p Prim) String() string {
	if p >= primCount {
		return "primitive " + itoa(int(p))
	}
	return prims[p].name
}

// Prims lists all primitives.
func Prims() []Prim {
	all := make([]Prim, primCount)
	for i := range all {
		all[i] = Prim(i)
	}
	return all
}

// Result returns the dtype of a primitive's result for operands of the given dtypes, or an error if it does not
// accept them. All operands have the dtype of the result, except that comparisons return Bool, and PrimSelect's first
// operand is Bool.
func (p Prim) Result(types ...DType) (DType, error) {
	switch {
	case p >= primCount:
		return InvalidDType, fmt.Errorf("there is no %s", p)
	case len(types) != prims[p].operands:
		return InvalidDType, fmt.Errorf("%s of %d operands: it takes %d", p, len(types), prims[p].operands)
	}
	of := types
	if p == PrimSelect {
		if types[0] != Bool {
			return InvalidDType, fmt.Errorf("select by a condition of %s: it must be bool", types[0])
		}
		of = types[1:]
	}
	for _, t := range of {
		if t != of[0] {
			return InvalidDType, fmt.Errorf("%s of %s: operands must have the same dtype", p, typeList(types))
		}
	}
	if !prims[p].types.has(of[0]) {
		return InvalidDType, fmt.Errorf("%s is not defined for %s", p, of[0])
	}
	if PrimLt <= p && p <= PrimNe {
		return Bool, nil
	}
	return of[0], nil
}

func typeList(types []DType) (text string) {
	for i, t := range types {
		if i > 0 {
			text += ", "
		}
		text += t.String()
	}
	return text
}
