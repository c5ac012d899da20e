// Package interval computes instructions of row programs with intervals in place of elements. Values of which nothing is known
// are taken for finite numbers, and divisors for others than 0.
//
// interval.go has what is known of a value, and what follows for a result; arithmetic.go computes bounds, which hold for
// what the types of elements round to.
package interval
