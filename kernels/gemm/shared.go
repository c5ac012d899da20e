package gemm

// Matrices of a batch that share B read it packed once, if each has so few rows that packing would cost
// a part of the time, if there are enough of them, and if B takes no more than some bytes. Where rows of
// B are contiguous, tiles copy them on their way, which costs less.
const (
	sharedRows    = 256
	sharedRowwise = 64
	leastShares   = 4
	sharedBytes   = 4 << 20
)

// sharedLen is the number of elements that B takes packed once for a batch; 0 where it is not.
func (p *Product[T]) sharedLen() int {
	v := simdOf[T]()
	if v == nil || len(p.Batch) == 0 || p.Packed != nil || p.Part != nil || p.isInWords() || p.Weights() > 1 || p.groupLen() > 1 || p.M <= v.rows || p.M > sharedRows || p.B.Col == 1 && p.M > sharedRowwise ||
		p.N < v.cols || p.Rows() < leastShares*p.M {
		return 0
	}
	if n := p.PackedLen(); n*sizeOf[T]() <= sharedBytes {
		return n
	}
	return 0
}

// packShared packs the columns [left, right) of B once for all rows [lo, hi), if these are of enough matrices.
func (p *Product[T]) packShared(lo, hi, left, right int, s *Scratch[T]) []T {
	if n := p.sharedLen(); n > 0 && hi-lo >= leastShares*p.M {
		p.packPanels(s.shared[:n], 0, left, right, s)
		return s.shared[:n]
	}
	return nil
}

// packPanels lays the panels of B out, as the product at an index of the batch has it, that have some of the columns [left, right).
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
