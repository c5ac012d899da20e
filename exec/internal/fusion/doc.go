// Package fusion groups the nodes of a rewritten graph into those that run as one kernel.
//
// A [Group] (group.go) is nodes with one iteration space; rows.go says which of its values have an element for each row, and what
// it takes from registers. operand.go is what a kernel reads or writes in memory. verify.go checks it all.
//
// [Fuse] (fuse.go) is the pass:
//
//   - dependencies.go knows which groups must run before which.
//   - deferred.go places what depends on positions alone beside its user, where a node has something to do with a kernel, which
//     related.go tells.
//   - pick.go has kernels pick elements and rows by index.
//   - again.go has kernels compute once more what is cheaper than a load; addedreads.go says what they may read for that.
//   - priority.go and order.go bring the groups into the order in which they run.
//
// [ForwardStores] (forward.go) lets groups store what they compute where an assembled value has it.
package fusion
