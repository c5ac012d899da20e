package backend

import (
	"fmt"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// square makes arguments of n rows of n elements of float32.
func square(p *rowprog.Program, n int) *launch.Args {
	a := launch.New(p)
	a.N, a.Outer[0] = n, n
	for i, o := range p.Operands {
		data := make([]float32, n*n)
		for j := range data {
			data[j] = float32(j%113)/16 - 3
		}
		a.Ptr[i] = unsafe.Pointer(&data[0])
		switch {
		case o.Domain == rowprog.Uniform:
		case o.Domain == rowprog.Row && o.Reduced == 0:
			a.Stride[i][0] = 1
		case o.Domain == rowprog.Vec && o.Reduced != 0:
			a.Stride[i][1] = 1
		case o.Domain == rowprog.Vec:
			a.Stride[i][0], a.Stride[i][1] = n, 1
		}
	}
	return a
}

// benchmark runs a program as machine code and interpreted.
func benchmark(b *testing.B, n int, p *rowprog.Program) {
	k, err := Compile(p)
	require.NoError(b, err)
	reference, err := interp.Compile(p)
	require.NoError(b, err)
	a := square(p, n)
	require.NoError(b, launch.Check(p, a))
	a = launch.Coalesce(p, a)
	var s Scratch
	measure := func(name string, run func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*n), "ns/elem")
		})
	}
	if k.Machine() {
		measure("machine", func() { k.Run(a, &s) })
	}
	measure("portable", func() { reference.Run(a, &s.portable) })
}

func build(tb testing.TB, b *rowprog.Builder) *rowprog.Program {
	p, err := b.Build()
	require.NoError(tb, err)
	return p
}

const f32 = rowprog.F32

// tanhChain is tanh(x*y + b)*x - y.
func tanhChain(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("chain", 1)
	x, y := b.Load(b.In("x", f32, rowprog.Vec)), b.Load(b.In("y", f32, rowprog.Vec))
	bias := b.Load(b.In("b", f32, rowprog.Row))
	h := b.Apply(rowprog.OpTanh, b.Apply(rowprog.OpAdd, b.Apply(rowprog.OpMul, x, y), bias))
	b.Store(b.Out("out", f32, rowprog.Vec), b.Apply(rowprog.OpSub, b.Apply(rowprog.OpMul, h, x), y))
	return build(tb, b)
}

// reluChain is max(x*y + b, 0)*0.5 + x*0.25 - y.
func reluChain(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("relu", 1)
	x, y := b.Load(b.In("x", f32, rowprog.Vec)), b.Load(b.In("y", f32, rowprog.Vec))
	bias := b.Load(b.In("b", f32, rowprog.Row))
	h := b.Apply(rowprog.OpAdd, b.Apply(rowprog.OpMul, x, y), bias)
	h = b.Apply(rowprog.OpMul, b.Apply(rowprog.OpMax, h, b.Const(f32, 0)), b.Const(f32, 0.5))
	h = b.Apply(rowprog.OpAdd, h, b.Apply(rowprog.OpMul, x, b.Const(f32, 0.25)))
	b.Store(b.Out("out", f32, rowprog.Vec), b.Apply(rowprog.OpSub, h, y))
	return build(tb, b)
}

// softmax is the softmax of each row.
func softmax(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("softmax", 1)
	x, y := b.In("x", f32, rowprog.Vec), b.InOut("y", f32, rowprog.Vec)
	m := b.Reduce(rowprog.Max, b.Load(x))
	b.NextStage()
	e := b.Apply(rowprog.OpExp, b.Apply(rowprog.OpSub, b.Load(x), m))
	b.Store(y, e)
	sum := b.Reduce(rowprog.Sum, e)
	b.NextStage()
	b.Store(y, b.Apply(rowprog.OpMul, b.Load(y), b.Apply(rowprog.OpRecip, sum)))
	return build(tb, b)
}

// sums is x*y summed over rows and over columns.
func sums(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("sums", 1)
	xy := b.Apply(rowprog.OpMul, b.Load(b.In("x", f32, rowprog.Vec)), b.Load(b.In("y", f32, rowprog.Vec)))
	b.Accumulate(b.Acc("columns", f32, rowprog.Vec, rowprog.Axes(0)), rowprog.Sum, xy)
	sum := b.Reduce(rowprog.Sum, xy)
	b.NextStage()
	b.Store(b.Out("rows", f32, rowprog.Row), sum)
	return build(tb, b)
}

// rowSums is x*y summed over rows.
func rowSums(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("row sums", 1)
	xy := b.Apply(rowprog.OpMul, b.Load(b.In("x", f32, rowprog.Vec)), b.Load(b.In("y", f32, rowprog.Vec)))
	sum := b.Reduce(rowprog.Sum, xy)
	b.NextStage()
	b.Store(b.Out("rows", f32, rowprog.Row), sum)
	return build(tb, b)
}

// columnSums is x*y summed over columns.
func columnSums(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("column sums", 1)
	xy := b.Apply(rowprog.OpMul, b.Load(b.In("x", f32, rowprog.Vec)), b.Load(b.In("y", f32, rowprog.Vec)))
	b.Accumulate(b.Acc("columns", f32, rowprog.Vec, rowprog.Axes(0)), rowprog.Sum, xy)
	return build(tb, b)
}

// unary is op(x).
func unary(tb testing.TB, op rowprog.Op) *rowprog.Program {
	b := rowprog.NewBuilder(op.String(), 1)
	b.Store(b.Out("out", f32, rowprog.Vec), b.Apply(op, b.Load(b.In("x", f32, rowprog.Vec))))
	return build(tb, b)
}

// gelu is the exact GELU of x + b.
func gelu(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("gelu", 1)
	x := b.Apply(rowprog.OpAdd, b.Load(b.In("x", f32, rowprog.Vec)), b.Load(b.In("b", f32, rowprog.Row)))
	h := b.Apply(rowprog.OpErf, b.Apply(rowprog.OpMul, x, b.Const(f32, 0.7071067811865476)))
	h = b.Apply(rowprog.OpAdd, h, b.Const(f32, 1))
	b.Store(b.Out("out", f32, rowprog.Vec), b.Apply(rowprog.OpMul, b.Apply(rowprog.OpMul, x, b.Const(f32, 0.5)), h))
	return build(tb, b)
}

const side = 1024

func BenchmarkTanhChain(b *testing.B)   { benchmark(b, side, tanhChain(b)) }
func BenchmarkTanhChain64(b *testing.B) { benchmark(b, 64, tanhChain(b)) }
func BenchmarkReLUChain(b *testing.B)   { benchmark(b, side, reluChain(b)) }
func BenchmarkReLUChain64(b *testing.B) { benchmark(b, 64, reluChain(b)) }
func BenchmarkSoftmax(b *testing.B)     { benchmark(b, side, softmax(b)) }
func BenchmarkSums(b *testing.B)        { benchmark(b, side, sums(b)) }
func BenchmarkRowSums(b *testing.B)     { benchmark(b, side, rowSums(b)) }
func BenchmarkColumnSums(b *testing.B)  { benchmark(b, side, columnSums(b)) }
func BenchmarkGELU(b *testing.B)        { benchmark(b, side, gelu(b)) }

func BenchmarkUnary(b *testing.B) {
	for _, op := range []rowprog.Op{rowprog.OpExp, rowprog.OpLog, rowprog.OpTanh, rowprog.OpSigmoid, rowprog.OpErf,
		rowprog.OpSqrt} {
		b.Run(op.String(), func(b *testing.B) { benchmark(b, 256, unary(b, op)) })
	}
}

// BenchmarkCompile measures the time to make machine code, without allocating its memory.
func BenchmarkCompile(b *testing.B) {
	for _, p := range []*rowprog.Program{reluChain(b), tanhChain(b), softmax(b), sums(b)} {
		b.Run(p.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = codegen.Compile(p, codegen.AVX2)
			}
		})
	}
}

// BenchmarkFetchedAhead sums the rows of a large operand with and without prefetching, in turn, and reports the median
// ratio of the times.
func BenchmarkFetchedAhead(b *testing.B) {
	p := rowprog.NewBuilder("sum", 1)
	sum := p.Reduce(rowprog.Sum, p.Load(p.In("x", f32, rowprog.Vec)))
	p.Store(p.Out("y", f32, rowprog.Row), sum)
	k, err := Compile(build(b, p))
	require.NoError(b, err)
	m, ok := k.(*nativeKernel)
	if !ok {
		b.Skip("there is no machine code here")
	}
	ahead, not := fetching(m)[0], *m
	not.prefetches = nil
	for _, n := range []int{1024, 1536, 2048, 4096} {
		b.Run(fmt.Sprint(4*n*n>>20, " MiB"), func(b *testing.B) {
			a := square(m.prog, n)
			var s Scratch
			run := func(k *nativeKernel) float64 {
				start := time.Now()
				k.Run(a, &s)
				return float64(time.Since(start))
			}
			var gains []float64
			for b.Loop() {
				gains = append(gains, run(&not)/run(ahead))
			}
			slices.Sort(gains)
			b.ReportMetric(gains[len(gains)/2], "gain")
			b.ReportMetric(0, "ns/op")
		})
	}
}
