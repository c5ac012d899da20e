package jit

import (
	"runtime"
	"unsafe"
)

// Words are words of memory that change in one way from each time to the next in which a list is called. The zero value has none.
type Words struct{ words []word }

// word is what callTimes reads.
type word struct {
	at        unsafe.Pointer
	value     uint64
	add, flip uint64 // the next value is (value + add) ^ flip
}

// Reserve makes room for a number of words.
func (w *Words) Reserve(count int) { w.words = make([]word, 0, count) }

// Reset drops all words.
func (w *Words) Reset() { w.words = w.words[:0] }

// Add has a word begin with a value. From each time to the next, add is added to it, and the bits of flip are inverted.
func (w *Words) Add(at unsafe.Pointer, value, add, flip uint64) {
	w.words = append(w.words, word{at, value, add, flip})
	*(*uint64)(at) = value
}

// CallTimes calls the list over and over, and changes the words after each time: at most so many times as it is told, and until the
// Bool at the address that is in goesOn was false after one, where goesOn is not nil, or some code has made stop other than 0: then the code behind it
// is not called, and the words stay. It returns how often it has called the whole list, and whether the Bool ended that. All of that is one call of machine code.
func (l *List) CallTimes(most int, w *Words, goesOn, stop *uint64) (times int, ended bool) {
	if most <= 0 || len(l.entries) == 0 {
		return 0, false
	}
	left := callTimes(&l.entries[0], len(l.entries)*int(unsafe.Sizeof(entry{})), unsafe.SliceData(w.words), len(w.words)*int(unsafe.Sizeof(word{})), most, goesOn, stop)
	runtime.KeepAlive(l.codes)
	return most - max(left, ^left), left < 0
}
