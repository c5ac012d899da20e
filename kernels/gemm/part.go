package gemm

import "github.com/broadloom/broadloom/kernels/scalar"

// Part is a part of the products of each sum: those of the columns [From, To) of A with the rows of B. Runs of all
// parts, one after the other, give the bits of one run.
type Part[T scalar.Number] struct {
	From, To int

	// Without Continues, the other products count as zeros. With it, a run continues what runs of the earlier parts
	// have left in C, which is zero at first, and in Sums. Sums is the memory for a block's sums. It has the length and
	// layout of C's data, and must be zero when a block of K begins, except the first one: see [BlockLen]. If parts are
	// whole blocks, Sums may be nil.
	Continues bool
	Sums      []T
}

// continues reports whether sums continue earlier ones.
func (q *problem[T]) continues() bool { return q.part != nil && q.part.Continues }

// AddPart adds the Sums of a part to columns [left, right) of the rows [top, bottom) of C. It is for columns that were
// left out of the run that ends a block of K.
func (p *Product[T]) AddPart(part *Part[T], top, bottom, left, right int) {
	for i := top; i < bottom; i++ {
		for j := left; j < right; j++ {
			at := p.C.Start + i*p.C.Row + j*p.C.Col
			p.C.Data[at] += part.Sums[at]
		}
	}
}

// pieceLen is the number of products from p on that are in one block and in this run.
func (q *problem[T]) pieceLen(p int) int {
	block := BlockLen(q.k)
	return min((p/block+1)*block, q.to) - p
}

// target is where the sums of a piece go, with the layout of C: they are stored to data, or added to it. They start
// from begun if it is given, else from zero.
type target[T scalar.Number] struct {
	data, begun []T
	add         bool
}

// target returns the target of a piece of np products from p on.
func (q *problem[T]) target(p, np int) target[T] {
	block := BlockLen(q.k)
	switch {
	case !q.continues():
		return target[T]{data: q.c.Data, add: q.add || p > q.from}
	case p < block:
		return target[T]{data: q.c.Data, begun: q.c.Data}
	case p+np == min((p/block+1)*block, q.k): // the block is whole
		return target[T]{data: q.c.Data, begun: q.part.Sums, add: true}
	}
	return target[T]{data: q.part.Sums, begun: q.part.Sums}
}

// beginTile sets the sums of a tile at (i, j) to zero, or to what was begun.
func (q *problem[T]) beginTile(sums *sumsOfTile[T], to target[T], i, rows, j, cols int) {
	*sums = sumsOfTile[T]{}
	if to.begun == nil {
		return
	}
	for r := range rows {
		at := q.c.Start + (i+r)*q.c.Row + j*q.c.Col
		for n := range cols {
			sums[r*tileCols+n] = to.begun[at+n*q.c.Col]
		}
	}
}
