package gemm

import (
	"unsafe"
)

// This file reads factors of Int8Blocks: integers of 8 bits, each times the scale of its block. The packing code for A
// and B converts them to float32, so that no matrix of float32 is stored.

// scaledAt returns an element of such a factor.
func (f *Factor) scaledAt(i int) float32 {
	return f.Scales[i/f.Block] * float32(*(*int8)(f.at(i)))
}

// scaledArgs are the arguments of code that converts rows of blocks, each of some groups of eight elements, to float32.
// Steps are in bytes.
type scaledArgs struct {
	rows, blocks, groups int
	from                 unsafe.Pointer
	fromRow              int
	to                   unsafe.Pointer
	toRow                int
	scales               *float32
	scalesRow            int
}

// convertScaled is convert for a factor of Int8Blocks.
func (f *macroKernel[T]) convertScaled(dst []T, dstRow int, from *Factor, at, row, rows, cols int) {
	if rows > 1 && row%from.Block != 0 { // blocks end at other columns in each row
		for r := range rows {
			f.convertScaled(dst[r*dstRow:], dstRow, from, at+r*row, 0, 1, cols)
		}
		return
	}
	for c := 0; c < cols; {
		first, blocks := (at+c)%from.Block, 1
		each := min(from.Block-first, cols-c)
		if first == 0 {
			blocks = max((cols-c)/from.Block, 1)
		}
		f.convertBlocks(dst[c:], dstRow, from, at+c, row, rows, blocks, each)
		c += blocks * each
	}
}

// convertBlocks converts rows of blocks. If there are several, they are whole; one may be a part of a block.
func (f *macroKernel[T]) convertBlocks(dst []T, dstRow int, from *Factor, at, row, rows, blocks, each int) {
	done := 0 // elements of each row
	code, groups := f.v.convertScaled, each/convertGroup
	if groups > 0 && rows > 0 && (blocks == 1 || each%convertGroup == 0) {
		f.s.scaled = scaledArgs{rows: rows, blocks: blocks, groups: groups, from: from.at(at), fromRow: row,
			to: unsafe.Pointer(&dst[0]), toRow: dstRow * f.size, scales: &from.Scales[at/from.Block],
			scalesRow: row / from.Block * int(unsafe.Sizeof(float32(0)))}
		code(&f.s.scaled)
		done = blocks*each - each%convertGroup
	}
	for r := range rows {
		for c := done; c < blocks*each; c++ {
			dst[r*dstRow+c] = T(from.scaledAt(at + r*row + c))
		}
	}
}
