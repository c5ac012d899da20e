// Package graph is the symbolic program: values with their dtypes and shapes, operations as
// values, source positions and recorded mistakes. It computes nothing.
//
// A [Graph] owns nodes. A [Node] is the result of one [Op] on operands, and carries the dtype and
// [Shape] that the operation's rule found when it was built, and the user's file and line. A size
// is a [Dim]: a whole number or an expression over named sizes such as "batch".
//
// Building never fails. A builder that is given something wrong returns a live node and records a
// [Mistake]; what follows from a mistake stays silent, so that [Graph.Err] can give all
// independent mistakes of a program at once.
//
// A Graph must not be built from several goroutines at once. Once built, it may be read from any
// number of them.
//
// # Files
//
// Programs:
//   - node.go and graph.go are values and who owns them, source.go inputs, parameters and constants, scope.go their scopes
//   - op.go is operations, prim.go what their elements are made of, reference.go what the reference of operations tells
//   - apply.go applies operations, inferred.go judges what their rules give
//   - composite.go notes calls that build several nodes
//   - attrs.go is fixed arguments, and keep.go copies of them
//   - loop.go is the bodies of loops, function.go what Go functions compute with
//   - gradient.go notes what is a gradient of what, standin.go has rules of gradients compute in other dtypes
//   - carriedout.go says which writes are carried out, independence.go which axes are examples, promise.go which shapes are
//     promised
//   - rewrite.go is for compilers, which derive graphs; text.go prints a graph
//
// Users' operations:
//   - owner.go tells them from the library's, belongs.go to which call of the user's a node belongs
//   - meaning.go is for what they say of a node, running.go refuses nodes that their functions would build
//
// Dtypes and shapes:
//   - dtype.go, with range.go for what they hold, loss.go for what a conversion loses, elements.go for their Go types,
//     typing.go for the dtypes of elements, and storage.go for those for storage alone
//   - promote.go and cast.go convert operands
//   - shape.go and layout.go are shapes and how values lie in memory
//   - dim.go and its neighbours (dim*.go) are sizes: a table of normal forms, their arithmetic, parsing and printing; dims.go
//     declares names
//   - settled.go brings sizes into the plainest form for what is known, count.go counts elements, requirement.go is what is
//     left to binding
//
// Mistakes:
//   - mistake.go, mistaketable.go and mistaketext.go are mistakes and their texts
//   - codes*.go are all codes, explain.go what they mean
//   - refused.go stands for calls that could not be built
//   - policy.go says what is a mistake, silence.go silences warnings
//   - try.go judges a graph with a change
//   - pos.go, locate.go, outer.go, sourcefile.go and variable.go find places and names in the user's source
//   - describe.go and called.go say how a value is called
package graph
