package gather

import "unsafe"

// longRow is the number of bytes from which rows are copied by Go's copy, and prefetched.
const longRow = 64

// word is a type that processors copy at once.
type word interface {
	[2]byte | [4]byte | [8]byte | [16]byte
}

// moveShort copies rows of 2 to 63 bytes: the rows of from that the indices name to contiguous rows, or, with put,
// contiguous rows over those that the indices name.
func moveShort[I Index](to, from unsafe.Pointer, row uintptr, index []I, put bool) {
	switch {
	case row < 4:
		moveWords[[2]byte](to, from, row, index, put)
	case row < 8:
		moveWords[[4]byte](to, from, row, index, put)
	case row < 16:
		moveWords[[8]byte](to, from, row, index, put)
	default:
		moveWords[[16]byte](to, from, row, index, put)
	}
}

func moveWords[W word, I Index](to, from unsafe.Pointer, row uintptr, index []I, put bool) {
	if put {
		for i, at := range index {
			move[W](unsafe.Add(to, uintptr(at)*row), unsafe.Add(from, uintptr(i)*row), row)
		}
		return
	}
	for i, at := range index {
		move[W](unsafe.Add(to, uintptr(i)*row), unsafe.Add(from, uintptr(at)*row), row)
	}
}

// move copies a row of one to four words: its first and its last words, which may overlap.
func move[W word](to, from unsafe.Pointer, row uintptr) {
	size := unsafe.Sizeof(*new(W))
	*(*W)(to) = *(*W)(from)
	if row > 2*size {
		*(*W)(unsafe.Add(to, size)) = *(*W)(unsafe.Add(from, size))
		*(*W)(unsafe.Add(to, row-2*size)) = *(*W)(unsafe.Add(from, row-2*size))
	}
	*(*W)(unsafe.Add(to, row-size)) = *(*W)(unsafe.Add(from, row-size))
}

// sumShort adds rows of a few elements, at least two, to those that the indices name.
func sumShort[T Number, I Index](inner int, to, from []T, index []I) {
	x, y := unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from))
	size := unsafe.Sizeof(*new(T))
	row := uintptr(inner) * size
	switch inner {
	case 2:
		for i, at := range index {
			sum, more := (*[2]T)(unsafe.Add(x, uintptr(at)*row)), (*[2]T)(unsafe.Add(y, uintptr(i)*row))
			sum[0] += more[0]
			sum[1] += more[1]
		}
	case 3:
		for i, at := range index {
			sum, more := (*[3]T)(unsafe.Add(x, uintptr(at)*row)), (*[3]T)(unsafe.Add(y, uintptr(i)*row))
			sum[0] += more[0]
			sum[1] += more[1]
			sum[2] += more[2]
		}
	case 4:
		for i, at := range index {
			sum, more := (*[4]T)(unsafe.Add(x, uintptr(at)*row)), (*[4]T)(unsafe.Add(y, uintptr(i)*row))
			sum[0] += more[0]
			sum[1] += more[1]
			sum[2] += more[2]
			sum[3] += more[3]
		}
	default:
		for i, at := range index {
			sums, added := unsafe.Add(x, uintptr(at)*row), unsafe.Add(y, uintptr(i)*row)
			for k := uintptr(0); k < row&^(4*size-1); k += 4 * size {
				sum, more := (*[4]T)(unsafe.Add(sums, k)), (*[4]T)(unsafe.Add(added, k))
				sum[0] += more[0]
				sum[1] += more[1]
				sum[2] += more[2]
				sum[3] += more[3]
			}
			for k := row &^ (4*size - 1); k < row; k += size {
				*(*T)(unsafe.Add(sums, k)) += *(*T)(unsafe.Add(added, k))
			}
		}
	}
}
