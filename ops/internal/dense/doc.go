// Package dense computes with matrices by package triangular, package gemm, and LAPACK, as package gonum has it: float64, row by row without gaps.
//
// lu.go is what is solved with factors that are triangles, cholesky.go the factorization of positive-definite
// matrices, qr.go that with orthonormal columns, pinv.go pseudo-inverses, of matrices of full rank without singular values, expm.go exponentials.
//
// eigh.go is eigenvalues of symmetric matrices, and svd.go singular values. Both make of a matrix one with two diagonals. eigenvalues.go has the eigenvalues of
// such a symmetric one, and vectors for few rows; tridiagonal.go those of many rows, and bidiagonal.go the singular vectors, by merge.go, which puts a spectrum together from
// those of halves, with the solutions of the equation in secular.go.
//
// eig.go is eigenvalues of any square matrices, schur.go the forms on the way to them, which francis.go computes with many shifts at a time, complex.go
// those that are complex triangles, and root.go what is computed with these: square roots, logarithms, and systems of two matrices.
// multiply.go multiplies and transposes. No function allocates: what it needs beside its operands, it takes from a [Memory]. LAPACK's products of matrices
// beyond 128 rows or so run on goroutines of the library, each element on one of them, in one order: the bits do not depend
// on how many there are.
package dense

// Memory hands out room that lasts as long as a call.
type Memory interface {
	Floats(n int) []float64
	Ints(n int) []int
}
