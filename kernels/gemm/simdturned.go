package gemm

// isTurned reports whether a part of a product whose columns of B are contiguous is better computed as its transpose
// into separate memory, and then copied. It is if C has so few rows that packing B would take longer. In the transpose,
// B takes the place of A, and its rows are read in place.
func (q *problem[T]) isTurned(c region, s *Scratch[T]) bool {
	v := simdOf[T]()
	if v == nil || !q.canTurn(s) || q.b.Row != 1 || q.b.Col <= 1 || q.offsets != nil || s.epilogue != nil ||
		s.rows.to != nil {
		return false
	}
	rows, cols := c.bottom-c.top, c.right-c.left
	fills := rows%(v.cols/4) == 0 && v.quarter != nil || rows%(v.cols/2) == 0 // vectors
	const gain = 2
	return fills && rows <= v.turnedRows() && cols*q.k > gain*(rows*q.k+2*rows*cols)
}

// canTurn reports whether a product, of windows or of a matrix, can be computed as its transpose.
func (q *problem[T]) canTurn(s *Scratch[T]) bool {
	return q.c.Col == 1 && !q.add && q.k > 0 && !q.isConverted() && q.part == nil && q.packedB == nil && s.reader == nil
}

// turnedRows is the most rows of a product that is computed as its transpose.
func (v *simdTiles) turnedRows() int { return 2 * v.cols }

// turnedScratch is how many elements such a product needs.
func (p *Product[T]) turnedScratch(v *simdTiles) int {
	if p.B.Row != 1 || p.C.Col != 1 || p.Add || p.FactorA.isConverted() || p.FactorB.isConverted() || p.Part != nil ||
		p.Offsets != nil || p.Packed != nil {
		return 0
	}
	return min(p.M, v.turnedRows()) * p.N
}

// runTurned computes a part as its transpose.
func (q *problem[T]) runTurned(c region, s *Scratch[T]) {
	to, v := q.c, simdOf[T]()
	q.transpose()
	rows, cols := c.bottom-c.top, c.right-c.left
	q.c = Matrix[T]{Data: s.turned, Start: -(c.left*rows + c.top), Row: rows, Col: 1}
	q.run(c.transposed(), s)
	f := q.begin(v, c, s)
	f.transpose(transposition[T]{src: s.turned, dst: to.Data, to: to.Start + c.top*to.Row + c.left, srcRow: rows,
		dstRow: to.Row,
		rows:   cols, cols: rows}, v.transposers)
}
