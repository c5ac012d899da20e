// Package jit holds machine code in executable memory and calls it.
//
// Memory is never writable and executable at once. Code is called through [Code.Call] and
// [List.Call], which keep it alive, or by other code, to which it is lent by [Code.Address].
// When no reference to a Code is left, its memory is given back.
//
// What is called must be leaf code: it takes the address of its arguments in RDI, does
// not move RSP, does not touch RBP, runs VZEROUPPER and returns. It may use all other
// registers. On arm64 the address is in R7, the stack pointer stays where it is, and R18 and R26 to R29 as they are. Since no stack map exists for it, the runtime cannot stop a goroutine
// inside; a call must therefore be short, about 100 µs, and so must that of a whole list.
//
// code.go and list.go are code and lists of calls, and steps.go calls a list many times. memory_unix.go and memory_windows.go map memory, memory_other.go
// says that there is none; call_asm.go calls, and call_other.go cannot. sync_arm64.go has the caches of instructions see what was written, which
// those of other processors do by themselves, sync_other.go says.
package jit
