package backend

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// layoutOf lays out axes of some sizes in a random order, with gaps, some of them reversed. It returns the steps, the
// number of elements that they span, and the place of the first.
func layoutOf(r *rand.Rand, sizes []int) (steps []int, first, span int) {
	steps, span = make([]int, len(sizes)), 1
	for _, axis := range r.Perm(len(sizes)) {
		steps[axis] = span
		span = span*sizes[axis] + r.IntN(3)
		if r.IntN(3) == 0 {
			first += (sizes[axis] - 1) * steps[axis]
			steps[axis] = -steps[axis]
		}
	}
	return steps, first, span
}

// TestCopies copies matrices of a batch from any layout to any other. The result is that of the interpreter, and the
// elements between the written ones are unchanged.
func TestCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for i, typ := range slices.Repeat([]rowprog.Type{rowprog.F32, rowprog.F64, rowprog.I32, rowprog.U8, rowprog.I16},
		2) {
		b := rowprog.NewBuilder("copy", 2)
		var read, written int
		if resultFirst := i%2 == 0; resultFirst {
			written = b.Out("y", typ, rowprog.Vec)
			read = b.In("x", typ, rowprog.Vec)
		} else {
			read = b.In("x", typ, rowprog.Vec)
			written = b.Out("y", typ, rowprog.Vec)
		}
		b.Store(written, b.Load(read))
		p := build(t, b)
		ways := bothWays(t, p)
		for range 300 {
			sizes := []int{1 + r.IntN(4), 1 + r.IntN(40), 1 + r.IntN(60)}
			if r.IntN(8) == 0 {
				sizes[2] = 500 + r.IntN(200)
			}
			fromSteps, from, span := layoutOf(r, sizes)
			toSteps, to, room := layoutOf(r, sizes)
			in := randomWords(r, span)
			var got [2][]uint64
			for i, run := range ways {
				a := launch.New(p)
				a.Outer[0], a.Outer[1], a.N = sizes[0], sizes[1], sizes[2]
				out := make([]uint64, room)
				for at := range out {
					out[at] = 0x5555555555555555
				}
				size := typ.Size()
				a.Ptr = make([]unsafe.Pointer, 2)
				a.Ptr[read], a.Ptr[written] = unsafe.Add(unsafe.Pointer(&in[0]), from*size),
					unsafe.Add(unsafe.Pointer(&out[0]), to*size)
				a.Stride = make([][]int, 2)
				a.Stride[read], a.Stride[written] = fromSteps, toSteps
				require.NoError(t, launch.Check(p, a))
				run(a)
				got[i] = out
			}
			require.Equal(t, got[0], got[1], "%v: %v from %v to %v", typ, sizes, fromSteps, toSteps)
		}
	}
}

// TestNarrowCopies copies columns to contiguous short rows, some of the rows at a time. The rows after them are
// unchanged.
func TestNarrowCopies(t *testing.T) {
	const words = 64
	r := rand.New(rand.NewPCG(9, 10))
	b := rowprog.NewBuilder("copy", 1)
	x, y := b.In("x", rowprog.F32, rowprog.Vec), b.Out("y", rowprog.F32, rowprog.Vec)
	b.Store(y, b.Load(x))
	p := build(t, b)
	k, err := Compile(p)
	require.NoError(t, err)
	var s Scratch
	for columns := 1; columns <= 9; columns++ {
		for _, rows := range []int{1, 7, 8, 9, 10, 15, 16, 17, 40, 63, 64, 71, 200, 1300} {
			lo := r.IntN(rows)
			hi := lo + 1 + r.IntN(rows-lo)
			in := make([]float32, rows*columns)
			for i := range in {
				in[i] = float32(i + 1)
			}
			out := make([]float32, rows*columns+words)
			a := launch.New(p)
			a.Outer[0], a.N = rows, columns
			a.Ptr[x], a.Stride[x] = unsafe.Pointer(&in[0]), []int{1, rows}
			a.Ptr[y], a.Stride[y] = unsafe.Pointer(&out[0]), []int{columns, 1}
			k.RunRange(a, lo, hi, &s)
			for at, v := range out {
				want := float32(0)
				if row := at / columns; lo <= row && row < hi {
					want = in[at%columns*rows+row]
				}
				require.Equal(t, want, v, "%d rows of %d, from %d to %d: element %d", rows, columns, lo, hi, at)
			}
		}
	}
}
