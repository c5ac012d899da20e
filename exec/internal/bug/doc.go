// Package bug represents bugs that passes and runs find in themselves or in functions of a user's operations: an error
// with the node at which it was found.
//
// bug.go has both kinds: [Error], and [Panic] in a function that a pass has called.
package bug
