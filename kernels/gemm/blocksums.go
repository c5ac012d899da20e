package gemm

// Blocks is the number of blocks of K, whose sums are added up in order.
func (p *Product[T]) Blocks() int {
	each := BlockLen(p.K)
	return (p.K + each - 1) / each
}

// SumBlock computes the sum of one block of K into M×N dense elements. The product must have no batch axes and no
// offsets. Blocks may be computed at the same time, each with its own scratch. [Product.AddSums] then adds them up into
// C.
func (p *Product[T]) SumBlock(block int, sums []T, s *Scratch[T]) {
	k := block * BlockLen(p.K)
	one := &s.one
	*one = Product[T]{M: p.M, N: p.N, K: blockSize(k, p.K), A: p.A, B: p.B, C: Matrix[T]{Data: sums, Row: p.N, Col: 1},
		FactorA: p.FactorA, FactorB: p.FactorB}
	one.A.Start += k * p.A.Col
	one.B.Start += k * p.B.Row
	one.Run(s)
}

// AddSums computes C from the sums of all blocks, which are stored one after the other.
func (p *Product[T]) AddSums(sums []T) {
	q := problem[T]{c: p.C}
	for block := range p.Blocks() {
		for i := range p.M {
			q.putRow(sums[:p.N], p.C.Data, i, 0, p.Add || block > 0)
			sums = sums[p.N:]
		}
	}
}
