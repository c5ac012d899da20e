package gemm

// Matrices of a batch that share B read it packed once, if packing would take a noticeable part of the time for the few
// rows of each, if there are enough matrices, and if B is not too large. If rows of B are contiguous, tiles copy them
// along the way, which costs less.
const (
	sharedRows    = 256
	sharedRowwise = 64
	leastShares   = 4
	sharedBytes   = 4 << 20
)

// sharedLen is the number of elements of B when packed once for a batch; 0 if it is not.
func (p *Product[T]) sharedLen() int {
	v := simdOf[T]()
	if v == nil || len(p.Batch) == 0 || p.Packed != nil || p.Part != nil || p.isInWords() || p.Weights() > 1 ||
		p.groupLen() > 1 || p.M <= v.rows || p.M > sharedRows || p.B.Col == 1 && p.M > sharedRowwise ||
		p.N < v.cols || p.Rows() < leastShares*p.M {
		return 0
	}
	if n := p.PackedLen(); n*sizeOf[T]() <= sharedBytes {
		return n
	}
	return 0
}

// packShared packs the columns [left, right) of B once for all rows [lo, hi), if these belong to enough matrices.
func (p *Product[T]) packShared(lo, hi, left, right int, s *Scratch[T]) []T {
	if n := p.sharedLen(); n > 0 && hi-lo >= leastShares*p.M {
		p.packPanels(s.shared[:n], 0, left, right, s)
		return s.shared[:n]
	}
	return nil
}

// packPanels packs the panels that overlap the columns [left, right), of the B at an index of the batch.
func (p *Product[T]) packPanels(packed []T, index, left, right int, s *Scratch[T]) {
	s.problem = p.matrix(index)
	f := s.problem.begin(simdOf[T](), region{}, s)
	own := s.b
	s.b = packed
	for j := left / f.v.cols * f.v.cols; j < right; j += f.v.cols {
		f.packed = j * f.k
		for f.p = 0; f.p < f.k; f.p += f.np {
			f.np = blockSize(f.p, f.k)
			f.packB(j, min(f.v.cols, p.N-j))
			f.packed += f.np * f.v.cols
		}
	}
	s.b = own
}
