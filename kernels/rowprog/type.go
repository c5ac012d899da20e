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
	typeCount
)

var types = [typeCount]struct {
	name string
	size int
}{
	NoType: {"none", 0},
	Bool:   {"bool", 1},
	I32:    {"i32", 4},
	I64:    {"i64", 8},
	F32:    {"f32", 4},
	F64:    {"f64", 8},
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

// IsFloat reports whether the type is floating point.
func (t Type) IsFloat() bool { return t == F32 || t == F64 }

// IsInt reports whether the type is an integer; Bool is none.
func (t Type) IsInt() bool { return t == I32 || t == I64 }

// typeSet is a set of types, one bit each.
type typeSet uint8

const (
	floats  = typeSet(1<<F32 | 1<<F64)
	ints    = typeSet(1<<I32 | 1<<I64)
	numbers = floats | ints
	logical = ints | 1<<Bool
	all     = numbers | 1<<Bool
)

func (s typeSet) has(t Type) bool { return t < typeCount && s&(1<<t) != 0 }

// Lanes is the number of partial results in which a row of type t is reduced by
// Sum and Prod: 256 bytes of them, four 512-bit or eight 256-bit registers.
func Lanes(t Type) int { return 256 / t.Size() }

// ChunkRows is the number of indices of outer axis 0 that are accumulated together.
const ChunkRows = 256

// RowChunk is the number of elements of a row that are reduced together.
const RowChunk = 1 << 13
