package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/jit"
	"github.com/broadloom/broadloom/kernels/lower"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// finisher is an Epilogue: y = max(c*rows + cols, 0), with a number for each row and one for
// each column.
type finisher[T scalar.Number] struct {
	p          *Product[T]
	y          []T // of the whole batch, row by row
	rows, cols []T
	from       []T // numbers to draw from
	layout     lower.Layout
	code       uintptr
	block      []uint64
	args       unsafe.Pointer
	tiles      int // calls of Tiles
}

// The operands of a finisher's program.
const (
	finishC = iota
	finishRows
	finishCols
	finishY
)

// newFinisher compiles the program, and has its code loaded.
func newFinisher[T scalar.Number](t *testing.T, load func(*lower.Code) uintptr, target lower.Target) *finisher[T] {
	typ := map[int]rowprog.Type{4: rowprog.F32, 8: rowprog.F64}[sizeOf[T]()]
	b := rowprog.NewBuilder("finish", 1)
	c, rows, cols := b.In("c", typ, rowprog.Vec), b.In("rows", typ, rowprog.Row), b.In("cols", typ, rowprog.Vec)
	scaled := b.Apply(rowprog.OpMul, b.Load(c), b.Load(rows))
	b.Store(b.Out("y", typ, rowprog.Vec), b.Apply(rowprog.OpMax, b.Apply(rowprog.OpAdd, scaled, b.Load(cols)), b.Const(typ, 0)))
	prog, err := b.Build()
	require.NoError(t, err)
	tile := lower.Tile{From: finishC, Still: []bool{finishCols: true, finishY: false}}
	tile.Rows, tile.Cols = Tile[T]()
	code, err := lower.CompileTile(prog, target, tile)
	require.NoError(t, err)
	f := &finisher[T]{from: values[T](rand.New(rand.NewPCG(17, 18)), 0), layout: code.Layout, code: load(code), block: make([]uint64, code.Layout.Size/8+8)}
	f.args = unsafe.Pointer(&f.block[0])
	f.args = unsafe.Add(f.args, -uintptr(f.args)&(lower.BlockAlign-1))
	return f
}

func (f *finisher[T]) put(at, v int) { *(*int)(unsafe.Add(f.args, at)) = v }

func (f *finisher[T]) point(operand int, data []T, at int) {
	*(*uintptr)(unsafe.Add(f.args, f.layout.Pointer(operand))) = address(data, at)
}

// begin prepares for a product.
func (f *finisher[T]) begin(p *Product[T], r *rand.Rand) {
	f.p, f.tiles, f.y = p, 0, make([]T, p.Rows()*p.N)
	f.rows, f.cols = window(r, f.from, p.Rows()), window(r, f.from, p.N)
	f.put(f.layout.TileStep(), p.N)
	f.put(f.layout.TileAhead(), r.IntN(2)*p.N)
	f.put(f.layout.Delta(0, finishRows), sizeOf[T]())
}

func (f *finisher[T]) Tiles(row, col int) (code uintptr, args unsafe.Pointer) {
	f.tiles++
	f.put(f.layout.TileIndex(), 0)
	f.point(finishRows, f.rows, row)
	f.point(finishCols, f.cols, col)
	f.point(finishY, f.y, row*f.p.N+col)
	return f.code, f.args
}

func (f *finisher[T]) Stored(top, bottom, left, right int) {
	for row := top; row < bottom; row++ {
		q := f.p.matrix(row / f.p.M)
		for col := left; col < right; col++ {
			f.y[row*f.p.N+col] = f.of(row, col, q.c.Data[q.c.Start+row%f.p.M*q.c.Row+col*q.c.Col])
		}
	}
}

// of is an element of y.
func (f *finisher[T]) of(row, col int, c T) T {
	return max(T(c*f.rows[row])+f.cols[col], 0)
}

// handsOn multiplies matrices of which each row has been gone on with.
func handsOn[T scalar.Number](t *testing.T, f *finisher[T]) {
	rows, cols := Tile[T]()
	type size struct {
		m, n, k int
		batch   []int
		shared  bool // one A for the batch
	}
	sizes := []size{{2*rows + 3, 3*cols + 5, KBlock + 70, nil, false}, {5 * rows, 4 * cols, 9, nil, false}, {rows + 4, 2 * cols, 9, []int{2, 3}, false}, {rows + 1, 2*cols + 1, 9, []int{4}, true}}
	for m := 2; m <= 2*rows+1; m++ {
		sizes = append(sizes, size{m, 2*cols + m%3, 11, nil, false})
	}
	for _, z := range sizes {
		for layout := 0; layout < layouts*layouts*layouts; layout += 7 {
			t.Run(fmt.Sprint(z, layout), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(z.m), uint64(layout)))
				p := product[T](r, z.m, z.n, z.k, layout, z.batch...)
				if z.shared {
					clear(p.StepA)
				}
				if !p.HasTiles() {
					t.Skip("columns of C are not contiguous")
				}
				var s Scratch[T]
				f.begin(p, r)
				lo := p.Rows() / 3
				left := cols * r.IntN(2)
				p.RunTiles(0, lo, 0, p.N, &s, f)
				p.RunTiles(lo, p.Rows(), 0, left, &s, f)
				p.RunTiles(lo, p.Rows(), left, p.N, &s, f)
				require.Positive(t, f.tiles)
				got := f.y
				f.y = make([]T, len(got))
				p.Run(&s)
				f.Stored(0, p.Rows(), 0, p.N)
				require.Equal(t, f.y, got)
			})
		}
	}
}

// TestEpilogues has machine code go on with tiles, of this machine's.
func TestEpilogues(t *testing.T) {
	if !cpu.JIT() || cpu.Chosen() == cpu.Portable {
		t.Skip("there is no machine code")
	}
	target := map[cpu.ISA]lower.Target{cpu.AVX2: lower.AVX2, cpu.AVX512: lower.AVX512}[cpu.Chosen()]
	load := func(code *lower.Code) uintptr {
		made, err := jit.New(code.Bytes)
		require.NoError(t, err)
		t.Cleanup(func() { made.Size() }) // which keeps it alive
		return made.Address(0)
	}
	t.Run("float32", func(t *testing.T) { handsOn(t, newFinisher[float32](t, load, target)) })
	t.Run("float64", func(t *testing.T) { handsOn(t, newFinisher[float64](t, load, target)) })
}
