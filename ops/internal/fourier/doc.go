// Package fourier computes discrete Fourier transforms by package gonum, in float64. Complex numbers are pairs: the real part, and
// then the imaginary one. No sum is divided by its length.
//
// plan.go keeps what the library prepares for each length, transform.go transforms.
package fourier
