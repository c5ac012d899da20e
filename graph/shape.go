package graph

import (
	"slices"
	"strings"
)

// Shape lists the sizes of a value's axes, outermost first. An empty shape is a scalar (rank 0). There is no maximum
// rank.
type Shape []Dim

// MakeShape copies sizes into a Shape.
func MakeShape(sizes ...int) Shape {
	s := make(Shape, len(sizes))
	for i, n := range sizes {
		s[i] = Dim(n)
	}
	return s
}

// Rank returns the number of axes.
func (s Shape) Rank() int { return len(s) }

// Equal reports whether both shapes have the same sizes by normal form.
func (s Shape) Equal(t Shape) bool { return slices.Equal(s, t) }

// NumElements returns the product of the sizes.
func (s Shape) NumElements() Dim {
	n := Dim(1)
	for _, d := range s {
		n = n.Times(d)
	}
	return n
}

// Ints returns the sizes as numbers; ok is false when one of them is not a whole number.
func (s Shape) Ints() (sizes []int, ok bool) {
	sizes = make([]int, len(s))
	for i, d := range s {
		n, whole := d.Int()
		if !whole || n < 0 {
			return nil, false
		}
		sizes[i] = int(n)
	}
	return sizes, true
}

// IsStatic reports whether every size is a whole number.
func (s Shape) IsStatic() bool {
	for _, d := range s {
		if !d.IsConst() {
			return false
		}
	}
	return true
}

// String returns the form "[batch, 128]", as PyTorch writes shapes in its texts.
func (s Shape) String() string { return "[" + s.join(", ") + "]" }

// Compact returns the form "[batch,128]" of the text form.
func (s Shape) Compact() string { return "[" + s.join(",") + "]" }

func (s Shape) join(sep string) string {
	if len(s) == 0 {
		return ""
	}
	var b strings.Builder
	for i, d := range s {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(d.String())
	}
	return b.String()
}

// AxisKind says how one operand meets one axis of a broadcast result.
type AxisKind uint8

// The kinds of the broadcasting record.
const (
	Same      AxisKind = iota // the operand has the result's size
	Stretched                 // the operand has size 1 and is repeated
	Missing                   // the operand has no such axis and is repeated
	Undecided                 // a size that may be 1: same or stretched once sizes are bound
)

var axisKinds = [...]string{"same", "stretched", "missing", "undecided"}

// String names the kind in lower case.
func (k AxisKind) String() string { return nameOf(axisKinds[:], k, "axis kind") }
