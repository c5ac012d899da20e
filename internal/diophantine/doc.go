// Package diophantine refutes systems of equations, inequalities and alternatives
// between polynomials over integers. It reports that no solution exists only if this
// is certain; it never reports that one exists. A statement is proved by refuting its
// negation.
//
// The method: equations with a linear unknown are solved for it, those without a
// coefficient of 1 by Euclid's algorithm on the coefficients, which also shows when the
// greatest common divisor does not divide the constant; bounds are propagated from unknown
// to unknown; the remaining inequalities are combined by Fourier-Motzkin elimination,
// rounded to integers; alternatives, remainders and small ranges are tried one by
// one. Products of unknowns count as separate unknowns whose bounds follow from
// those of their factors. See W. Pugh, "The Omega test" (1991), for the linear part.
//
// poly.go has polynomials and system.go systems of them. refute.go is the entry point: settle.go
// solves equations and propagates bounds, with the intervals of span.go; combine.go combines
// inequalities; and the rest is split into cases.
package diophantine
