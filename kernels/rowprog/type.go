package rowprog

import "fmt"

// Type is the type of an element.
type Type uint8

// The element types.
const (
	NoType Type = iota // the type of an instruction without a result
	Bool               // one byte, 0 or 1, as Go's bool
	I32                // int32, wraps around
	I64                // int64, wraps around
	F32                // IEEE 754 binary32
	F64                // IEEE 754 binary64

	// Other types of operands and constants: see [Type.Computed].
	U8
	I8
	U16
	I16
	U32
	U64
	F16    // IEEE 754 binary16
	BF16   // the upper half of an F32
	F8E4M3 // 4 bits of exponent, 3 of fraction, no infinity: half.Float8E4M3FN
	F8E5M2 // 5 bits of exponent, 2 of fraction: half.Float8E5M2
	typeCount
)

var types = [typeCount]struct {
	name     string
	size     int
	computed Type
}{
	NoType: {"none", 0, NoType},
	Bool:   {"bool", 1, Bool},
	I32:    {"i32", 4, I32},
	I64:    {"i64", 8, I64},
	F32:    {"f32", 4, F32},
	F64:    {"f64", 8, F64},
	U8:     {"u8", 1, I32},
	I8:     {"i8", 1, I32},
	U16:    {"u16", 2, I32},
	I16:    {"i16", 2, I32},
	U32:    {"u32", 4, I64},
	U64:    {"u64", 8, I64},
	F16:    {"f16", 2, F32},
	BF16:   {"bf16", 2, F32},
	F8E4M3: {"f8e4m3", 1, F32},
	F8E5M2: {"f8e5m2", 1, F32},
}

// String names the type as program text does, such as "f32".
func (t Type) String() string {
	if t >= typeCount {
		return fmt.Sprintf("Type(%d)", uint8(t))
	}
	return types[t].name
}

// Size is the number of bytes of an element.
func (t Type) Size() int { return types[t].size }

// Computed returns the type to which an element is converted for computation. Types other than Bool, I32, I64, F32 and
// F64 are for memory alone: their values can only be loaded, stored, and converted to the computed type, exactly, and
// back. Back, an integer wraps around and a number is rounded half to even. A U64 and its I64 have the same bits.
func (t Type) Computed() Type { return types[t].computed }

// MayHaveStep reports whether operands of the type may have a step: elements of 4 bytes that are computed with as they
// are.
func (t Type) MayHaveStep() bool { return t.Size() == 4 && t.Computed() == t }

// IsFloat reports whether the type is one of floating-point numbers for computation.
func (t Type) IsFloat() bool { return t == F32 || t == F64 }

// IsInt reports whether the type is one of integers for computation; Bool is not.
func (t Type) IsInt() bool { return t == I32 || t == I64 }

// typeSet is a set of types, one bit each.
type typeSet uint32

const (
	floats  = typeSet(1<<F32 | 1<<F64)
	ints    = typeSet(1<<I32 | 1<<I64)
	numbers = floats | ints
	logical = ints | 1<<Bool
	all     = numbers | 1<<Bool
	stored  = typeSet(1<<typeCount - 2) // all of them, those for memory included
)

func (s typeSet) has(t Type) bool { return t < typeCount && s&(1<<t) != 0 }

// Lanes is the number of partial results with which Sum and Prod reduce a row of type t: 256 bytes, four 512-bit or
// eight 256-bit registers.
func Lanes(t Type) int { return 256 / t.Size() }

// ChunkRows is the number of indices of outer axis 0 that are accumulated together.
const ChunkRows = 256

// RowChunk is the number of elements of a row that are reduced together.
const RowChunk = 1 << 13
