package graph

import (
	"fmt"
	"strings"
)

// DType is the type of a tensor's elements.
type DType uint8

// The element types. Integers are two's complement and wrap around.
const (
	InvalidDType DType = iota
	Bool               // one byte, false or true
	Uint8
	Int8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Uint64
	Float8E4M3FN // 4 bits of exponent and 3 of fraction, without infinities: for storage only
	Float8E5M2   // 5 bits of exponent and 2 of fraction: for storage only
	Float16      // IEEE 754 binary16
	BFloat16     // the upper half of a binary32: its range with 8 bits of precision
	Float32      // IEEE 754 binary32
	Float64      // IEEE 754 binary64
)

// dtypes has the properties of each element type. computed is the dtype in which operations compute: it holds all
// values of the dtype exactly.
var dtypes = [...]struct {
	name, short, torch, cpp string
	size                    int
	category                Category
	computed                DType
}{
	InvalidDType: {"invalid", "?", "?", "?", 0, CategoryNone, InvalidDType},
	Bool:         {"bool", "bool", "Bool", "bool", 1, CategoryBool, Bool},
	Uint8:        {"uint8", "u8", "Byte", "unsigned char", 1, CategoryInt, Int32},
	Int8:         {"int8", "i8", "Char", "signed char", 1, CategoryInt, Int32},
	Int16:        {"int16", "i16", "Short", "short int", 2, CategoryInt, Int32},
	Uint16:       {"uint16", "u16", "UInt16", "short unsigned int", 2, CategoryInt, Int32},
	Int32:        {"int32", "i32", "Int", "int", 4, CategoryInt, Int32},
	Uint32:       {"uint32", "u32", "UInt32", "unsigned int", 4, CategoryInt, Int64},
	Int64:        {"int64", "i64", "Long", "long int", 8, CategoryInt, Int64},
	Uint64:       {"uint64", "u64", "UInt64", "long unsigned int", 8, CategoryInt, Int64},
	Float8E4M3FN: {"float8_e4m3fn", "f8e4m3fn", "Float8_e4m3fn", "c10::Float8_e4m3fn", 1, CategoryFloat, Float32},
	Float8E5M2:   {"float8_e5m2", "f8e5m2", "Float8_e5m2", "c10::Float8_e5m2", 1, CategoryFloat, Float32},
	Float16:      {"float16", "f16", "Half", "c10::Half", 2, CategoryFloat, Float32},
	BFloat16:     {"bfloat16", "bf16", "BFloat16", "c10::BFloat16", 2, CategoryFloat, Float32},
	Float32:      {"float32", "f32", "Float", "float", 4, CategoryFloat, Float32},
	Float64:      {"float64", "f64", "Double", "double", 8, CategoryFloat, Float64},
}

// Category orders dtypes for promotion: bool < integer < floating point.
type Category uint8

// The categories of PyTorch's promotion rule, lowest first.
const (
	CategoryNone Category = iota
	CategoryBool
	CategoryInt
	CategoryFloat
)

// String returns the dtype's full name, such as "float32".
func (t DType) String() string { return t.row().name }

// GoName returns the name of the dtype's constant, such as "Float32".
func (t DType) GoName() string {
	switch {
	case t == BFloat16:
		return "BFloat16"
	case t.IsStorage():
		return "Float8" + strings.ToUpper(t.String()[len("float8_"):])
	case !t.Valid():
		return fmt.Sprintf("DType(%d)", t)
	}
	return strings.ToUpper(t.String()[:1]) + t.String()[1:]
}

// Short returns the dtype's short name as the text form prints it, such as "f32".
func (t DType) Short() string { return t.row().short }

// TorchName returns the word by which PyTorch's error texts call the dtype, such as "Float".
func (t DType) TorchName() string { return t.row().torch }

// CppName returns the dtype's name in C++, such as "long int", which some of PyTorch's error texts use.
func (t DType) CppName() string { return t.row().cpp }

// Size returns the bytes of one element.
func (t DType) Size() int { return t.row().size }

// Category returns the dtype's category for promotion.
func (t DType) Category() Category { return t.row().category }

// Valid reports whether t is one of the element types.
func (t DType) Valid() bool { return t > InvalidDType && int(t) < len(dtypes) }

// wrong says that t is no dtype.
func (t DType) wrong() string {
	return fmt.Sprintf("dtype(%d) is not a dtype; use one of graph's: %s", uint8(t), dtypeNames())
}

// IsFloat reports whether t is a floating-point type: those have gradients.
func (t DType) IsFloat() bool { return t.Category() == CategoryFloat }

// IsHalf reports whether t is a floating-point type of 16 bits: Float16 or BFloat16.
func (t DType) IsHalf() bool { return t == Float16 || t == BFloat16 }

// IsStorage reports whether values of t are stored, moved and converted, and not computed with: Float8E4M3FN and
// Float8E5M2.
func (t DType) IsStorage() bool { return t == Float8E4M3FN || t == Float8E5M2 }

// Gradient returns the dtype of gradients with respect to values of t: t itself, or Float32 if t is for storage only.
func (t DType) Gradient() DType {
	if t.IsStorage() {
		return t.Computed()
	}
	return t
}

// IsInt reports whether t is an integer type. Bool is not.
func (t DType) IsInt() bool { return t.Category() == CategoryInt }

// IsIndex reports whether t is a dtype of indices: Int32 or Int64.
func (t DType) IsIndex() bool { return t == Int32 || t == Int64 }

// IsUnsigned reports whether t is an integer type without negative numbers.
func (t DType) IsUnsigned() bool {
	return t == Uint8 || t == Uint16 || t == Uint32 || t == Uint64
}

// Bits returns the number of bits of an element of an integer type.
func (t DType) Bits() int { return 8 * t.Size() }

// Computed returns the dtype in which an operation on elements of t computes, before its result is stored as t: Int32
// and Int64 for narrower and unsigned integers, whose results wrap around to t, and Float32 for floating-point numbers
// of 16 and 8 bits, whose results are rounded to t, half to even. Other dtypes are computed in themselves. An Uint64
// beyond the greatest Int64 has the same bits as a negative one.
func (t DType) Computed() DType { return t.row().computed }

func (t DType) row() (r struct {
	name, short, torch, cpp string
	size                    int
	category                Category
	computed                DType
}) {
	if int(t) >= len(dtypes) {
		t = InvalidDType
	}
	return dtypes[t]
}

// DTypes lists the element types: by category, and within one from narrow to wide.
func DTypes() []DType {
	all := make([]DType, 0, len(dtypes)-1)
	for t := Bool; t.Valid(); t++ {
		all = append(all, t)
	}
	return all
}

// dtypeNames lists the names of the element types.
func dtypeNames() string {
	names := make([]string, 0, len(dtypes))
	for _, t := range DTypes() {
		names = append(names, t.String())
	}
	return strings.Join(names, ", ")
}

// ParseDType reads a full or a short name.
func ParseDType(s string) (DType, error) {
	for _, t := range DTypes() {
		if s == t.String() || s == t.Short() {
			return t, nil
		}
	}
	return InvalidDType, fmt.Errorf("graph: %q is not a dtype; the dtypes are %s", s, dtypeNames())
}

// Promote returns the common dtype of a and b. The higher category wins. Of two integers it is the wider one, and
// Int16 for Uint8 and Int8. Of two floating-point types it is the wider one, and Float32 for Float16 and BFloat16.
// InvalidDType is ignored. It is PyTorch's table for tensors of rank 1 and more. The table has no entry for an 8-bit
// float with another one, nor for Uint16, Uint32 and Uint64 with another integer type or Bool: then ok is false.
// [PromoteOperands] adds the rule for scalars and plain numbers.
func Promote(a, b DType) (t DType, ok bool) {
	low, high := min(a, b), max(a, b)
	switch {
	case low == high || low == InvalidDType:
		return high, true
	case low.IsStorage() || high.IsStorage():
		return InvalidDType, false
	case high.IsFloat() && !low.IsFloat():
		return high, true
	case low == Float16 && high == BFloat16:
		return Float32, true
	case low.IsFloat():
		return high, true
	case barelyPromoted(low) || barelyPromoted(high):
		return InvalidDType, false
	case low == Uint8 && high == Int8:
		return Int16, true
	}
	return high, true
}

// barelyPromoted reports whether PyTorch promotes t to floating-point types alone.
func barelyPromoted(t DType) bool { return t.IsUnsigned() && t != Uint8 }

// OperandRank is the priority of an operand's dtype in promotion.
type OperandRank uint8

// The three weights of PyTorch's promotion, lowest first.
const (
	PlainNumber OperandRank = iota // a number written in the program
	RankZero                       // a tensor without axes
	RankMore                       // a tensor with at least one axis
)

// PromoteOperands is PyTorch's promotion rule: operands of rank 1 and more are promoted among themselves. An operand
// of lower priority counts only if its category is higher; then a rank-0 tensor contributes its own dtype, and a
// plain number the default of its category (Int64, Float32). If [Promote] fails for two dtypes, the result is
// InvalidDType.
func PromoteOperands(types []DType, ranks []OperandRank) DType {
	var byRank [RankMore + 1]DType
	for i, t := range types {
		var ok bool
		if byRank[ranks[i]], ok = Promote(byRank[ranks[i]], t); !ok {
			return InvalidDType
		}
	}
	result := byRank[RankMore]
	if t := byRank[RankZero]; t.Category() > result.Category() {
		result = t
	}
	if t := byRank[PlainNumber]; t.Category() > result.Category() {
		result = t
		if t.IsFloat() {
			result = Float32
		} else if t.IsInt() {
			result = Int64
		}
	}
	return result
}
