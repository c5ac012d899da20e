// Package arrayforms writes operations that are Go functions of whole arrays, such as factorizations of matrices, with other operations: for
// engines that have no such function, or one that differs from the next engine's.
//
// forms.go has the table, and sums, positions and orders along an axis; lu.go has triangular factors, orthogonal.go those of reflections and rotations,
// and matrixexp.go the exponential.
package arrayforms
