package backend

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// A call on a part of the rows, and of each row, knows where the part begins.
func TestOriginOfAPart(t *testing.T) {
	b := rowprog.NewBuilder("positions", 2)
	in1 := b.In("x", f32, rowprog.Vec)
	element := func() rowprog.Value {
		at := b.Apply(rowprog.OpAdd, b.Apply(rowprog.OpMul, b.Iota(0), b.ConstInt(rowprog.I64, 1000)), b.Iota(2))
		at = b.Apply(rowprog.OpAdd, at, b.Apply(rowprog.OpMul, b.Iota(1), b.ConstInt(rowprog.I64, 100_000)))
		return b.Apply(rowprog.OpAdd, b.Load(in1), b.Convert(at, f32))
	}
	most := b.Reduce(rowprog.Max, element())
	b.NextStage()
	b.Store(b.Out("y", f32, rowprog.Vec), b.Apply(rowprog.OpSub, element(), most))
	p := build(t, b)
	machine, err := Compile(p)
	require.NoError(t, err)
	portable, err := interp.CompileVectors(p)
	require.NoError(t, err)
	const n, m, w = 3, 5, 300
	in := make([]float32, n*m*w)
	for i := range in {
		in[i] = float32(i % 7)
	}
	for _, k := range []Kernel{machine, &interpKernel{portable}} {
		var s Scratch
		for _, inner := range []int{1, 2} { // steps within the row
			out := make([]float32, n*m*w*inner)
			from, rows, row0, cols := 128, 2, 3, 150
			a := launch.New(p)
			a.N, a.Outer[0], a.Outer[1], a.Origin = cols, 2, rows, []int{1, row0, from}
			a.Stride[0], a.Stride[1] = []int{m * w, w, 1}, []int{m * w * inner, w * inner, inner}
			a.Ptr[0] = unsafe.Pointer(&in[m*w+row0*w+from])
			a.Ptr[1] = unsafe.Pointer(&out[(m*w+row0*w+from)*inner])
			k.RunRange(a, 0, 2, &s)
			for i := range n {
				for r := range m {
					most := float32(0)
					for c := from; c < from+cols; c++ {
						most = max(most, in[(i*m+r)*w+c]+float32(1000*i+c+100_000*r))
					}
					for c := range w {
						want := float32(0)
						if i >= 1 && r >= row0 && r < row0+rows && c >= from && c < from+cols {
							want = in[(i*m+r)*w+c] + float32(1000*i+c+100_000*r) - most
						}
						require.Equal(t, want, out[((i*m+r)*w+c)*inner], "%d %d %d, machine code %v", i, r, c,
							k.Machine())
					}
				}
			}
		}
	}
}
