package engine

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
)

// TestCrowdedBuffersLieInDifferentSets wants some lines behind large buffers of even sizes that many are worked on
// with, and behind no others.
func TestCrowdedBuffersLieInDifferentSets(t *testing.T) {
	for _, c := range []struct {
		count   graph.Dim
		crowded bool
		more    int
	}{{1 << 17, true, stagger}, {1 << 17, false, 0}, {1<<17 + 16, true, 0}, {1 << 14, true, 0},
		{1<<17 + 128, true, stagger}} {
		s := &lower.Buffer{Count: c.count, Dtype: graph.Float32, Crowded: c.crowded}
		extents := new(Specialization).bufferExtents(&Code{Buffers: []*lower.Buffer{s}})
		size, _ := c.count.Int()
		require.Equal(t, int(4*size)+c.more, extents[0].Bytes, "%d elements", size)
	}
}

// A large arena begins in the middle of a page, since what kernels read beside it begins with one. It has no more bytes
// than asked for.
func TestLargeArenasBeginInTheMiddleOfAPage(t *testing.T) {
	const page = 4 << 10
	for _, bytes := range []int{minStaggered, 1 << 20, 40 << 20} {
		var s State
		s.makeArena(bytes)
		require.Len(t, s.Arena, bytes)
		require.EqualValues(t, page/2, uintptr(unsafe.Pointer(&s.Arena[0]))%page, "%d bytes", bytes)
	}
}
