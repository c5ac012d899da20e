// Package dense computes with matrices by LAPACK, as package gonum has it, and by package triangular: float64, row by row without gaps.
//
// lu.go is what is solved with factors that are triangles, cholesky.go the factorization of positive-definite
// matrices, qr.go that with orthonormal columns, svd.go singular values and eigenvalues of symmetric matrices, pinv.go
// pseudo-inverses, of matrices of full rank without singular values, expm.go exponentials. schur.go is eigenvalues of any square matrices and the forms on the way to them, complex.go
// those that are complex triangles, and root.go what is computed with these: square roots, logarithms, and systems of two matrices. ldl.go
// factors symmetric matrices, and multiply.go multiplies. No function allocates: what it needs beside its operands, it takes from a [Memory]. LAPACK's products of matrices
// beyond 128 rows or so run on goroutines of the library, each element on one of them, in one order: the bits do not depend
// on how many there are.
package dense

// Memory hands out room that lasts as long as a call.
type Memory interface {
	Floats(n int) []float64
	Ints(n int) []int
}
