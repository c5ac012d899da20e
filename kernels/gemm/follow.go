package gemm

// Follower goes on with rows of C while they are in the cache.
type Follower interface {
	// Rows is told that the rows [lo, hi) of C, which are counted through the batch, are
	// whole. Each call goes on where the one before it ended.
	Rows(lo, hi int)
}

// RunRows computes the rows [lo, hi) of C and tells the follower of them, some at a time:
// few enough to be in the second-level cache. It is like [Product.RunPart] else.
func (p *Product[T]) RunRows(lo, hi int, s *Scratch[T], to Follower) {
	s.follow = following{to: to, next: lo, most: max(followBytes/(max(p.N, 1)*sizeOf[T]()), 1)}
	p.RunPart(lo, hi, 0, p.N, s)
	if s.follow.next < hi {
		to.Rows(s.follow.next, hi)
	}
	s.follow = following{}
}

// followBytes is the size of the rows of C that a follower is told of at a time, where it
// can be chosen.
const followBytes = 128 << 10

// following is how far a follower has come.
type following struct {
	to   Follower // nil for none
	next int      // the first row that it has not been told of
	most int      // rows at a time
}

// whole notes that the rows up to hi are whole.
func (f *following) whole(hi int) {
	if f.to != nil && hi-f.next >= f.most {
		f.to.Rows(f.next, hi)
		f.next = hi
	}
}
