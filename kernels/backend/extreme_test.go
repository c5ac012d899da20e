package backend

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// backends returns a kernel for each way in which a program can run: the interpreter first, then as this machine does,
// and as emulated AVX-512 code.
func backends(t *testing.T, p *rowprog.Program) []Kernel {
	reference, err := interp.Compile(p)
	require.NoError(t, err)
	machine, err := Compile(p)
	require.NoError(t, err)
	code, err := codegen.Compile(p, codegen.AVX512)
	require.NoError(t, err)
	return []Kernel{&interpKernel{kernel: reference}, machine, emulate(t, p, code)}
}

// The maximum and the minimum of a row are the same bits wherever a NaN, an infinity or a zero of either sign is.
func TestExtremesOfRows(t *testing.T) {
	inf, zero := math.Inf(1), math.Copysign(0, -1)
	for _, typ := range []rowprog.Type{rowprog.F32, rowprog.F64} {
		for _, kind := range []rowprog.Reduction{rowprog.Max, rowprog.Min, rowprog.MaxNumber} {
			b := rowprog.NewBuilder("extreme", 0)
			x := b.Load(b.In("x", typ, rowprog.Vec))
			b.Store(b.Out("y", typ, rowprog.Row), b.Reduce(kind, x))
			p := build(t, b)
			kernels := backends(t, p)
			for _, n := range []int{1, 3, 16, 17, 64, 65, 150} {
				for _, usual := range []float64{-3, 0, zero, -inf, inf} {
					for _, other := range []float64{math.NaN(), zero, 0, 5, -7, inf, -inf} {
						for at := 0; at < n; at += 1 + n/9 {
							row := make([]float64, n)
							for i := range row {
								row[i] = usual
							}
							row[at] = other
							name := fmt.Sprintf("%v %v: %v elements %v, %v at %d", typ, kind, n, usual, other, at)
							requireSame(t, name, p, typ, row, 1, kernels)
						}
					}
				}
			}
		}
	}
}

// exponential is exp, one or the other, of (y - the greatest x) of y = x + y·step.
func exponential(t *testing.T, exp rowprog.Op, step float64) *rowprog.Program {
	b := rowprog.NewBuilder("exponential", 0)
	in := b.In("x", f32, rowprog.Vec)
	half := b.Const(f32, 0.5)
	most := b.Reduce(rowprog.Max, b.Apply(rowprog.OpMul, b.Load(in), half))
	b.NextStage()
	x := b.Apply(rowprog.OpMul, b.Load(in), half)
	if step != 0 {
		x = b.Apply(rowprog.OpAdd, x, b.Const(f32, step))
	}
	b.Store(b.Out("y", f32, rowprog.Vec), b.Apply(exp, b.Apply(rowprog.OpSub, x, most)))
	return build(t, b)
}

// Exponentials of elements minus the maximum need no upper limit; those of other elements do.
func TestExponentialsBelowTheGreatest(t *testing.T) {
	inf := math.Inf(1)
	for _, exp := range []rowprog.Op{rowprog.OpExp, rowprog.OpExpOrZero} {
		for _, step := range []float64{0, 50, 1000, 1e30, inf} {
			p := exponential(t, exp, step)
			kernels := backends(t, p)
			for _, row := range [][]float64{
				{0, -1, 1, 3e38, -3e38, 1e-40},
				{-inf, -inf, -inf},
				{-inf, 2, inf},
				{5, math.NaN(), -5},
				{0, -206, -207, -208, -209, -173, -174, -175, -2e4, -1e10, -1e30, -3e38, -inf},
			} {
				long := row
				for len(long) < 100 {
					long = append(long, row...)
				}
				for _, x := range [][]float64{row, long} {
					requireSame(t, fmt.Sprint(exp, " ", step, " more: ", x), p, f32, x, len(x), kernels)
				}
			}
		}
	}
}

// requireSame runs kernels on a row, and requires n results with equal bits; all NaNs count as equal.
func requireSame(t *testing.T, name string, p *rowprog.Program, typ rowprog.Type, row []float64, n int,
	kernels []Kernel) {
	in := make([]uint64, len(row)+1)
	for i, x := range row {
		if typ == rowprog.F64 {
			in[i] = math.Float64bits(x)
		} else {
			*(*float32)(unsafe.Add(unsafe.Pointer(&in[0]), 4*i)) = float32(x)
		}
	}
	var want []uint64
	for i, k := range kernels {
		out := make([]uint64, n+1)
		a := launch.New(p)
		a.N, a.Stride[0][0] = len(row), 1
		if n > 1 {
			a.Stride[1][0] = 1
		}
		a.Ptr[0], a.Ptr[1] = unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0])
		var s Scratch
		_, ok := k.Run(a, &s)
		require.True(t, ok, name)
		got := make([]uint64, n)
		for i := range got {
			if typ == rowprog.F64 {
				got[i] = out[i]
				if math.IsNaN(math.Float64frombits(got[i])) {
					got[i] = math.MaxUint64
				}
				continue
			}
			x := *(*float32)(unsafe.Add(unsafe.Pointer(&out[0]), 4*i))
			got[i] = uint64(math.Float32bits(x))
			if x != x {
				got[i] = math.MaxUint64
			}
		}
		if i == 0 {
			want = got
		}
		require.Equal(t, want, got, "%s, back end %d", name, i)
	}
}

// The maximum of a row whose elements are masked by position is that of the whole row, too.
func TestExtremesOfMaskedRows(t *testing.T) {
	b := rowprog.NewBuilder("masked", 1)
	x, last := b.Load(b.In("x", f32, rowprog.Vec)), b.Load(b.In("last", rowprog.I64, rowprog.Row))
	hidden := b.Apply(rowprog.OpGt, b.Iota(1), last)
	b.Store(b.Out("y", f32, rowprog.Row), b.Reduce(
		rowprog.Max, b.Apply(rowprog.OpSelect, hidden, b.Const(f32, math.Inf(-1)), x)))
	p := build(t, b)
	for _, k := range backends(t, p) {
		const rows, n = 3, 128
		in, lasts, out := make([]float32, rows*n), [rows]int64{2, 127, 64}, [rows]float32{}
		for i := range in {
			in[i] = float32(i % n)
		}
		a := launch.New(p)
		a.N, a.Outer[0] = n, rows
		a.Stride[0][0], a.Stride[0][1], a.Stride[1][0], a.Stride[2][0] = n, 1, 1, 1
		a.Ptr[0], a.Ptr[1], a.Ptr[2] = unsafe.Pointer(&in[0]), unsafe.Pointer(&lasts[0]), unsafe.Pointer(&out[0])
		var s Scratch
		_, ok := k.Run(a, &s)
		require.True(t, ok)
		require.Equal(t, [rows]float32{2, 127, 64}, out)
	}
}
