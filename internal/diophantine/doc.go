// Package diophantine refutes systems of equations, inequalities and alternatives
// between polynomials over whole numbers. That no solution exists is only said when it
// is certain; that one exists is never said. A statement is proved by refuting its
// negation.
//
// The method: equations with a linear unknown are solved for it, those without a
// coefficient of 1 by Euclid's algorithm on the coefficients, which also shows when the
// greatest common divisor does not divide the constant; bounds are carried from unknown
// to unknown; the inequalities that are left are combined as Fourier and Motzkin did,
// rounded to whole numbers; alternatives, remainders and small ranges are tried one by
// one. Products of unknowns count as unknowns of their own whose bounds follow from
// those of their factors. See W. Pugh, "The Omega test" (1991), for the linear part.
//
// poly.go is polynomials and system.go systems of them. refute.go is the way through: settle.go
// solves equations and carries bounds, with the intervals of span.go; combine.go combines
// inequalities; and what is left is split into cases.
package diophantine
