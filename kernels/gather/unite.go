package gather

import (
	"math"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/aot"
	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/internal/prefetch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Fold is how elements are combined.
type Fold uint8

// The folds. NaN wins against numbers, and -0 is less than +0.
const (
	Sum Fold = iota
	Prod
	Max
	Min
)

// Scatter combines each row of src, Outer blocks of Count rows, with the row of dst, Outer blocks of Size rows, that
// its index names, in the order of the indices. A row that no index names is zero in a sum, one in a product, and
// otherwise the least, or greatest, value of its type, an infinity for floats. It returns the position of the first
// index outside 0..Size-1, or -1.
func Scatter[T Number, I Index](by Fold, s Shape, dst, src []T, index []I, m *Scratch) (bad int) {
	if bad := check(s, index); bad >= 0 {
		return bad
	}
	ScatterInside(by, s, dst, src, index, m)
	return -1
}

// ScatterInside is [Scatter] with indices that are all in 0..Size-1: see [Outside].
func ScatterInside[T Number, I Index](by Fold, s Shape, dst, src []T, index []I, m *Scratch) {
	dst, index = dst[:s.Outer*s.Size*s.Inner], index[:s.Count]
	initial := neutral[T](by)
	if s.Inner == 1 && by == Sum {
		sumBlocks(s, dst, src[:s.Outer*s.Count], index)
		return
	}
	for o := range s.Outer {
		from, to := src[o*s.Count*s.Inner:(o+1)*s.Count*s.Inner], dst[o*s.Size*s.Inner:(o+1)*s.Size*s.Inner]
		fill(to, initial)
		unite(by, s.Inner, to, from, index, 0, s.Inner, m)
	}
}

// sumBlocks sums single elements of each block; blocks may be short.
func sumBlocks[T Number, I Index](s Shape, dst, src []T, index []I) {
	size := unsafe.Sizeof(*new(T))
	for len(dst) > 0 && s.Size > 0 {
		to := dst[:s.Size]
		clear(to)
		first, from := unsafe.Pointer(unsafe.SliceData(to)), src[:len(index)]
		for i, at := range index {
			*(*T)(unsafe.Add(first, uintptr(at)*size)) += from[i]
		}
		dst, src = dst[s.Size:], src[len(index):]
	}
}

// Clear prepares for [Unite]: it sets the columns [left, right) of dst, Size rows, to the value of rows that no index
// names in [Scatter].
func Clear[T Number](by Fold, s Shape, dst []T, left, right int) {
	initial := neutral[T](by)
	if right-left == s.Inner {
		fill(dst[:s.Size*s.Inner], initial)
		return
	}
	for i := range s.Size {
		fill(dst[i*s.Inner+left:i*s.Inner+right], initial)
	}
}

// filledSingly is how many elements are filled one by one; they are then copied to the others, many at once.
const filledSingly = 1 << 10

func fill[T Number](dst []T, v T) {
	if v == 0 {
		clear(dst)
		return
	}
	block := dst[:min(len(dst), filledSingly)]
	for i := range block {
		block[i] = v
	}
	for at := len(block); at < len(dst); {
		at += copy(dst[at:], block)
	}
}

// Unite is [Scatter] of some rows of one block, in the columns [left, right), into the present elements of dst. All
// indices must be in range: see [Outside].
func Unite[T Number, I Index](by Fold, s Shape, dst, src []T, index []I, left, right int, m *Scratch) {
	unite(by, s.Inner, dst[:s.Size*s.Inner], src[:len(index)*s.Inner], index, left, right, m)
}

// unite combines columns of rows of one block.
func unite[T Number, I Index](by Fold, inner int, to, from []T, index []I, left, right int, m *Scratch) {
	switch {
	case inner == 1:
		uniteElements(by, to, from, index)
	case inner >= shortRow:
		rows, f := prefetch.Of(to, inner), vectors[T](by)
		if by == Sum && f != nil && addAll(inner, to, from, index, left, right, rows.Ahead) {
			return
		}
		for i, at := range index {
			fetchAhead(&rows, index, i)
			row, more := to[int(at)*inner+left:int(at)*inner+right], from[i*inner+left:i*inner+right]
			if f != nil {
				m.block.Run(f, right-left, unsafe.Pointer(&row[0]), unsafe.Pointer(&row[0]), unsafe.Pointer(&more[0]))
			} else {
				uniteRows(by, row, more)
			}
		}
	case by == Sum:
		sumShort(inner, to, from, index)
	default:
		uniteShort(by, inner, to, from, index)
	}
}

// mostAdded is the most bytes that are added in one call: the garbage collector waits for its end.
const mostAdded = 1 << 18

// uniting are rows that are added to others.
type uniting struct {
	to, from, index unsafe.Pointer
	count           int     // of rows of from
	pitch, width    uintptr // the bytes from row to row, and of a row those that are added
	ahead           int     // rows between the one at hand and the one that is asked for, 0 for none
}

// addAll adds columns of rows, a number of rows per call, and reports whether there is code for that.
func addAll[T Number, I Index](inner int, to, from []T, index []I, left, right, ahead int) bool {
	size := int(unsafe.Sizeof(*new(T)))
	for i, rows := 0, max(1, mostAdded/((right-left)*size)); i < len(index); i += rows {
		u := uniting{unsafe.Pointer(&to[left]), unsafe.Pointer(&from[i*inner+left]), unsafe.Pointer(&index[i]),
			min(rows, len(index)-i), uintptr(inner * size), uintptr((right - left) * size), ahead}
		if !addRows[T, I](&u) {
			return false
		}
	}
	return true
}

// uniteElements combines single elements. All indices must be in range.
func uniteElements[T Number, I Index](by Fold, to, from []T, index []I) {
	from = from[:len(index)]
	first := unsafe.Pointer(unsafe.SliceData(to))
	size := unsafe.Sizeof(*new(T))
	switch by {
	case Sum:
		for i, at := range index {
			*(*T)(unsafe.Add(first, uintptr(at)*size)) += from[i]
		}
	case Prod:
		for i, at := range index {
			*(*T)(unsafe.Add(first, uintptr(at)*size)) *= from[i]
		}
	case Max:
		for i, at := range index {
			to := (*T)(unsafe.Add(first, uintptr(at)*size))
			*to = max(*to, from[i])
		}
	case Min:
		for i, at := range index {
			to := (*T)(unsafe.Add(first, uintptr(at)*size))
			*to = min(*to, from[i])
		}
	}
}

// uniteShort combines rows of a few elements: see sumShort for sums.
func uniteShort[T Number, I Index](by Fold, inner int, to, from []T, index []I) {
	for i, at := range index {
		x, y := to[int(at)*inner:(int(at)+1)*inner], from[i*inner:(i+1)*inner]
		y = y[:len(x)]
		switch by {
		case Prod:
			for j := range x {
				x[j] *= y[j]
			}
		case Max:
			for j := range x {
				x[j] = max(x[j], y[j])
			}
		case Min:
			for j := range x {
				x[j] = min(x[j], y[j])
			}
		}
	}
}

func uniteRows[T Number](by Fold, to, from []T) {
	switch by {
	case Sum:
		loops.Add(to, to, from)
	case Prod:
		loops.Mul(to, to, from)
	case Max:
		loops.Max(to, to, from)
	case Min:
		loops.Min(to, to, from)
	}
}

// vectors is the function that combines several elements at once, or nil.
func vectors[T Number](by Fold) aot.Func {
	op := [...]rowprog.Op{Sum: rowprog.OpAdd, Prod: rowprog.OpMul, Max: rowprog.OpMax, Min: rowprog.OpMin}[by]
	switch any(T(0)).(type) {
	case float32:
		return aot.Lookup(aot.Key{Op: op, Type: rowprog.F32})
	case float64:
		return aot.Lookup(aot.Key{Op: op, Type: rowprog.F64})
	}
	return nil
}

// neutral is the neutral element of a fold.
func neutral[T Number](by Fold) (v T) {
	switch by {
	case Prod:
		return 1
	case Max:
		v, _ = limits[T]()
	case Min:
		_, v = limits[T]()
	}
	return v
}

// limits returns the least and the greatest value of a type.
func limits[T Number]() (lowest, highest T) {
	switch any(lowest).(type) {
	case int32:
		return any(int32(math.MinInt32)).(T), any(int32(math.MaxInt32)).(T)
	case int64:
		return any(int64(math.MinInt64)).(T), any(int64(math.MaxInt64)).(T)
	}
	return T(math.Inf(-1)), T(math.Inf(1))
}
