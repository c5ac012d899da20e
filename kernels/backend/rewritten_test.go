package backend

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// TestRewrittenRows adds in place to rows of all short lengths, contiguous and apart: all elements change, and none
// around them.
func TestRewrittenRows(t *testing.T) {
	const rows, most, apart = 5, 40, 3
	for _, typ := range []rowprog.Type{rowprog.F32, rowprog.F64, rowprog.I32} {
		b := rowprog.NewBuilder("rewritten", 1)
		x, y := b.In("x", typ, rowprog.Vec), b.InOut("y", typ, rowprog.Vec)
		b.Store(y, b.Apply(rowprog.OpAdd, b.Load(y), b.Load(x)))
		p := build(t, b)
		native, err := Compile(p)
		require.NoError(t, err)
		code, err := codegen.Compile(p, codegen.AVX512)
		require.NoError(t, err)
		for name, k := range map[string]Kernel{"native": native, "emulated": emulate(t, p, code)} {
			t.Run(fmt.Sprint(typ, " ", name), func(t *testing.T) {
				for n := 1; n <= most; n++ {
					for _, pitch := range []int{n, n + apart} {
						switch typ {
						case rowprog.F32:
							rewrite[float32](t, k, n, pitch, rows)
						case rowprog.F64:
							rewrite[float64](t, k, n, pitch, rows)
						default:
							rewrite[int32](t, k, n, pitch, rows)
						}
					}
				}
			})
		}
	}
}

func rewrite[T float32 | float64 | int32](t *testing.T, k Kernel, n, pitch, rows int) {
	x, y, want := make([]T, n*rows), make([]T, pitch*rows+64), make([]T, pitch*rows+64)
	for i := range y {
		y[i], want[i] = T(i), T(i)
	}
	for i := range x {
		x[i] = T(3*i + 1)
		want[i/n*pitch+i%n] += x[i]
	}
	a := launch.New(k.Program())
	a.N, a.Outer[0] = n, rows
	a.Ptr[0], a.Ptr[1] = unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])
	a.Stride[0], a.Stride[1] = []int{n, 1}, []int{pitch, 1}
	_, ok := k.Run(a, &Scratch{})
	require.True(t, ok)
	require.Equal(t, want, y, "rows of %d, %d apart", n, pitch)
}
