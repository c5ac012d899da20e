// Package ops is the language of programs: one entry for each operation, with its dtype and shape
// rule, its gradient rule and the meaning of one element, and the function by which users call
// it.
//
// Operations broadcast and promote dtypes as PyTorch's do. A number written in the program stands
// as graph.Num(0.5); it takes the dtype of the tensor that it meets. The sign of a result that is
// 0 may be another than PyTorch's.
//
// An operation of a user's own is a [graph.Op] like those here, applied with [Apply].
//
// # Files
//
// loop.go has loops, and branch.go those that values decide about. define.go defines entries and applies them; format.go writes their arguments in messages,
// reference.go lists functions for the reference,
// refusal.go refuses arguments, promote.go converts operands, inplace.go makes writing twins,
// identity.go states neutral elements, customgradient.go gives compositions gradients of their own, expect.go promises shapes, independent.go declares
// examples independent. All others are families of operations.
//
// Of elements: arithmetic.go, unary.go, compare.go, bitwise.go, rounding.go, clamp.go, logexp.go,
// trigonometry.go, blend.go, activation.go, hardactivation.go, gatedactivation.go, comparefloats.go,
// wholenumbers.go, floatparts.go; special functions: special.go (of errors and the normal distribution), gammas.go, bessel.go,
// sinc.go, and chebyshev.go with their coefficients. Of axes: reduce.go, variance.go,
// vectornorm.go, prodgrad.go, argextremum.go (the first of several greatest elements), scan.go,
// attention.go, softmax.go, norm.go, sumto.go. Of shapes: shape.go, movement.go, rearrange.go, split.go,
// select.go, stack.go, strided.go, triangle.go, window.go, padding.go (with elements of the operand), after.go. By index: gather.go, take.go,
// segment.go, scatter.go.
// Products: matmul.go, einsum.go; conv.go, convtranspose.go, pool.go, poolgrad.go and adaptivepool.go,
// with the options of windowoptions.go. Of whole arrays: sort.go, running.go (the greatest so far, recurrences), searchsorted.go, quantile.go, count.go; of matrices, by matrixfunction.go: cholesky.go
// (and triangular systems), solve.go, det.go; with pack.go eigh.go, qr.go, svd.go;
// pinv.go, matrixexp.go, matrixnorm.go, tensorproduct.go (traces and products of several axes); of waves: fft.go with fftoptions.go. Of quantised integers: quantize.go. Losses: loss.go, losstarget.go, likelihood.go, distance.go,
// marginlosses.go, countlikelihood.go, ctc.go, with the options of lossoptions.go. New
// values: creation.go, ranges.go, random.go, randomkeys.go, distributions.go, and rejection.go for those that are
// drawn until they are accepted. assert.go checks values in a run.
package ops
