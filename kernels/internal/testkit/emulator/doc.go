// Package emulator runs machine code, as a disassembler reads it, on the memory of this process. Tests use it to run
// code for processors that are not available. The meaning of AVX-512 instructions is taken from the manual, and their
// encoding from objdump.
//
// parse.go reads instructions. emulator.go runs those on general registers; vector.go has those on
// vectors, and lanes.go masks.
package emulator
