package gemm

import (
	"math"
	"unsafe"
)

// Small are the arguments of code that multiplies small matrices in place and without planning, which would cost more
// than their products. Steps are in bytes. Sums have the bits of other loops.
type Small struct {
	Operands     [3]uintptr // A, B and C of the first product
	first        int        // of the factors, in bytes: the other one comes first in the transpose
	count        int        // of products
	m, n, k      int
	aEach, bEach int // from matrix to matrix
	cEach        int
	aRow, aCol   int
	bRow, bCol   int
	cRow         int
	masks        unsafe.Pointer // behind the lanes that take part
	lanes        [4]uint64      // where the columns of a vector of B lie, seen from the first one
	//lint:ignore U1000 machine code keeps these here
	a, b, c, counts uintptr // of the product at hand
}

// The most vectors of products of a matrix that is multiplied without planning: in general, with fewer than four rows
// of which four vectors of columns are multiplied at once, and with vectors that are transposed. gatherCost and
// turnCost are the approximate cost, in such vectors, of a vector whose elements are apart: loaded one by one, or
// transposed from columns.
const (
	smallVectors  = 512
	wideVectors   = 4096
	turnedVectors = 1024
	gatherCost    = 8
	turnCost      = 2
	rowsAtOnce    = 4 // of A
	wideColumns   = 4 // vectors of columns at once
	turnedAtOnce  = 4 // rows of B
	vectorBytes   = 32
	farthest      = math.MaxInt32 / 64 // elements between lanes, whose places have 32 bits
)

// Small returns the arguments, except the operands, the address of machine code that takes their address in RDI, and
// the approximate number of vectors that it multiplies. It returns nil if the product is not small, or there is no such
// code.
func (p *Product[T]) Small() (args *Small, code unsafe.Pointer, work int) {
	if simdOf[T]() == nil || p.Add || p.Offsets != nil || p.Part != nil || p.FactorA.Type != Own ||
		p.FactorB.Type != Own || p.Rows() == 0 || p.N == 0 || p.K == 0 {
		return nil, nil, 0
	}
	size := sizeOf[T]()
	each, count, ok := p.oneBatchAxis()
	first := 0
	m, n, a, b, c := p.M, p.N, p.A, p.B, p.C
	if n == 1 && c.Row == 1 {
		m, n, a, b, c = n, m, b.transposed(), a.transposed(), c.transposed()
		each[0], each[1], first = each[1], each[0], int(unsafe.Sizeof(uintptr(0)))
	}
	if !ok || n > 1 && c.Col != 1 || max(b.Col, -b.Col) > farthest {
		return nil, nil, 0
	}
	lanes := vectorBytes / size
	vectors, loads, most := (n+lanes-1)/lanes*p.K, (m+rowsAtOnce-1)/rowsAtOnce, smallVectors
	switch isNear := n == 1 || b.Col == 1; {
	case isNear && m < rowsAtOnce && n >= wideColumns*lanes:
		work, most = vectors*m, wideVectors
	case isNear:
		work = vectors * (m + loads)
	case b.Row == 1 && n >= lanes && p.K >= turnedAtOnce:
		work, most = vectors*m*turnCost, turnedVectors
	default:
		work = vectors * (m + loads*gatherCost)
	}
	if p.K > smallVectors || work > most {
		return nil, nil, 0
	}
	s := &Small{first: first, count: count, m: m, n: n, k: p.K, aEach: each[0] * size, bEach: each[1] * size,
		cEach: each[2] * size,
		aRow:  a.Row * size, aCol: a.Col * size, bRow: b.Row * size, bCol: b.Col * size, cRow: c.Row * size}
	if n == 1 {
		s.bCol = size
	}
	masks, code := s.prepare(size)
	if code == nil {
		return nil, nil, 0
	}
	s.masks = masks
	return s, code, work * count
}

// oneBatchAxis returns the steps from matrix to matrix of A, B and C, and the number of matrices. ok is false if a
// single step does not reach all of them.
func (p *Product[T]) oneBatchAxis() (each [3]int, count int, ok bool) {
	count = 1
	for axis := len(p.Batch) - 1; axis >= 0; axis-- {
		steps := [3]int{p.StepA[axis], p.StepB[axis], p.StepC[axis]}
		switch {
		case p.Batch[axis] == 1:
		case count == 1:
			each, count = steps, p.Batch[axis]
		case steps == [3]int{each[0] * count, each[1] * count, each[2] * count}:
			count *= p.Batch[axis]
		default:
			return each, 0, false
		}
	}
	return each, count, true
}
