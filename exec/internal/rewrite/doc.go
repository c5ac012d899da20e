// Package rewrite has the passes from graph to graph, which do not depend on the rest of the compiler.
//
// A [Program] is a graph that passes through them. rewrite.go has the framework in which a pass visits nodes and
// replaces them, and the passes [Import] and [DCE], which (with overwritten.go) drops values that are overwritten
// unread. provenance.go records what became of each node, and verify.go checks invariants after each pass. Package
// analysis determines what single nodes do.
//
// The files of the passes, in the order in which the passes run:
//
//   - expand.go writes composite operations with primitive ones, and widen.go computes sums and products of narrow
//     dtypes in wider ones.
//   - simplify.go applies identities, which are listed in a table. Rules for products are in separate files:
//     transposed.go for factors that movements show, columns.go for few columns, smallproducts.go for many small
//     matrices, sumofproducts.go for sums that are matrix products, and blocksums.go for products of a vector and rows
//     of blocks, such as quantised weights. segments.go has values that are combined by index with an existing one.
//   - channelslast.go computes small images with the channels last.
//   - unroll.go writes short reductions one element at a time: shortrows.go those of rows that are too short for
//     vectors, narrowsums.go those of a few columns, many at a time, planes.go values for pairs of points, plane by
//     plane, and pairs.go folds of values for pairs of longer rows, in vectors across these.
//   - longrows.go makes rows of all channels if those of one are short.
//   - fold.go computes constants, and cse.go merges equal nodes.
//   - parts.go computes only the used parts of values, with partmovement.go for the parts that movements show.
//   - splitscores.go separates scores from the columns next to them.
//   - insertslices.go turns sums of padded slices into one value, if disjoint.go proves that they do not overlap, and
//     assembled.go does so for values assembled from such.
//   - latesums.go delays sums that are summed again.
//   - recompute.go recomputes values whose uses are far apart, such as matrices of attention.
//   - rematerialize.go computes cheap values for each user, and spread.go over larger shapes.
//   - implicitgemm.go lets products read windows in place.
//   - addrows.go writes only the rows that a sum by index changes, and putrows.go finds those that are put in place.
//   - sumrows.go writes sums over rows as products, if chains of kernels can include these.
//   - narrowfactors.go lets products read integers with fewer bits, from which zeropoints.go factors out zero points,
//     and integers with a scale for each block, which blockfactors.go finds.
//   - assemblelater.go computes elements of assembled values from the parts, in the cells of cells.go.
//   - keeplater.go lets loops keep sums instead of products.
//   - sequence.go orders nodes, and copies values that a write would destroy; wait.go determines what is awaited.
package rewrite
