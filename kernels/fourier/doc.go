// Package fourier computes discrete Fourier transforms of float32 and float64. Complex numbers are pairs of the real
// and the imaginary part. No sum is divided by its length.
//
// # Algorithms
//
// Transforms are computed side by side. An element is one position of several transforms, as many as there are numbers
// in 64 bytes: the real parts of all of them, one per lane, and then the imaginary parts. A length that is a product of
// 2, 3, 5, 7, 11 and 13 is transformed in steps of a few points each, from one row of elements to another, with the
// results in order: Stockham's form of the fast Fourier transform (van Loan, Computational Frameworks for the Fast
// Fourier Transform, 1992). If other axes follow the transformed one, their numbers are already side by side.
//
// A long transform of contiguous numbers is computed as n1 and n2 transforms, n = n1·n2, each side by side: numbers are
// read as a matrix of n1 rows, whose columns are transformed, multiplied by exp(-2πi·j·k/n), transposed, and
// transformed again (Bailey, FFTs in external or hierarchical memory, 1990).
//
// Transforms of an even number of real numbers are computed as those of half as many complex ones. Other lengths are
// computed as cyclic convolutions whose length is such a product (Bluestein, A linear filtering approach to the
// computation of discrete Fourier transform, 1970); short ones are computed side by side.
//
// The algorithm depends on the length and layout of the numbers, and never on the number of transforms or the
// processor: all give the same bits.
//
// # Files
//
// fourier.go has the functions, and lanes.go, long.go and convolution.go have the three ways to compute them.
// sequence.go has the steps for a length, plan.go keeps the precomputed values for each, and block.go moves numbers
// into and out of elements. loops.go names the innermost loops, plain.go has them in plain Go, loops_amd64.go and
// loops_arm64.go list those of table_amd64.go and table_arm64.go, which package gen writes, and loops_other.go has
// none.
package fourier
