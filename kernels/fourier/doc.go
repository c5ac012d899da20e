// Package fourier computes discrete Fourier transforms of float32 and float64. Complex numbers are pairs: the real part, and then the
// imaginary one. No sum is divided by its length.
//
// # How
//
// Transforms are computed side by side. An element is one place of as many transforms as 64 bytes have numbers: the real parts of
// all, its lanes, and then the imaginary ones. A length that is a product of 2, 3, 5 and 7 is transformed in steps of a few points each, from one row of
// elements to another, whose results come in order: Stockham's form of the fast Fourier transform (van Loan, Computational Frameworks for the Fast
// Fourier Transform, 1992). Along axes that others follow, what follows is side by side already.
//
// A long transform of neighbours is one of n1 transforms and n2 transforms, n = n1·n2, each side by side: numbers are read as a matrix of n1 rows, whose columns are transformed,
// multiplied with exp(-2πi·j·k/n), transposed, and transformed again (Bailey, FFTs in external or hierarchical memory, 1990).
//
// Transforms of an even number of real numbers are those of half as many complex ones. Other lengths are cyclic convolutions of a length that is such a product (Bluestein,
// A linear filtering approach to the computation of discrete Fourier transform, 1970), of which short ones are computed side by side.
//
// How a transform is computed follows from its length and where its numbers lie, and never from how many there are, or from the
// processor: all give the same bits.
//
// # Files
//
// fourier.go has the functions, and lanes.go, long.go and convolution.go the three ways to compute them. sequence.go is the steps of a length, plan.go keeps what
// is prepared for each, and block.go brings numbers into elements and out. loops.go names the innermost loops, plain.go has them in plain Go, loops_amd64.go and loops_arm64.go list
// those of table_amd64.go and table_arm64.go, which package gen writes, and loops_other.go says that there are none.
package fourier
