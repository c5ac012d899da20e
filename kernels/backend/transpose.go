package backend

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/jit"
)

// transposers have code that transposes blocks of 8x8 elements, by the bytes of an element; nil if there is no machine
// code.
var transposers = map[int]func() *jit.Code{}

func init() {
	for _, size := range []int{1, 2, 4, 8} {
		transposers[size] = sync.OnceValue(func() *jit.Code { return copying(codegen.Transpose(target(), size)) })
	}
}

// copyRoom is memory for a block of elements of up to 8 bytes, column by column, and for columns of 4 bytes that become
// short rows. It is not on the stack, which may move, since machine code accesses it.
type copyRoom struct {
	few   [packRows * packRows]uint64
	lines [packRows][denseBlocks * packRows]uint32
}

// transposed copies whole blocks of rows whose rows are contiguous on one side and columns on the other. The last
// columns are copied twice if they do not fill a block. Fewer columns than a block has go through separate memory if
// there is some: packed rows are far enough apart to allow the excess. It returns how many rows are copied.
func transposed(size int, dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps, t tile,
	room *copyRoom) (rows int) {
	c := blockCopy{size: size, columns: t.columns, room: room, into: from.row == 1 && to.column == 1}
	if to.row*from.row == 0 || !c.into && !(to.row == 1 && from.column == 1) {
		return 0
	}
	if c.code = transposers[size](); c.code == nil {
		return 0
	}
	if t.columns < packRows && size == 4 && c.into && to.row == t.columns && room != nil {
		return c.dense(dst, to, src, from, t.rows)
	}
	if t.columns < packRows && (room == nil || c.into && to.row < packRows || !c.into && from.row < packRows) {
		return 0
	}
	if groups := t.rows / packRows; groups > 1 && t.columns >= packRows {
		c.down(dst, to, src, from, groups)
		return groups * packRows
	}
	for ; rows+packRows <= t.rows; rows += packRows {
		c.run(unsafe.Add(dst, size*rows*to.row), to, unsafe.Add(src, size*rows*from.row), from)
	}
	return rows
}

// denseBlocks is how many blocks are copied at a time to contiguous rows.
const denseBlocks = 8

// dense copies contiguous rows that have fewer elements than a block has columns. Lines of a block are stored row by
// row; the next rows overwrite the excess after a row's own elements. So the last rows are left. It returns how many
// are copied.
func (c *blockCopy) dense(dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps, rows int) (done int) {
	const size, most = 4, denseBlocks * packRows
	lines := &c.room.lines
	behind := (packRows - 1) / c.columns // rows into which the last line of a block reaches
	for {
		count := min((rows-behind-done)/packRows, denseBlocks)
		if count <= 0 {
			return done
		}
		for i := range c.columns {
			copy(lines[i][:], unsafe.Slice((*uint32)(unsafe.Add(src, (done*from.row+i*from.column)*size)),
				count*packRows))
		}
		c.call(unsafe.Add(dst, done*to.row*size), to, unsafe.Pointer(lines), steps{1, most}, count, to.row, 1)
		done += count * packRows
	}
}

// blockCopy copies as many rows as a block has.
type blockCopy struct {
	code    *jit.Code
	size    int // of an element
	columns int
	room    *copyRoom
	into    bool // into rows, or out of them
	args    codegen.TransposeArgs
	ahead   int // bytes from a block to the one that is fetched meanwhile
}

// run copies the columns of one block of rows: in whole blocks, the last of which overlaps the one before, or through
// memory for a block.
func (c *blockCopy) run(dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps) {
	size, line := c.size, c.size*packRows
	whole, rest := c.columns/packRows, c.columns%packRows
	switch {
	case whole > 0:
		c.blocks(dst, to, src, from, whole)
		if rest > 0 {
			last := size * (c.columns - packRows)
			c.blocks(unsafe.Add(dst, last*to.column), to, unsafe.Add(src, last*from.column), from, 1)
		}
	case c.into:
		for i := range c.columns {
			copyLines(unsafe.Add(unsafe.Pointer(&c.room.few), i*line), 0, unsafe.Add(src, i*from.column*size), 0, 1,
				line)
		}
		c.blocks(dst, to, unsafe.Pointer(&c.room.few), steps{1, packRows}, 1)
	default:
		c.blocks(unsafe.Pointer(&c.room.few), steps{1, packRows}, src, from, 1)
		for i := range c.columns {
			copyLines(unsafe.Add(dst, i*to.column*size), 0, unsafe.Add(unsafe.Pointer(&c.room.few), i*line), 0, 1, line)
		}
	}
}

// down copies blocks below each other before those next to them. So whole lines are copied of the memory in which
// elements of a row are apart. Lines that are read like this are prefetched, since they follow no pattern that a
// processor detects.
func (c *blockCopy) down(dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps, groups int) {
	size := c.size
	if c.into {
		c.ahead = size * packRows * from.column
	}
	for column := 0; column < c.columns; column += packRows {
		first := size * min(column, c.columns-packRows)
		c.call(unsafe.Add(dst, first*to.column), to, unsafe.Add(src, first*from.column), from, groups, to.row, from.row)
	}
}

// blocks copies blocks side by side.
func (c *blockCopy) blocks(dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps, count int) {
	c.call(dst, to, src, from, count, to.column, from.column)
}

// call copies a number of blocks in one row or column of them; toNext and fromNext are the steps of elements in that
// direction.
func (c *blockCopy) call(dst unsafe.Pointer, to steps, src unsafe.Pointer, from steps, count, toNext, fromNext int) {
	size := c.size
	c.args = codegen.TransposeArgs{Dst: uintptr(dst), Src: uintptr(src), Count: count,
		DstStep: size * packRows * toNext, SrcStep: size * packRows * fromNext,
		SrcLine: size * from.row, DstLine: size * to.column, Ahead: c.ahead}
	if c.into {
		c.args.SrcLine, c.args.DstLine = size*from.column, size*to.row
	}
	c.code.Call(0, unsafe.Pointer(&c.args))
}
