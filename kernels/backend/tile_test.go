package backend

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/internal/testkit/emulator"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/jit"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// The first operands of random programs for tiles. Others are results and accumulators.
const (
	tileFrom = iota
	tileStill
	tileOther // an element for each, or one for all
	tileRow
	tileResult
)

// tileProgram makes a random program with some results and sums of columns, at least one in all. It loads some of the
// operands.
func tileProgram(t *testing.T, r *rand.Rand, typ rowprog.Type) *rowprog.Program {
	b := rowprog.NewBuilder("tile", 1)
	for _, o := range []rowprog.Operand{
		tileFrom:  {Name: "from", Domain: rowprog.Vec},
		tileStill: {Name: "still", Domain: rowprog.Vec},
		tileOther: {Name: "other", Domain: []rowprog.Domain{rowprog.Vec, rowprog.Uniform}[r.IntN(2)]},
		tileRow:   {Name: "row", Domain: rowprog.Row},
	} {
		o.Type = typ
		b.Operand(o)
	}
	results, sums := r.IntN(3), r.IntN(3)/2*(1+r.IntN(2))
	if sums == 0 {
		results = max(results, 1)
	}
	values := []rowprog.Value{b.Load(tileFrom), b.Const(typ, r.NormFloat64())}
	for _, operand := range []int{tileStill, tileOther, tileRow} {
		if r.IntN(2) == 0 {
			values = append(values, b.Load(operand))
		}
	}
	draw := func() rowprog.Value { return values[r.IntN(len(values))] }
	primitives := rowprog.Primitives()
	for n := 1 + r.IntN(5); n > 0; {
		op := primitives[r.IntN(len(primitives))]
		switch {
		case op == rowprog.OpConvert || !op.Accepts(typ):
			continue
		case op == rowprog.OpSelect:
			values = append(values, b.Apply(op, b.Apply(rowprog.OpGt, draw(), draw()), draw(), draw()))
		case op >= rowprog.OpLt && op <= rowprog.OpNe:
			continue
		default:
			args := []rowprog.Value{values[len(values)-1], draw(), draw()}
			values = append(values, b.Apply(op, args[:op.Arity()]...))
		}
		n--
	}
	made := b.Apply(rowprog.OpAdd, values[len(values)-1], values[0])
	for i := range results {
		to := b.Operand(rowprog.Operand{Name: "result", Type: typ, Domain: rowprog.Vec, Access: rowprog.Out})
		b.Store(to, made)
		if i == 0 {
			made = b.Apply(rowprog.OpMul, draw(), values[0])
		}
	}
	for range sums {
		to := b.Operand(rowprog.Operand{Name: "sum", Type: typ, Domain: rowprog.Vec, Access: rowprog.Acc,
			Reduced: rowprog.Axes(0)})
		b.Accumulate(to, []rowprog.Reduction{rowprog.Sum, rowprog.Prod, rowprog.Max, rowprog.Min}[r.IntN(4)], made)
	}
	p, err := b.Build()
	require.NoError(t, err)
	return p
}

// tileWidth is the width of the vectors of a tile.
func tileWidth(target codegen.Target) asm.Width {
	if target == codegen.AVX512 {
		return asm.W512
	}
	return asm.W256
}

// tileStub is machine code that loads a tile's elements into registers and calls code. Its arguments are the addresses
// of the code, of its arguments and of the elements, and the number of rows.
func tileStub(target codegen.Target, registers int) *asm.Asm {
	w := tileWidth(target)
	a := asm.New(target.Machine())
	a.MovLoad(asm.RAX, asm.At(asm.RDI, 0))
	a.MovLoad(asm.RCX, asm.At(asm.RDI, 16))
	a.MovLoad(asm.RBX, asm.At(asm.RDI, 24))
	a.MovLoad(asm.RDI, asm.At(asm.RDI, 8))
	for r := range registers {
		a.M(asm.MOVUPS, w, asm.Vec(r), 0, asm.At(asm.RCX, int32(r*w.Bytes())))
	}
	a.Call(asm.RAX)
	a.Zeroupper()
	a.Return()
	return a
}

// tileRunner loads code for tiles. It returns its address, and a function that runs a tileStub.
type tileRunner func(code *codegen.Code, stub *asm.Asm) (address uintptr, run func(args unsafe.Pointer))

// tileEvery is the number of rows that are accumulated together.
const tileEvery = 5

// requireTiles runs random programs on two tiles, the second of which may have fewer rows, and compares with the
// interpreter on the same rows.
func requireTiles[T float32 | float64](t *testing.T, target codegen.Target, rows, cols, seeds int, load tileRunner) {
	size := int(unsafe.Sizeof(T(0)))
	typ := map[int]rowprog.Type{4: rowprog.F32, 8: rowprog.F64}[size]
	pitch, compiled := cols+3, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 23))
		p := tileProgram(t, r, typ)
		tile := codegen.Tile{Rows: rows, Cols: cols, From: tileFrom, RowInvariant: make([]bool, len(p.Operands))}
		tile.RowInvariant[tileStill] = true
		code, err := codegen.CompileTile(p, target, tile)
		if err != nil {
			continue
		}
		compiled++
		last, first := 1+r.IntN(rows), 1+r.IntN(tileEvery)
		m := rows + last
		data, want := make([][]T, len(p.Operands)), make([][]T, len(p.Operands))
		a := launch.New(p)
		a.N = cols
		for i, o := range p.Operands {
			data[i] = make([]T, m*pitch)
			for j := range data[i] {
				data[i][j] = T(r.NormFloat64() * 3)
			}
			a.Ptr[i] = unsafe.Pointer(&data[i][0])
			switch {
			case i == tileStill, o.Access == rowprog.Acc:
				a.Stride[i] = []int{0, 1}
			case o.Domain == rowprog.Row:
				a.Stride[i] = []int{1, 0}
			case o.Domain == rowprog.Vec:
				a.Stride[i] = []int{pitch, 1}
			}
		}
		neutral := func() {
			for i := range p.Insts {
				if in := &p.Insts[i]; in.Op == rowprog.OpAccumulate {
					for j := range data[in.Operand] {
						data[in.Operand][j] = scalar.From[T](scalar.Neutral(in.Reduction, typ))
					}
				}
			}
		}
		neutral()
		reference, err := interp.Compile(p)
		require.NoError(t, err)
		piece := *a
		piece.Ptr = make([]unsafe.Pointer, len(a.Ptr))
		for row, n := 0, 0; row < m; n++ {
			piece.Outer[0] = min(first+n*tileEvery, m) - row
			for i, o := range p.Operands {
				at := a.Stride[i][0] * row
				if o.Access == rowprog.Acc {
					at = n * pitch
				}
				piece.Ptr[i] = unsafe.Add(a.Ptr[i], at*size)
			}
			_, ok := reference.Run(&piece, new(interp.Scratch))
			require.True(t, ok)
			row += piece.Outer[0]
		}
		for i, o := range p.Operands {
			if !o.Access.Writes() {
				continue
			}
			want[i] = append([]T(nil), data[i]...)
			for row := range m {
				clear(data[i][row*pitch:][:cols])
			}
		}

		b := TileFrame{}
		b.Begin(&Tiles{TileProgram: TileProgram{Tile: tile, Program: p}, layout: code.Layout}, pitch)
		b.Step(tileRow, 1)
		b.Accumulate(first, tileEvery)
		neutral()
		for i, at := range a.Ptr {
			if p.Operands[i].Access == rowprog.Acc {
				b.Step(i, pitch)
			}
			b.Point(i, at)
		}
		b.block.put(code.Layout.TileIndex(), 0)
		address, run := load(code, tileStub(target, rows*cols*size/tileWidth(target).Bytes()))
		sums := make([]T, rows*cols)
		for _, part := range [][2]int{{0, rows}, {rows, last}} {
			for i := range part[1] {
				copy(sums[i*cols:][:cols], data[tileFrom][(part[0]+i)*pitch:])
			}
			args := []uintptr{address, uintptr(b.block.base), uintptr(unsafe.Pointer(&sums[0])), uintptr(part[1])}
			run(unsafe.Pointer(&args[0]))
		}
		runtime.KeepAlive(data)
		for i := range want {
			for j := range want[i] {
				if x, y := data[i][j], want[i][j]; math.Float64bits(float64(x)) != math.Float64bits(float64(y)) &&
					(x == x || y == y) {
					t.Fatalf("seed %d: %s, row %d, column %d: %v, want %v\n%v", seed, p.Operands[i].Name, j/pitch,
						j%pitch, x, y, p)
				}
			}
		}
	}
	require.Greater(t, compiled, seeds*3/4)
}

// TestTiles runs this machine's code.
func TestTiles(t *testing.T) {
	if !cpu.JIT() || cpu.Machine() < cpu.AVX2 {
		t.Skip("there is no machine code")
	}
	load := func(code *codegen.Code, stub *asm.Asm) (uintptr, func(unsafe.Pointer)) {
		made, err := jit.New(code.Bytes)
		if errors.Is(err, jit.ErrUnavailable) {
			t.Skip(err)
		}
		require.NoError(t, err)
		_, bytes := stub.Finish()
		caller, err := jit.New(bytes)
		require.NoError(t, err)
		return made.Address(0), func(args unsafe.Pointer) {
			caller.Call(0, args)
			runtime.KeepAlive(made)
		}
	}
	target, rows := codegen.AVX2, 6
	if cpu.Machine() == cpu.NEON {
		target, rows = codegen.NEON, 4
	}
	requireTiles[float32](t, target, rows, 16, 500, load)
	requireTiles[float64](t, target, rows, 8, 500, load)
}

// TestTilesOfAVX512 runs code in the emulator.
func TestTilesOfAVX512(t *testing.T) {
	seeds := 80
	if testing.Short() {
		seeds = 6
	}
	load := func(code *codegen.Code, stub *asm.Asm) (uintptr, func(unsafe.Pointer)) {
		made := emulator.New(t, code.Bytes, code.Length)
		n, bytes := stub.Finish()
		caller := emulator.New(t, bytes, n)
		caller.Callees = map[uintptr]*emulator.Machine{made.Address(): made}
		return made.Address(), func(args unsafe.Pointer) { caller.Call(0, args) }
	}
	requireTiles[float32](t, codegen.AVX512, 14, 32, seeds, load)
	requireTiles[float64](t, codegen.AVX512, 14, 16, seeds, load)
}
