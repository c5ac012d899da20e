// Package rowtest makes random row programs and memory to run them on, for testing
// one back end against another.
//
// program.go makes programs, memory.go operands and their memory.
package rowtest
