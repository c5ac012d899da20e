// Package rewrite is the passes from graph to graph, which need no compiler behind them.
//
// A [Program] is a graph on its way through them. rewrite.go has the frame in which a pass visits nodes and gives others in
// their places, and the passes [Import] and [DCE], which drops with overwritten.go what is overwritten unread. provenance.go
// remembers what became of what, and verify.go checks what holds after each pass. Package analysis tells what single nodes do.
//
// The files of the passes, in the order in which the passes run:
//
//   - expand.go writes composite operations with primitive ones, and widen.go computes sums and products of narrow dtypes in
//     wider ones.
//   - simplify.go applies identities, which stand in a table. Rules of products have files of their own: transposed.go those
//     that movements show, columns.go those of few columns, smallproducts.go those of many small matrices, and sumofproducts.go
//     sums that are products of matrices. segments.go has what is united by index with a value that is there.
//   - channelslast.go computes small images with the channels last.
//   - unroll.go writes short reductions one element at a time: shortrows.go those of rows that are too short for vectors,
//     narrowsums.go those of a few columns, many at a time, and planes.go what is computed for pairs of points, plane by plane.
//   - longrows.go makes rows of all channels where those of one are short.
//   - fold.go computes constants, and cse.go merges equal nodes.
//   - parts.go computes of values the part alone that is used, with partmovement.go for what movements show.
//   - splitscores.go takes scores and the columns beside them apart.
//   - insertslices.go makes one value of slices out of sums of padded ones, which disjoint.go keeps apart, and assembled.go one
//     of values that are put together of such.
//   - latesums.go adds up later what is summed again.
//   - recompute.go computes again what is used far apart, as matrices of attention are.
//   - rematerialize.go computes cheap values for each user, and spread.go over larger shapes.
//   - implicitgemm.go lets products read windows where they lie.
//   - addrows.go writes the rows alone that a sum by index changes, and putrows.go finds those that are put in place.
//   - sumrows.go writes sums over rows as products, where chains of kernels can have these.
//   - narrowfactors.go lets products read integers of fewer bits, from which zeropoints.go takes out zero points.
//   - assemblelater.go computes elements of values that are put together from the parts, in the cells of cells.go.
//   - keeplater.go has loops keep sums in place of products.
//   - sequence.go orders nodes, and copies what a write would destroy; wait.go tells what is awaited.
package rewrite
