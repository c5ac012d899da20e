package backend

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// If rows read the same elements, too many for a cache, each piece is processed for all rows before the next one. The
// results are the same, and the fault of the first row is reported, wherever in it that is.
func TestPiecesAcrossRows(t *testing.T) {
	const batches, rows, n = 2, 3, 70_001
	b := rowprog.NewBuilder("across", 2)
	x, y, w := b.Load(b.In("x", rowprog.F32, rowprog.Vec)), b.Load(b.In("y", rowprog.F32, rowprog.Vec)),
		b.Load(b.In("w", rowprog.F32, rowprog.Vec))
	out := b.Out("z", rowprog.F32, rowprog.Vec)
	b.Guard(b.Apply(rowprog.OpLt, x, y), x, 7)
	b.Store(out, b.Apply(rowprog.OpMul, x, b.Apply(rowprog.OpMul, y, w)))
	p, err := b.Build()
	require.NoError(t, err)
	k, err := Compile(p)
	require.NoError(t, err)
	xs, ys, zs := make([]float32, batches*rows*n), make([]float32, n), make([]float32, batches*rows*n)
	for i := range xs {
		xs[i] = float32(i % 97)
	}
	for i := range ys {
		ys[i] = float32(100 + i%89)
	}
	a := launch.New(p)
	copy(a.Outer, []int{batches, rows})
	a.N = n
	for i, data := range [][]float32{xs, ys, ys, zs} {
		a.Ptr[i], a.Stride[i][2] = unsafe.Pointer(&data[0]), 1
		if len(data) > n {
			copy(a.Stride[i], []int{rows * n, n, 1})
		}
	}
	if m, isNative := k.(*nativeKernel); isNative {
		c := m.cut(a, 0, batches)
		require.True(t, c.across)
	}
	var s Scratch
	_, ok := k.Run(a, &s)
	require.True(t, ok)
	for i, z := range zs {
		if z != xs[i]*(ys[i%n]*ys[i%n]) {
			t.Fatalf("element %d: %g", i, z)
		}
	}
	for _, bad := range [][]int{{5}, {2*n + 5, n + 69_000, 65_000}, {n + 3, n - 1}, {5*n + 1, 4*n + 60_000},
		{2*n - 1, 2 * n}} {
		first := bad[0]
		for _, at := range bad {
			xs[at] = 1000 + float32(at)
			first = min(first, at)
		}
		fault, ok := k.Run(a, &s)
		require.False(t, ok)
		require.Equal(t, rowprog.FaultCode(7), fault.Code)
		require.Equal(t, first, fault.Position)
		for _, at := range bad {
			xs[at] = float32(at % 97)
		}
	}
}
