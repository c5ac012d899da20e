// Package depthwise convolves each channel of an image of float32 with a filter of its own, and has the gradients of that.
//
// A plane of an image is copied into memory that stays in the first-level cache, with zeros around it. There its rows lie one behind the other, as one
// long row: what a number of the filter multiplies at all places is that row from some element on, so vectors are full
// however narrow the plane is. The sums between rows are computed too, and left there. Where the steps are 2, every other row and column is in a row of
// its own: a phase. The gradient for the image of such a convolution has the places of the result in phases, and each takes its share of the filter.
//
// With AVX-512, square filters of 3, 5 and 7 numbers along an axis (with steps of 2, of 3 and 5) read planes where they lie: masks leave out what is beside a row, and the sums of a vector of
// columns stay in registers while rows pass.
//
// # Order of the sums
//
// A sum starts at zero and takes the products in the order of the filter's numbers: sum = fma(x, w, sum), rounded once, as a product of matrices does.
// The gradient for a filter is 16 sums in that manner, the sum i of the elements i, i+16, i+32 … of the long row; then of the first
// half and the second, and so on. All processors give the same bits.
//
// # Files
//
// conv.go is the convolution of an image, with the gradient for it, and direct.go the one that copies nothing; plan.go tells where elements lie, filters.go has the gradient for the filters. loops.go has
// the loops in plain Go, loops_amd64.go and loops_arm64.go list those of table_amd64.go and table_arm64.go, which package gen writes, pieces.go what some of these are told, and loops_other.go says that there are none.
package depthwise
