package gemm

import "slices"

// PackedLen is the number of elements that B takes packed once for all runs: see
// [Product.PackB]. It is 0 where that serves no purpose: B differs over the batch or has
// offsets, or C or the processor do not suit tiles in vector registers.
func (p *Product[T]) PackedLen() int {
	if p.Offsets != nil || slices.ContainsFunc(p.StepB, func(step int) bool { return step != 0 }) {
		return 0
	}
	if p.isInWords() {
		return p.wordsLen()
	}
	v := simdOf[T]()
	if v == nil || p.C.Col != 1 || p.M == 1 && p.FactorB.isHalf() || p.multipliesPairs() {
		return 0
	}
	if p.M == 1 {
		return p.N * p.K
	}
	return v.panels(p.N) * v.cols * p.K
}

// GainsByPacking reports whether runs are faster with B packed for all of them, if there are enough of them: not one row, where B
// is read as it lies, line after line.
func (p *Product[T]) GainsByPacking() bool {
	switch {
	case p.M > 1:
		return true
	case p.isInWords() && p.FactorB.Type != Own:
		return p.B.Row != 1 && p.N*p.K*typeSizes[p.FactorB.Type] > thinBytes
	}
	return p.B.Col != 1
}

// PackB lays B out in PackedLen elements: row by row for a product of one row, else in panels of
// as many columns as a tile has, one behind the other. While these are the product's Packed, and
// until B changes, runs read them in place of B. Products of integers have panels of words, block of K by block of K.
func (p *Product[T]) PackB(packed []T, s *Scratch[T]) {
	if q, d := p.inWords(s); d != nil {
		s.packWords(q, d, inWordsOf(packed))
		return
	}
	if p.M == 1 {
		p.packRowwise(packed)
		return
	}
	s.reserve(p)
	p.packPanels(packed, 0, p.N, s)
}

// squareSide is that of the squares in which elements are exchanged, whose lines stay in the
// first-level cache.
const squareSide = 32

// packRowwise lays the rows of B out one behind the other.
func (p *Product[T]) packRowwise(packed []T) {
	b := &p.B
	for top := 0; top < p.K; top += squareSide {
		for left := 0; left < p.N; left += squareSide {
			for k := top; k < min(top+squareSide, p.K); k++ {
				for j := left; j < min(left+squareSide, p.N); j++ {
					packed[k*p.N+j] = b.Data[b.Start+k*b.Row+j*b.Col]
				}
			}
		}
	}
}

// hasPacked reports whether a panel of B from column j on has been packed for all runs.
func (f *macroKernel[T]) hasPacked(j int) bool { return f.packedB != nil && j%f.v.cols == 0 }

// readsPacked reports whether a panel of B from column j on has been packed for all runs,
// and points at it.
func (f *macroKernel[T]) readsPacked(j int) bool {
	if !f.hasPacked(j) {
		return false
	}
	f.args.b, f.args.bRow = address(f.packedB, (j/f.v.cols*f.k+f.p)*f.v.cols), f.v.cols*f.size
	return true
}
