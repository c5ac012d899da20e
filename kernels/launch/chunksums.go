package launch

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// ChunkSums is what the chunks of a call accumulate into one operand over all outer axes: a line of elements per chunk,
// one element for each of a row, one line after the other. Unlike a [Partial], it is for callers that accumulate by
// themselves, in any number of steps.
type ChunkSums struct {
	Operand int
	kind    rowprog.Reduction
	typ     rowprog.Type
	n       int // elements of a line
	words   int
	room    []uint64
}

// NewChunkSums allocates memory for the sums of an accumulating instruction in a call.
func NewChunkSums(p *rowprog.Program, in *rowprog.Inst, a *Args) *ChunkSums {
	s := &ChunkSums{Operand: in.Operand, kind: in.Reduction, typ: p.Operands[in.Operand].Type, n: a.N}
	s.words = (a.N*s.typ.Size() + 7) / 8
	s.room = make([]uint64, Chunks(p, a)*s.words)
	return s
}

// ChunkLen is the number of rows, over all outer axes, of a chunk; the last one may have fewer.
func ChunkLen(a *Args) int {
	rows := rowprog.ChunkRows
	for _, n := range a.Outer[1:] {
		rows *= n
	}
	return rows
}

// Reset sets all elements to the neutral element of the reduction.
func (s *ChunkSums) Reset() {
	bits := scalar.Neutral(s.kind, s.typ)
	for size := s.typ.Size(); size < 8; size *= 2 {
		bits |= bits << (8 * size)
	}
	for i := range s.room {
		s.room[i] = bits
	}
}

// At is the address of a chunk's element for an element of a row.
func (s *ChunkSums) At(chunk, element int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(&s.room[chunk*s.words]), element*s.typ.Size())
}

// Step is the number of elements from one chunk's to the next one's.
func (s *ChunkSums) Step() int { return s.words * 8 / s.typ.Size() }

// Combine combines the chunks in their order. The elements at dst are contiguous.
func (s *ChunkSums) Combine(dst unsafe.Pointer) {
	copy(unsafe.Slice((*byte)(dst), s.n*s.typ.Size()), unsafe.Slice((*byte)(s.At(0, 0)), s.n*s.typ.Size()))
	for at := s.words; at < len(s.room); at += s.words {
		loops.Accumulate(s.kind, s.typ, dst, unsafe.Pointer(&s.room[at]), s.n)
	}
}
