package gemm

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

const (
	sumLanes  = 16
	laneGroup = 2 * sumLanes // products that are added to the lanes of a block's sums at a time
	laneCols  = 1024         // columns whose sums are kept at a time
)

// lanesArgs are the arguments of code that multiplies a vector by sets of rows of blocks, each of some groups. Steps
// are in bytes. The code moves from and scales past the memory, so that these addresses are integers.
type lanesArgs struct {
	sets, blocks, groups int
	x                    unsafe.Pointer
	from                 uintptr
	fromRow              int
	scales               uintptr
	scalesRow            int
	to                   unsafe.Pointer
	levels               *[sumLanes]float32
}

// laneLoops is code for sets of some rows, and of one.
type laneLoops struct {
	rows      int
	many, one func(*lanesArgs)
}

// nibbles and unsignedNibbles are the numbers of integers of 4 bits.
var (
	nibbles         = [sumLanes]float32{0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1}
	unsignedNibbles = [sumLanes]float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
)

// HasLanes reports whether a product can be computed in lanes: it is one row of float32 by contiguous columns of whole
// blocks, whose sizes are multiples of 32.
func (p *Product[T]) HasLanes() bool {
	b := &p.FactorB
	var sum any = T(0)
	_, isFloat32 := sum.(float32)
	return isFloat32 && p.M == 1 && len(p.Batch) == 0 && p.Part == nil && b.isBlocks() && b.Block%laneGroup == 0 &&
		p.K%b.Block == 0 && p.B.Start%b.Block == 0 && (p.K <= 1 || p.B.Row == 1) && (p.N <= 1 || p.B.Col%b.Block == 0)
}

// runLanes computes columns of a product in lanes. Each of 16 lanes adds up every sixteenth product of a block: of each
// 32, those of elements l and l + 16, or, of integers of 4 bits, of both elements of byte l. The sums of a block times
// its scale are added to those of the lanes. All these are fused multiply-adds. Then halves of the sums are added to
// each other until one is left. What minima contribute is added last.
func (p *Product[T]) runLanes(lo, hi, left, right int, s *Scratch[T]) {
	if lo >= hi || left >= right {
		return
	}
	q := problem[T]{c: p.C}
	s.a, s.b = grow(s.a, p.K), grow(s.b, laneCols)
	x := s.a[:p.K]
	for i := range x {
		x[p.laneOf(i)] = element(&p.A, &p.FactorA, p.A.Start+i*p.A.Col)
	}
	for j := left; j < right; j += laneCols {
		sums := s.b[:min(laneCols, right-j)]
		p.laneSums(x, j, sums, s)
		q.putRow(sums, p.C.Data, 0, j, p.Add)
	}
	if p.FactorB.hasMinima() && p.K > 0 {
		p.addMinima(left, right, s)
	}
	s.rows.whole(hi)
}

// addMinima adds what minima contribute to columns: the product of the row's sums over each block by the minima.
func (p *Product[T]) addMinima(left, right int, s *Scratch[T]) {
	b, blocks := &p.FactorB, p.K/p.FactorB.Block
	s.blockSums = grow(s.blockSums, blocks)
	for i := range blocks {
		sum := T(0)
		for k := range b.Block {
			sum += element(&p.A, &p.FactorA, p.A.Start+(i*b.Block+k)*p.A.Col)
		}
		s.blockSums[i] = sum
	}
	s.ofMinima = Product[T]{M: 1, N: p.N, K: blocks, C: p.C, Add: true,
		A: Matrix[T]{Data: s.blockSums[:blocks], Row: blocks, Col: 1},
		B: Matrix[T]{Data: asOwn[T](b.Minima), Start: p.B.Start / b.Block, Row: 1, Col: p.B.Col / b.Block}}
	rows := s.rows
	s.rows = rowProgress{}
	s.ofMinima.RunPart(0, 1, left, right, s)
	s.rows = rows
}

// laneOf returns where an element of the row lies among those by which the lanes multiply.
func (p *Product[T]) laneOf(i int) int {
	if !p.FactorB.inHalves() {
		return i
	}
	in := i % laneGroup
	return i - in + in%2*sumLanes + in/2
}

// laneSums computes the sums of columns from j on.
func (p *Product[T]) laneSums(x []T, j int, sums []T, s *Scratch[T]) {
	b := &p.FactorB
	v := simdOf[T]()
	if v == nil || p.K == 0 {
		for i := range sums {
			sums[i] = p.laneSum(x, p.B.Start+(j+i)*p.B.Col)
		}
		return
	}
	code, levels := &v.lanes[b.Type-Int8Blocks], &nibbles
	if b.hasMinima() {
		levels = &unsignedNibbles
	}
	run := func(done, rows, each int, loop func(*lanesArgs)) {
		if rows < each {
			return
		}
		at := p.B.Start + (j+done)*p.B.Col
		s.lanes = lanesArgs{sets: rows / each, blocks: p.K / b.Block, groups: b.Block / laneGroup,
			x: unsafe.Pointer(&x[0]), from: uintptr(b.byteOf(at)), fromRow: b.bytes(p.B.Col),
			scales:    address(b.Scales, at/b.Block),
			scalesRow: p.B.Col / b.Block * int(unsafe.Sizeof(float32(0))), to: unsafe.Pointer(&sums[done]),
			levels: levels}
		loop(&s.lanes)
	}
	whole := len(sums) / code.rows * code.rows
	run(0, whole, code.rows, code.many)
	run(whole, len(sums)-whole, 1, code.one)
}

// laneSum computes the sum of one column, whose elements begin at an index, as machine code does.
func (p *Product[T]) laneSum(x []T, at int) T {
	b := &p.FactorB
	var sums [sumLanes]float32
	for first := 0; first < p.K; first += b.Block {
		var block [sumLanes]float32
		for i := first; i < first+b.Block; i += laneGroup {
			for k := range laneGroup {
				to := p.laneOf(k)
				lane := &block[to%sumLanes]
				*lane = scalar.FMA32(float32(b.level(at+i+k)), float32(x[i+to]), *lane)
			}
		}
		for l := range sums {
			sums[l] = scalar.FMA32(block[l], b.Scales[(at+first)/b.Block], sums[l])
		}
	}
	for half := sumLanes / 2; half > 0; half /= 2 {
		for l := range half {
			sums[l] += sums[l+half]
		}
	}
	return T(sums[0])
}
