package launch

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// copier makes a program y = x with the given outer axes, and a guard if wanted.
func copier(t *testing.T, outer int, x, y rowprog.Domain, guarded bool) *rowprog.Program {
	b := rowprog.NewBuilder("copy", outer)
	v := b.Load(b.In("x", rowprog.F32, x))
	b.Store(b.Out("y", rowprog.F32, y), v)
	if guarded {
		b.Guard(b.Apply(rowprog.OpEq, v, v), v, 1)
	}
	p, err := b.Build()
	require.NoError(t, err)
	return p
}

// arrange makes arguments whose operands are at the given offsets of one memory.
func arrange(p *rowprog.Program, memory []float32, n int, outer []int, at []int, stride ...[]int) *Args {
	a := New(p)
	a.N = n
	copy(a.Outer, outer)
	for i := range stride {
		copy(a.Stride[i], stride[i])
		a.Ptr[i] = unsafe.Pointer(&memory[at[i]])
	}
	return a
}

func TestCheck(t *testing.T) {
	memory := make([]float32, 100)
	p := copier(t, 1, rowprog.Row, rowprog.Vec, false)
	sound := func() *Args {
		return arrange(p, memory, 4, []int{3}, []int{0, 50}, []int{1, 0}, []int{4, 1})
	}
	require.NoError(t, Check(p, sound()))
	for _, c := range []struct {
		want  string
		spoil func(a *Args)
	}{
		{"takes 1 outer axes", func(a *Args) { a.Outer = nil }},
		{"takes 1 outer axes", func(a *Args) { a.Ptr = a.Ptr[:1] }},
		{"axis 0 has size -1", func(a *Args) { a.Outer[0] = -1 }},
		{"axis 1 has size -2", func(a *Args) { a.N = -2 }},
		{"operand y: 1 strides for 2 axes", func(a *Args) { a.Stride[1] = []int{1} }},
		{"operand x: stride 1 along axis 1", func(a *Args) { a.Stride[0][1] = 1 }},
		{"operand y: stride 0 along axis 0", func(a *Args) { a.Stride[1][0] = 0 }},
		{"operand x: no memory", func(a *Args) { a.Ptr[0] = nil }},
		{"operands y and x overlap", func(a *Args) { a.Ptr[0] = unsafe.Pointer(&memory[53]) }},
	} {
		a := sound()
		c.spoil(a)
		require.ErrorContains(t, Check(p, a), c.want)
	}
	a := sound()
	a.Outer[0], a.Ptr[0], a.Ptr[1] = 0, nil, nil
	require.NoError(t, Check(p, a), "nothing needs memory")
}

func TestCheckAllowsInPlace(t *testing.T) {
	memory := make([]float32, 100)
	p := copier(t, 1, rowprog.Vec, rowprog.Vec, false)
	for _, c := range []struct {
		x, y int // where they begin
		sx   []int
		ok   bool
	}{
		{0, 0, []int{8, 1}, true},
		{0, 0, []int{4, 1}, false},
		{1, 0, []int{8, 1}, false},
		{4, 0, []int{8, 1}, true}, // columns 4 to 7 beside columns 0 to 3
		{3, 0, []int{8, 1}, false},
		{0, 0, []int{0, 1}, false},
		{11, 0, []int{8, -1}, false},
		{7, 0, []int{8, -1}, true},
	} {
		a := arrange(p, memory, 4, []int{5}, []int{c.x, c.y}, c.sx, []int{8, 1})
		if c.ok {
			require.NoError(t, Check(p, a), c)
		} else {
			require.ErrorContains(t, Check(p, a), "overlap", c)
		}
	}
}

// TestOverlap compares with a list of all addresses.
func TestOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := copier(t, 2, rowprog.Vec, rowprog.Vec, false)
	memory := make([]float32, 4000)
	overlaps := 0
	for range 5000 {
		random := func() []int { return []int{r.IntN(41) - 20, r.IntN(21) - 10, r.IntN(7) - 3} }
		a := arrange(p, memory, r.IntN(5), []int{r.IntN(5), r.IntN(5)},
			[]int{2000, 2000 + r.IntN(101) - 50}, random(), random())
		seen := map[uintptr]bool{}
		want := false
		for operand := range a.Ptr {
			for i := range a.Outer[0] {
				for j := range a.Outer[1] {
					for k := range a.N {
						s := a.Stride[operand]
						at := uintptr(a.Ptr[operand]) + uintptr(4*(i*s[0]+j*s[1]+k*s[2]))
						want = want || operand == 1 && seen[at]
						if operand == 0 {
							seen[at] = true
						}
					}
				}
			}
		}
		require.Equal(t, want, overlap(p, a, 0, 1), "%+v", a)
		if want {
			overlaps++
		}
	}
	require.Greater(t, overlaps, 500)
}

func TestCoalesce(t *testing.T) {
	memory := make([]float32, 4)
	for _, c := range []struct {
		name      string
		p         *rowprog.Program
		outer     []int
		n         int
		x, y      []int
		wantOuter []int
		wantN     int
		wantX     []int
	}{
		{"contiguous", copier(t, 2, rowprog.Vec, rowprog.Vec, false),
			[]int{3, 4}, 5, []int{20, 5, 1}, []int{20, 5, 1}, []int{1, 1}, 60, []int{0, 0, 1}},
		{"guarded", copier(t, 2, rowprog.Vec, rowprog.Vec, true),
			[]int{3, 4}, 5, []int{20, 5, 1}, []int{20, 5, 1}, []int{1, 1}, 60, []int{0, 0, 1}},
		{"gap between rows", copier(t, 2, rowprog.Vec, rowprog.Vec, false),
			[]int{3, 4}, 50, []int{240, 60, 1}, []int{200, 50, 1}, []int{1, 12}, 50, []int{0, 60, 1}},
		{"broadcast row", copier(t, 2, rowprog.Vec, rowprog.Vec, false),
			[]int{3, 4}, 50, []int{0, 0, 1}, []int{200, 50, 1}, []int{1, 12}, 50, []int{0, 0, 1}},
		{"size 1", copier(t, 2, rowprog.Vec, rowprog.Vec, false),
			[]int{30, 1}, 1, []int{7, 9, 9}, []int{1, 9, 9}, []int{1, 1}, 30, []int{0, 0, 7}},
		{"all of size 1", copier(t, 2, rowprog.Vec, rowprog.Vec, false),
			[]int{1, 1}, 1, []int{7, 9, 9}, []int{1, 9, 9}, []int{1, 1}, 1, []int{0, 0, 0}},
		{"short row", copier(t, 2, rowprog.Vec, rowprog.Vec, false),
			[]int{6, 100}, 3, []int{0, 9, 1}, []int{300, 3, 1}, []int{6, 3}, 100, []int{0, 1, 9}},
		{"short row, guarded", copier(t, 2, rowprog.Vec, rowprog.Vec, true),
			[]int{6, 100}, 3, []int{0, 9, 1}, []int{300, 3, 1}, []int{6, 100}, 3, []int{0, 9, 1}},
		{"short row, other axis", copier(t, 2, rowprog.Row, rowprog.Vec, false),
			[]int{64, 100}, 3, []int{0, 9, 0}, []int{300, 3, 1}, []int{100, 3}, 64, []int{9, 0, 0}},
		{"row operand of one element", copier(t, 1, rowprog.Row, rowprog.Vec, false),
			[]int{64}, 1, []int{1, 0}, []int{1, 0}, []int{64}, 1, []int{1, 0}},
		{"row result", copier(t, 2, rowprog.Row, rowprog.Row, false),
			[]int{3, 4}, 5, []int{4, 1, 0}, []int{4, 1, 0}, []int{1, 12}, 5, []int{0, 1, 0}},
		{"empty", copier(t, 2, rowprog.Vec, rowprog.Vec, false),
			[]int{3, 0}, 5, []int{0, 5, 1}, []int{0, 5, 1}, []int{3, 0}, 5, []int{0, 5, 1}},
	} {
		a := arrange(c.p, memory, c.n, c.outer, []int{0, 1}, c.x, c.y)
		got := Coalesce(c.p, a)
		require.Equal(t, c.wantOuter, got.Outer, c.name)
		require.Equal(t, c.wantN, got.N, c.name)
		require.Equal(t, c.wantX, got.Stride[0], c.name)
		require.Equal(t, a.Ptr, got.Ptr, c.name)
	}
}

func TestCoalesceKeepsAxesWithMeaning(t *testing.T) {
	b := rowprog.NewBuilder("iota", 2)
	b.Store(b.Out("y", rowprog.I64, rowprog.Vec), b.Iota(0))
	p, err := b.Build()
	require.NoError(t, err)
	a := New(p)
	a.N, a.Outer[0], a.Outer[1] = 5, 1, 4
	a.Stride[0] = []int{20, 5, 1}
	require.Equal(t, a, Coalesce(p, a))
}

func TestSlice(t *testing.T) {
	memory := make([]float32, 10)
	p := copier(t, 0, rowprog.Vec, rowprog.Vec, false)
	a := arrange(p, memory, 5, nil, []int{9, 0}, []int{-1}, []int{1})
	part := a.Clone()
	a.Slice(p, 0, 2, 5, part)
	require.Equal(t, 3, part.N)
	require.Equal(t, 5, part.Whole)
	require.Equal(t, unsafe.Pointer(&memory[7]), part.Ptr[0])
	require.Equal(t, unsafe.Pointer(&memory[2]), part.Ptr[1])
	a.Slice(p, 0, 5, 5, part)
	require.Zero(t, part.N)
}

// TestPositionsInParts counts the elements of parts along each axis.
func TestPositionsInParts(t *testing.T) {
	a := &Args{Outer: []int{2, 3, 4}, N: 5}
	for axis := range 4 {
		for lo := range a.Size(axis) {
			for hi := lo + 1; hi <= a.Size(axis); hi++ {
				position := 0 // in the part
				for whole := range a.Elements() {
					index := whole
					for after := 3; after > axis; after-- {
						index /= a.Size(after)
					}
					if index %= a.Size(axis); lo <= index && index < hi {
						require.Equal(t, whole, a.Position(axis, lo, hi, position), "axis %d from %d to %d", axis,
							lo, hi)
						position++
					}
				}
			}
		}
	}
}

func TestChunks(t *testing.T) {
	b := rowprog.NewBuilder("sum", 1)
	b.Accumulate(b.Acc("s", rowprog.F32, rowprog.Row, rowprog.Axes(0)), rowprog.Sum,
		b.Load(b.In("x", rowprog.F32, rowprog.Row)))
	p, err := b.Build()
	require.NoError(t, err)
	a := New(p)
	for rows, want := range map[int]int{0: 1, 1: 1, rowprog.ChunkRows: 1, rowprog.ChunkRows + 1: 2,
		5 * rowprog.ChunkRows: 5} {
		a.Outer[0] = rows
		require.Equal(t, want, Chunks(p, a))
		end := 0
		for c := range want {
			lo, hi := Chunk(p, a, c)
			require.Equal(t, end, lo)
			end = hi
		}
		require.Equal(t, rows, end)
	}
	q := copier(t, 1, rowprog.Vec, rowprog.Vec, false)
	a = New(q)
	a.Outer[0] = 10000
	require.Equal(t, 1, Chunks(q, a))
	_, hi := Chunk(q, a, 0)
	require.Equal(t, 10000, hi)
}

// TestReshapedSteps lists the places of elements in two ways.
func TestReshapedSteps(t *testing.T) {
	places := func(sizes, steps []int) (list []int) {
		list = []int{0}
		for axis, n := range sizes {
			var next []int
			for _, at := range list {
				for i := range n {
					next = append(next, at+i*steps[axis])
				}
			}
			list = next
		}
		return list
	}
	a := &Args{Outer: []int{1, 4, 6}, N: 10}
	cases := []struct {
		steps, sizes []int
		ok           bool
	}{
		{[]int{9, 60, 10, 1}, []int{240}, true},
		{[]int{9, 60, 10, 1}, []int{2, 3, 1, 40}, true},
		{[]int{9, 60, 10, 1}, []int{4, 2, 3, 5, 2}, true},
		{[]int{9, 0, 10, 1}, []int{4, 60}, true},
		{[]int{9, 0, 10, 1}, []int{2, 2, 3, 20}, true},
		{[]int{9, 0, 10, 1}, []int{240}, false},
		{[]int{9, 0, 10, 1}, []int{2, 120}, false},
		{[]int{9, 0, 0, 0}, []int{16, 15}, true},
		{[]int{9, 1, 4, 24}, []int{4, 6, 10}, true},
		{[]int{9, 1, 4, 24}, []int{24, 10}, false},
		{[]int{9, 1, 4, 24}, []int{4, 3, 2, 5, 2}, true},
		{[]int{9, 6, 1, 0}, []int{24, 10}, true},
		{[]int{9, 6, 1, 0}, []int{12, 2, 1, 10, 1}, true},
		{[]int{9, 6, 1, 0}, []int{12, 20}, false},
		{[]int{9, 1, -4, -24}, []int{4, 2, 3, 10}, true},
	}
	for _, c := range cases {
		a.Stride = [][]int{c.steps}
		got := a.Reshaped(c.sizes)
		require.Equal(t, c.ok, got != nil, "%v", c)
		if c.ok {
			require.Equal(t, places([]int{1, 4, 6, 10}, c.steps), places(c.sizes, got[0]), "%v gives %v", c, got)
		}
	}
}

// The last outer axis becomes the one along which elements of most operands are contiguous that are not contiguous
// along the row.
func TestTurn(t *testing.T) {
	b := rowprog.NewBuilder("exchange", 2)
	x, z := b.Load(b.In("x", rowprog.F32, rowprog.Vec)), b.Load(b.In("z", rowprog.F32, rowprog.Vec))
	b.Store(b.Out("y", rowprog.F32, rowprog.Vec), b.Apply(rowprog.OpAdd, x, z))
	p, err := b.Build()
	require.NoError(t, err)
	a := New(p)
	a.Outer[0], a.Outer[1], a.N = 32, 5, 7
	a.Stride = [][]int{{1, 7 * 32, 32}, {1, 7 * 32, 32}, {9 * 9, 9, 1}}
	got := Turn(p, a, 8, 4)
	require.Equal(t, []int{5, 32}, got.Outer)
	require.Equal(t, [][]int{{7 * 32, 1, 32}, {7 * 32, 1, 32}, {9, 9 * 9, 1}}, got.Stride)
	require.Nil(t, Turn(p, a, 33, 4), "too few rows")
	require.Nil(t, Turn(p, a, 8, 8), "too few columns")
	a.Stride[0], a.Stride[1] = a.Stride[2], a.Stride[2]
	require.Nil(t, Turn(p, a, 8, 4), "elements lie side by side along the row")
}
