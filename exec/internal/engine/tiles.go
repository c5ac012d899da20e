package engine

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// tiled is a kernel that works on tiles of a matrix, with the layouts of its operands relative to that matrix.
type tiled struct {
	k     *LoopTask
	sizes []int   // the matrix's rows, or the axes that form them
	steps [][]int // of each operand along these and along columns
	step  int     // row stride of other matrices

	isLarge []bool // whether an operand is a matrix with elements of the same size

	sums  []*launch.ChunkSums // of columns
	chunk int                 // rows per chunk of a sum
}

// newTiled finds the strides of a kernel's operands along rows, over axes of some sizes, and columns; nil if there are
// none.
func (b *Specialization) newTiled(k *LoopTask, sizes []int, cols int) *tiled {
	f := &tiled{k: k, sizes: sizes}
	args := b.argsOf(k.Loop)
	if f.steps = args.Reshaped(append(sizes, cols)); f.steps == nil {
		return nil
	}
	tiles, prog := k.Loop.Tiles, k.Loop.Program
	if len(f.steps) < len(tiles.Program.Operands) { // the matrix is stored
		f.steps = append(f.steps, f.steps[tiles.From])
	}
	for i, o := range tiles.Program.Operands {
		along := 0
		if o.Domain == rowprog.Vec {
			along = 1
		}
		if i != tiles.From && f.colStep(i) != along || tiles.RowInvariant[i] && f.rowStep(i) != 0 {
			return nil
		}
	}
	for i := range prog.Insts {
		if in := &prog.Insts[i]; in.Op == rowprog.OpAccumulate {
			f.sums, f.chunk = append(f.sums, launch.NewChunkSums(prog, in, args)), launch.ChunkLen(args)
		}
	}
	return f
}

// at returns the address of an operand's element for a row and a column.
func (f *tiled) at(operand, row, col int) unsafe.Pointer {
	offset := col * f.colStep(operand)
	for axis := len(f.sizes) - 1; axis > 0 && row > 0; axis-- {
		offset += row % f.sizes[axis] * f.steps[operand][axis]
		row /= f.sizes[axis]
	}
	offset += row * f.steps[operand][0]
	tiles, memory := f.k.Loop.Tiles, f.k.Args.Ptr
	if operand == len(memory) { // the matrix
		operand = tiles.From
	}
	return unsafe.Add(memory[operand], offset*tiles.Program.Operands[operand].Type.Size())
}

// rowStep and colStep return an operand's strides between rows and between columns.
func (f *tiled) rowStep(operand int) int { return f.steps[operand][len(f.sizes)-1] }

func (f *tiled) colStep(operand int) int { return f.steps[operand][len(f.sizes)] }

// rows returns the number of rows.
func (f *tiled) rows() int {
	rows := 1
	for _, n := range f.sizes {
		rows *= n
	}
	return rows
}

// begin prepares a block of arguments.
func (f *tiled) begin(b *backend.TileFrame) {
	b.Begin(f.k.Loop.Tiles, f.step)
	for _, s := range f.sums {
		b.Step(s.Operand, s.Step())
	}
	for i, o := range f.k.Loop.Tiles.Program.Operands {
		if o.Domain == rowprog.Row {
			b.Step(i, f.rowStep(i))
		}
	}
}

// pointSums sets the addresses at which sums of columns continue for a row and a column.
func (f *tiled) pointSums(b *backend.TileFrame, row, col int) {
	if f.sums == nil {
		return
	}
	b.Accumulate(f.chunk-row%f.chunk, f.chunk)
	for _, s := range f.sums {
		b.Point(s.Operand, s.At(row/f.chunk, col))
	}
}

// runRows works on columns of rows in memory that do not fill tiles. If columns are summed, it works on the chunks that
// end with these rows.
func (f *tiled) runRows(ws *Workspace, top, bottom, left, right int) {
	if f.sums == nil {
		f.runPiece(ws, top, bottom, left, right)
		return
	}
	for first := top / f.chunk * f.chunk; first < bottom; first += f.chunk {
		if end := min(first+f.chunk, f.rows()); end <= bottom {
			f.runPiece(ws, first, end, left, right)
		}
	}
}

// runPiece works on some rows and columns.
func (f *tiled) runPiece(ws *Workspace, top, bottom, left, right int) {
	part := f.k.Loop
	outer := max(part.Program.Outer, 1)
	a := ws.argsOf(outer, len(part.Program.Operands))
	a.N, a.Whole = right-left, 0
	for axis := range a.Outer {
		a.Outer[axis] = 1
	}
	a.Outer[outer-1] = bottom - top
	for i := range a.Stride {
		clear(a.Stride[i])
		a.Stride[i][outer-1], a.Stride[i][outer] = f.rowStep(i), f.colStep(i)
		a.Ptr[i] = f.at(i, top, left)
	}
	for _, s := range f.sums {
		a.Ptr[s.Operand] = s.At(top/f.chunk, left)
	}
	part.Tail.Run(a, &ws.scratch)
}

// beginSums prepares a run's sums of columns, if there are any.
func (f *tiled) beginSums() {
	if f == nil {
		return
	}
	for _, s := range f.sums {
		s.Reset()
	}
}

// endSums completes a run's sums of columns, if there are any.
func (f *tiled) endSums() {
	if f == nil {
		return
	}
	for _, s := range f.sums {
		s.Combine(f.k.Args.Ptr[s.Operand])
	}
}
