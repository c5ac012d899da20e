package backend

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/internal/testkit/rowtest"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Lists of random programs give, in each run, the results of their calls one by one.
func TestLists(t *testing.T) {
	seeds, listed := uint64(30), 0
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 11))
		var programs []*rowprog.Program
		for range 40 {
			programs = append(programs, rowtest.Program(r))
		}
		kernels, err := CompileAll(programs...)
		require.NoError(t, err)
		var list List
		var want, got []*rowtest.Case
		var calls []*Call
		for _, k := range kernels {
			c := rowtest.Bind(r, k.Program())
			clone := c.Clone()
			if list.Add(Prepare(k, clone.Args)) {
				want, got, calls = append(want, c), append(got, clone), append(calls, Prepare(k, c.Args))
			}
		}
		require.Equal(t, len(calls), list.Len())
		listed += list.Len()
		kernels = nil
		var s Scratch
		for range 2 {
			runtime.GC()
			list.Run()
			for i, c := range calls {
				_, ok := c.Run(&s)
				require.True(t, ok)
				if diff := want[i].Diff(got[i]); diff != "" {
					t.Fatalf("seed %d: want and got differ at %s\n%v", seed, diff, want[i])
				}
			}
		}
	}
	if k, err := Compile(tanhChain(t)); err == nil && k.Machine() {
		require.Positive(t, listed)
	}
}

// manySums is out = x0 + x1 + …: more operands than there are registers for addresses.
func manySums(tb testing.TB) *rowprog.Program {
	b := rowprog.NewBuilder("many sums", 1)
	sum := b.Load(b.In("x", f32, rowprog.Vec))
	for range 10 {
		sum = b.Apply(rowprog.OpAdd, sum, b.Load(b.In("x", f32, rowprog.Vec)))
	}
	b.Store(b.Out("out", f32, rowprog.Vec), sum)
	return build(tb, b)
}

// Each call of a list reads what the one before it has written, in the memory that it was last pointed at.
func TestListRunsInOrder(t *testing.T) {
	const n, length = 5, 20
	p := manySums(t)
	k, err := Compile(p)
	require.NoError(t, err)
	if !k.Machine() {
		t.Skip("there is no machine code")
	}
	var list List
	list.Run() // of no calls
	var calls []*Call
	for range length {
		c := Prepare(k, square(p, n))
		require.True(t, list.Add(c))
		calls = append(calls, c)
	}
	ones := make([]float32, n*n)
	for i := range ones {
		ones[i] = 1
	}
	out := len(p.Operands) - 1
	for range 2 {
		var values [length + 1][n * n]float32
		for i := range values[0] {
			values[0][i] = float32(i)
		}
		for i, c := range calls {
			for operand := range out {
				c.Point(operand, unsafe.Pointer(&ones[0]))
			}
			c.Point(0, unsafe.Pointer(&values[i]))
			c.Point(out, unsafe.Pointer(&values[i+1]))
		}
		for range 2 {
			values[length] = [n * n]float32{}
			list.Run()
			for i, v := range values[length] {
				require.Equal(t, float32(i+(out-1)*length), v)
			}
		}
	}
}

// A call that takes more than one call of code, or a check in Go afterwards, is in no list. A list is no longer than a
// call may be.
func TestWhatIsInNoList(t *testing.T) {
	of := func(p *rowprog.Program, n int) *Call {
		k, err := Compile(p)
		require.NoError(t, err)
		return Prepare(k, square(p, n))
	}
	b := rowprog.NewBuilder("guarded", 1)
	x := b.Load(b.In("x", f32, rowprog.Vec))
	b.Guard(b.Apply(rowprog.OpLt, x, b.Const(f32, 100)), x, 3)
	b.Store(b.Out("y", f32, rowprog.Vec), x)
	var list List
	require.False(t, list.Add(of(build(t, b), 4)), "a guard")
	require.False(t, list.Add(of(tanhChain(t), 1024)), "a long call")
	if k, err := Compile(tanhChain(t)); err != nil || !k.Machine() {
		require.False(t, list.Add(of(tanhChain(t), 4)), "no machine code")
		return
	}
	for n, least := range map[int]int{1: 20, 32: 5} {
		c := of(tanhChain(t), n)
		for list = (List{}); list.Add(c); {
		}
		require.GreaterOrEqual(t, list.Len(), least, "calls of %d elements", n*n)
		require.LessOrEqual(t, list.Len()*n*n, c.direct.callElements)
	}
}

// A list can have calls that accumulate: their sums start anew in each run.
func TestListsAccumulate(t *testing.T) {
	const rows, n = 3, 5
	k, err := Compile(columnSums(t))
	require.NoError(t, err)
	if !k.Machine() {
		t.Skip("there is no machine code")
	}
	a := launch.New(k.Program())
	a.N, a.Outer[0], a.Stride[0][0], a.Stride[0][1], a.Stride[1][1], a.Stride[2][1] = n, rows, n, 1, 1, 1
	data, sums := make([]float32, rows*n), [2][n]float32{{9, 9, 9, 9, 9}, {9, 9, 9, 9, 9}}
	for i := range data {
		data[i] = float32(i)
	}
	a.Ptr[0], a.Ptr[1], a.Ptr[2] = unsafe.Pointer(&data[0]), unsafe.Pointer(&[n]float32{1, 1, 1, 1, 2}),
		unsafe.Pointer(&sums[0])
	var list List
	c := Prepare(k, a)
	require.True(t, list.Add(c))
	want := [n]float32{15, 18, 21, 24, 54}
	for range 2 {
		list.Run()
		require.Equal(t, want, sums[0])
	}
	c.Point(2, unsafe.Pointer(&sums[1]))
	list.Run()
	require.Equal(t, want, sums[1])
}
