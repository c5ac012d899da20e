package backend

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// A prepared call gives the kernel's results in each run: with other pointers, and after a guard has failed in the
// middle of the rows.
func TestPreparedCall(t *testing.T) {
	b := rowprog.NewBuilder("call", 1)
	x := b.Load(b.In("x", rowprog.F32, rowprog.Vec))
	b.Guard(b.Apply(rowprog.OpLt, x, b.Const(rowprog.F32, 100)), x, 3)
	b.Store(b.Out("y", rowprog.F32, rowprog.Vec), b.Apply(rowprog.OpAdd, x, x))
	b.Accumulate(b.Acc("sum", rowprog.F32, rowprog.Vec, rowprog.Axes(0)), rowprog.Sum, x)
	p := build(t, b)
	k, err := Compile(p)
	require.NoError(t, err)
	const rows, columns = 5, 11
	a := launch.New(p)
	a.N, a.Outer[0] = columns, rows
	a.Stride[0], a.Stride[1], a.Stride[2] = []int{columns, 1}, []int{columns, 1}, []int{0, 1}
	c := Prepare(k, a)
	var s Scratch
	for run := range 4 {
		in, out, sum := make([]float32, rows*columns), make([]float32, rows*columns), make([]float32, columns)
		for i := range in {
			in[i] = float32(i%7 + run)
		}
		if run == 2 {
			in[2*columns+4] = 100
		}
		a.Ptr[0], a.Ptr[1], a.Ptr[2] = unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0]), unsafe.Pointer(&sum[0])
		fault, ok := c.Run(&s)
		if run == 2 {
			require.False(t, ok)
			require.Equal(t, launch.Fault{Code: 3, Position: 2*columns + 4, Value: uint64(math.Float32bits(100))},
				fault)
			continue
		}
		require.True(t, ok)
		for i, v := range in {
			require.Equal(t, 2*v, out[i], "run %d, element %d", run, i)
		}
		for j, got := range sum {
			want := float32(0)
			for i := range rows {
				want += in[i*columns+j]
			}
			require.Equal(t, want, got, "run %d, column %d", run, j)
		}
	}
}
