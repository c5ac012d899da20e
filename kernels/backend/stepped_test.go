//go:build linux

package backend

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// apartAdder adds up operands of a type, which may be apart, and one of another type, which is not.
func apartAdder(t *testing.T, apart int, typ, other rowprog.Type) *rowprog.Program {
	b := rowprog.NewBuilder(fmt.Sprint("apart ", apart, " ", typ, " ", other), 1)
	sum := b.Load(b.In("y", other, rowprog.Vec))
	for range apart {
		x := b.Load(b.In("x", typ, rowprog.Vec))
		sum = b.Apply(rowprog.OpAdd, sum, b.Convert(x, other))
	}
	b.Store(b.Out("z", other, rowprog.Vec), sum)
	return build(t, b)
}

// apartIndices is a program that is not elementwise: sums of rows of elements that are apart, and where these are
// greater than others.
func apartIndices(t *testing.T) *rowprog.Program {
	b := rowprog.NewBuilder("indices", 1)
	y := b.Load(b.In("y", rowprog.F32, rowprog.Vec))
	x := b.Load(b.In("x", rowprog.F32, rowprog.Vec))
	at := b.Apply(rowprog.OpSelect, b.Apply(rowprog.OpGt, x, y), b.Iota(1), b.ConstInt(rowprog.I64, -1))
	b.Store(b.Out("at", rowprog.I64, rowprog.Vec), at)
	b.Store(b.Out("sum", rowprog.F32, rowprog.Row), b.Reduce(rowprog.Sum, x))
	return build(t, b)
}

// steppedCase has the arguments of such a program, on rows of n elements. Each operand ends at a page that must not be
// touched.
func steppedCase(r *rand.Rand, p *rowprog.Program, fences []fence, n, step int) *launch.Args {
	a := launch.New(p)
	a.N, a.Outer[0] = n, 2
	for i, o := range p.Operands {
		each := 1
		if i > 0 && o.Access == rowprog.In {
			each = step
		}
		size := o.Type.Size()
		a.Stride[i][0], a.Stride[i][1] = n*each+1, each
		length := (a.Stride[i][0] + (n-1)*each + 1) * size
		if o.Domain == rowprog.Row {
			a.Stride[i][0], a.Stride[i][1], length = 1, 0, 2*size
		}
		at := len(fences[i]) - length
		for k := at; k < len(fences[i]); k += size {
			if size == 4 {
				*(*float32)(unsafe.Pointer(&fences[i][k])) = r.Float32()
			} else {
				*(*float64)(unsafe.Pointer(&fences[i][k])) = r.Float64()
			}
		}
		a.Ptr[i] = unsafe.Pointer(&fences[i][at])
	}
	return a
}

// Elements that are 2 or 4 apart are read where they are, whatever the length of rows, and nothing behind them is.
func TestElementsApartAreReadInPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	programs := []*rowprog.Program{apartAdder(t, 2, rowprog.F32, rowprog.F32),
		apartAdder(t, 9, rowprog.F32, rowprog.F32), apartAdder(t, 2, rowprog.F32, rowprog.F64),
		apartAdder(t, 2, rowprog.I32, rowprog.I32), apartAdder(t, 2, rowprog.U32, rowprog.I64), apartIndices(t)}
	for _, p := range programs {
		fences := make([]fence, len(p.Operands))
		for i := range fences {
			fences[i] = newFence(t)
		}
		compiled, err := Compile(p)
		require.NoError(t, err)
		reference, err := interp.Compile(p)
		require.NoError(t, err)
		emulated := map[int]*nativeKernel{}
		outs := fences[slices.IndexFunc(p.Operands, func(o rowprog.Operand) bool { return o.Access == rowprog.Out }):]
		var s Scratch
		for n := fewStepped; n < leastStepped+70; n++ {
			for _, step := range []int{2, 4} {
				a := steppedCase(r, p, fences, n, step)
				clearAll(outs)
				_, ok := reference.Run(a, &s.portable)
				require.True(t, ok)
				want := joined(outs)
				run := func(k Kernel) {
					clearAll(outs)
					_, ok = k.Run(a, &s)
					require.True(t, ok)
					require.Equal(t, want, joined(outs), "%s: %d elements %d apart", p.Name, n, step)
				}
				run(compiled)
				if m, ok := compiled.(*nativeKernel); ok && n >= leastStepped {
					hasCode := p.Operands[1].Type.MayHaveStep()
					require.Equal(t, hasCode, m != m.suited(a), "%s has code of its own", p.Name)
				}
				if cpu.Chosen() == cpu.AVX512 || testing.Short() {
					continue
				}
				if emulated[step] == nil {
					variant := withSteps(p, a)
					c, err := codegen.Compile(variant, codegen.AVX512)
					require.NoError(t, err)
					emulated[step] = emulate(t, variant, c)
				}
				run(emulated[step])
			}
		}
	}
}

func clearAll(outs []fence) {
	for _, out := range outs {
		clear(out)
	}
}

func joined(outs []fence) (all []byte) {
	for _, out := range outs {
		all = append(all, out...)
	}
	return all
}

// A program with an operand of which only every other element is read does not copy the operand.
func BenchmarkElementsApart(b *testing.B) {
	const n = 1 << 14
	build := rowprog.NewBuilder("pool", 0)
	x, y := build.Load(build.In("x", rowprog.F32, rowprog.Vec)), build.Load(build.In("y", rowprog.F32, rowprog.Vec))
	build.Store(build.Out("z", rowprog.F32, rowprog.Vec), build.Apply(rowprog.OpMax, x, y))
	p, err := build.Build()
	require.NoError(b, err)
	k, err := Compile(p)
	require.NoError(b, err)
	data, out := make([]float32, 2*n), make([]float32, n)
	a := launch.New(p)
	a.N = n
	for i, at := range []*float32{&data[0], &data[1], &out[0]} {
		a.Ptr[i], a.Stride[i][0] = unsafe.Pointer(at), 2
	}
	a.Stride[2][0] = 1
	var s Scratch
	b.SetBytes(12 * n)
	for b.Loop() {
		k.Run(a, &s)
	}
}
