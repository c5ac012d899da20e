// Package autodiff turns a graph into the graph of its gradients, by reverse mode, and
// by forward mode.
//
// Gradients are ordinary nodes of the same graph, so that a gradient can be
// differentiated again. The rules of operations stand with the operations and are
// written as if nothing were broadcast; the walk here is the one place that sums a
// gradient over the axes along which an operand was repeated.
//
// grad.go walks back from a value and adds up what arrives at each node; rule.go
// calls the rules of operations, and sums what was repeated; wide.go has what they
// give rounded once; composite.go differentiates composite operations by what they
// are written with; loop.go and loopbody.go make the gradients of loops, and
// looppart.go refuses those of bodies that lack what flows through other steps;
// upstream.go begins with gradients that the caller has; checkpoint.go computes
// once more what a gradient needs; jvp.go goes forward, and has whole Jacobians.
package autodiff
