package gemm

// PackedLen is the number of elements that B takes when packed once for all runs: see [Product.PackB]. It is 0 if
// packing is useless: B has offsets, or C or the processor is not suited to tiles in vector registers.
func (p *Product[T]) PackedLen() int { return p.packedEach() * p.Weights() }

// Weights is the number of different matrices B in the batch: one if all share it.
func (p *Product[T]) Weights() int {
	n := 1
	for axis, step := range p.StepB {
		if step != 0 {
			n *= p.Batch[axis]
		}
	}
	return n
}

// weight is the number, among the different ones, of the matrix B at an index of the batch.
func (p *Product[T]) weight(index int) int {
	n, each := 0, 1
	for axis := len(p.Batch) - 1; axis >= 0; axis-- {
		if p.StepB[axis] != 0 {
			n += index % p.Batch[axis] * each
			each *= p.Batch[axis]
		}
		index /= p.Batch[axis]
	}
	return n
}

// packedEach is the number of elements that one matrix of B takes.
func (p *Product[T]) packedEach() int {
	if p.Offsets != nil {
		return 0
	}
	if p.isInWords() {
		if p.Weights() != 1 {
			return 0
		}
		return p.wordsLen()
	}
	v := simdOf[T]()
	if v == nil || p.C.Col != 1 || p.M == 1 && p.FactorB.isConverted() || p.multipliesPairs() ||
		p.FactorB.isBlocks() { // whose float32 would take several times the memory
		return 0
	}
	return v.panels(p.N) * v.cols * p.K
}

// GainsByPacking reports whether enough runs are faster with B packed for all of them. One row is not: it reads B in
// place, line by line.
func (p *Product[T]) GainsByPacking() bool {
	switch {
	case p.M > 1:
		return true
	case p.isInWords() && p.FactorB.Type != Own:
		return p.B.Row != 1 && p.N*p.K*typeSizes[p.FactorB.Type] > thinBytes
	}
	return p.B.Col != 1
}

// PackB packs B into PackedLen elements: in panels as wide as a tile, one after the other, and the matrices of the
// batch one after the other. Set the product's Packed to them: until B changes, runs read them instead of B. One row
// gains too: it reads a contiguous stream, which memory delivers twice as fast as rows of B that are far apart.
// Products of integers have panels of words, for one block of K after the other.
func (p *Product[T]) PackB(packed []T, s *Scratch[T]) {
	if q, d := p.inWords(s); d != nil {
		s.packWords(q, d, inWordsOf(packed))
		return
	}
	s.reserve(p)
	q := *p
	q.Packed = nil
	each := q.packedEach()
	next := 0 // of the matrices of B
	for index := 0; next*each < len(packed); index++ {
		if q.weight(index) != next {
			continue // one that is packed
		}
		to := packed[next*each:][:each]
		next++
		q.packPanels(to, index, 0, q.N, s)
	}
}

// hasPacked reports whether a panel of B from column j on has been packed for all runs.
func (f *macroKernel[T]) hasPacked(j int) bool { return f.packedB != nil && j%f.v.cols == 0 }

// readsPacked reports whether a panel of B from column j on has been packed for all runs, and points at it if so.
func (f *macroKernel[T]) readsPacked(j int) bool {
	if !f.hasPacked(j) {
		return false
	}
	f.args.b, f.args.bRow = address(f.packedB, (j/f.v.cols*f.k+f.p)*f.v.cols), f.v.cols*f.size
	return true
}
