package gemm

import (
	"unsafe"

	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// This file reads factors whose products are summed in float32, of 16 bits and of blocks (scaled.go). The packing code
// for A and B converts them.

// isConverted reports whether elements are converted to float32 where they are packed.
func (f *Factor) isConverted() bool { return f.Type >= Float16 }

// isHalf reports whether elements have 16 bits.
func (f *Factor) isHalf() bool { return f.Type == Float16 || f.Type == BFloat16 }

// readsElements reports whether neither factor has blocks: elements are of the product's type or of 16 bits.
func (q *problem[T]) readsElements() bool { return !q.factorA.isBlocks() && !q.factorB.isBlocks() }

// addressB is the address of an element of B, of its own type or of 16 bits, and bytesB the size of one.
func (q *problem[T]) addressB(i int) uintptr {
	if q.factorB.isHalf() {
		return uintptr(q.factorB.at(i))
	}
	return address(q.b.Data, i)
}

func (q *problem[T]) bytesB() int {
	if q.factorB.isHalf() {
		return halfBytes
	}
	return sizeOf[T]()
}

// isConverted reports whether a factor has such elements.
func (q *problem[T]) isConverted() bool { return q.factorA.isConverted() || q.factorB.isConverted() }

// float32At returns an element of such a factor.
func (f *Factor) float32At(i int) float32 {
	if f.isBlocks() {
		return f.scaledAt(i)
	}
	bits := *(*uint16)(f.at(i))
	if f.Type == Float16 {
		return half.Float16(bits).Float32()
	}
	return half.BFloat16(bits).Float32()
}

// element returns an element of a matrix, whether of its own type or of a factor that is converted.
func element[T scalar.Number](m *Matrix[T], f *Factor, i int) T {
	if f.isConverted() {
		return T(f.float32At(i))
	}
	return m.Data[i]
}

// convertArgs are the arguments of code that converts rows of groups of eight elements to float32. Steps are in bytes.
type convertArgs struct {
	rows, groups int
	from         unsafe.Pointer
	fromRow      int
	to           unsafe.Pointer
	toRow        int
}

// convertGroup is the number of elements that are converted at a time.
const convertGroup = 8

// convert converts rows of contiguous elements of 16 bits to rows of float32. The first begins at an element; rows are
// some elements apart.
func (f *macroKernel[T]) convert(dst []T, dstRow int, from *Factor, at, row, rows, cols int) {
	if from.isBlocks() {
		f.convertScaled(dst, dstRow, from, at, row, rows, cols)
		return
	}
	groups := cols / convertGroup
	if code := f.v.convert[from.Type-Float16]; groups > 0 && rows > 0 {
		f.s.convert = convertArgs{rows: rows, groups: groups, from: from.at(at), fromRow: row * halfBytes,
			to: unsafe.Pointer(&dst[0]), toRow: dstRow * f.size}
		code(&f.s.convert)
	}
	if done := groups * convertGroup; done < cols {
		for r := range rows {
			for c := done; c < cols; c++ {
				dst[r*dstRow+c] = T(from.float32At(at + r*row + c))
			}
		}
	}
}

// halfBytes is the size of an element.
const halfBytes = 2

// convertTransposed is like convert, but writes the rows as columns, whose elements are dstRow apart.
func (f *macroKernel[T]) convertTransposed(dst []T, dstRow int, from *Factor, at, row, rows, cols int) {
	pitch := roundUp(min(cols, nearRows), convertGroup) + 64/f.size
	f.s.runs = grow(f.s.runs, pitch*rows)
	for k := 0; k < cols; k += nearRows {
		n := min(nearRows, cols-k)
		f.convert(f.s.runs, pitch, from, at+k, row, rows, n)
		f.transpose(transposition[T]{src: f.s.runs, dst: dst, to: k * dstRow, srcRow: pitch, dstRow: dstRow, rows: rows,
			cols: n}, f.v.transposers)
	}
}

// convertA converts the block of A, as prepareA copies it.
func (f *macroKernel[T]) convertA() {
	a, pitch := &f.a, f.pitch()
	src := a.Start + f.i*a.Row + f.p*a.Col
	switch {
	case a.Col == 1:
		f.convert(f.s.a, pitch, &f.factorA, src, a.Row, f.ni, f.np)
	case a.Row == 1:
		f.convertTransposed(f.s.a, pitch, &f.factorA, src, a.Col, f.np, f.ni)
	default:
		for r := range f.ni {
			for k := range f.np {
				f.s.a[r*pitch+k] = T(f.factorA.float32At(src + r*a.Row + k*a.Col))
			}
		}
	}
}

// convertB converts columns of B into a panel, as packB copies them.
func (f *macroKernel[T]) convertB(dst []T, j, nj int) {
	b, cols, at := &f.b, f.v.cols, f.atB(j)
	switch {
	case b.Col == 1:
		f.convert(dst, cols, &f.factorB, at, b.Row, f.np, nj)
	case b.Row == 1 && f.hasBlockPanels(at, f.np):
		f.blockPanel(dst, at, nj)
	case b.Row == 1:
		f.convertTransposed(dst, cols, &f.factorB, at, b.Col, nj, f.np)
	default:
		for k := range f.np {
			for c := range nj {
				dst[k*cols+c] = T(f.factorB.float32At(at + k*b.Row + c*b.Col))
			}
		}
	}
}
