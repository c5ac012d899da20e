package codegen

import (
	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Layout tells where things are in the block of arguments of a program, in bytes from
// its beginning, which is a multiple of [BlockAlign]. All numbers have 64 bits.
type Layout struct {
	Outer    int // outer axes
	Operands int
	Size     int // of the whole block
	Culprit  int // where a fault's fourth number is, the bits of the guard's culprit; 0 without guards
	// Columns is where a number says, if it is not 0, that rows are worked on in columns of vectors, which pays where they are short; 0 where there is no such code.
	Columns int
	Blocks  *RowBlocks // nil where there is no code for blocks of rows
}

// RowBlocks is how blocks of rows of the last outer axis are worked on together.
type RowBlocks struct {
	// At is where a number says whether that is done: [SomeBlocks], [DenseBlocks], or 0. It must be 0 unless rows have as many elements as the program notes, and
	// the elements of the operands SideBySide, one of each row, lie side by side along the axis; and if MustBeDense, unless it is DenseBlocks.
	At          int
	Rows        int // of a block
	SideBySide  []int
	MustBeDense bool
	repeated    int
}

// What tells how blocks of rows are worked on.
const (
	SomeBlocks = 1
	// DenseBlocks is for operands whose rows lie one behind the other, but for those that are repeated.
	DenseBlocks = 2
)

// Repeated is where a number says, if it is not 0, that an operand has the same row for all rows.
func (b *RowBlocks) Repeated(operand int) int { return b.repeated + 8*operand }

// CanRepeat reports whether an operand of dense blocks may have the same row for all rows.
func CanRepeat(o *rowprog.Operand) bool { return o.Access == rowprog.In && o.Type.Size() == 4 }

// BlockAlign is the alignment of a block of arguments, in bytes.
const BlockAlign = 64

// What comes first in a block.
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

// N is where the number of elements of a row is, or of the chunk of it.
func (l *Layout) N() int { return offN }

// From is where the index in the row is at which a chunk, or a part of a row, begins: 0 for whole
// rows. Addresses are of index 0. It does not matter to code without [Code.Stages].
func (l *Layout) From() int { return offFrom }

// Halt is where a number says, if it is not 0, that a call ends after the next stage.
func (l *Layout) Halt() int { return offHalt }

// Fault is where the first three numbers of a fault are: whether there is one, the index in
// the row and the code. The counters then tell the row.
func (l *Layout) Fault() int { return offFaulted }

// Stream is where a number says whether results are written past the caches: if it is
// not 0, and the code is able to. Then all elements that are written first in a row lie
// at multiples of [StreamAlign] bytes.
func (l *Layout) Stream() int { return offStream }

// StreamAlign is the alignment of rows that are written past the caches, in bytes.
const StreamAlign = vectorBytes

// Fetch is where a number says which operand is fetched ahead, counted from 1, if the code is
// able to; 0 for none.
func (l *Layout) Fetch() int { return offFetch }

// Pointer is where an operand's address is.
func (l *Layout) Pointer(operand int) int { return offPointers + 8*operand }

// Counter is where the number of indices is that are left of an outer axis, the current
// one included. It must be set to the number of all before a call and is so after it.
func (l *Layout) Counter(axis int) int { return l.Pointer(l.Operands) + 8*axis }

// Count is where the number of indices of an outer axis is.
func (l *Layout) Count(axis int) int { return l.Counter(l.Outer) + 8*axis }

// End is where the index after the last one of an outer axis is.
func (l *Layout) End(axis int) int { return l.Count(l.Outer) + 8*axis }

// Delta is where the number of bytes is by which an operand's address grows when an
// outer axis advances: its step along the axis less what the axes within have added.
func (l *Layout) Delta(axis, operand int) int {
	return l.End(l.Outer) + 8*(axis*l.Operands+operand)
}

// fixed is the size of all that has been named.
func (l *Layout) fixed() int { return l.Delta(l.Outer, 0) }

// room reserves bytes for vectors and gives their place.
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
