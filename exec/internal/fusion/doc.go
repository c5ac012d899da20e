// Package fusion groups nodes of a rewritten graph that run as one kernel.
//
// A [Group] (group.go) consists of nodes with one iteration space. rows.go determines which of its values have one
// element for each row, and which it takes from registers. operand.go is what a kernel reads or writes in memory.
// verify.go checks all of it.
//
// [Fuse] (fuse.go) is the pass:
//
//   - dependencies.go knows which groups must run before which.
//   - deferred.go places values that depend only on positions next to their users; related.go determines whether a node
//     is related to a kernel.
//   - pick.go lets kernels select elements and rows by index.
//   - again.go lets kernels recompute values that are cheaper than a load; addedreads.go determines what they may read
//     for that.
//   - priority.go and order.go put the groups in the order in which they run.
//
// [ForwardStores] (forward.go) lets groups store their results directly in an assembled value.
package fusion
