// Package interval computes instructions of row programs with intervals instead of elements. Unknown values
// are assumed to be finite numbers, and divisors to be other than 0.
//
// interval.go has the knowledge about a value, and derives that about a result; arithmetic.go computes bounds, which hold for
// the rounded results of the element types.
package interval
