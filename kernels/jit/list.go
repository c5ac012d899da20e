package jit

import (
	"runtime"
	"slices"
	"unsafe"
)

// List is a sequence of code, each with separate arguments, that is called as one call. It keeps the code and the
// arguments themselves alive. The zero value is empty.
type List struct {
	entries []entry
	codes   []*Code // of the entries, each once
}

// entry is one call; callEach reads it.
type entry struct{ code, args unsafe.Pointer }

// Add appends a call: see [Code.Call].
func (l *List) Add(c *Code, offset int, args unsafe.Pointer) {
	l.entries = append(l.entries, entry{c.at(offset), args})
	if !slices.Contains(l.codes, c) {
		l.codes = append(l.codes, c)
	}
}

// AddStatic appends a call of machine code that is part of the binary.
func (l *List) AddStatic(code, args unsafe.Pointer) { l.entries = append(l.entries, entry{code, args}) }

// Call runs the code in the order in which it was added. The caller must keep memory alive to which arguments point.
func (l *List) Call() {
	if len(l.entries) == 0 {
		return
	}
	callEach(&l.entries[0], len(l.entries)*int(unsafe.Sizeof(entry{})))
	runtime.KeepAlive(l.codes)
}
