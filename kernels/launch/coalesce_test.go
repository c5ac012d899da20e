package launch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// A short row is exchanged for an axis that is long enough and whose elements are near each other, even if there is a
// longer one. Here channels become places of images of 48 × 48, two of them side by side.
func TestCoalesceKeepsNearElementsInRows(t *testing.T) {
	b := rowprog.NewBuilder("copy", 3)
	x := b.Load(b.In("x", rowprog.F32, rowprog.Vec))
	b.Store(b.Out("y", rowprog.F32, rowprog.Vec), x)
	p, err := b.Build()
	require.NoError(t, err)
	a := launch.New(p)
	const channels, size = 128, 48
	a.Outer[0], a.Outer[1], a.Outer[2], a.N = channels, size, size, 2
	a.Stride[0] = []int{2 * size * size, size, 1, size * size}
	a.Stride[1] = []int{2 * size * size, 2 * size, 2, 1}
	made := launch.Coalesce(p, a)
	require.Equal(t, size*size, made.N)
	require.Equal(t, []int{1, channels, 2}, made.Outer)
	require.Equal(t, []int{2 * size * size, size * size, 1}, made.Stride[0][1:])
	require.Equal(t, []int{2 * size * size, 1, 2}, made.Stride[1][1:])

	a.Outer[1], a.Outer[2] = 3, 3 // images of so few places are no better rows than channels are
	a.Stride[0] = []int{2 * 9, 3, 1, 9}
	a.Stride[1] = []int{2 * 9, 6, 2, 1}
	require.Equal(t, channels, launch.Coalesce(p, a).N)
}
