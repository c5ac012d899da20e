package symbolic

import "fmt"

// Bounds describe what is known about a named size.
type Bounds struct {
	Min, Max int64 // Max 0: no greatest value
	Multiple int64 // the size is a multiple of it; 0 and 1: any
	MayBeOne bool  // the size may be 1 and then broadcasts
	Is       Dim   // the size that it was said to be; 0: nothing was said
	Exact    bool  // the name of a number, Min: under Strict names a different size from that number
}

// BoundsOf returns what is known about each name.
type BoundsOf func(name string) Bounds

// DefaultBounds are those of a name that was declared without options: at least 1.
func DefaultBounds() Bounds { return Bounds{Min: 1} }

// Nominal returns what the name alone says: for the name of a number, its divisors but not the number.
func (b Bounds) Nominal() Bounds {
	if b.Exact {
		b.Max, b.Multiple = 0, b.Min
	}
	return b
}

// Least returns the least size within the bounds.
func (b Bounds) Least() int64 {
	k := max(b.Multiple, 1)
	return (b.Min + k - 1) / k * k
}

// IsEmpty reports whether no size satisfies b.
func (b Bounds) IsEmpty() bool {
	if b.Min < 0 || b.Max < 0 || b.Multiple < 0 {
		return true
	}
	return b.Max > 0 && b.Least() > b.Max
}

// IsWithin reports whether all sizes that satisfy b satisfy old.
func (b Bounds) IsWithin(old Bounds) bool {
	return b.Min >= old.Min && (old.Max == 0 || b.Max > 0 && b.Max <= old.Max) &&
		max(b.Multiple, 1)%max(old.Multiple, 1) == 0
}

// String returns the bounds in words: "at least 1, a multiple of 8".
func (b Bounds) String() string {
	if b.Exact {
		return fmt.Sprintf("exactly %d", b.Min)
	}
	text := fmt.Sprintf("at least %d", b.Min)
	if b.Max != 0 {
		text += fmt.Sprintf(", at most %d", max(b.Max, 0))
	}
	if b.Multiple > 1 || b.Multiple < 0 {
		text += fmt.Sprintf(", a multiple of %d", b.Multiple)
	}
	return text
}

// Implied returns what the bounds b say of the one name in b.Is, of which other bounds are known: if b.Is is m and b is
// at least 2, m is at least 2 too. Where that leaves no value, it returns the other bounds as they are.
func (b Bounds) Implied(other Bounds) Bounds {
	names := b.Is.Symbols()
	if len(names) != 1 {
		return other
	}
	coef, rest, _ := b.Is.Linear(names[0])
	more, static := rest.Int()
	const far = 1 << 31 // beyond it the products below may overflow
	if !static || coef < 1 || max(coef, more, -more, b.Min, b.Max, b.Multiple) > far {
		return other
	}
	implied := other
	implied.Min = max(implied.Min, -floorDiv(more-b.Min, coef))
	if b.Max > 0 {
		most := floorDiv(b.Max-more, coef)
		if most < 1 {
			return other
		}
		if implied.Max == 0 || most < implied.Max {
			implied.Max = most
		}
	}
	if k := max(implied.Multiple, 1); coef == 1 && more == 0 && b.Multiple > 1 && k <= far {
		implied.Multiple = b.Multiple / gcd(b.Multiple, k) * k
	}
	if implied.IsEmpty() {
		return other
	}
	return implied
}
