// Package chebyshev has the coefficients of series of Chebyshev polynomials that are used to compute special functions.
//
// Program ops/testdata/special.py writes the other files: normal.go (errors and the normal distribution), bessel.go,
// modified.go (modified functions of Bessel), airy.go, sines.go (integrals of sines, and Fresnel's), integrals.go
// (exponential integrals, Spence's and Dawson's).
package chebyshev
