//go:build linux

package backend

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
)

// Elements that are apart are copied to contiguous memory for rows of any length. Nothing after the last one is read or
// written.
func TestElementsApartComeSideBySide(t *testing.T) {
	areSideBySide[uint8](t)
	areSideBySide[uint16](t)
	areSideBySide[uint32](t)
}

func areSideBySide[T uint8 | uint16 | uint32](t *testing.T) {
	fenced, size := newFence(t), int(unsafe.Sizeof(T(0)))
	memory := unsafe.Slice((*T)(unsafe.Pointer(&fenced[0])), len(fenced)/size)
	for step := codegen.LeastApart; step <= codegen.MostApart+1; step++ {
		for n := range 280 / size {
			for _, rows := range []int{1, 2, 5} {
				pitch, gap := n*step+2, n+1
				src := memory[len(memory)-max((rows-1)*pitch+(n-1)*step+1, 1):] // it ends with the last element
				dst := make([]T, rows*gap)
				for i := range src {
					src[i] = T(i*i + 1)
				}
				run := tile{rows: rows, columns: n}
				copyTile(size, unsafe.Pointer(&dst[0]), steps{gap, 1}, unsafe.Pointer(&src[0]), steps{pitch, step}, run,
					nil)
				for i, v := range dst {
					want := T(0)
					if row, column := i/gap, i%gap; column < n {
						want = src[row*pitch+column*step]
					}
					require.Equal(t, want, v, "element %d of %d rows of %d, %d apart", i, rows, n, step)
				}
			}
		}
	}
}

// Elements are reversed, and so are columns that were rows. Nothing around them is read or written.
func TestElementsAreTurned(t *testing.T) {
	areTurned[uint8](t)
	areTurned[uint16](t)
	areTurned[uint32](t)
}

func areTurned[T uint8 | uint16 | uint32](t *testing.T) {
	fenced, size := newFence(t), int(unsafe.Sizeof(T(0)))
	memory := unsafe.Slice((*T)(unsafe.Pointer(&fenced[0])), len(fenced)/size)
	for n := range 280 / size {
		for _, rows := range []int{1, 2, 5, 8, 13} {
			for _, turnsRows := range []bool{false, true} {
				src := memory[len(memory)-max(rows*n, 1):]
				for i := range src {
					src[i] = T(i*i + 1)
				}
				first, from := n-1, steps{n, -1}
				if turnsRows { // of each column
					first, from = rows-1, steps{-1, rows}
				}
				dst := make([]T, rows*(n+1))
				copyTile(size, unsafe.Pointer(&dst[0]), steps{n + 1, 1},
					unsafe.Add(unsafe.Pointer(&src[0]), size*first), from, tile{rows: rows, columns: n}, nil)
				for i, v := range dst {
					want := T(0)
					if row, column := i/(n+1), i%(n+1); column < n {
						want = src[first+row*from.row+column*from.column]
					}
					require.Equal(t, want, v, "element %d of %d rows of %d, rows turned: %t", i, rows, n, turnsRows)
				}
			}
		}
	}
}
