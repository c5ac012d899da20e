// Package syntax reads syntax trees of the user's source, for messages and for editors.
//
// # Files
//
// call.go finds the names of called functions and of imported packages; assign.go finds the variables to which values
// are assigned.
package syntax
