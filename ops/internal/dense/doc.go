// Package dense computes with matrices, using package triangular, package gemm, and gonum's LAPACK: row by row without
// gaps, float64 or, where that takes half the time and LAPACK has it too, float32.
//
// No function allocates: any additional memory comes from a [Memory]. LAPACK's products of matrices beyond 128 rows or
// so run on goroutines of the library, each element on one of them, in one order: the bits do not depend on their
// number.
//
//   - number.go has the types of numbers.
//   - lu.go is what is solved with LU factors, cholesky.go the factorization of positive-definite matrices, qr.go that
//     with orthonormal columns.
//   - eigh.go is eigenvalues of symmetric matrices, and svd.go singular values. Both make of a matrix one with two
//     diagonals, tridiagonal or bidiagonal. eigenvalues.go has QL steps, for the eigenvalues of a tridiagonal one and
//     for few vectors. Vectors of larger ones come by divide and conquer: tridiagonal.go and bidiagonal.go divide,
//     merge.go puts a spectrum together from those of halves, with the solutions of the secular equation (secular.go).
//   - eig.go is eigenvalues of any square matrices, schur.go the Hessenberg and Schur forms on the way to them, which
//     francis.go computes with many shifts at a time, and complex.go has complex Schur forms.
//   - pinv.go is pseudo-inverses, of matrices of full rank without singular values, expm.go exponentials, and root.go
//     what is computed with Schur forms: square roots, logarithms, and Sylvester's equation.
//   - multiply.go multiplies and transposes.
package dense

// Memory provides memory that lasts as long as a call, and ends a long call. Poll is called time and again, after some
// elements; it may panic. Stopped reports whether it is going to.
type Memory interface {
	Floats(n int) []float64
	Ints(n int) []int
	Poll(elements int)
	Stopped() bool
}
