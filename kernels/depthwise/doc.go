// Package depthwise convolves each channel of a float32 image with a separate filter, and computes the gradients.
//
// A plane of an image is copied into memory that stays in the first-level cache, surrounded by zeros. Its rows are
// stored there one after another, as one long row. For all positions, a number of the filter multiplies that row,
// starting from some element, so vectors are full however narrow the plane is. The sums between rows are computed too,
// and ignored. For a stride of 2, every other row and column is stored in a separate row: a phase. The gradient of such
// a convolution for the image has the positions of the result in phases, each of which uses its part of the filter.
//
// With AVX-512, square filters of 3, 5 and 7 numbers along an axis (3 and 5 for a stride of 2) read planes in place:
// masks exclude elements outside a row, and the sums of a vector of columns stay in registers across rows.
//
// # Order of the sums
//
// A sum starts at zero and adds the products in the order of the filter's numbers: sum = fma(x, w, sum), rounded once,
// as in a matrix product. The gradient for a filter consists of 16 such sums, sum i over the elements i, i+16, i+32 …
// of the long row; these are folded in halves, the first and the second, and so on. All processors give the same bits.
//
// # Files
//
// conv.go is the convolution of an image and the gradient for it, and direct.go the one without copies; plan.go
// computes where elements are stored, and filters.go has the gradient for the filters. loops.go has the loops in plain
// Go, loops_amd64.go and loops_arm64.go list those of table_amd64.go and table_arm64.go, which package gen writes,
// pieces.go has the arguments of some of these, and loops_other.go has none.
package depthwise
