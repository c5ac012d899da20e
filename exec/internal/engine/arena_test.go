package engine

import (
	"testing"

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
