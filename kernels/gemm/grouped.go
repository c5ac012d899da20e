package gemm

// Matrices of a batch that share B are computed in groups, whose rows of A fill a block. Each panel of B is packed, or
// read, once for a whole group. Otherwise all of B would be read for the rows of one matrix, which may be fewer than a
// tile has.

// leastGroupedRows is the number of rows from which a tile has enough sums that its multiplications do not wait for
// each other.
const leastGroupedRows = fewTileRows

// groupLen is the number of matrices in a group; 1 if each is computed by itself.
func (p *Product[T]) groupLen() int {
	v := simdOf[T]()
	if v == nil || len(p.Batch) == 0 || p.Part != nil || p.Offsets != nil || p.isInWords() || p.FactorA.isConverted() ||
		p.FactorB.isConverted() || p.C.Col != 1 || p.K < 1 ||
		p.M < leastGroupedRows || p.N < v.cols || p.Weights() > 1 {
		return 1
	}
	return max(min(v.mc(BlockLen(p.K)*sizeOf[T]())/p.M, p.Rows()/p.M), 1)
}

// groupScratch is how many elements groups need for rows of A, and how many panels for B.
func (p *Product[T]) groupScratch(v *simdTiles, each int) (ofA, panels int) {
	k := BlockLen(p.K)
	return (k + v.cols) * (each*p.M + v.rows), v.panels(min(p.N, v.nc(k*sizeOf[T]())))
}

// grouped computes all rows of some matrices of the batch, one matrix after the other.
func (f *macroKernel[T]) grouped(each int) {
	f.isGrouped = true
	cols := f.v.nc(BlockLen(f.k) * f.size)
	for left := f.region.left; left < f.region.right; left += cols {
		right := min(left+cols, f.region.right)
		f.keeps, f.stop = each < f.count, right
		for f.p = f.from; f.p < f.to; f.p += f.np {
			f.np, f.isPacked = f.pieceLen(f.p), false
			for at := 0; at < f.count; at += each {
				f.group(at, min(each, f.count-at), left, right)
				f.isPacked = f.keeps
			}
		}
	}
}

// placeInGroup is where a matrix of a group begins: its rows of A in place and copied, and its rows of C.
type placeInGroup struct{ a, copiedA, c, first int }

// group computes some columns of a group: panel by panel, matrix by matrix.
func (f *macroKernel[T]) group(at, count, left, right int) {
	f.i, f.ni, f.packed = 0, f.m, 0
	places := f.s.group[:0]
	for n := range count {
		q := f.batch.matrix(f.index + at + n)
		places = append(places, placeInGroup{q.a.Start, n * f.m * f.pitch(), q.c.Start, q.first})
		f.point(places[n])
		f.prepareA()
	}
	f.s.group = places
	isPacked := f.isPacked
	for j := left; j < right; j += f.v.cols {
		nj := min(f.v.cols, right-j)
		if !isPacked && !f.hasPacked(j) {
			f.packB(j, nj)
		}
		f.isPacked = true
		for n, place := range places {
			f.comesAgain = n+1 < count
			f.point(place)
			f.panelPass(j, nj)
		}
		f.packed = f.nextPacked()
	}
}

// point points at a matrix of a group.
func (f *macroKernel[T]) point(p placeInGroup) {
	f.a.Start, f.copiedA, f.c.Start, f.first = p.a, p.copiedA, p.c, p.first
}
