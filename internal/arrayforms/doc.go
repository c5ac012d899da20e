// Package arrayforms expresses operations that are Go functions of whole arrays, such as factorizations of matrices, by
// other operations. It is for engines that have no such function, or whose functions differ.
//
// forms.go has the table, and sums, positions and orders along an axis; lu.go has triangular factors, orthogonal.go
// factors from reflections and rotations, and matrixexp.go the exponential.
package arrayforms
