package gemm

// gemv computes a part of C that has too few rows for packing B to pay, if rows of B are contiguous. The sums of a row
// are side by side, so that rows of B are read in place.
func (q *problem[T]) gemv(c region, s *Scratch[T]) {
	addRow := inPlain[T]().addRow
	for i := c.top; i < c.bottom; i++ {
		for j := c.left; j < c.right; j += NC {
			nj := min(NC, c.right-j)
			for p, np := q.from, 0; p < q.to; p += np {
				np = q.pieceLen(p)
				sums := s.b[:nj]
				clear(sums)
				for l := p; l < p+np; l++ {
					x := q.a.Data[q.a.Start+i*q.a.Row+l*q.a.Col]
					row := q.b.Data[q.b.Start+l*q.b.Row+j:][:nj]
					addRow(x, row, sums)
				}
				q.putRow(sums, q.c.Data, i, j, q.add || p > q.from)
			}
		}
	}
}
