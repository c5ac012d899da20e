// Package ops is the language of programs: one entry for each operation, with its dtype and shape
// rule, its gradient rule and the meaning of one element, and the function by which users call
// it.
//
// Operations broadcast and promote dtypes as PyTorch's do. A number in the program is written graph.Num(0.5); it takes
// the dtype of the tensor that it meets. The sign of a result that is 0 may be another than PyTorch's.
//
// An operation of a user's own is a [graph.Op] like those here, applied with [Apply].
//
// # Files
//
// What all operations use:
//   - define.go defines and applies entries
//   - format.go writes their arguments in messages
//   - reference.go lists functions for the reference
//   - refusal.go rejects arguments, and samesizes.go sizes that must be equal
//   - promote.go converts operands, autocast.go those of functions in mixed precision
//   - inplace.go makes in-place twins
//   - identity.go states identity elements
//   - customgradient.go gives compositions custom gradients
//   - expect.go promises shapes
//   - independent.go declares examples independent
//   - loop.go has loops, and associativescan.go those whose steps may be combined in any order
//   - branch.go has branches on values
//   - vmap.go computes functions of one example for a batch: vectorizer.go, vectorizerloops.go and vectorizergrad.go
//     write them so, by batchrules.go, batchattrs.go and convbatch.go
//   - assert.go checks values in a run
//   - callback.go, callbacks.go and callbackgrad.go call Go functions in a run, and print.go prints
//
// Elementwise operations:
//   - arithmetic.go, unary.go, compare.go, comparefloats.go, bitwise.go, rounding.go, clamp.go; outside.go: numbers
//     that no dtype holds
//   - logexp.go, powers.go, trigonometry.go, blend.go, wholenumbers.go, floatparts.go
//   - activation.go, hardactivation.go, gatedactivation.go, squareplus.go (and weights of a given norm)
//   - special.go (functions of errors and of the normal distribution), gammas.go, bessel.go
//   - series.go sums the series of these functions
//   - incompletegamma.go, betafunction.go, inverseshares.go, zeta.go (also exponential integrals of whole orders),
//     polynomials.go
//   - besselwaves.go, airy.go, expintegral.go, sineintegral.go (Fresnel's too), gammafunction.go (and relative
//     entropies)
//   - coefficients.go: polynomials that are vectors of coefficients
//   - combinatorial.go: factorials, choices, rising products; harmonics.go: Bessel functions of whole orders, spherical
//     harmonics, Owen's T
//   - bitcounts.go: the bits of integers; bitcast.go: those of any elements
//   - sinc.go; package ops/internal/chebyshev has the coefficients of all these
//
// Along axes:
//   - reduce.go, variance.go, vectornorm.go, prodgrad.go, sumto.go
//   - nanreduce.go leaves NaN out; statistics.go: covariances; differences.go: of neighbours, and integrals
//   - argextremum.go: the first of several greatest elements
//   - scan.go, softmax.go, softmaxover.go, norm.go, responsenorm.go, attention.go
//
// Changes of shape:
//   - shape.go, movement.go, rearrange.go, split.go, select.go, stack.go, stacks.go
//   - strided.go, triangle.go, window.go, after.go, barrier.go
//   - padding.go, also with elements of the operand
//
// By index:
//   - gather.go, take.go, segment.go
//   - scatter.go with put.go, and partwrites.go: whole parts replaced; outsideindex.go: indices outside of their axes
//   - multiindex.go, index.go: into several axes
//   - embeddingbag.go: rows of a table by bags of indices
//   - masked.go: by truth values; repeatby.go: each as often as a count says
//
// Products:
//   - matmul.go, einsum.go
//   - conv.go, convgrad.go, convback.go, depthwise.go, depthwiseloops.go, winograd.go with winogradforms.go and
//     winogradvolumes.go, convplaces.go, convseen.go, convtranspose.go, deformconv.go, pool.go, poolgrad.go,
//     poolindex.go, adaptivepool.go
//   - reducewindow.go: windows over all axes
//   - fractionalpool.go: windows at uneven distances, and indices of adaptive pools
//   - causalconv.go and linearattention.go: sequences read step by step
//   - windowoptions.go and sides.go have their options
//   - im2col.go lays windows out
//
// Images:
//   - resize.go with resizeoptions.go and resizeweights.go, gridsample.go, pixelshuffle.go, depthspace.go (and
//     sequences turned round)
//   - boxes.go, boxloss.go, nms.go: overlapping boxes; roialign.go, roipool.go: the content of boxes
//
// Whole arrays:
//   - sort.go with sortkeys.go and, of 64 bits, sortlong.go, and of short rows shortorder.go; searchsorted.go,
//     quantile.go, count.go, uniquealong.go
//   - running.go and columns.go: running maxima, and recurrences
//   - parts.go: between parts of long loops, functions ask whether the run is to stop
//   - fft.go, fftn.go: along several axes, with fftoptions.go
//   - convolve.go: convolutions and correlations of signals
//   - ranks.go; density.go: histograms of rows, and densities of samples
//   - stft.go: transforms of frames; signalwindow.go and tapers.go (also weights of mels) fade frames
//   - spectra.go: power and cross spectra, and detrending
//   - quantize.go with quantizeoptions.go, quantizeconv.go, int4.go, fakequantize.go: quantised integers; float8.go:
//     numbers of 8 bits
//
// Matrices, with matrixfunction.go:
//   - cholesky.go (and triangular systems), solve.go, lu.go, det.go
//   - systems.go: of factors and of several axes; ldl.go: of symmetric matrices
//   - eigh.go, eig.go, schur.go, qr.go, svd.go, polar.go, with pack.go; reflections.go: of which orthonormal matrices
//     are products
//   - sylvester.go: systems of two matrices, and with them square roots and logarithms
//   - pinv.go, matrixexp.go, matrixnorm.go
//   - tensorproduct.go: traces, and products of several axes; innerproduct.go
//   - renorm.go: norms of differences, and limiting norms
//
// Losses:
//   - loss.go, losstarget.go, givenprobabilities.go, likelihood.go, countlikelihood.go
//   - distance.go, marginlosses.go, labelmargin.go, scorelosses.go, ctc.go
//   - pairs.go: distances and products of all pairs
//   - lossoptions.go has their options
//
// New values:
//   - creation.go, ranges.go, grids.go, random.go, randomkeys.go, distributions.go, draws.go, moredraws.go,
//     countdraws.go, vectordraws.go, featuredropout.go
//   - rejection.go: rejection sampling; gammaslope.go has its gradient
//   - logprobs.go: logarithms of the probabilities of values
package ops
