package gather

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/prefetch"
)

// Number is the types of elements that can be combined.
type Number interface {
	int32 | int64 | float32 | float64
}

// Index is the types of indices.
type Index interface{ int32 | int64 }

// Shape is how an array is viewed: Outer blocks of Size rows of Inner elements. Count indices name rows.
type Shape struct{ Outer, Size, Inner, Count int }

// shortRow is the number of elements below which rows are combined element by element.
const shortRow = 16

// Take copies, in each block, the rows that the indices name: dst is Outer blocks of Count rows. It returns the
// position of the first index outside 0..Size-1, or -1.
func Take[T any, I Index](s Shape, dst, src []T, index []I) (bad int) {
	if bad := check(s, index); bad >= 0 {
		return bad
	}
	TakeInside(s, dst, src, index)
	return -1
}

// TakeInside is [Take] with indices that are all in 0..Size-1: see [Outside].
func TakeInside[T any, I Index](s Shape, dst, src []T, index []I) {
	if s.Inner == 1 && s.Outer > 1 {
		takeOfBlocks(s, dst, src, index[:s.Count])
		return
	}
	for o := range s.Outer {
		from, to, index := src[o*s.Size*s.Inner:][:s.Size*s.Inner], dst[o*s.Count*s.Inner:][:s.Count*s.Inner],
			index[:s.Count]
		switch row := uintptr(s.Inner) * unsafe.Sizeof(*new(T)); {
		case row == 0: // nothing lies there
		case s.Inner == 1:
			takeElements(to, from, index)
		case row < longRow:
			moveShort(unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from)), row, index, false)
		default:
			rows := prefetch.Of(from, s.Inner)
			for i, at := range index {
				fetchAhead(&rows, index, i)
				copy(to[i*s.Inner:(i+1)*s.Inner], from[int(at)*s.Inner:])
			}
		}
	}
}

// takeElements copies the elements that the indices name. All indices must be in range.
func takeElements[T any, I Index](to, from []T, index []I) {
	first := unsafe.Pointer(unsafe.SliceData(from))
	to = to[:len(index)]
	for i, at := range index {
		to[i] = *(*T)(unsafe.Add(first, uintptr(at)*unsafe.Sizeof(to[0])))
	}
}

// takeOfBlocks is takeElements of each block; blocks may be short.
func takeOfBlocks[T any, I Index](s Shape, dst, src []T, index []I) {
	src, dst = src[:s.Outer*s.Size], dst[:s.Outer*s.Count]
	from, size := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Sizeof(*new(T))
	step := uintptr(s.Size) * size
	for len(dst) >= len(index) && len(index) > 0 {
		for i, at := range index {
			dst[i] = *(*T)(unsafe.Add(from, uintptr(at)*size))
		}
		if dst = dst[len(index):]; len(dst) > 0 {
			from = unsafe.Add(from, step)
		}
	}
}

// putElements copies elements over those that the indices name. All indices must be in range.
func putElements[T any, I Index](to, from []T, index []I) {
	first := unsafe.Pointer(unsafe.SliceData(to))
	from = from[:len(index)]
	for i, at := range index {
		*(*T)(unsafe.Add(first, uintptr(at)*unsafe.Sizeof(from[0]))) = from[i]
	}
}

// fetchAhead prefetches a row that the indices name after the i-th.
func fetchAhead[I Index](rows *prefetch.Rows, index []I, i int) {
	if rows.Ahead > 0 && i+rows.Ahead < len(index) {
		rows.Fetch(int(index[i+rows.Ahead]))
	}
}

// Put copies, in each block, the rows of src over those of dst that the indices name, which are all in 0..Size-1: see
// [Outside]. If several rows have the same index, the last one stays.
func Put[T any, I Index](s Shape, dst, src []T, index []I) {
	for o := range s.Outer {
		from, to, index := src[o*s.Count*s.Inner:][:s.Count*s.Inner], dst[o*s.Size*s.Inner:][:s.Size*s.Inner],
			index[:s.Count]
		switch row := uintptr(s.Inner) * unsafe.Sizeof(*new(T)); {
		case row == 0:
		case s.Inner == 1:
			putElements(to, from, index)
		case row < longRow:
			moveShort(unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from)), row, index, true)
		default:
			rows := prefetch.Of(to, s.Inner)
			for i, at := range index {
				fetchAhead(&rows, index, i)
				copy(to[int(at)*s.Inner:(int(at)+1)*s.Inner], from[i*s.Inner:])
			}
		}
	}
}

// Outside returns the position of the first index outside 0..size-1, or -1.
func Outside[I Index](index []I, size int) int {
	var a, b, c, d uint64 // a negative index is greater than any size then
	checked := allInside(index, size)
	rest := index[checked:]
	for len(rest) >= 4 {
		four := (*[4]I)(rest)
		a, b, c, d = max(a, uint64(four[0])), max(b, uint64(four[1])), max(c, uint64(four[2])), max(d, uint64(four[3]))
		rest = rest[4:]
	}
	for _, at := range rest {
		a = max(a, uint64(at))
	}
	if max(a, b, c, d) < uint64(size) {
		return -1
	}
	return checked + slices.IndexFunc(index[checked:], func(at I) bool { return uint64(at) >= uint64(size) })
}

func check[I Index](s Shape, index []I) int { return Outside(index[:s.Count], s.Size) }
