package gemm

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// Matrix is a strided view of a matrix: element (i, j) is Data[Start+i*Row+j*Col].
// A stride may be zero or negative; a transpose exchanges Row and Col.
type Matrix[T scalar.Number] struct {
	Data     []T
	Start    int
	Row, Col int
}

// Product is C = A·B, or C += A·B, for a batch of matrices of M×K, K×N and M×N. The elements of C must not overlap each
// other or those of A and B.
type Product[T scalar.Number] struct {
	M, N, K int
	A, B, C Matrix[T]
	Add     bool // add to C instead of replacing it
	// Offsets, if given, replace B's strides.
	Offsets *Offsets
	// FactorA and FactorB, if they have a type, hold elements of A and B that have fewer bits than the sums.
	FactorA, FactorB Factor
	// Packed, if given, is the result of PackB.
	Packed []T
	// InLanes sums in another order: see [Product.HasLanes].
	InLanes bool
	// Part, if given, is the part of the sums that a run computes. It excludes both Offsets and Add.
	Part *Part[T]
	// Stopped, if given, is asked every few milliseconds at most. Once it reports true a run ends, and C is undefined.
	// Several goroutines may call it.
	Stopped func() bool

	// Batch is the sizes of the batch axes, outermost first. StepA, StepB and StepC are the steps from matrix to matrix
	// along each of them; with a step of zero, all use one matrix. All are empty for a single product.
	Batch               []int
	StepA, StepB, StepC []int
}

// Check reports whether sizes and strides are valid and stay within the data.
func (p *Product[T]) Check() error {
	if p.M < 0 || p.N < 0 || p.K < 0 {
		return fmt.Errorf("gemm: sizes %d, %d, %d", p.M, p.N, p.K)
	}
	if len(p.StepA) != len(p.Batch) || len(p.StepB) != len(p.Batch) || len(p.StepC) != len(p.Batch) {
		return fmt.Errorf("gemm: %d batch axes with %d, %d and %d steps",
			len(p.Batch), len(p.StepA), len(p.StepB), len(p.StepC))
	}
	for _, n := range p.Batch {
		if n < 0 {
			return fmt.Errorf("gemm: batch %v", p.Batch)
		}
	}
	if o := p.Offsets; o != nil && (len(o.Rows) != p.K || len(o.Cols) != p.N) {
		return fmt.Errorf("gemm: offsets of %d rows and %d columns for sizes %d, %d", len(o.Rows), len(o.Cols), p.K,
			p.N)
	}
	for _, f := range []*Factor{&p.FactorA, &p.FactorB} {
		if f.isBlocks() && (!f.hasScales() || p.Offsets != nil) {
			return fmt.Errorf("gemm: %d scales and %d minima of %d elements for %d, offsets: %t", len(f.Scales),
				len(f.Minima), f.Block, f.Len, p.Offsets != nil)
		}
	}
	if p.InLanes && !p.HasLanes() {
		return fmt.Errorf("gemm: no lanes for %d rows, %d columns %d apart, blocks of %d", p.Rows(), p.N, p.B.Col,
			p.FactorB.Block)
	}
	if p.Rows() == 0 || p.N == 0 {
		return nil
	}
	for _, x := range []struct {
		name string
		m    *Matrix[T]
		r, c int
		step []int
	}{
		{"A", &p.A, p.M, p.K, p.StepA},
		{"B", &p.B, p.K, p.N, p.StepB},
		{"C", &p.C, p.M, p.N, p.StepC},
	} {
		var offsets *Offsets
		n := len(x.m.Data)
		switch x.name {
		case "A":
			n = p.FactorA.elements(n)
		case "B":
			offsets, n = p.Offsets, p.FactorB.elements(n)
		}
		if lo, hi := extent(x.m, offsets, x.r, x.c, p.Batch, x.step); lo < hi && (lo < 0 || hi > n) {
			return fmt.Errorf("gemm: %s takes elements %d to %d of %d", x.name, lo, hi-1, n)
		}
	}
	return nil
}

// extent is the range of indices that a batch of matrices takes; empty if there are no elements.
func extent[T scalar.Number](m *Matrix[T], o *Offsets, rows, cols int, batch, step []int) (lo, hi int) {
	lo, hi = m.Start, m.Start
	add := func(n, stride int) {
		lo += min(0, (n-1)*stride)
		hi += max(0, (n-1)*stride)
	}
	if rows == 0 || cols == 0 {
		return 0, 0
	}
	if o != nil {
		first, last := o.extent()
		lo, hi = lo+first, hi+last
	} else {
		add(rows, m.Row)
		add(cols, m.Col)
	}
	for i, n := range batch {
		add(n, step[i])
	}
	return lo, hi + 1
}

// Rows is the number of rows of C in all matrices of the batch. RunPart takes a range of them.
func (p *Product[T]) Rows() int {
	n := p.M
	for _, b := range p.Batch {
		n *= b
	}
	return n
}

// isLarge reports whether C is so large that it comes from beyond the second-level cache.
func (p *Product[T]) isLarge() bool { return p.Rows()*p.N*sizeOf[T]() > sizes.result }

// Run computes the product, which must have passed Check. It allocates nothing once
// the scratch has grown to the sizes.
func (p *Product[T]) Run(s *Scratch[T]) { p.RunPart(0, p.Rows(), 0, p.N, s) }

// RunPart computes the columns [left, right) of the rows [lo, hi) of C, which are counted through the batch. Parts may
// be computed at the same time, each with its own scratch. Multiples of 48 rows and 32 columns waste least. Each part
// packs the A and B that it reads.
func (p *Product[T]) RunPart(lo, hi, left, right int, s *Scratch[T]) {
	if p.InLanes {
		p.runLanes(lo, hi, left, right, s)
		return
	}
	if q, d := p.inWords(s); d != nil {
		s.runWords(q, d, lo, hi, left, right)
		return
	}
	s.reserve(p)
	s.isLarge = p.isLarge()
	groups := p.groupLen()
	if s.reader != nil || s.rows.to != nil {
		groups = 1
	}
	shared := p.packShared(lo, hi, left, right, s)
	once, packed := false, region{} // the rows of A that are packed as columns
	if v := simdOf[T](); v != nil && p.Offsets != nil {
		once = p.packsOnce(v)
	}
	for lo < hi && !p.isStopped() {
		index, first := lo/p.M, lo%p.M
		c := region{first, min(p.M, first+hi-lo), left, right}
		if s.problem = p.matrix(index); shared != nil {
			s.problem.packedB = shared
		}
		switch count := (hi - lo) / p.M; {
		case first == 0 && count > 1 && groups > 1:
			s.problem.batch, s.problem.index, s.problem.count = p, index, count
			f := s.problem.begin(simdOf[T](), c, s)
			f.grouped(groups)
			lo += count * p.M
			continue
		case s.problem.isColumn(c, s):
			s.problem.transpose()
			c = c.transposed()
		case s.problem.isTurned(c, s):
			s.problem.runTurned(c, s)
			lo += min(p.M-first, hi-lo)
			continue
		case s.problem.turnsWindows(c, s, once):
			s.problem.runWindows(c, s, once, packed == c)
			packed = c
			lo += min(p.M-first, hi-lo)
			s.rows.whole(lo)
			continue
		case first == 0 && count > 1 && p.sharesA():
			s.problem.batch, s.problem.index, s.problem.count = p, index, count
			lo += (count - 1) * p.M
		}
		s.problem.run(c, s)
		lo += min(p.M-first, hi-lo)
		s.rows.whole(lo)
	}
}

// isStopped reports whether a run is to end before its time.
func (p *Product[T]) isStopped() bool { return p.Stopped != nil && p.Stopped() }

// sharesA reports whether all products of the batch share one A, so that a block of it serves them all.
func (p *Product[T]) sharesA() bool {
	for _, step := range p.StepA {
		if step != 0 {
			return false
		}
	}
	v := simdOf[T]()
	return v != nil && p.K > 0 && p.M > v.rows && p.C.Col == 1
}

// matrix is one product of the batch.
func (p *Product[T]) matrix(index int) problem[T] {
	q := problem[T]{m: p.M, n: p.N, k: p.K, a: p.A, b: p.B, c: p.C, factorA: p.FactorA, factorB: p.FactorB,
		offsets: p.Offsets, add: p.Add, first: index * p.M, count: 1, part: p.Part, to: p.K, stopped: p.Stopped}
	if p.Part != nil {
		q.from, q.to = p.Part.From, p.Part.To
	}
	at := index
	for axis := len(p.Batch) - 1; axis >= 0; axis-- {
		i := at % p.Batch[axis]
		at /= p.Batch[axis]
		q.a.Start += i * p.StepA[axis]
		q.b.Start += i * p.StepB[axis]
		q.c.Start += i * p.StepC[axis]
	}
	if p.Packed != nil && !p.isInWords() {
		each := len(p.Packed) / p.Weights()
		q.packedB = p.Packed[p.weight(index)*each:][:each]
	}
	return q
}

// isColumn reports whether a part with one column, or few, is better computed as its transpose: as one row with
// contiguous elements, or as few rows times contiguous columns.
func (q *problem[T]) isColumn(c region, s *Scratch[T]) bool {
	v := simdOf[T]()
	if v == nil || q.offsets != nil || q.n >= q.m {
		return false
	}
	if q.n == 1 && q.c.Row == 1 {
		return true
	}
	if q.n >= len(v.thin)-1 { // four columns of C take as long to store as that saves
		return false
	}
	t := *q
	t.transpose()
	return t.isThin(v, c.transposed(), s)
}

// transpose makes Cᵀ = Bᵀ·Aᵀ of C = A·B.
func (q *problem[T]) transpose() {
	q.m, q.n, q.packedB = q.n, q.m, nil
	q.a, q.b = q.b.transposed(), q.a.transposed()
	q.factorA, q.factorB = q.factorB, q.factorA
	q.c = q.c.transposed()
}

func (c region) transposed() region { return region{c.left, c.right, c.top, c.bottom} }

func (m Matrix[T]) transposed() Matrix[T] {
	m.Row, m.Col = m.Col, m.Row
	return m
}
