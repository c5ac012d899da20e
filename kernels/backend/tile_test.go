package backend

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/amd64"
	"github.com/broadloom/broadloom/kernels/bind"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/internal/emulator"
	"github.com/broadloom/broadloom/kernels/jit"
	"github.com/broadloom/broadloom/kernels/lower"
	"github.com/broadloom/broadloom/kernels/portable"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// The operands of random programs for tiles.
const (
	tileFrom = iota
	tileStill
	tileOther // an element for each, or one for all
	tileRow
	tileResult
	tileSecond // a result that some programs have too
	tileOperands
)

// tileProgram makes a random elementwise program with one result or two, which loads some of
// the operands.
func tileProgram(t *testing.T, r *rand.Rand, typ rowprog.Type) *rowprog.Program {
	b := rowprog.NewBuilder("tile", 1)
	other := []rowprog.Domain{rowprog.Vec, rowprog.Uniform}[r.IntN(2)]
	operands := tileSecond + r.IntN(2)
	for _, o := range []rowprog.Operand{
		tileFrom:   {Name: "from", Domain: rowprog.Vec},
		tileStill:  {Name: "still", Domain: rowprog.Vec},
		tileOther:  {Name: "other", Domain: other},
		tileRow:    {Name: "row", Domain: rowprog.Row},
		tileResult: {Name: "result", Domain: rowprog.Vec, Access: rowprog.Out},
		tileSecond: {Name: "second", Domain: rowprog.Vec, Access: rowprog.Out},
	}[:operands] {
		o.Type = typ
		b.Operand(o)
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
	if operands > tileSecond {
		b.Store(tileSecond, b.Apply(rowprog.OpMul, draw(), values[0]))
	}
	b.Store(tileResult, b.Apply(rowprog.OpAdd, values[len(values)-1], values[0]))
	p, err := b.Build()
	require.NoError(t, err)
	return p
}

// tileStub is machine code that brings a tile's elements into registers and calls code: its
// arguments are the address of that, those of its arguments and of the elements, and the
// number of rows.
func tileStub(target lower.Target, registers int) *amd64.Asm {
	w := map[lower.Target]amd64.Width{lower.AVX2: amd64.W256, lower.AVX512: amd64.W512}[target]
	a := &amd64.Asm{}
	a.MovLoad(amd64.RAX, amd64.At(amd64.RDI, 0))
	a.MovLoad(amd64.RCX, amd64.At(amd64.RDI, 16))
	a.MovLoad(amd64.RBX, amd64.At(amd64.RDI, 24))
	a.MovLoad(amd64.RDI, amd64.At(amd64.RDI, 8))
	for r := range registers {
		a.M(amd64.MOVUPS, w, amd64.Vec(r), 0, amd64.At(amd64.RCX, int32(r*w.Bytes())))
	}
	a.Call(amd64.RAX)
	a.Zeroupper()
	a.Return()
	return a
}

// tileRunner loads code for tiles. It gives its address, and what runs a tileStub.
type tileRunner func(code *lower.Code, stub *amd64.Asm) (address uintptr, run func(args unsafe.Pointer))

// requireTiles runs random programs on two tiles, the second of which may have fewer rows,
// and expects what the interpreter makes of the same rows.
func requireTiles[T float32 | float64](t *testing.T, target lower.Target, rows, cols, seeds int, load tileRunner) {
	typ := map[int]rowprog.Type{4: rowprog.F32, 8: rowprog.F64}[int(unsafe.Sizeof(T(0)))]
	pitch, compiled := cols+3, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 23))
		p := tileProgram(t, r, typ)
		tile := lower.Tile{Rows: rows, Cols: cols, From: tileFrom, Still: []bool{tileStill: true, tileSecond: false}}
		code, err := lower.CompileTile(p, target, tile)
		if err != nil {
			continue
		}
		compiled++
		last := 1 + r.IntN(rows)
		m := rows + last
		var data, want [tileOperands][]T
		for i := range data {
			data[i] = make([]T, m*pitch)
			for j := range data[i] {
				data[i][j] = T(r.NormFloat64() * 3)
			}
		}
		a := bind.New(p)
		a.N, a.Outer[0] = cols, m
		for i, steps := range [][]int{tileFrom: {pitch, 1}, tileStill: {0, 1}, tileOther: {pitch, 1}, tileRow: {1, 0}, tileResult: {pitch, 1}, tileSecond: {pitch, 1}}[:len(p.Operands)] {
			a.Stride[i], a.Ptr[i] = steps, unsafe.Pointer(&data[i][0])
		}
		if p.Operands[tileOther].Domain == rowprog.Uniform {
			a.Stride[tileOther] = []int{0, 0}
		}
		reference, err := portable.Compile(p)
		require.NoError(t, err)
		_, ok := reference.Run(a, new(portable.Scratch))
		require.True(t, ok)
		results := []int{tileResult, tileSecond}[:len(p.Operands)-tileResult]
		for _, result := range results {
			want[result] = append([]T(nil), data[result]...)
			for i := range m {
				clear(data[result][i*pitch:][:cols])
			}
		}

		b := TileBlock{}
		b.Begin(&Tiles{TileProgram: TileProgram{Tile: tile, Program: p}, layout: code.Layout}, pitch)
		b.Step(tileRow, 1)
		for i, at := range a.Ptr {
			b.Point(i, at)
		}
		b.block.put(code.Layout.TileIndex(), 0)
		address, run := load(code, tileStub(target, rows*cols*int(unsafe.Sizeof(T(0)))/map[lower.Target]int{lower.AVX2: 32, lower.AVX512: 64}[target]))
		sums := make([]T, rows*cols)
		for _, part := range [][2]int{{0, rows}, {rows, last}} {
			for i := range part[1] {
				copy(sums[i*cols:][:cols], data[tileFrom][(part[0]+i)*pitch:])
			}
			args := []uintptr{address, uintptr(b.block.base), uintptr(unsafe.Pointer(&sums[0])), uintptr(part[1])}
			run(unsafe.Pointer(&args[0]))
		}
		runtime.KeepAlive(data)
		for _, result := range results {
			for i, x := range data[result] {
				if y := want[result][i]; math.Float64bits(float64(x)) != math.Float64bits(float64(y)) && (x == x || y == y) {
					t.Fatalf("seed %d: row %d, column %d: %v, want %v\n%v", seed, i/pitch, i%pitch, x, y, p)
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
	load := func(code *lower.Code, stub *amd64.Asm) (uintptr, func(unsafe.Pointer)) {
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
	requireTiles[float32](t, lower.AVX2, 6, 16, 500, load)
	requireTiles[float64](t, lower.AVX2, 6, 8, 500, load)
}

// TestTilesOfAVX512 runs code in the emulator.
func TestTilesOfAVX512(t *testing.T) {
	seeds := 80
	if testing.Short() {
		seeds = 6
	}
	load := func(code *lower.Code, stub *amd64.Asm) (uintptr, func(unsafe.Pointer)) {
		made := emulator.New(t, code.Bytes, code.Length)
		n, bytes := stub.Finish()
		caller := emulator.New(t, bytes, n)
		caller.Callees = map[uintptr]*emulator.Machine{made.Address(): made}
		return made.Address(), func(args unsafe.Pointer) { caller.Call(0, args) }
	}
	requireTiles[float32](t, lower.AVX512, 14, 32, seeds, load)
	requireTiles[float64](t, lower.AVX512, 14, 16, seeds, load)
}
