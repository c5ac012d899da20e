// Package triangular solves systems with triangular matrices of float64, and makes matrices triangles and matrices with two diagonals by
// factors and reflections.
//
// # Order of the sums
//
// An element of a result begins with that of the operand, from which products are taken in the order of their columns: c = fma(-l, x, c),
// rounded once each. Then it is divided by an element of the diagonal. Along rows, a sum of products is eight sums of every eighth product each, and multiples
// of rows are added in the order of the rows. Processors differ only in how many elements they compute side by side, so all give
// the same bits.
//
// Matrices are computed in memory of their own, where they have a multiple of eight rows and columns: those that are added have 1 on the diagonal, and else 0.
//
// # Files
//
//   - solve.go has systems, lu.go the factors of any matrix, cholesky.go those of a positive-definite one, ldl.go those of a
//     symmetric one, and qr.go Householder reflections, in blocks. unblocked.go and ldlunblocked.go have the same for
//     matrices that are too small for blocks.
//   - tridiagonal.go makes symmetric matrices tridiagonal, bidiagonal.go others bidiagonal, and hessenberg.go others triangles
//     with one diagonal below: LAPACK's condensed forms, for which condense.go has what they share.
//   - matrix.go is the memory that all compute in, and rows.go what goes along its rows.
//   - loops.go names the innermost loops and has them in plain Go, loops_amd64.go and loops_arm64.go list those of
//     table_amd64.go and table_arm64.go, which package gen writes, and loops_other.go says that there are none.
package triangular
