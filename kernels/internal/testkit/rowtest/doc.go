// Package rowtest generates random row programs and memory to run them on, for testing
// one back end against another.
//
// program.go generates programs, and memory.go generates operands and their memory.
package rowtest
