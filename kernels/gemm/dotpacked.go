package gemm

import "unsafe"

// inWordsOf reinterprets elements of 32 bits as words.
func inWordsOf[T any](x []T) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// isInWords reports whether machine code for words computes the product.
func (p *Product[T]) isInWords() bool {
	if _, ok := any(p).(*Product[int32]); p.Part != nil || !ok && p.FactorA.Type != FastBFloat16 {
		return false
	}
	d := dotsFor(p.FactorA.Type, p.FactorB.Type)
	return d != nil && d != &plainDots
}

// wordsLen is the number of words that B takes when packed for all runs: panels of each block of K, side by side. It is
// 0 for a column.
func (p *Product[T]) wordsLen() (n int) {
	d := dotsFor(p.FactorA.Type, p.FactorB.Type)
	if p.N == 1 && p.M > 1 {
		return 0
	}
	for k := 0; k < p.K; k += dotWords * d.each {
		words := d.roundWords(min(dotWords*d.each, p.K-k))
		n += roundUp(p.N, d.cols) * (words + 1)
	}
	return n
}

// packWords packs B for all runs.
func (s *Scratch[T]) packWords(q *Product[int32], d *dots, to []int32) {
	s.dots.problem = q.matrix(0)
	s.dots.problem.b = q.B
	f := dotBlock{problem: &s.dots.problem, dots: d, a: q.FactorA, b: q.FactorB.or(&q.B), s: &s.dots}
	f.panels = (q.N + d.cols - 1) / d.cols
	for ; f.p < q.K; f.p += f.np {
		f.np = min(dotWords*d.each, q.K-f.p)
		f.words = d.roundWords(f.np)
		f.packB(to[f.packedAt():], q.N)
	}
}

// packedAt is where the panel of the current columns and words begins in the memory packed for all runs.
func (f *dotBlock) packedAt() int {
	return f.p/(dotWords*f.each)*(dotWords+1)*roundUp(f.n, f.cols) + f.left*(f.words+1)
}
