package jit

import (
	"runtime"
	"unsafe"
)

// Words are words of memory that change in the same way after each call of a list. The zero value is empty.
type Words struct{ words []word }

// word is one of them; callTimes reads it.
type word struct {
	at        unsafe.Pointer
	value     uint64
	add, flip uint64 // the next value is (value + add) ^ flip
}

// Reserve allocates memory for a number of words.
func (w *Words) Reserve(count int) { w.words = make([]word, 0, count) }

// Reset drops all words.
func (w *Words) Reset() { w.words = w.words[:0] }

// Add sets a word to a value. After each time, add is added to it, and the bits of flip are flipped.
func (w *Words) Add(at unsafe.Pointer, value, add, flip uint64) {
	w.words = append(w.words, word{at, value, add, flip})
	*(*uint64)(at) = value
}

// CallTimes calls the list at most most times, and changes the words after each time. It ends early if goesOn is not
// nil and the Bool at the address in it is false after a time. It also ends if some code has made stop other than 0:
// the code after it is then not called, and the words are not changed. It returns how often it has called the whole
// list, and whether the Bool ended that. All of this is one call of machine code.
func (l *List) CallTimes(most int, w *Words, goesOn, stop *uint64) (times int, ended bool) {
	if most <= 0 || len(l.entries) == 0 {
		return 0, false
	}
	left := callTimes(&l.entries[0], len(l.entries)*int(unsafe.Sizeof(entry{})), unsafe.SliceData(w.words),
		len(w.words)*int(unsafe.Sizeof(word{})), most, goesOn, stop)
	runtime.KeepAlive(l.codes)
	return most - max(left, ^left), left < 0
}
