// Package shapeinfer is the static pass that checks a whole graph and reports, and the binding of
// named sizes.
//
// The law of broadcasting is PyTorch's "Broadcasting semantics" page: shapes are lined up from
// the right; on each axis, all sizes that are present and not 1 must be equal. NumPy agrees in
// every case; 0 is an ordinary size. Sizes may be expressions over names; a rule then proves what
// it requires, refuses it, or leaves it to the binding of sizes.
//
// check.go is the way through: what rules have found, operations that are not whole
// (operation.go, operationmove.go), writes without an order (inorder.go), writes that
// were left out (leftout.go), reshapes that mix axes (mixing.go), numbers made of a whole batch
// (wholebatch.go), axes under others (axeslint.go), examples that are not independent
// (independence.go), sizes below 0 (nonnegative.go), and the requirements of all nodes together
// (solve.go, facts.go, deferred*.go). promises.go proves what programs state of shapes. report.go and
// reportjson.go print it, with the fixes that suggest.go and its neighbours (suggest*.go, retrace.go) try. axes.go
// tells what axes come from. bind.go and bindsolve.go find named sizes from the sizes of inputs, and
// arrangement.go judges with them where users' movements lead. The
// rules are in package rules, what shares memory in package alias, what becomes of axes in package
// axisflow, what looks wrong about them in package axislint, and what can be proved of sizes in
// package prove.
package shapeinfer
