// Package shapeinfer checks whole graphs statically, reports their mistakes, and binds named sizes.
//
// Broadcasting follows PyTorch's "Broadcasting semantics" page: shapes are aligned from the right; on each axis, all
// sizes that are present and not 1 must be equal. NumPy agrees in every case; 0 is an ordinary size. Sizes may be
// expressions over names; a rule then proves its requirements, refuses them, or leaves them to binding.
//
// check.go is the starting point: mistakes that rules found, incomplete operations (operation.go, operationmove.go),
// writes without an order (inorder.go), writes that were left out (leftout.go), reshapes that mix axes (mixing.go),
// numbers made of a whole batch (wholebatch.go), misaligned axes (axeslint.go), examples that are not independent
// (independence.go), sizes below 0 (nonnegative.go), and the requirements of all nodes together (solve.go, facts.go,
// deferred*.go). promises.go proves shapes that programs state. report.go and reportjson.go write the report, with the
// fixes that suggest.go and related files (suggest*.go, retrace.go) try. axes.go returns the origins of axes. bind.go,
// bindrequired.go and bindsolve.go compute named sizes from the sizes of inputs, and arrangement.go uses them to check
// the bounds of users' movements. Shape rules are in package rules, memory sharing in alias, the flow of axes in
// axisflow, warnings about it in axislint, and proofs about sizes in prove.
package shapeinfer
