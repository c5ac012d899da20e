// Package bug holds what passes and runs find wrong with themselves, or with functions of a
// user's operations: an error with the node at which it was found.
//
// bug.go has both kinds: [Error], and [Panic] of a function that a pass has called.
package bug
