package backend

import (
	"runtime"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/jit"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// TileProgram is a program that is to run on tiles of a matrix, see [codegen.CompileTile].
type TileProgram struct {
	codegen.Tile
	Program *rowprog.Program
}

// Tiles is the machine code of a TileProgram. Several goroutines may use it at once, each with its own frame.
type Tiles struct {
	TileProgram
	code   *jit.Code
	offset int
	layout codegen.Layout
}

// CompileTiles makes machine code of programs, which shares a block of memory. The result is nil for programs without
// code.
func CompileTiles(programs []TileProgram) []*Tiles {
	made := make([]*Tiles, len(programs))
	if !hasMachineCode() {
		return made
	}
	var parts codeParts
	for i, p := range programs {
		code, err := codegen.CompileTile(p.Program, target(), p.Tile)
		if err != nil {
			continue
		}
		dump(p.Program, "tiles-", code, nil)
		made[i] = &Tiles{TileProgram: p, offset: parts.add(code), layout: code.Layout}
	}
	if len(parts.list) == 0 {
		return made
	}
	code, err := parts.load()
	if err != nil {
		return make([]*Tiles, len(programs))
	}
	for _, t := range made {
		if t != nil {
			t.code = code
		}
	}
	return made
}

// TileFrame holds the arguments of calls of [Tiles] for one matrix after another. The zero value is ready for use.
type TileFrame struct {
	tiles *Tiles
	block frame
}

// Begin prepares for calls of code. Rows of operands with an element for each of a row are step elements apart.
func (b *TileFrame) Begin(t *Tiles, step int) {
	b.tiles = t
	b.block.reserve(t.layout.Size)
	b.block.put(t.layout.TileStep(), step)
}

// Step sets the step, in elements, of an operand with one element per row, or from one accumulator to the next.
func (b *TileFrame) Step(operand, step int) {
	b.block.put(b.tiles.layout.Delta(0, operand), step*b.tiles.Program.Operands[operand].Type.Size())
}

// Point sets the address of an operand at the first element of the next tile.
func (b *TileFrame) Point(operand int, p unsafe.Pointer) {
	*(*uintptr)(unsafe.Add(b.block.base, b.tiles.layout.Pointer(operand))) = uintptr(p)
}

// Accumulate sets the number of rows, from the next tile on, that are accumulated with those before them, and the
// number of rows that are accumulated together.
func (b *TileFrame) Accumulate(left, every int) {
	b.block.put(b.tiles.layout.TileLeft(), left)
	b.block.put(b.tiles.layout.TileEvery(), every)
}

// Call returns the addresses of the code and of the arguments, for tiles that begin where operands point to, in the
// form that package gemm expects. The frame, and the memory of its operands, must be kept alive until the last call has
// returned.
func (b *TileFrame) Call() (code uintptr, args unsafe.Pointer) {
	b.block.put(b.tiles.layout.TileIndex(), 0)
	return b.tiles.code.Address(b.tiles.offset), b.block.base
}

// Run calls the code for packed rows, which begin where operands point to.
func (b *TileFrame) Run(rows int, packed unsafe.Pointer) {
	t := b.tiles
	b.Point(t.From, packed)
	b.block.put(t.layout.TileRows(), rows)
	b.block.put(t.layout.TileIndex(), 0)
	t.code.Call(t.offset, b.block.base)
}

// End releases the code.
func (b *TileFrame) End() {
	runtime.KeepAlive(b.tiles)
	b.tiles = nil
}
