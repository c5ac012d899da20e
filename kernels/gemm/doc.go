// Package gemm is the portable matrix product, in plain Go: C = A·B or C += A·B for
// batches of strided matrices.
//
// # Order of the sums
//
// Every element of C is computed by itself, in an order that depends on nothing but
// K, so results do not change with the other sizes, the strides, the way in which
// rows are split over threads or the place of an element in its tile. K is cut into
// blocks of [KBlock]. In a block, a sum that starts at zero takes the products in the
// order of k: sum = sum + a*b, product and sum being rounded by themselves. The first
// block's sum is stored to C, or added to it for C += A·B; the others are added in
// order, as C = C + sum. Products with zero are not skipped, so that NaN and infinity
// propagate; with K = 0 the sum is zero.
//
// Kernels that use a fused multiply-add in place of product and sum round once where
// this package rounds twice. Their results differ in the last bits, and are
// reproducible by the same rule with sum = fma(a, b, sum).
//
// # Speed
//
// Blocks of A and B are packed in the order in which the innermost loop reads them.
// That loop keeps a tile of C of 3×2 elements in registers: the compiler computes all
// products of a step before it adds them, so that a larger tile does not fit the 15
// registers of amd64, and spilled sums halve the speed.
package gemm
