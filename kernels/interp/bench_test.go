package interp

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

const side = 1024

// benchmark runs a program on square operands: matrices, or rows or columns if an operand is Row or reduced.
func benchmark(b *testing.B, p *rowprog.Program) {
	k, err := Compile(p)
	require.NoError(b, err)
	a := square(p, side)
	require.NoError(b, launch.Check(p, a))
	if p.Elementwise() {
		a = launch.Coalesce(p, a)
	}
	var s Scratch
	b.ReportAllocs()
	for b.Loop() {
		k.Run(a, &s)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(side*side), "ns/elem")
}

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

func build(tb testing.TB, b *rowprog.Builder) *rowprog.Program {
	p, err := b.Build()
	require.NoError(tb, err)
	return p
}

// tanhChain is tanh(x*y + b)*x - y.
func tanhChain(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("chain", 1)
	x := b.Load(b.In("x", rowprog.F32, rowprog.Vec))
	y := b.Load(b.In("y", rowprog.F32, rowprog.Vec))
	bias := b.Load(b.In("b", rowprog.F32, rowprog.Row))
	h := b.Apply(rowprog.OpTanh, b.Apply(rowprog.OpAdd, b.Apply(rowprog.OpMul, x, y), bias))
	b.Store(b.Out("out", rowprog.F32, rowprog.Vec), b.Apply(rowprog.OpSub, b.Apply(rowprog.OpMul, h, x), y))
	return build(tb, b)
}

// softmax is the softmax of each row.
func softmax(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("softmax", 1)
	x, y := b.In("x", rowprog.F32, rowprog.Vec), b.InOut("y", rowprog.F32, rowprog.Vec)
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
	x := b.Load(b.In("x", rowprog.F32, rowprog.Vec))
	y := b.Load(b.In("y", rowprog.F32, rowprog.Vec))
	xy := b.Apply(rowprog.OpMul, x, y)
	b.Accumulate(b.Acc("columns", rowprog.F32, rowprog.Vec, rowprog.Axes(0)), rowprog.Sum, xy)
	sum := b.Reduce(rowprog.Sum, xy)
	b.NextStage()
	b.Store(b.Out("rows", rowprog.F32, rowprog.Row), sum)
	return build(tb, b)
}

// sgd is p -= rate*g in place.
func sgd(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("sgd", 1)
	p := b.InOut("p", rowprog.F32, rowprog.Vec)
	g := b.Load(b.In("g", rowprog.F32, rowprog.Vec))
	rate := b.Load(b.In("rate", rowprog.F32, rowprog.Uniform))
	b.Store(p, b.Apply(rowprog.OpSub, b.Load(p), b.Apply(rowprog.OpMul, g, rate)))
	return build(tb, b)
}

// relu is max(x*y + b, 0)*0.5 + x*0.25 - y.
func relu(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("relu", 1)
	x := b.Load(b.In("x", rowprog.F32, rowprog.Vec))
	y := b.Load(b.In("y", rowprog.F32, rowprog.Vec))
	bias := b.Load(b.In("b", rowprog.F32, rowprog.Row))
	h := b.Apply(rowprog.OpAdd, b.Apply(rowprog.OpMul, x, y), bias)
	h = b.Apply(rowprog.OpMul, b.Apply(rowprog.OpMax, h, b.Const(rowprog.F32, 0)), b.Const(rowprog.F32, 0.5))
	h = b.Apply(rowprog.OpAdd, h, b.Apply(rowprog.OpMul, x, b.Const(rowprog.F32, 0.25)))
	b.Store(b.Out("out", rowprog.F32, rowprog.Vec), b.Apply(rowprog.OpSub, h, y))
	return build(tb, b)
}

func BenchmarkTanhChain(b *testing.B) { benchmark(b, tanhChain(b)) }
func BenchmarkSoftmax(b *testing.B)   { benchmark(b, softmax(b)) }
func BenchmarkSums(b *testing.B)      { benchmark(b, sums(b)) }
func BenchmarkSGD(b *testing.B)       { benchmark(b, sgd(b)) }
func BenchmarkReLU(b *testing.B)      { benchmark(b, relu(b)) }

// BenchmarkCall measures the overhead of a call, on one row of 16 elements.
func BenchmarkCall(b *testing.B) {
	p := relu(b)
	k, err := Compile(p)
	require.NoError(b, err)
	a := square(p, 16)
	a.Outer[0] = 1
	var s Scratch
	b.ReportAllocs()
	for b.Loop() {
		k.Run(a, &s)
	}
}

// BenchmarkShortRows is the softmax of many rows of 10 elements.
func BenchmarkShortRows(b *testing.B) {
	p := softmax(b)
	k, err := Compile(p)
	require.NoError(b, err)
	a := square(p, side)
	a.N = 10
	var s Scratch
	for b.Loop() {
		k.Run(a, &s)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(10*side), "ns/elem")
}

// BenchmarkCompile is the time of compilation.
func BenchmarkCompile(b *testing.B) {
	p := softmax(b)
	for b.Loop() {
		_, _ = Compile(p)
	}
}
