// Package triangular solves systems with triangular matrices of float32 or float64, and reduces matrices to triangular
// and bidiagonal form by factorization and reflections.
//
// # Order of the sums
//
// An element of a result starts as that of the operand, from which products are subtracted in the order of their
// columns: c = fma(-l, x, c), rounded once each. Then it is divided by an element of the diagonal. Along rows, a sum of
// products consists of eight sums of every eighth product, with float32 of 16 sums, and multiples of rows are added in
// the order of the rows. Processors differ only in how many elements they compute side by side, so all give the same
// bits.
//
// Matrices are computed in separate memory, in which the numbers of rows and columns are multiples of eight, with
// float32 of 16: added ones have 1 on the diagonal, and 0 elsewhere.
//
// # Files
//
//   - solve.go solves systems, lu.go has the factors of any matrix, cholesky.go those of a positive-definite one,
//     ldl.go those of a symmetric one, and qr.go Householder reflections, in blocks. unblocked.go and ldlunblocked.go
//     have the same for matrices that are too small for blocks.
//   - tridiagonal.go makes symmetric matrices tridiagonal, bidiagonal.go others bidiagonal, and hessenberg.go others
//     triangles with one diagonal below: LAPACK's condensed forms, for which condense.go has what they share.
//   - number.go has the types of numbers, matrix.go is the memory that all of them use, and rows.go has operations
//     along its rows.
//   - loops.go names the innermost loops and has them in plain Go, loops_amd64.go and loops_arm64.go list those of
//     table_amd64.go and table_arm64.go, which package gen writes, and loops_other.go has none.
package triangular
