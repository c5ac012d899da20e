package gemm

import (
	"unsafe"
)

// This file reads factors of blocks: integers of 8 or 4 bits, each times the scale of its block, and plus its minimum
// if there are minima. The packing code for A and B converts them to float32, so that no matrix of float32 is stored.

// blockTypes is the number of types of blocks.
const blockTypes = numTypes - Int8Blocks

// isBlocks reports whether elements are integers with scales.
func (f *Factor) isBlocks() bool { return f.Type >= Int8Blocks }

// hasMinima reports whether blocks have minima, and their integers no signs.
func (f *Factor) hasMinima() bool { return f.Type >= Uint8Blocks }

// inHalves reports whether integers have 4 bits.
func (f *Factor) inHalves() bool { return f.Type == Int4Blocks || f.Type == Uint4Blocks }

// hasScales reports whether there is a scale for each element of blocks, and a minimum if there are minima.
func (f *Factor) hasScales() bool {
	return f.Block >= 1 && len(f.Scales)*f.Block >= f.Len && (!f.hasMinima() || len(f.Minima)*f.Block >= f.Len)
}

// byteOf returns the address of the byte with an element of such a factor.
func (f *Factor) byteOf(i int) unsafe.Pointer { return unsafe.Add(f.Data, f.bytes(i)) }

// level returns the integer of an element.
func (f *Factor) level(i int) int {
	v := *(*uint8)(f.byteOf(i))
	switch f.Type {
	case Int8Blocks:
		return int(int8(v))
	case Int4Blocks:
		return int(int8(v<<(4-i%2*4)) >> 4) // with its sign
	case Uint4Blocks:
		return int(v >> (i % 2 * 4) & 15)
	}
	return int(v)
}

// scaledAt returns an element. The product is rounded before the sum.
func (f *Factor) scaledAt(i int) float32 {
	product := float32(f.Scales[i/f.Block] * float32(f.level(i)))
	if f.hasMinima() {
		return product + f.Minima[i/f.Block]
	}
	return product
}

// bytes returns the size of elements.
func (f *Factor) bytes(elements int) int {
	if f.inHalves() {
		return elements / 2
	}
	return elements
}

// startsByte reports whether elements at an index begin with a byte.
func (f *Factor) startsByte(i int) bool { return !f.inHalves() || i%2 == 0 }

// scaledArgs are the arguments of code that converts rows of blocks, each of some groups of eight elements, to float32.
// Steps are in bytes.
type scaledArgs struct {
	rows, blocks, groups int
	from                 unsafe.Pointer
	fromRow              int
	to                   unsafe.Pointer
	toRow                int
	scales               *float32
	scalesRow            int // of scales and of minima
	places               *[convertGroup]int32
	minima               *float32
}

// places moves the integers of 4 bits in a word, of which there are eight, to the highest bits.
var places = [convertGroup]int32{1 << 28, 1 << 24, 1 << 20, 1 << 16, 1 << 12, 1 << 8, 1 << 4, 1}

// convertScaled is convert for a factor of blocks.
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
	code, groups := f.v.convertScaled[from.Type-Int8Blocks], each/convertGroup
	if groups > 0 && rows > 0 && (blocks == 1 || each%convertGroup == 0) && from.startsByte(at) &&
		(rows == 1 || from.startsByte(row)) {
		f.s.scaled = scaledArgs{rows: rows, blocks: blocks, groups: groups, from: from.byteOf(at),
			fromRow: from.bytes(row), places: &places,
			to: unsafe.Pointer(&dst[0]), toRow: dstRow * f.size, scales: &from.Scales[at/from.Block],
			scalesRow: row / from.Block * int(unsafe.Sizeof(float32(0)))}
		if from.hasMinima() {
			f.s.scaled.minima = &from.Minima[at/from.Block]
		}
		code(&f.s.scaled)
		done = blocks*each - each%convertGroup
	}
	for r := range rows {
		for c := done; c < blocks*each; c++ {
			dst[r*dstRow+c] = T(from.scaledAt(at + r*row + c))
		}
	}
}
