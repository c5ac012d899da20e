// Package loopop has the operations of class Loop, from which loops are built: by package ops for
// users, by autodiff for gradients, and by the compiler's passes.
//
// loopop.go has the operations and creates their nodes.
package loopop
