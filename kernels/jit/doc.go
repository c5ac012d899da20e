// Package jit holds machine code in executable memory and calls it.
//
// Memory is never writable and executable at once. Code is called through [Code.Call] and
// [List.Call], which keep it alive, or by other code that gets its address from [Code.Address].
// When no reference to a Code is left, its memory is freed.
//
// The called code must be leaf code: it takes the address of its arguments in RDI, does not move RSP, does not touch
// RBP, runs VZEROUPPER and returns. It may use all other registers. On arm64 the address is in R7, and the stack
// pointer, R18 and R26 to R29 must not change. Since such code has no stack map, the runtime cannot preempt a goroutine
// inside. So a call must be short, about 100 µs, and so must the call of a whole list.
//
// code.go and list.go are code and lists of calls, and steps.go calls a list many times. memory_unix.go and
// memory_windows.go map memory, and memory_other.go has none; call_asm.go makes calls, and call_other.go cannot.
// sync_arm64.go synchronizes instruction caches with the written code, by lines whose length lines_arm64.go and
// lines_darwin_arm64.go know; other processors do this automatically, so sync_other.go does nothing.
package jit
