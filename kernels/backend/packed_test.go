package backend

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

var memoryTypes = []rowprog.Type{rowprog.U8, rowprog.I8, rowprog.U16, rowprog.I16, rowprog.U32, rowprog.U64,
	rowprog.F16, rowprog.BF16, rowprog.F8E4M3, rowprog.F8E5M2}

// TestConversionsOfMemoryTypes converts elements of types for memory alone to their computed type and back: all
// elements of 8 and 16 bits, and values at and near the midpoint between two of them.
func TestConversionsOfMemoryTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, typ := range memoryTypes {
		computed := typ.Computed()
		stored := elementsOf(r, typ)
		checkConversion(t, typ, computed, stored)
		var values []uint64
		for _, bits := range stored {
			values = append(values, aroundMiddle(computed, scalar.Convert(computed, typ, bits))...)
		}
		checkConversion(t, computed, typ, append(values, numbers(r, computed, 2000)...))
	}
}

// elementsOf is all elements of a type of up to 16 bits, else many.
func elementsOf(r *rand.Rand, t rowprog.Type) []uint64 {
	if t.Size() > 2 {
		return numbers(r, t.Computed(), 2000)
	}
	all := make([]uint64, 1<<(8*t.Size()))
	for i := range all {
		all[i] = uint64(i)
	}
	return all
}

// aroundMiddle is a value, its neighbours, and the values about half of a step of a type of 16 or 8 bits away.
func aroundMiddle(t rowprog.Type, bits uint64) (all []uint64) {
	for _, half := range []uint64{0, 1 << 12, 1 << 15, 1 << 19, 1 << 20, 1 << 21, 1 << 22} {
		for _, by := range []uint64{0, 1, math.MaxUint64} {
			all = append(all, (bits+half+by)&(math.MaxUint64>>(64-8*t.Size())))
		}
	}
	return all
}

// checkConversion compares machine code, for this processor and emulated, with package scalar.
func checkConversion(t *testing.T, from, to rowprog.Type, values []uint64) {
	b := rowprog.NewBuilder(fmt.Sprintf("%v to %v", from, to), 0)
	b.Store(b.Out("y", to, rowprog.Vec), b.Convert(b.Load(b.In("x", from, rowprog.Vec)), to))
	p := build(t, b)
	k, err := Compile(p)
	require.NoError(t, err)
	require.Equal(t, cpu.Chosen() >= cpu.AVX2 && cpu.JIT(), k.Machine())
	checkConverted(t, k, values)
	c, err := codegen.Compile(p, codegen.AVX512)
	require.NoError(t, err)
	few := values[max(0, len(values)-515):]
	checkConverted(t, emulate(t, p, c), few)
}

func checkConverted(t *testing.T, k Kernel, values []uint64) {
	p, n := k.Program(), len(values)
	from, to := p.Operands[1].Type, p.Operands[0].Type
	x, y := make([]uint64, n), make([]uint64, n)
	for i, bits := range values {
		loops.Store(from, unsafe.Add(unsafe.Pointer(&x[0]), i*from.Size()), bits)
	}
	a := launch.New(p)
	a.N = n
	a.Ptr[0], a.Ptr[1] = unsafe.Pointer(&y[0]), unsafe.Pointer(&x[0])
	a.Stride[0][0], a.Stride[1][0] = 1, 1
	_, ok := k.Run(a, &Scratch{})
	require.True(t, ok)
	for i, bits := range values {
		got := loops.Load(to, unsafe.Add(unsafe.Pointer(&y[0]), i*to.Size()))
		if want := scalar.Convert(to, from, bits); got != want {
			t.Fatalf("%v to %v: %#x gives %#x, want %#x", from, to, bits, got, want)
		}
	}
}

// BenchmarkImage converts a uint8 image to float32 and scales it, and compares with a float32 image. A byte that is
// read or written counts once.
func BenchmarkImage(b *testing.B) {
	for _, from := range []rowprog.Type{rowprog.F32, rowprog.U8, rowprog.F16, rowprog.BF16, rowprog.F8E4M3,
		rowprog.F8E5M2} {
		for _, n := range []int{1 << 12, 1 << 24} {
			b.Run(fmt.Sprintf("%v/%d", from, n), func(b *testing.B) { benchmarkImage(b, from, n) })
		}
	}
}

func benchmarkImage(b *testing.B, from rowprog.Type, n int) {
	q := rowprog.NewBuilder("image", 0)
	x := q.Convert(q.Convert(q.Load(q.In("x", from, rowprog.Vec)), from.Computed()), rowprog.F32)
	q.Store(q.Out("y", rowprog.F32, rowprog.Vec), q.Apply(rowprog.OpMul, x, q.Const(rowprog.F32, 1.0/255)))
	p, err := q.Build()
	require.NoError(b, err)
	k, err := Compile(p)
	require.NoError(b, err)
	a, in, out := launch.New(p), make([]uint64, n*from.Size()/8), make([]uint64, n/2)
	for i := range p.Operands {
		a.Ptr[i], a.Stride[i][0] = unsafe.Pointer(&in[0]), 1
		if p.Operands[i].Access == rowprog.Out {
			a.Ptr[i] = unsafe.Pointer(&out[0])
		}
	}
	a.N = n
	var s Scratch
	b.SetBytes(int64(n * (from.Size() + 4)))
	for b.Loop() {
		k.Run(a, &s)
	}
}
