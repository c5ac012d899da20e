// Package fusion groups the nodes of a rewritten graph into those that run as one kernel.
//
// A [Group] (group.go) is nodes with one iteration space; rows.go says which of its values have
// an element for each row, and what it takes from registers. fuse.go places each node, by the
// dependencies between groups (dependencies.go), and what depends on positions alone beside its user
// (deferred.go), where a node has something to do with a kernel (related.go), and has kernels pick elements and rows by index (pick.go); again.go has kernels compute once more what is cheaper than a load, and readnewly.go says what they may read for that; priority.go and order.go bring the groups into
// the order in which they run. forward.go lets groups store what they compute where an assembled
// value has it. operand.go is what a kernel reads or writes in memory. verify.go checks it all.
package fusion
