// Package wide compiles where an int has 64 bits.
package wide

// Big does not fit 32 bits.
const Big int = 1 << 40

// Bigger is as big inside a function.
func Bigger() int { return 1 << 41 }
