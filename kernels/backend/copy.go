package backend

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/jit"
	"github.com/broadloom/broadloom/kernels/launch"
)

// steps are the distances of elements of a tile, from row to row and within a row.
type steps struct{ row, column int }

func stepsOf(a *launch.Args, i int) steps {
	inner := len(a.Outer)
	if inner == 0 {
		return steps{0, a.Stride[i][0]}
	}
	return steps{a.Stride[i][inner-1], a.Stride[i][inner]}
}

// copying loads code that copies in vectors; nil if there is no machine code.
func copying(bytes []byte) *jit.Code {
	if cpu.Chosen() == cpu.Portable {
		return nil
	}
	code, err := jit.New(bytes)
	if err != nil {
		return nil
	}
	return code
}

// copyTile copies elements of a size between operands and packed rows. It may use scratch memory if it is given some.
func copyTile(size int, dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps, t tile, room *copyRoom) {
	if from.row == 0 && to.row == 0 {
		t.rows = 1
	}
	if to.column == 1 && from.column == 1 {
		copyLines(dst, to.row*size, src, from.row*size, t.rows, t.columns*size)
		return
	}
	if to.column == -1 { // from the last to the first
		dst, src = unsafe.Add(dst, -(t.columns-1)*size), unsafe.Add(src, (t.columns-1)*from.column*size)
		to.column, from.column = 1, -from.column
	}
	if from.row == -1 && to.column == 1 { // as a transpose of rows from the last to the first
		dst, src = unsafe.Add(dst, (t.rows-1)*to.row*size), unsafe.Add(src, -(t.rows-1)*size)
		to.row, from.row = -to.row, 1
	}
	if size == 4 && copyPairs(dst, to, src, from, t) {
		return
	}
	if t.rows >= packRows {
		done := transposed(size, dst, to, src, from, t, room)
		if done == t.rows { // no pointer leads past the last element
			return
		}
		dst, src = unsafe.Add(dst, done*to.row*size), unsafe.Add(src, done*from.row*size)
		t.rows -= done
	}
	if size <= 4 {
		done := copyApart(size, dst, to, src, from, t)
		dst, src = unsafe.Add(dst, done*size), unsafe.Add(src, done*from.column*size)
		t.columns -= done
	}
	switch size {
	case 1:
		copyElements[uint8](dst, to, src, from, t)
	case 2:
		copyElements[uint16](dst, to, src, from, t)
	case 4:
		copyElements[uint32](dst, to, src, from, t)
	default:
		copyElements[uint64](dst, to, src, from, t)
	}
}

// copyElements copies rows element by element.
func copyElements[T uint8 | uint16 | uint32 | uint64](dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps,
	t tile) {
	const unrolled = 4
	size := int(unsafe.Sizeof(T(0)))
	d, s := to.column*size, from.column*size
	d2, s2, d3, s3 := 2*d, 2*s, 3*d, 3*s
	for row := range t.rows {
		x, y, n := unsafe.Add(src, row*from.row*size), unsafe.Add(dst, row*to.row*size), t.columns
		for ; n > unrolled; n -= unrolled {
			*(*T)(y) = *(*T)(x)
			*(*T)(unsafe.Add(y, d)) = *(*T)(unsafe.Add(x, s))
			*(*T)(unsafe.Add(y, d2)) = *(*T)(unsafe.Add(x, s2))
			*(*T)(unsafe.Add(y, d3)) = *(*T)(unsafe.Add(x, s3))
			x, y = unsafe.Add(x, unrolled*s), unsafe.Add(y, unrolled*d)
		}
		for i := range n { // no pointer leads past the last element
			*(*T)(unsafe.Add(y, i*d)) = *(*T)(unsafe.Add(x, i*s))
		}
	}
}

// copyLines copies rows of contiguous bytes. The last word of a row overlaps the one before it if the row does not fill
// words.
func copyLines(dst unsafe.Pointer, to int, src unsafe.Pointer, from, rows, bytes int) {
	const long = 256 // bytes from which on a call of copy is worth it
	for row := range rows {
		d, s := unsafe.Add(dst, row*to), unsafe.Add(src, row*from)
		switch {
		case bytes >= long:
			copy(unsafe.Slice((*byte)(d), bytes), unsafe.Slice((*byte)(s), bytes))
		case bytes >= 16:
			copyWords[[16]byte](d, s, bytes)
		case bytes >= 8:
			copyWords[[8]byte](d, s, bytes)
		case bytes >= 4:
			copyWords[[4]byte](d, s, bytes)
		default:
			copyWords[byte](d, s, bytes)
		}
	}
}

// copyWords copies bytes in words of type T; there is at least one word.
func copyWords[T byte | [4]byte | [8]byte | [16]byte](dst, src unsafe.Pointer, bytes int) {
	size := int(unsafe.Sizeof(*new(T)))
	for at := 0; at < bytes-size; at += size {
		*(*T)(unsafe.Add(dst, at)) = *(*T)(unsafe.Add(src, at))
	}
	*(*T)(unsafe.Add(dst, bytes-size)) = *(*T)(unsafe.Add(src, bytes-size))
}
