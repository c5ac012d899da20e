package gemm

import (
	"github.com/broadloom/broadloom/kernels/hugepage"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// KC is the most products that are summed before they are added to C, unless a sum has at most wholeSum products. A
// longer block costs fewer passes over C. A shorter one leaves room for more rows of A in the second-level cache.
const (
	KC       = 512
	wholeSum = 1024
)

// copyUnit is the unit to which the length of blocks is rounded up, so that tiles can copy a whole panel: see
// copySteps.
const copyUnit = 4 * copySteps

// BlockLen is the number of products in each block of a sum of k products, except the last block.
func BlockLen(k int) int {
	if k <= wholeSum {
		return max(k, 1)
	}
	n := (k + KC - 1) / KC
	return roundUp((k+n-1)/n, copyUnit)
}

// blockSize is the number of products in the block that begins at p.
func blockSize(p, k int) int { return min(BlockLen(k), k-p) }

// MC is the number of rows of A that are packed at a time. They stay in the second-level cache.
const MC = 96

// NC is the number of columns of B that are packed at a time.
const NC = 256

// Scratch is the memory of a call: packed blocks of A and B. It serves any number of products, one at a time. The zero
// value is ready for use and grows as needed.
type Scratch[T scalar.Number] struct {
	a, b      []T
	shared    []T // B, packed for a batch
	runs      []T // of a panel of B, before it is transposed
	turned    []T // the transpose of C
	group     []placeInGroup
	sums      sumsOfTile[T]
	problem   problem[T]
	other     problem[T] // the transpose of it
	one       Product[T] // of a block of K
	args      tileArgs
	transpose transposeArgs
	pieces    piecesArgs
	gemv      gemvArgs
	thin      thinArgs
	windows   windowRowsArgs
	convert   convertArgs
	scaled    scaledArgs
	lanes     lanesArgs
	blockSums []T        // of a row, over the elements of blocks
	ofMinima  Product[T] // of these

	blockPanel blockPanelArgs
	blockTile  blockTileArgs
	lines      lineList

	// Memory for pairs of bfloat16: words of A, a panel of B in float32, and the least exponents of A or B and of
	// packed panels.
	words, wide []T
	join        joinArgs
	least       leasts
	exponents   []int

	rows     rowProgress
	epilogue Epilogue
	reader   PanelReader
	isLarge  bool // C comes from beyond the second-level cache
	prefetch prefetchLists
	dots     dotScratch
}

// Reserve allocates enough memory for products of these sizes.
func (s *Scratch[T]) Reserve(m, n, k int) {
	s.reserve(&Product[T]{M: m, N: n, K: k, C: Matrix[T]{Col: 1}})
}

func (s *Scratch[T]) reserve(p *Product[T]) {
	k := BlockLen(p.K)
	suits := p.C.Col == 1 || p.N == 1 && p.C.Row == 1
	if v := simdOf[T](); v != nil && (suits || min(p.M, p.N) < len(v.thin)) {
		rows := v.mc(k * sizeOf[T]())
		s.a = grow(s.a, (k+v.cols)*min(roundUp(p.M, v.rows), rows+v.rows)) // a pitch is less than k and a row of a tile
		panels := 2                                                        // the one at hand and the next
		if p.M > rows {
			cols := v.nc(k * sizeOf[T]())
			panels = v.panels(min(p.N, cols))
			if p.sharesA() {
				panels = min(panels*p.Rows()/p.M, cols/v.cols)
			}
		}
		if each := p.groupLen(); each > 1 {
			ofA, ofB := p.groupScratch(v, each)
			s.a, panels = grow(s.a, ofA), max(panels, ofB)
		}
		s.b = grow(s.b, max((k+1)*v.cols*panels, gemvCols, v.thinScratch(k)))
		s.shared = grow(s.shared, p.sharedLen())
		packed, turned := p.windowScratch(v)
		s.b, s.turned = grow(s.b, packed), grow(s.turned, max(turned, p.turnedScratch(v)))
		if p.Offsets != nil {
			s.runs = grow(s.runs, (k+v.cols)*v.cols)
		}
		if suits {
			return
		}
	}
	// One step more than is packed, since the innermost loop's pointers run past the end.
	s.a = grow(s.a, (k+1)*roundUp(min(p.M, MC), tileRows))
	s.b = grow(s.b, (k+1)*roundUp(min(p.N, NC), tileCols))
}

func grow[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	return hugepage.Make[T](n)
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// problem is one matrix product, or several that share one A.
type problem[T scalar.Number] struct {
	m, n, k int
	a, b, c Matrix[T]
	// The elements of a and b, if these are converted.
	factorA, factorB Factor

	offsets *Offsets // of b
	packedB []T
	add     bool

	part     *Part[T]
	from, to int // the products of each sum that are added up

	first int // the number of its first row in the batch

	// The products of the batch from an index on, if several share one A.
	batch        *Product[T]
	index, count int

	stopped func() bool // see [Product.Stopped]
}

// isStopped reports whether the run is to end before its time.
func (q *problem[T]) isStopped() bool { return q.stopped != nil && q.stopped() }

// region is the rows [top, bottom) and the columns [left, right) of C.
type region struct{ top, bottom, left, right int }

// run computes a part of C.
func (q *problem[T]) run(c region, s *Scratch[T]) {
	if c.top == c.bottom || c.left == c.right {
		return
	}
	if q.from >= q.to {
		if !q.continues() {
			q.clear(c)
		}
		return
	}
	v := simdOf[T]()
	if q.isThin(v, c, s) {
		f := q.begin(v, c, s)
		f.thinRows()
		return
	}
	if v != nil && q.c.Col == 1 {
		q.simd(v, c, s)
		return
	}
	if c.bottom-c.top < tileRows && q.b.Col == 1 && q.offsets == nil && !q.continues() && !q.isConverted() {
		q.gemv(c, s)
		return
	}
	if q.isLong() {
		q.long(c, s)
		return
	}
	for j := c.left; j < c.right; j += NC {
		nj := min(NC, c.right-j)
		for p, np := q.from, 0; p < q.to; p += np {
			np = q.pieceLen(p)
			if q.offsets != nil {
				packOffsets(s.b, &q.b, &q.factorB, q.offsets, p, np, j, nj)
			} else {
				packB(s.b, &q.b, &q.factorB, p, np, j, nj)
			}
			for i := c.top; i < c.bottom && !q.isStopped(); i += MC {
				ni := min(MC, c.bottom-i)
				packA(s.a, &q.a, &q.factorA, i, ni, p, np)
				q.block(s, i, ni, j, nj, np, q.target(p, np))
			}
		}
	}
}

// clear writes empty sums.
func (q *problem[T]) clear(c region) {
	if q.add {
		return
	}
	for i := c.top; i < c.bottom; i++ {
		at := q.c.Start + i*q.c.Row + c.left*q.c.Col
		for range c.right - c.left {
			q.c.Data[at] = 0
			at += q.c.Col
		}
	}
}

// block multiplies the packed blocks into the part of C at (i, j).
func (q *problem[T]) block(s *Scratch[T], i, ni, j, nj, np int, to target[T]) {
	sums, tile := &s.sums, inPlain[T]().tile
	for jj := 0; jj < nj; jj += tileCols {
		b := s.b[jj*np:]
		for ii := 0; ii < ni; ii += tileRows {
			rows, cols := min(tileRows, ni-ii), min(tileCols, nj-jj)
			q.beginTile(sums, to, i+ii, rows, j+jj, cols)
			tile(np, s.a[ii*np:], b, sums)
			for r := range rows {
				q.putRow(sums[r*tileCols:][:cols], to.data, i+ii+r, j+jj, to.add)
			}
		}
	}
}

// putRow writes sums to the row of C at (i, j), or adds them to it; data is C's or as it lies.
func (q *problem[T]) putRow(sums, data []T, i, j int, add bool) {
	at := q.c.Start + i*q.c.Row + j*q.c.Col
	for _, v := range sums {
		if add {
			v += data[at]
		}
		data[at] = v
		at += q.c.Col
	}
}
