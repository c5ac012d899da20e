package scalar

// Sign is -1, 0 or 1; 0 of NaN.
func Sign[T Number](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// DivInt is the quotient truncated towards zero, 0 for a zero divisor. The least
// integer divided by -1 wraps around to itself.
func DivInt[T Integer](x, y T) T {
	if y == 0 {
		return 0
	}
	return x / y
}

// RemInt is Python's remainder, which has the sign of the divisor; 0 for a zero divisor.
func RemInt[T Integer](x, y T) T {
	if y == 0 {
		return 0
	}
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// FloorDivInt is Python's floor division, 0 for a zero divisor.
func FloorDivInt[T Integer](x, y T) T {
	if y == 0 {
		return 0
	}
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// PowInt is x to the power of y. It wraps around; for a negative y it is the
// inverse truncated towards zero, and 0 for x == 0.
func PowInt[T Integer](x, y T) T {
	if y < 0 {
		switch {
		case x == 1, x == -1 && y&1 == 0:
			return 1
		case x == -1:
			return -1
		}
		return 0
	}
	r := T(1)
	for ; y != 0; y >>= 1 {
		if y&1 != 0 {
			r *= x
		}
		x *= x
	}
	return r
}
