package gemm

import (
	"slices"
	"unsafe"
)

// This file multiplies bfloat16 in pairs, where an instruction adds both products of a word to a sum, one after the other: VDPBF16PS of
// AVX512-BF16, with twice the products of a multiply-add of float32. It takes subnormal numbers for zeros and makes zeros of them; where
// neither can be, its sums have the bits of float32. That shows in the exponents: elements of A and B are whole multiples of the last
// places of their smallest ones, so all sums are whole multiples of the product of the two; and where that is a normal number, no sum
// but 0 is smaller. A block of A and a panel of B with smaller elements are multiplied as float32.

// leastExponents is the sum of two least exponents, as they are stored, for which the product of the last places, each 7 places below, is
// a normal number: 2^-126.
const leastExponents = 127 + 127 + 2*7 - 126

// pairTiles is the loops for pairs. Tiles have as many rows and columns as those of float32.
type pairTiles struct {
	full, edge, half []func(*tileArgs)
	// joinRows makes words of two rows of float32, joinColumns of neighbours in a row, in groups of these words.
	joinRows, joinColumns func(*joinArgs)
}

// The words of a group.
const (
	joinRowWords    = 16
	joinColumnWords = 8
)

// joinArgs are the arguments of code that makes words. Steps are in bytes.
type joinArgs struct {
	rows, groups int
	from         unsafe.Pointer
	fromRow      int
	second       int // from a row to that whose elements are the lower halves
	to           unsafe.Pointer
	toRow        int
	least        *leasts
}

// leasts are the least magnitudes of elements but 0 in each lane, less 1.
type leasts [32]uint16

func (l *leasts) reset() {
	for i := range l {
		l[i] = 0xffff
	}
}

// exponent returns the least exponent of all lanes, as it is stored; that of subnormal numbers, of which there is no telling, is
// too small for any other.
func (l *leasts) exponent() int {
	if e := (int(slices.Min(l[:])) + 1) >> 7; e > 0 {
		return e
	}
	return -leastExponents
}

// leastPairRows is the number of rows from which on it pays to pack pairs.
const leastPairRows = 8

// multipliesPairs reports whether the product multiplies pairs.
func (p *Product[T]) multipliesPairs() bool {
	return p.M >= leastPairRows && p.FactorA.Type == BFloat16 && p.FactorB.Type == BFloat16 && chosenPairs() != nil
}

// pairsOf returns the loops where a product multiplies pairs, else nil. Sums that go on with others may go on with subnormal ones.
func (q *problem[T]) pairsOf(rows int) *pairTiles {
	if rows >= leastPairRows && q.factorA.Type == BFloat16 && q.factorB.Type == BFloat16 && !q.continues() {
		return chosenPairs()
	}
	return nil
}

// words is the number of words of the block of K.
func (f *macroKernel[T]) words() int { return (f.np + 1) / 2 }

// wordPitch is the distance of the rows of words of A.
func (f *macroKernel[T]) wordPitch() int { return roundUp(f.words(), joinColumnWords) + 64/f.size }

// pairA makes words of the block of A, which is converted already.
func (f *macroKernel[T]) pairA() {
	s, pitch := f.s, f.pitch()
	groups := (f.words() + joinColumnWords - 1) / joinColumnWords
	for r := range f.ni {
		clear(s.a[r*pitch+f.np : r*pitch+groups*2*joinColumnWords])
	}
	s.words = grow(s.words, f.wordPitch()*f.ni)
	s.least.reset()
	s.join = joinArgs{rows: f.ni, groups: groups, from: unsafe.Pointer(&s.a[0]), fromRow: pitch * f.size,
		to: unsafe.Pointer(&s.words[0]), toRow: f.wordPitch() * f.size, least: &s.least}
	f.pairs.joinColumns(&s.join)
	f.leastA = s.least.exponent()
}

// wideB converts a panel of B into memory of its own.
func (f *macroKernel[T]) wideB(j, nj int) {
	s, cols := f.s, f.v.cols
	s.wide = grow(s.wide, (f.np+2)*cols)
	if nj < cols {
		clear(s.wide[:f.np*cols])
	}
	if f.offsets == nil {
		f.convertB(s.wide, j, nj)
	} else {
		own, at := s.b, f.packed
		s.b, f.packed = s.wide, 0
		f.packOffsets(j, nj)
		s.b, f.packed = own, at
	}
	clear(s.wide[f.np*cols:][:cols])
}

// pairB makes words of a panel of B, unless they are there, and returns its least exponent.
func (f *macroKernel[T]) pairB(j, nj int) int {
	s, cols := f.s, f.v.cols
	panel := f.packed / (f.np * cols)
	if f.isPacked {
		return s.exponents[panel]
	}
	for len(s.exponents) <= panel {
		s.exponents = append(s.exponents, 0)
	}
	f.wideB(j, nj)
	s.least.reset()
	s.join = joinArgs{rows: f.words(), groups: cols / joinRowWords, from: unsafe.Pointer(&s.wide[0]), fromRow: 2 * cols * f.size, second: cols * f.size,
		to: unsafe.Pointer(&s.b[f.packed]), toRow: cols * f.size, least: &s.least}
	f.pairs.joinRows(&s.join)
	s.exponents[panel] = s.least.exponent()
	return s.exponents[panel]
}

// pairPass multiplies the block of A with a panel of B as panelPass does, and reports whether it could.
func (f *macroKernel[T]) pairPass(j, nj int) bool {
	if f.pairB(j, nj)+f.leastA < leastExponents {
		return false
	}
	loops := f.pairs.full
	switch {
	case 2*nj <= f.v.cols:
		loops = f.pairs.half
	case nj < f.v.cols:
		loops = f.pairs.edge
	}
	args, rows, np := f.args, len(loops)-1, f.np
	f.pointC(j, nj)
	if nj < f.v.cols {
		args.masks = f.v.masks(nj)
	}
	f.setEpilogue(j, nj)
	args.a, args.aRow, args.aCol = address(f.s.words, 0), f.wordPitch()*f.size, f.size
	f.readPacked()
	f.np = f.words() // as many steps
	args.k, args.listed = f.np, 0
	f.setHeight(rows)
	if nj == f.v.cols {
		f.prefetchResults(0, rows)
	}
	args.fetch, args.fetchTile = args.a+uintptr(args.aTile), args.aTile
	args.stretch = f.perProduct(args.aTile)
	f.run(f.ni/rows, loops[rows])
	if last := f.ni % rows; last > 0 {
		f.run(1, loops[last])
	}
	f.np = np
	f.storedToEpilogue(j, nj)
	return true
}
