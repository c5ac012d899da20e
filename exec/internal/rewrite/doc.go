// Package rewrite is the passes from graph to graph, which need no compiler behind them.
//
// A [Program] is a graph on its way through them; rewrite.go has the frame in which a pass visits
// nodes and gives others in their places, and provenance.go remembers what became of what. In the
// order in which they run: [Import] copies what the roots need; expand.go writes composite
// operations with primitive ones; widen.go computes sums and products of narrow dtypes in wider ones; simplify.go applies identities, which stand in a table, with
// transposed.go for products that movements show, columns.go for products of few columns, and sumofproducts.go for sums that are products of
// matrices; unroll.go, with shortrows.go, writes short reductions one
// element at a time, with narrowsums.go folds rows of a few columns many at a time, and with planes.go what is computed for pairs of points plane by plane; longrows.go makes rows of all channels where those of one are short; fold.go computes constants; cse.go merges equal nodes; parts.go computes of values the part alone that is used, with partmovement.go for what movements show; splitscores.go takes scores and
// the columns beside them apart; insertslices.go makes
// one value of slices out of sums of padded ones, which disjoint.go keeps apart, and assembled.go one of values that are put together of such;
// latesums.go adds up later what is summed again, and scorefactors.go has products read scores as their first factor;
// scoreaxes.go brings the axes of scores, to which scoreroles.go gives roles, into the order that chains of kernels want, scorebiases.go lays out what is added to them, and splitaxes.go splits those that are several elsewhere, as splitroles.go finds; recompute.go computes again what is used far apart, as matrices of attention are; wait.go tells what is awaited;
// rematerialize.go computes cheap values for each user, spread.go over larger shapes; implicitgemm.go lets products read
// windows where they lie; addrows.go writes the rows alone that a sum by index changes, and putrows.go finds those that are put in place; [DCE] drops what nothing needs, and by
// overwritten.go what is overwritten unread; sumrows.go writes sums over rows as products, where chains of kernels can have these; keeplater.go has loops keep sums in place of products;
// narrowfactors.go lets products read integers of fewer bits, of which zeropoints.go takes out zero points; assemblelater.go computes elements of values that are put together from the parts, in the cells of cells.go; and sequence.go orders nodes, and
// copies what a write would destroy. verify.go checks what holds after each.
package rewrite
