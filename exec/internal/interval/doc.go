// Package interval executes instructions of row programs on intervals instead of elements. It assumes that unknown
// values are finite and that divisors are not 0.
//
// interval.go has the bounds of a value, and derives those of a result. arithmetic.go computes bounds, which hold for
// the rounded results of the element types.
package interval
