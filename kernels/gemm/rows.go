package gemm

// RowConsumer gets rows of C while they are in the cache.
type RowConsumer interface {
	// Rows is called when the rows [lo, hi) of C, which are counted through the batch, are complete. Each call begins
	// where the one before it ended.
	Rows(lo, hi int)
}

// RunRows computes the rows [lo, hi) of C and tells the consumer of a few at a time, while they are in the second-level
// cache. Otherwise it is like [Product.RunPart].
func (p *Product[T]) RunRows(lo, hi int, s *Scratch[T], to RowConsumer) {
	s.rows = rowProgress{to: to, next: lo, most: max(sizes.rows/(max(p.N, 1)*sizeOf[T]()), 1)}
	p.RunPart(lo, hi, 0, p.N, s)
	if s.rows.next < hi {
		to.Rows(s.rows.next, hi)
	}
	s.rows = rowProgress{}
}

// rowProgress records which rows a consumer has got.
type rowProgress struct {
	to   RowConsumer // nil for none
	next int         // the first row that it has not been told of
	most int         // rows at a time
}

// whole records that the rows up to hi are complete.
func (f *rowProgress) whole(hi int) {
	if f.to != nil && hi-f.next >= f.most {
		f.to.Rows(f.next, hi)
		f.next = hi
	}
}
