// Package graph is the symbolic program: values with their dtypes and shapes,
// operations as values, source positions and recorded mistakes. It computes
// nothing.
//
// A [Graph] owns nodes. A [Node] is the result of one [Op] on operands, and
// carries the dtype and [Shape] that the operation's rule found when it was
// built, and the user's file and line. A size is a [Dim]: a whole number or an
// expression over named sizes such as "batch".
//
// Building never fails. A builder that is given something wrong returns a live
// node and records a [Mistake]; what follows from a mistake stays silent, so
// that [Graph.Err] can give all independent mistakes of a program at once.
//
// A Graph must not be built from several goroutines at once. Once built, it may
// be read from any number of them.
package graph
