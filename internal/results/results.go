package results

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// mark is the content of memory before a function fills it, in little-endian bytes of elements: a NaN that no
// arithmetic gives, an invalid truth value, or an integer of 8 bytes that never occurs in practice.
func mark(t graph.DType) []byte {
	switch {
	case t == graph.Bool:
		return []byte{0xa5}
	case t.IsHalf():
		return []byte{0xa5, 0x7d + 2*b2i(t == graph.BFloat16)}
	case t == graph.Float32:
		return []byte{0x5a, 0xc3, 0xa5, 0x7f}
	case t == graph.Float64:
		return []byte{0x5a, 0xc3, 0x96, 0xd1, 0x3c, 0xa5, 0xf4, 0x7f}
	}
	return []byte{0x5a, 0xc3, 0x96, 0xd1, 0x3c, 0xa5, 0xf4, 0x7e}
}

func b2i(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// tells reports whether a single element that is the mark of its dtype shows that nothing was written there. For other
// dtypes, only a whole result does.
func tells(t graph.DType) bool { return t == graph.Bool || t.Size() == 8 || t == graph.Float32 }

// Mark fills the memory for a result, so that [Filled] finds elements that are not written.
func Mark(room graph.Array) {
	b := room.Bytes()
	for done := copy(b, mark(room.DType)); done < len(b); {
		done += copy(b[done:], b[:done])
	}
}

// Take takes the result of a function that was given room for it: the room itself, or an array of the same dtype and
// shape, whose elements are copied. what is the word for the result in the error.
func Take(what string, given, room graph.Array) error {
	switch {
	case given.DType != room.DType || !slices.Equal(given.Shape, room.Shape):
		return fmt.Errorf("%s is %s%v, and %s%v is wanted", what, given.DType, given.Shape, room.DType, room.Shape)
	case given.Ptr == room.Ptr || room.NumElements() == 0:
	case given.Ptr == nil:
		return fmt.Errorf("%s is an array without memory: make it with graph.NewArray, or fill the one that is there",
			what)
	default:
		copy(room.Bytes(), given.Bytes())
	}
	return nil
}

// Filled returns an error unless a function has written the room for its result, which held marks: see [Mark]. For
// integers of fewer than 8 bytes and floating-point numbers of fewer than 4, it only finds whole results that are
// missing. It finds nothing in results of fewer than 4 bytes in all.
func Filled(what string, room graph.Array) error {
	m, b, size := mark(room.DType), room.Bytes(), room.DType.Size()
	if len(b) == 0 {
		return nil
	}
	if !tells(room.DType) {
		if len(b) >= min(4, len(m)) && isMarked(b, m) {
			return fmt.Errorf(
				"%s is not filled: write all elements of the array that is there, or put another in its place", what)
		}
		return nil
	}
	for from := 0; ; from++ {
		at := bytes.Index(b[from:], m)
		if at < 0 {
			return nil
		}
		if from += at; from%size == 0 {
			return fmt.Errorf("%s is not filled: element %d of %d was not written", what, from/size, len(b)/size)
		}
	}
}

func isMarked(b, m []byte) bool {
	for i, v := range b {
		if v != m[i%len(m)] {
			return false
		}
	}
	return true
}

var seed = maphash.MakeSeed()

// Sums appends hashes of arrays, before a function is called that must not write them.
func Sums(to []uint64, in []graph.Array) []uint64 {
	for _, a := range in {
		to = append(to, maphash.Bytes(seed, a.Bytes()))
	}
	return to
}

// Written returns the first array that has changed since [Sums]; -1 if none has.
func Written(sums []uint64, in []graph.Array) int {
	for i, sum := range sums {
		if maphash.Bytes(seed, in[i].Bytes()) != sum {
			return i
		}
	}
	return -1
}
