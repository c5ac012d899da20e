package gemm

import (
	"slices"
	"unsafe"
)

// This file multiplies bfloat16 in pairs. VDPBF16PS of AVX512-BF16 adds both products of a word to a sum, one after the
// other, which is twice the products of a multiply-add of float32. It takes subnormal numbers for zeros, and makes
// zeros of subnormal results. If neither can occur, its sums have the bits of float32. The exponents tell: the elements
// of A are multiples of the last place of the smallest one, and so are those of B. All sums are multiples of the
// product of the two last places; if that is a normal number, no sum but 0 is smaller. A block of A and a panel of B
// with smaller elements are multiplied as float32.

// leastExponents is a sum of two biased exponents. From it on, the product of the last places, each 7 places below its
// exponent, is a normal number: at least 2^-126.
const leastExponents = 127 + 127 + 2*7 - 126

// pairTiles holds the loops for pairs. Tiles have as many rows and columns as those of float32.
type pairTiles struct {
	full, edge, half []func(*tileArgs)
	// joinRows joins two rows of float32 into words, joinColumns neighbours in a row. Both write groups of words.
	joinRows, joinColumns func(*joinArgs)
}

// The words of a group.
const (
	joinRowWords    = 16
	joinColumnWords = 8
)

// joinArgs are the arguments of code that joins elements into words. Steps are in bytes.
type joinArgs struct {
	rows, groups int
	from         unsafe.Pointer
	fromRow      int
	second       int // from a row to that whose elements are the lower halves
	to           unsafe.Pointer
	toRow        int
	least        *leasts
}

// leasts are the least magnitudes of nonzero elements in each lane, less 1.
type leasts [32]uint16

func (l *leasts) reset() {
	for i := range l {
		l[i] = 0xffff
	}
}

// exponent returns the least biased exponent of all lanes. Subnormal numbers have none: for them it returns one that is
// too small for any other.
func (l *leasts) exponent() int {
	if e := (int(slices.Min(l[:])) + 1) >> 7; e > 0 {
		return e
	}
	return -leastExponents
}

// leastPairRows is the number of rows from which packing pairs pays.
const leastPairRows = 8

// multipliesPairs reports whether the product multiplies pairs.
func (p *Product[T]) multipliesPairs() bool {
	return p.M >= leastPairRows && p.FactorA.Type == BFloat16 && p.FactorB.Type == BFloat16 && chosenPairs() != nil
}

// pairsOf returns the loops if a product multiplies pairs, else nil. Sums that continue others do not: these may be
// subnormal.
func (q *problem[T]) pairsOf(rows int) *pairTiles {
	if rows >= leastPairRows && q.factorA.Type == BFloat16 && q.factorB.Type == BFloat16 && !q.continues() {
		return chosenPairs()
	}
	return nil
}

// words is the number of words of the block of K.
func (f *macroKernel[T]) words() int { return (f.np + 1) / 2 }

// wordPitch is the distance between rows of words of A.
func (f *macroKernel[T]) wordPitch() int { return roundUp(f.words(), joinColumnWords) + 64/f.size }

// pairA packs the block of A, which is converted already, into words.
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

// wideB converts a panel of B to float32 in separate memory.
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

// pairB packs a panel of B into words, unless it is packed already, and returns its least exponent.
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
	s.join = joinArgs{rows: f.words(), groups: cols / joinRowWords, from: unsafe.Pointer(&s.wide[0]),
		fromRow: 2 * cols * f.size, second: cols * f.size,
		to: unsafe.Pointer(&s.b[f.packed]), toRow: cols * f.size, least: &s.least}
	f.pairs.joinRows(&s.join)
	s.exponents[panel] = s.least.exponent()
	return s.exponents[panel]
}

// pairPass multiplies the block of A by a panel of B, as panelPass does, and reports whether it could.
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
