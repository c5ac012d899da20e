package gemm

// thin computes the rows [first, end) of C when they are too few to be worth packing
// B, whose rows are contiguous. The sums of a row stand side by side, so that the
// rows of B are read as they lie in memory.
func (q *job[T]) thin(first, end int, s *Scratch[T]) {
	for i := first; i < end; i++ {
		for j := 0; j < q.n; j += colBlock {
			nj := min(colBlock, q.n-j)
			for p := 0; p < q.k; p += KBlock {
				sums := s.b[:nj]
				clear(sums)
				for l := p; l < min(p+KBlock, q.k); l++ {
					x := q.a.Data[q.a.Start+i*q.a.Row+l*q.a.Col]
					row := q.b.Data[q.b.Start+l*q.b.Row+j:][:nj]
					for c := range sums {
						sums[c] = fma(x, row[c], sums[c])
					}
				}
				q.putRow(sums, i, j, q.add || p > 0)
			}
		}
	}
}
