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

// pooling is the maximum of four elements, and the part of another value that each of them gets.
func pooling(t *testing.T, typ rowprog.Type) *rowprog.Program {
	b := rowprog.NewBuilder("pooling", 2)
	var x [4]rowprog.Value
	for i := range x {
		x[i] = b.Load(b.In("x", typ, rowprog.Vec))
	}
	scale := b.Load(b.In("scale", typ, rowprog.Uniform))
	most := b.Apply(rowprog.OpMax, b.Apply(rowprog.OpMax, x[0], x[1]), b.Apply(rowprog.OpMax, x[2], x[3]))
	b.Store(b.Out("y", typ, rowprog.Vec), b.Apply(rowprog.OpMul, most, scale))
	for i := range x {
		b.Store(b.Out("dx", typ, rowprog.Vec), b.Apply(rowprog.OpSub, most, x[i]))
	}
	return build(t, b)
}

// window lays out a pooling of count images with windows of 2x2 elements, side by side, and height x width results
// each. at is where the images begin in x and dx, whose rows have gap elements more than the windows reach.
func window(p *rowprog.Program, x, y, dx unsafe.Pointer, scale unsafe.Pointer, count, height, width,
	gap int) *launch.Args {
	a := launch.New(p)
	a.Outer[0], a.Outer[1], a.N = count, height, width
	size := p.Operands[0].Type.Size()
	row := 2*width + gap
	for i := range 4 {
		tap := (i/2*row + i%2) * size
		a.Ptr[i], a.Stride[i] = unsafe.Add(x, tap), []int{2 * height * row, 2 * row, 2}
		a.Ptr[6+i], a.Stride[6+i] = unsafe.Add(dx, tap), a.Stride[i]
	}
	a.Ptr[4] = scale
	a.Ptr[5], a.Stride[5] = y, []int{height * width, width, 1}
	return a
}

// TestShortRowsOfInterleavedElements compares with the interpreter. Operands end at the end of memory, and the elements
// between rows must not change.
func TestShortRowsOfInterleavedElements(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, typ := range []rowprog.Type{rowprog.F32, rowprog.F64, rowprog.I32} {
		p := pooling(t, typ)
		ways := bothWays(t, p)
		for _, width := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 33, 300, 600} {
			for _, height := range []int{1, 2, 3, 12} {
				gap := r.IntN(3)
				count := 1 + r.IntN(4)
				in, results := count*2*height*(2*width+gap), count*height*width
				x, scale := randomWords(r, in), randomWords(r, 1)
				var got [2][2][]uint64
				for i, run := range ways {
					y, dx := make([]uint64, results), make([]uint64, in)
					for at := range dx {
						dx[at] = 0x5555555555555555
					}
					size := typ.Size()
					end := func(words []uint64) unsafe.Pointer { // so that they end with the last element
						return unsafe.Add(unsafe.Pointer(&words[0]), len(words)*(8-size))
					}
					a := window(p, end(x), end(y), end(dx), end(scale), count, height, width, gap)
					require.NoError(t, launch.Check(p, a))
					run(a)
					got[i] = [2][]uint64{y, dx}
				}
				require.Equal(t, got[0], got[1], "%v: %d x %d windows, gap %d", typ, height, width, gap)
			}
		}
	}
}

// TestShortRowsBesideOnesThatAreRepeated combines rows with one that is the same for all of them, over many tiles and
// parts of them.
func TestShortRowsBesideOnesThatAreRepeated(t *testing.T) {
	b := rowprog.NewBuilder("repeated", 2)
	x, y := b.Load(b.In("x", rowprog.F32, rowprog.Vec)), b.Load(b.In("y", rowprog.F32, rowprog.Vec))
	b.Store(b.Out("z", rowprog.F32, rowprog.Vec), b.Apply(rowprog.OpDiv, x, y))
	p := build(t, b)
	k, err := Compile(p)
	require.NoError(t, err)
	for _, n := range []int{2, 3, 5, 700} {
		for _, step := range []int{1, 2} { // of x
			const groups, rows = 7, 151
			var s Scratch
			pitch := n*step + step - 1
			data, vector, results := make([]float32, groups*rows*pitch), make([]float32, n),
				make([]float32, groups*rows*n)
			for i := range data {
				data[i] = float32(i)
			}
			for i := range vector {
				vector[i] = float32(i + 2)
			}
			a := launch.New(p)
			a.Outer[0], a.Outer[1], a.N = groups, rows, n
			a.Ptr = []unsafe.Pointer{unsafe.Pointer(&data[0]), unsafe.Pointer(&vector[0]), unsafe.Pointer(&results[0])}
			a.Stride = [][]int{{rows * pitch, pitch, step}, {0, 0, 1}, {rows * n, n, 1}}
			require.NoError(t, launch.Check(p, a))
			k.Run(a, &s)
			for i, v := range results {
				require.Equal(t, data[i/n*pitch+i%n*step]/vector[i%n], v, "%d of rows of %d", i, n)
			}
		}
	}
}

// A row of elements that are apart in all operands is processed element by element, so that the call can be in a list.
// A long row is not, nor is one whose elements are contiguous in some operand.
func TestElementsThatLieApart(t *testing.T) {
	b := rowprog.NewBuilder("apart", 1)
	x, y := b.Load(b.In("x", rowprog.F32, rowprog.Vec)), b.Load(b.In("y", rowprog.F32, rowprog.Row))
	b.Store(b.Out("z", rowprog.F32, rowprog.Vec), b.Apply(rowprog.OpAdd, x, y))
	p := build(t, b)
	k, err := Compile(p)
	require.NoError(t, err)
	for _, n := range []int{1, 2, 62, 128, 129, 1000} {
		for _, step := range []int{-3, 1, 2, 64} { // of x
			far := max(step, -step)
			data, results, number := make([]float32, far*n), make([]float32, 5*n), float32(0.5)
			for i := range data {
				data[i] = float32(i)
			}
			first := 0
			if step < 0 {
				first = far * (n - 1)
			}
			a := launch.New(p)
			a.Outer[0], a.N = 1, n
			a.Ptr = []unsafe.Pointer{unsafe.Pointer(&data[first]), unsafe.Pointer(&number), unsafe.Pointer(&results[0])}
			a.Stride = [][]int{{0, step}, {0, 0}, {0, 5}}
			require.NoError(t, launch.Check(p, a))
			c := Prepare(k, Coalesce(k, a))
			if _, native := k.(*nativeKernel); native {
				require.Equal(t, n == 1 || step != 1 &&
					n <= mostApart, new(List).Add(c), "%d elements by steps of %d", n, step)
			}
			c.Run(new(Scratch))
			for i, v := range results {
				want := float32(0)
				if i%5 == 0 {
					want = data[first+i/5*step] + number
				}
				require.Equal(t, want, v, "%d of %d elements by steps of %d", i, n, step)
			}
		}
	}
}

// randomWords are pairs of numbers as float32; for other types, arbitrary values.
func randomWords(r *rand.Rand, n int) []uint64 {
	words := make([]uint64, n)
	for i := range words {
		low, high := math.Float32bits(r.Float32()-0.5), math.Float32bits(r.Float32()-0.5)
		words[i] = uint64(high)<<32 | uint64(low)
	}
	return words
}

// TestShortRowsAreChangedInPlace runs two stages. The second reads what the first has written over its operand.
func TestShortRowsAreChangedInPlace(t *testing.T) {
	b := rowprog.NewBuilder("in place", 1)
	in, out, last := b.In("x", rowprog.F32, rowprog.Vec), b.Out("y", rowprog.F32, rowprog.Vec),
		b.Out("z", rowprog.F32, rowprog.Vec)
	x := b.Load(in)
	b.Store(out, b.Apply(rowprog.OpAdd, x, x))
	b.NextStage()
	x = b.Load(in)
	b.Store(last, b.Apply(rowprog.OpMul, x, x))
	p := build(t, b)
	k, err := Compile(p)
	require.NoError(t, err)
	const rows, n, pitch = 40, 5, 11
	data, z := make([]float32, rows*pitch), make([]float32, rows*n)
	for i := range data {
		data[i] = float32(i)
	}
	a := launch.New(p)
	a.N, a.Outer[0] = n, rows
	a.Ptr = []unsafe.Pointer{unsafe.Pointer(&data[0]), unsafe.Pointer(&data[0]), unsafe.Pointer(&z[0])}
	a.Stride = [][]int{{pitch, 2}, {pitch, 2}, {n, 1}}
	require.NoError(t, launch.Check(p, a))
	var s Scratch
	k.Run(a, &s)
	for i, v := range data {
		want := float32(i)
		if column := i % pitch; column%2 == 0 && column < 2*n {
			want *= 2
			require.Equal(t, want*want, z[i/pitch*n+column/2])
		}
		require.Equal(t, want, v, i)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { k.Run(a, &s) }))
}

// TestPairs copies two rows whose elements are interleaved on one side, and compares with the interpreter: in their
// memory order, and row by row.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, program := range []struct {
		typ    rowprog.Type
		copies int
	}{{rowprog.F32, 1}, {rowprog.F64, 1}, {rowprog.I32, 1}, {rowprog.I32, 12}} {
		typ := program.typ
		b := rowprog.NewBuilder("pairs", 2)
		x := b.Load(b.In("x", typ, rowprog.Vec))
		for range program.copies {
			b.Store(b.Out("y", typ, rowprog.Vec), x)
		}
		p := build(t, b)
		ways := bothWays(t, p)
		for _, width := range []int{2, 3, 4, 5, 15, 16, 17, 48, 200, 256, 257, 600} {
			for _, count := range []int{1, 2, 3, 20} {
				// along the count, the two rows and the elements of each
				rows, turns := []int{2 * width, width, 1}, []int{2 * width, 1, 2}
				for _, c := range []struct {
					axes     [2]int // the order of the last two axes
					from, to []int
				}{
					{[2]int{1, 2}, rows, turns}, {[2]int{1, 2}, turns, rows}, {[2]int{2, 1}, rows, turns},
					{[2]int{2, 1}, turns, rows},
				} {
					n := 2 * width * count
					x := randomWords(r, n)
					var got [2][][]uint64
					for i, run := range ways {
						end := func(words []uint64) unsafe.Pointer { // so that they end with the last element
							return unsafe.Add(unsafe.Pointer(&words[0]), len(words)*(8-typ.Size()))
						}
						a := launch.New(p)
						sizes := []int{count, 2, width}
						a.Outer[0], a.Outer[1], a.N = count, sizes[c.axes[0]], sizes[c.axes[1]]
						a.Ptr[0] = end(x)
						for j := range a.Stride {
							st := c.from
							if j > 0 {
								st = c.to
								y := make([]uint64, n)
								got[i], a.Ptr[j] = append(got[i], y), end(y)
							}
							a.Stride[j] = []int{st[0], st[c.axes[0]], st[c.axes[1]]}
						}
						require.NoError(t, launch.Check(p, a))
						run(a)
					}
					require.Equal(t, got[0], got[1], "%v, %d times: %d pairs of %d, %v", typ, program.copies, count,
						width, c)
				}
			}
		}
	}
}
