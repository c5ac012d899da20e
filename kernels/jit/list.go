package jit

import (
	"runtime"
	"slices"
	"unsafe"
)

// List is code that is called piece by piece, each with arguments of its own, as one call.
// It keeps the code alive, and the memory of the arguments itself. The zero value has none.
type List struct {
	entries []entry
	codes   []*Code // of the entries, each once
}

// entry is what callEach reads.
type entry struct{ code, args unsafe.Pointer }

// Add appends a call: see [Code.Call].
func (l *List) Add(c *Code, offset int, args unsafe.Pointer) {
	l.entries = append(l.entries, entry{c.at(offset), args})
	if !slices.Contains(l.codes, c) {
		l.codes = append(l.codes, c)
	}
}

// AddStatic appends a call of machine code that is part of the program.
func (l *List) AddStatic(code, args unsafe.Pointer) { l.entries = append(l.entries, entry{code, args}) }

// Call runs the code in the order in which it was added. Memory to which arguments point
// must be kept alive by the caller.
func (l *List) Call() {
	if len(l.entries) == 0 {
		return
	}
	callEach(&l.entries[0], len(l.entries)*int(unsafe.Sizeof(entry{})))
	runtime.KeepAlive(l.codes)
}
