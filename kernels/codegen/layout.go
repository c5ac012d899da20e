package codegen

import (
	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Layout says where things are in the block of arguments of a program, in bytes from its beginning, which is aligned to
// [BlockAlign]. All numbers have 64 bits.
type Layout struct {
	Outer    int // outer axes
	Operands int
	Size     int // of the whole block
	Culprit  int // where a fault's fourth number is, the bits of the guard's culprit; 0 without guards
	// Columns is where a flag is: if it is not 0, rows are processed in columns of vectors, which pays if they are
	// short. Columns is 0 if there is no such code.
	Columns int
	Blocks  *RowBlocks // nil where there is no code for blocks of rows
}

// RowBlocks says how rows of the last outer axis are processed in blocks.
type RowBlocks struct {
	// At is where the mode is: [SomeBlocks], [DenseBlocks], or 0 for no blocks. It must be 0 unless rows have as many
	// elements as the program notes, and the elements of the operands SideBySide, one per row, are contiguous along the
	// axis. If MustBeDense, it must be DenseBlocks or 0.
	At          int
	Rows        int // of a block
	SideBySide  []int
	MustBeDense bool
	repeated    int
}

// The modes for blocks of rows.
const (
	SomeBlocks = 1
	// DenseBlocks is for operands with contiguous rows, except those that repeat one row.
	DenseBlocks = 2
)

// Repeated is where a flag is: if it is not 0, an operand has the same row for all rows.
func (b *RowBlocks) Repeated(operand int) int { return b.repeated + 8*operand }

// CanRepeat reports whether an operand of dense blocks may have the same row for all rows.
func CanRepeat(o *rowprog.Operand) bool { return o.Access == rowprog.In && o.Type.Size() == 4 }

// BlockAlign is the alignment of a block of arguments, in bytes.
const BlockAlign = 64

// The first fields of a block.
const (
	offN          = 0  // the number of elements of a row
	offFaulted    = 8  // 1 after a guard has failed
	offFaultIndex = 16 // the index in the row of the element
	offFaultCode  = 24 // the guard's code
	offStream     = 32 // not 0 if results go past the caches
	offFrom       = 40 // the index in the row to begin at
	offHalt       = 48 // not 0 to stop after each stage
	offFetch      = 56 // the number of the operand that is fetched ahead, counted from 1, or 0
	offPointers   = 64
)

// N is where the number of elements of a row, or of its chunk, is.
func (l *Layout) N() int { return offN }

// From is where the index in the row is at which a chunk, or a part of a row, begins: 0 for whole rows. Addresses are
// those of index 0. Code without [Code.Stages] ignores it.
func (l *Layout) From() int { return offFrom }

// Halt is where a flag is: if it is not 0, a call ends after the next stage.
func (l *Layout) Halt() int { return offHalt }

// Fault is where the first three numbers of a fault are: whether there is one, the index in the row, and the code. The
// counters give the row.
func (l *Layout) Fault() int { return offFaulted }

// Stream is where a flag is: if it is not 0 and the code can, results are written past the caches. All elements that
// are written first in a row must then be aligned to [StreamAlign] bytes.
func (l *Layout) Stream() int { return offStream }

// StreamAlign is the alignment of rows that are written past the caches, in bytes.
const StreamAlign = vectorBytes

// Fetch is where the number of the operand to prefetch is, counted from 1, if the code can; 0 for none.
func (l *Layout) Fetch() int { return offFetch }

// Pointer is where an operand's address is.
func (l *Layout) Pointer(operand int) int { return offPointers + 8*operand }

// Counter is where the number of remaining indices of an outer axis is, the current one included. Before a call it must
// be the number of all; after the call it is that again.
func (l *Layout) Counter(axis int) int { return l.Pointer(l.Operands) + 8*axis }

// Count is where the number of indices of an outer axis is.
func (l *Layout) Count(axis int) int { return l.Counter(l.Outer) + 8*axis }

// End is where the index after the last one of an outer axis is.
func (l *Layout) End(axis int) int { return l.Count(l.Outer) + 8*axis }

// Delta is where the number of bytes is by which an operand's address grows when an outer axis advances: its step along
// the axis less what the axes within have added.
func (l *Layout) Delta(axis, operand int) int {
	return l.End(l.Outer) + 8*(axis*l.Operands+operand)
}

// fixed is the size of all fields above.
func (l *Layout) fixed() int { return l.Delta(l.Outer, 0) }

// room reserves bytes for vectors and returns their place.
func (l *Layout) room(bytes int) int {
	at := (l.Size + vectorBytes - 1) &^ (vectorBytes - 1)
	l.Size = at + bytes
	return at
}

// vectorBytes is the size of the widest vector.
const vectorBytes = 64

// inBlock is the memory at an offset from the beginning of the block.
func inBlock(offset int) asm.Mem { return asm.At(args, int32(offset)) }

// The general registers' roles.
const (
	args    = asm.RDI // the block of arguments
	index   = asm.RAX // the index of an element in the row
	rest    = asm.RBX // the elements that are left
	temp    = asm.RCX
	temp2   = asm.RDX
	pointer = asm.R15 // an address that is not held in a register
)

// pointerRegs hold the addresses of the first operands.
var pointerRegs = [...]asm.Reg{asm.RSI, asm.R8, asm.R9, asm.R10, asm.R11, asm.R12, asm.R13, asm.R14}
