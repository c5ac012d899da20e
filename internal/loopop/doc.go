// Package loopop is the operations of class Loop, of which loops are built: by package ops from what
// users write, by autodiff for gradients, and by the compiler's passes.
//
// loopop.go has the operations and what makes their nodes.
package loopop
