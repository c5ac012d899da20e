package symbolic

import "fmt"

// endOfSizes is more than any memory holds. Go's operators make such numbers from handles.
const endOfSizes = 1 << 48

// NotRepresentable says what may be wrong with a number that is no size, and UseMethods what to do.
const (
	NotRepresentable = "the size is too large for an int64, was computed from a named size with Go's operators, or belongs to a graph that no longer exists"
	UseMethods       = "use the methods of named sizes: batch.Plus(1), batch.Times(2), batch.Minus(n), batch.FloorDiv(2)"
)

// IsMisused reports whether d was computed from a named size with Go's operators, or is too large for an int64. A
// number larger than any memory is not a size, but can be an argument that means everything: such numbers are powers
// of two or ten, and [math.MaxInt64]. Go's operators on a handle give neither.
func (d Dim) IsMisused() bool {
	n, whole := d.Int()
	if !whole {
		return !d.Valid() && !d.IsUnknown()
	}
	m := absInt(n)
	if m < endOfSizes || m&(m-1) == 0 || m&(m+1) == 0 {
		return false
	}
	for m%10 == 0 {
		m /= 10
	}
	return m != 1
}

// IsNegative reports whether d is a number below 0, and not one that Go's operators made from a named size.
func (d Dim) IsNegative() bool { return d < 0 && d > -endOfSizes }

// IsSize reports whether d can be the size of an axis: it is not negative, not larger than any memory, and not
// computed with Go's operators.
func (d Dim) IsSize() bool {
	return uint64(d) < endOfSizes || d.IsUnknown() || d.IsSymbolic()
}

// WhyNoSize says why d cannot be the size of an axis, and what to do; "" if it can be one.
func WhyNoSize(d Dim) (text, help string) {
	switch {
	case d.IsSize():
		return "", ""
	case d.IsNegative():
		return fmt.Sprintf("%d is no size", d),
			"sizes must be at least 0; use a named size for one known only at run time: g.Dim(\"batch\")"
	}
	return NotRepresentable, UseMethods
}
