package backend

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Numbers become integers of 8 and 16 bits as the interpreter says, those that fit into no integer included, whether
// all bits of an I32 are needed or not.
func TestNumbersBecomeNarrowIntegers(t *testing.T) {
	const count = 333
	r := rand.New(rand.NewPCG(5, 6))
	numbers := []float32{0, -0.5, 1.5, -1.5, 127.9, 128, -129, 255.5, 256, 70000, -70000, 1<<31 - 128, 1 << 31,
		1<<31 + 256, -1 << 31, -1<<31 - 256, 1e10, -1e10, 1 << 63, -1 << 63, 1e30, -1e30, float32(math.Inf(1)),
		float32(math.Inf(-1)), float32(math.NaN()), math.SmallestNonzeroFloat32}
	x := make([]float32, count)
	for i := range x {
		x[i] = numbers[r.IntN(len(numbers))]
		if r.IntN(4) == 0 {
			x[i] = float32(r.NormFloat64() * 300)
		}
	}
	for _, typ := range []rowprog.Type{rowprog.U8, rowprog.I8, rowprog.U16, rowprog.I16} {
		for _, c := range []struct {
			limited, chosen bool // 0 of what is too large, and -1 of what is far too large
			whole           bool // all bits are stored too
		}{{}, {limited: true}, {chosen: true}, {limited: true, chosen: true}, {limited: true, whole: true},
			{whole: true}} {
			b := rowprog.NewBuilder("narrowed", 0)
			number := b.Load(b.In("x", rowprog.F32, rowprog.Vec))
			v := number
			if c.limited {
				large := b.Apply(rowprog.OpGe, v, b.Const(rowprog.F32, 1<<31))
				v = b.Apply(rowprog.OpSelect, large, b.Const(rowprog.F32, 0), v)
			}
			v = b.Convert(v, rowprog.I32)
			whole := v
			if c.chosen {
				huge := b.Apply(rowprog.OpGe, number, b.Const(rowprog.F32, 1<<63))
				v = b.Apply(rowprog.OpSelect, huge, b.ConstInt(rowprog.I32, -1), v)
			}
			b.Store(b.Out("y", typ, rowprog.Vec), b.Convert(v, typ))
			if c.whole {
				b.Store(b.Out("z", rowprog.I32, rowprog.Vec), whole)
			}
			p := build(t, b)
			ways := bothWays(t, p)
			var got [2][2][]int32
			for i, run := range ways {
				got[i] = [2][]int32{make([]int32, count), make([]int32, count)}
				a := launch.New(p)
				a.N = count
				for j, m := range []unsafe.Pointer{unsafe.Pointer(&x[0]), unsafe.Pointer(&got[i][0][0]),
					unsafe.Pointer(&got[i][1][0])}[:len(a.Ptr)] {
					a.Ptr[j], a.Stride[j] = m, []int{1}
				}
				run(a)
			}
			require.Equal(t, got[0], got[1], "%v", p)
		}
	}
}

// Quotients of all integers of 8 bits by constants have the bits of the interpreter.
func TestQuotientsOfBytes(t *testing.T) {
	const count = 256
	x := make([]uint8, count)
	for i := range x {
		x[i] = uint8(i)
	}
	r := rand.New(rand.NewPCG(7, 8))
	numbers := []float64{255, -255, 127.5, 128, 3, 0.1, 0, 1e-30, 1e30, 1e-42, math.Inf(1), math.NaN()}
	for range 100 {
		numbers = append(numbers, r.NormFloat64()*math.Exp(r.NormFloat64()*10))
	}
	for _, typ := range []rowprog.Type{rowprog.U8, rowprog.I8} {
		for _, number := range numbers {
			b := rowprog.NewBuilder("quotient", 0)
			v := b.Convert(b.Convert(b.Load(b.In("x", typ, rowprog.Vec)), rowprog.I32), rowprog.F32)
			b.Store(b.Out("y", rowprog.F32, rowprog.Vec), b.Apply(rowprog.OpDiv, v, b.Const(rowprog.F32, number)))
			p := build(t, b)
			ways := bothWays(t, p)
			var got [2][count]float32
			for i, run := range ways {
				a := launch.New(p)
				a.N = count
				a.Ptr[0], a.Stride[0] = unsafe.Pointer(&x[0]), []int{1}
				a.Ptr[1], a.Stride[1] = unsafe.Pointer(&got[i][0]), []int{1}
				run(a)
			}
			for i := range count {
				want, q := got[0][i], got[1][i]
				if want != want {
					require.True(t, q != q, "%d of %v by %g", i, typ, number)
					continue
				}
				require.Equal(t, math.Float32bits(want), math.Float32bits(q), "%d of %v by %g", i, typ, number)
			}
		}
	}
}
