package gemm

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/jit"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// finisher is an Epilogue: y = max(c*rows + cols, 0), with a number for each row and one for each column.
type finisher[T scalar.Number] struct {
	p          *Product[T]
	y          []T // of the whole batch, row by row
	rows, cols []T
	from       []T // numbers to draw from
	layout     codegen.Layout
	code       uintptr
	block      []uint64
	args       unsafe.Pointer
	tiles      int                             // calls of Tiles
	place      func(operand int, data []T) []T // where operands lie, if it matters
}

// The operands of a finisher's program.
const (
	finishC = iota
	finishRows
	finishCols
	finishY
)

// newFinisher compiles the program and loads its code.
func newFinisher[T scalar.Number](t *testing.T, load func(*codegen.Code) uintptr, target codegen.Target) *finisher[T] {
	typ := map[int]rowprog.Type{4: rowprog.F32, 8: rowprog.F64}[sizeOf[T]()]
	b := rowprog.NewBuilder("finish", 1)
	c, rows, cols := b.In("c", typ, rowprog.Vec), b.In("rows", typ, rowprog.Row), b.In("cols", typ, rowprog.Vec)
	scaled := b.Apply(rowprog.OpMul, b.Load(c), b.Load(rows))
	b.Store(b.Out("y", typ, rowprog.Vec), b.Apply(
		rowprog.OpMax, b.Apply(rowprog.OpAdd, scaled, b.Load(cols)), b.Const(typ, 0)))
	prog, err := b.Build()
	require.NoError(t, err)
	tile := codegen.Tile{From: finishC, RowInvariant: []bool{finishCols: true, finishY: false}}
	tile.Rows, tile.Cols = Tile[T]()
	code, err := codegen.CompileTile(prog, target, tile)
	require.NoError(t, err)
	f := &finisher[T]{from: values[T](rand.New(rand.NewPCG(17, 18)), 0), layout: code.Layout, code: load(code),
		block: make([]uint64, code.Layout.Size/8+8)}
	f.args = unsafe.Pointer(&f.block[0])
	f.args = unsafe.Add(f.args, -uintptr(f.args)&(codegen.BlockAlign-1))
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
	if f.place != nil {
		f.rows, f.cols, f.y = f.place(finishRows, f.rows), f.place(finishCols, f.cols), f.place(finishY, f.y)
	}
	f.put(f.layout.TileStep(), p.N)
	f.put(f.layout.Delta(0, finishRows), sizeOf[T]())
}

func (f *finisher[T]) Tiles(row, col int) Tiles {
	f.tiles++
	f.put(f.layout.TileIndex(), 0)
	f.point(finishRows, f.rows, row)
	f.point(finishCols, f.cols, col)
	f.point(finishY, f.y, row*f.p.N+col)
	return Tiles{Code: f.code, Args: f.args, Prefetch: []uintptr{address(f.y, row*f.p.N+col)},
		PrefetchRow: f.p.N * sizeOf[T]()}
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

// requireFinished runs a product in three parts with the finisher as epilogue, and compares with the finisher applied
// to a whole product.
func (f *finisher[T]) requireFinished(t *testing.T, p *Product[T], r *rand.Rand, s *Scratch[T]) {
	t.Helper()
	_, cols := Tile[T]()
	c := slices.Clone(p.C.Data)
	f.begin(p, r)
	lo, left := r.IntN(p.Rows()), cols*r.IntN(2)
	p.RunTiles(0, lo, 0, p.N, s, f)
	p.RunTiles(lo, p.Rows(), 0, left, s, f)
	p.RunTiles(lo, p.Rows(), left, p.N, s, f)
	require.Positive(t, f.tiles)
	got := slices.Clone(f.y)
	copy(p.C.Data, c) // which a sum is added to, or which is of no value
	p.Run(s)
	f.Stored(0, p.Rows(), 0, p.N)
	require.Equal(t, f.y, got, "%d×%d×%d, batch %v", p.M, p.N, p.K, p.Batch)
}

// handsOn multiplies matrices of all sizes up to 40, and others.
func handsOn[T scalar.Number](t *testing.T, f *finisher[T], some int) {
	const most = 40
	r := rand.New(rand.NewPCG(19, 20))
	var s Scratch[T]
	taken := 0
	for i := 0; i < most*most; i += some {
		if p := draw(r, 1+i%most, 1+i/most, 1+r.IntN(most), f.from); p.HasTiles() {
			f.requireFinished(t, p, r, &s)
			taken++
		}
	}
	require.Positive(t, taken)
	rows, cols := Tile[T]()
	for _, z := range []struct {
		m, n, k int
		batch   []int
		shared  string // the factor that is one for the batch
	}{{2*rows + 3, 3*cols + 5, wholeSum + 70, nil, ""}, {5 * rows, 4 * cols, 9, nil, ""},
		{rows + 4, 2 * cols, 9, []int{2, 3}, ""}, {rows + 1, 2*cols + 1, 9, []int{4}, "A"},
		{max(rows-1, leastGroupedRows), 2*cols + 1, 9, []int{5}, "B"},
		{rows + 3, 3 * cols, wholeSum + 9, []int{3, 4}, "B"}} {
		for layout := 0; layout < layouts*layouts*layouts; layout += 7 {
			p := product[T](r, z.m, z.n, z.k, layout, z.batch...)
			switch z.shared {
			case "A":
				clear(p.StepA)
			case "B":
				clear(p.StepB)
			}
			if p.HasTiles() {
				f.requireFinished(t, p, r, &s)
			}
		}
	}
}

// finishers returns those of this machine's code.
func finishers(t *testing.T) (*finisher[float32], *finisher[float64]) {
	if !cpu.JIT() || cpu.Chosen() == cpu.Portable {
		t.Skip("there is no machine code")
	}
	target := map[cpu.ISA]codegen.Target{cpu.AVX2: codegen.AVX2, cpu.AVX512: codegen.AVX512,
		cpu.NEON: codegen.NEON}[cpu.Chosen()]
	load := func(code *codegen.Code) uintptr {
		made, err := jit.New(code.Bytes)
		if errors.Is(err, jit.ErrUnavailable) {
			t.Skip(err)
		}
		require.NoError(t, err)
		t.Cleanup(func() { runtime.KeepAlive(made) })
		return made.Address(0)
	}
	return newFinisher[float32](t, load, target), newFinisher[float64](t, load, target)
}

// TestEpilogues has machine code continue with tiles.
func TestEpilogues(t *testing.T) {
	f32, f64 := finishers(t)
	t.Run("float32", func(t *testing.T) { handsOn(t, f32, 1) })
	t.Run("float64", func(t *testing.T) { handsOn(t, f64, 1) })
}
