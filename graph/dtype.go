package graph

import "fmt"

// DType is the type of a tensor's elements.
type DType uint8

// The element types. Their order is the order of promotion within a category.
const (
	InvalidDType DType = iota
	Bool               // one byte, false or true
	Int32              // two's complement, wraps around
	Int64              // two's complement, wraps around
	Float32            // IEEE 754 binary32
	Float64            // IEEE 754 binary64
)

var dtypes = [...]struct {
	name, short, torch string
	size               int
	category           Category
}{
	InvalidDType: {"invalid", "?", "?", 0, CategoryNone},
	Bool:         {"bool", "bool", "Bool", 1, CategoryBool},
	Int32:        {"int32", "i32", "Int", 4, CategoryInt},
	Int64:        {"int64", "i64", "Long", 8, CategoryInt},
	Float32:      {"float32", "f32", "Float", 4, CategoryFloat},
	Float64:      {"float64", "f64", "Double", 8, CategoryFloat},
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

// Short returns the dtype's short name as the text form prints it, such as "f32".
func (t DType) Short() string { return t.row().short }

// TorchName returns the word by which PyTorch's error texts call the dtype, such as "Float".
func (t DType) TorchName() string { return t.row().torch }

// Size returns the bytes of one element.
func (t DType) Size() int { return t.row().size }

// Category returns the dtype's place in the order of promotion.
func (t DType) Category() Category { return t.row().category }

// Valid reports whether t is one of the five element types.
func (t DType) Valid() bool { return t > InvalidDType && int(t) < len(dtypes) }

// wrong says that t is no dtype.
func (t DType) wrong() string {
	return fmt.Sprintf("dtype(%d) is no dtype; use one of graph.Bool, Int32, Int64, Float32, Float64", uint8(t))
}

// IsFloat reports whether t is Float32 or Float64: the types that have gradients.
func (t DType) IsFloat() bool { return t.Category() == CategoryFloat }

// IsInt reports whether t is Int32 or Int64.
func (t DType) IsInt() bool { return t.Category() == CategoryInt }

func (t DType) row() (r struct {
	name, short, torch string
	size               int
	category           Category
}) {
	if int(t) >= len(dtypes) {
		t = InvalidDType
	}
	return dtypes[t]
}

// DTypes lists the element types in the order of promotion.
func DTypes() []DType { return []DType{Bool, Int32, Int64, Float32, Float64} }

// ParseDType reads a full or a short name.
func ParseDType(s string) (DType, error) {
	for _, t := range DTypes() {
		if s == t.String() || s == t.Short() {
			return t, nil
		}
	}
	return InvalidDType, fmt.Errorf("graph: %q is no dtype; the dtypes are bool, int32, int64, float32 and float64", s)
}

// Promote returns the dtype that holds both a and b: the higher category wins, and
// within a category the wider type. It is PyTorch's table for tensors of rank 1 and
// more; [PromoteOperands] adds its rule for scalars and plain numbers.
func Promote(a, b DType) DType { return max(a, b) }

// OperandRank is what decides how much an operand's dtype counts in promotion.
type OperandRank uint8

// The three weights of PyTorch's promotion, lowest first.
const (
	PlainNumber OperandRank = iota // a number written in the program
	RankZero                       // a tensor without axes
	RankMore                       // a tensor with at least one axis
)

// PromoteOperands is PyTorch's promotion rule: operands of rank 1 and more are
// promoted among themselves; an operand of lower weight counts only when its
// category is higher, and then a rank-0 tensor brings its own dtype, a plain number
// the default of its category (Int64, Float32).
func PromoteOperands(types []DType, ranks []OperandRank) DType {
	var byRank [RankMore + 1]DType
	for i, t := range types {
		byRank[ranks[i]] = Promote(byRank[ranks[i]], t)
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
