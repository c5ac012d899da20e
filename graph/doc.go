// Package graph is the symbolic program: values with their dtypes and shapes, operations as values, source positions
// and recorded mistakes. It computes nothing.
//
// A [Graph] owns nodes. A [Node] is the result of one [Op] on operands. It has the dtype and [Shape] that the
// operation's rule inferred when it was built, and the user's file and line. A size is a [Dim]: a whole number or an
// expression over named sizes such as "batch".
//
// Building never fails. A builder with wrong arguments returns a live node and records a [Mistake]. Mistakes that
// follow from others are not reported, so that [Graph.Err] can return all independent mistakes of a program at once.
//
// A Graph must not be built from several goroutines at once. Once built, it may be read from any number of them.
//
// # Files
//
// Programs:
//   - node.go and graph.go are values and their owners, source.go inputs, parameters and constants, scope.go their
//     scopes
//   - op.go is operations, prim.go the primitives of their elements, reference.go their entry in the reference of
//     operations
//   - apply.go applies operations, inferred.go checks the results of their rules
//   - composite.go records calls that build several nodes
//   - withparams.go replaces parameters by values
//   - attrs.go is fixed arguments, and keep.go copies of them
//   - loop.go is the bodies of loops, function.go the arguments of Go functions
//   - gradient.go records which node is the gradient of which, standin.go lets gradient rules compute in other dtypes
//   - carriedout.go says which writes are performed, independence.go which axes are examples, promise.go which shapes
//     are promised
//   - rewrite.go is for compilers, which derive graphs; text.go prints a graph
//
// User-defined operations:
//   - owner.go distinguishes them from the library's, belongs.go finds the user's call to which a node belongs
//   - meaning.go checks what they say of a node, running.go refuses nodes that their functions would build
//
// Dtypes and shapes:
//   - dtype.go, with range.go for the range of dtypes, loss.go for what a conversion loses, elements.go for their Go
//     types, typing.go for the dtypes of elements, and storage.go for storage-only dtypes
//   - promote.go and cast.go convert operands, autocast.go those of mixed precision
//   - shape.go and layout.go are shapes and the layout of values in memory
//   - dim.go is sizes, whose arithmetic is package symbolic; sizes.go declares names
//   - settled.go simplifies sizes with what is known, count.go counts elements, requirement.go has requirements on
//     sizes
//
// Mistakes:
//   - mistake.go, mistaketable.go and mistaketext.go are mistakes and their texts
//   - codes*.go are all codes, explain.go their explanations
//   - refused.go has nodes for calls that could not be built
//   - policy.go says what is a mistake, silence.go silences warnings
//   - try.go checks a graph with a change
//   - pos.go, locate.go, outer.go, sourcefile.go and variable.go find positions and names in the user's source
//   - describe.go and called.go name values in messages
package graph
