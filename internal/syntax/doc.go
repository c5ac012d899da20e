// Package syntax reads syntax trees of the user's source, for messages and for editors.
//
// # Files
//
// call.go finds the names of called functions, assign.go the variables to which values are assigned.
package syntax
