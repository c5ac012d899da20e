package backend

import (
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/internal/testkit/rowtest"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// TestLongRows compares machine code with the interpreter on rows that are processed in chunks, by one goroutine and by
// several.
func TestLongRows(t *testing.T) {
	if cpu.Chosen() < cpu.AVX2 || !cpu.JIT() {
		t.Skip("there is no machine code here")
	}
	shared := 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 6))
		want := rowtest.BindLong(r, rowtest.Program(r))
		k, err := Compile(want.Program)
		require.NoError(t, err)
		got, together := want.Clone(), want.Clone()
		reference, err := interp.Compile(want.Program)
		require.NoError(t, err)
		var s Scratch
		wantFault, wantOK := reference.Run(want.Args, &s.portable)
		fault, ok := k.Run(got.Args, &s)
		require.Equal(t, wantOK, ok, "seed %d: %v", seed, want)
		require.Equal(t, wantFault, fault, "seed %d: %v", seed, want)
		if ok {
			require.Empty(t, want.Diff(got), "seed %d: %v", seed, want)
		}
		l := PrepareChunked(k, together.Args)
		if l == nil {
			continue
		}
		shared++
		for l.Start(0, together.Args.Rows()); l.Begin(); l.End() {
			var group sync.WaitGroup
			for i := 1; i < l.Chunks(); i++ {
				group.Go(func() { l.Chunk(i, new(Scratch)) })
			}
			group.Wait()
		}
		fault, ok = l.Result()
		require.Equal(t, wantOK, ok, "seed %d: %v", seed, want)
		require.Equal(t, wantFault, fault, "seed %d: %v", seed, want)
		if ok {
			require.Empty(t, want.Diff(together), "seed %d: %v", seed, want)
		}
	}
	require.Greater(t, shared, 40)
}

// TestLongRowsAVX512 is TestLongRows with emulated code.
func TestLongRowsAVX512(t *testing.T) {
	if testing.Short() {
		t.Skip("the emulator is slow")
	}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 7))
		want := rowtest.BindLong(r, rowtest.Program(r))
		c, err := codegen.Compile(want.Program, codegen.AVX512)
		require.NoError(t, err)
		reference, err := interp.Compile(want.Program)
		require.NoError(t, err)
		got := want.Clone()
		var s Scratch
		wantFault, wantOK := reference.Run(want.Args, &s.portable)
		fault, ok := emulate(t, want.Program, c).Run(got.Args, &s)
		require.Equal(t, wantOK, ok, "seed %d: %v", seed, want)
		require.Equal(t, wantFault, fault, "seed %d: %v", seed, want)
		if ok {
			require.Empty(t, want.Diff(got), "seed %d: %v", seed, want)
		}
	}
}

// counting records the most elements that a call processes.
type counting struct {
	executable
	k    *nativeKernel
	most int
}

func (c *counting) Call(offset int, args unsafe.Pointer) {
	b := frame{base: args}
	elements := b.get(c.k.layout.N())
	for axis := range c.k.layout.Outer {
		elements *= b.get(c.k.layout.Count(axis))
	}
	c.most = max(c.most, elements)
	c.executable.Call(offset, args)
}

// TestCallsAreShort checks that no call processes more elements than take 100 µs, whatever the shape: the runtime
// cannot preempt a goroutine in a call.
func TestCallsAreShort(t *testing.T) {
	if cpu.Chosen() < cpu.AVX2 || !cpu.JIT() {
		t.Skip("there is no machine code here")
	}
	b := rowprog.NewBuilder("total", 2)
	b.Accumulate(b.Acc("y", rowprog.F32, rowprog.Row, rowprog.Axes(1)), rowprog.Sum,
		b.Load(b.In("x", rowprog.F32, rowprog.Row)))
	manyRows := build(t, b)
	for _, c := range []struct {
		p     *rowprog.Program
		outer []int
		n     int
	}{{softmax(t), []int{1}, 1 << 20}, {softmax(t), []int{1 << 10}, 1 << 10}, {tanhChain(t), []int{2}, 1 << 19},
		{sums(t), []int{200}, 5000},
		{manyRows, []int{2, 1 << 18}, 1}} {
		compiled, err := Compile(c.p)
		require.NoError(t, err)
		k := compiled.(*nativeKernel)
		counter := &counting{executable: k.code, k: k}
		k.code = counter
		a := launch.New(c.p)
		a.N = c.n
		copy(a.Outer, c.outer)
		elements := c.n
		for _, n := range c.outer {
			elements *= n
		}
		for i, o := range c.p.Operands {
			a.Ptr[i] = unsafe.Pointer(&make([]float32, elements)[0])
			step := 1
			for axis := len(c.outer); axis >= 0; axis-- {
				if o.Domain == rowprog.Vec && !o.Reduced.Has(axis) ||
					o.Domain == rowprog.Row && axis < len(c.outer) && !o.Reduced.Has(axis) {
					a.Stride[i][axis] = step
					step *= a.Size(axis)
				}
			}
		}
		_, ok := k.Run(a, &Scratch{})
		require.True(t, ok)
		require.LessOrEqual(t, counter.most, mostElements, "%s: %v rows of %d", c.p.Name, c.outer, c.n)
	}
}
