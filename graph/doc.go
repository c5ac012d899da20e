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
// op.go is operations, prim.go what their elements are made of, node.go and graph.go values and
// who owns them, source.go inputs, parameters and constants, scope.go their scopes. owner.go tells a user's operations from the library's, apply.go applies operations, inferred.go judges what their rules give,
// composite.go notes calls that build several nodes, with promote.go and cast.go for dtypes (dtype.go, range.go for what they hold, loss.go for what a conversion loses, and elements.go for their Go types), storage.go for
// those for storage alone, typing.go for the dtypes of elements, attrs.go for fixed arguments and keep.go for copies of them, and meaning.go for what a user's operation says of a node. running.go refuses nodes that a program's functions would build. shape.go and layout.go are shapes and how values lie in memory.
// loop.go is the bodies of loops, gradient.go notes what is a gradient of what, standin.go has rules of gradients compute in other dtypes, belongs.go to which call of the user's a node belongs,
// carriedout.go which writes are carried out, function.go what Go functions compute with,
// independence.go which axes are examples, promise.go which shapes are promised.
//
// dim.go and its neighbours (dim*.go) are sizes: a table of normal forms, their arithmetic,
// parsing and printing. dims.go declares names, settled.go brings sizes into the plainest form
// for what is known, count.go counts elements, requirement.go is what is left to binding.
//
// mistake.go, mistaketable.go and mistaketext.go are mistakes and their texts, codes*.go all
// codes, explain.go what they mean, refused.go stands for calls that could not be built. reference.go is what the reference of
// operations tells. policy.go says what is a mistake, silence.go silences
// warnings, try.go judges a graph with a change. pos.go, locate.go, outer.go, sourcefile.go and
// variable.go find places and names in the user's source; describe.go and called.go say how a
// value is called. text.go prints a graph. rewrite.go is for compilers, which derive graphs.
package graph
