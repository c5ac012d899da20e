package loops

import (
	"math"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// SumLanes adds the elements of x to the lanes in turn, from the first lane on. The number of lanes is a power of two
// and at least 8.
func SumLanes[T scalar.Number](lanes, x []T) {
	whole := len(x) &^ 7
	for k := 0; k < len(lanes) && k < whole; k += 8 {
		l := (*[8]T)(lanes[k:])
		l0, l1, l2, l3, l4, l5, l6, l7 := l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7]
		for i := k; i < whole; i += len(lanes) {
			v := (*[8]T)(x[i:])
			l0 += v[0]
			l1 += v[1]
			l2 += v[2]
			l3 += v[3]
			l4 += v[4]
			l5 += v[5]
			l6 += v[6]
			l7 += v[7]
		}
		l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7] = l0, l1, l2, l3, l4, l5, l6, l7
	}
	for i, v := range x[whole:] {
		lanes[(whole+i)&(len(lanes)-1)] += v
	}
}

// ProdLanes multiplies the elements of x into the lanes in turn.
func ProdLanes[T scalar.Number](lanes, x []T) {
	for len(x) > len(lanes) {
		Mul(lanes, lanes, x)
		x = x[len(lanes):]
	}
	Mul(lanes[:len(x)], lanes, x)
}

// FoldSum adds the lanes by halves; their number is a power of two.
func FoldSum[T scalar.Number](lanes []T) T {
	for h := len(lanes) / 2; h > 0; h /= 2 {
		Add(lanes[:h], lanes, lanes[h:])
	}
	return lanes[0]
}

// FoldProd multiplies the lanes by halves; their number is a power of two.
func FoldProd[T scalar.Number](lanes []T) T {
	for h := len(lanes) / 2; h > 0; h /= 2 {
		Mul(lanes[:h], lanes, lanes[h:])
	}
	return lanes[0]
}

// MaxOf is the greatest of m and the elements of x.
func MaxOf[T scalar.Element](m T, x []T) T {
	for _, v := range x {
		if !(v <= m) { // greater or NaN; seldom, so well predicted
			m = max(m, v)
		}
	}
	if m == 0 && math.Signbit(float64(m)) {
		for _, v := range x {
			if v == 0 {
				m = max(m, v) // +0 over -0
			}
		}
	}
	return m
}

// MaxNumberOf is the greatest of m and the elements of x that are numbers; +0 if it is a zero.
func MaxNumberOf[T scalar.Number](m T, x []T) T {
	for _, v := range x {
		if v > m {
			m = v
		}
	}
	return m + 0
}

// MinOf is the least of m and the elements of x.
func MinOf[T scalar.Element](m T, x []T) T {
	for _, v := range x {
		if !(v >= m) {
			m = min(m, v)
		}
	}
	if m == 0 {
		for _, v := range x {
			if v == 0 {
				m = min(m, v) // -0 over +0
			}
		}
	}
	return m
}

// ArgMax updates the greatest element so far and its index, -1 for none, with the elements of x; the first of them has
// index first.
func ArgMax[T scalar.Element](best T, at int64, x []T, first int64) (T, int64) {
	for i, v := range x {
		if best != best {
			break // nothing wins over the first NaN
		}
		if at < 0 || v > best || v != v {
			best, at = v, first+int64(i)
		}
	}
	return best, at
}

// ArgMin updates the least element so far and its index, as ArgMax does.
func ArgMin[T scalar.Element](best T, at int64, x []T, first int64) (T, int64) {
	for i, v := range x {
		if best != best {
			break
		}
		if at < 0 || v < best || v != v {
			best, at = v, first+int64(i)
		}
	}
	return best, at
}
