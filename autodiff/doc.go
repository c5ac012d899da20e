// Package autodiff computes gradients of a graph as nodes of that graph, in reverse mode and in forward mode.
//
// Gradients are ordinary nodes, so a gradient can be differentiated again. Each operation defines its own gradient
// rule, written as if nothing were broadcast; only this package sums a gradient over the axes along which an operand
// was repeated.
//
// grad.go visits nodes in reverse order and accumulates their gradients; rule.go calls the rules of operations, and
// sums over repeated axes; wide.go makes 16-bit gradients round only once; composite.go differentiates composite
// operations through their expansions; loop.go and loopbody.go make the gradients of loops, and looppart.go rejects
// gradients within a body that would lack contributions from other steps; upstream.go starts from gradients given by
// the caller; checkpoint.go recomputes values for gradients; jvp.go has forward mode and whole Jacobians.
package autodiff
