package engine

import (
	"cmp"

	"github.com/broadloom/broadloom/exec/internal/pool"
	"github.com/broadloom/broadloom/kernels/gemm"
)

// grid is how the result of a product is cut into tiles: how many rows, counted through the
// batch, and columns each has, and how many are side by side.
type grid struct{ rows, cols, across int }

// divide chooses the tiles.
func (t *MatMulTask[T]) divide() {
	t.grid = grid{t.p.Rows(), t.p.N, 1}
	if n := t.p.M * t.p.N; t.threads > 1 && t.p.FactorA.Type != gemm.FastBFloat16 && n <= maxCutElements && t.p.Blocks() >= minCutBlocks && t.cost >= pool.ParallelCost && len(t.p.Batch) == 0 && t.p.Offsets == nil {
		t.sums = make([]T, t.p.Blocks()*n)
		return
	}
	t.divideResult()
}

// divideResult chooses tiles of rows and columns.
func (t *MatMulTask[T]) divideResult() {
	t.grid = grid{t.p.Rows(), t.p.N, 1}
	least := 0
	tiles := t.tiles()
	for down := 1; down <= tiles; down++ {
		g := t.cut(down, ceilDiv(tiles, down))
		if work := t.work(g); down == 1 || work < least {
			t.grid, least = g, work
		}
	}
}

// divideInto chooses tiles that have whole chunks of rows.
func (t *MatMulTask[T]) divideInto(chunk int) {
	t.chunk = chunk
	t.divide()
}

// divideRows chooses tiles that are whole rows.
func (t *MatMulTask[T]) divideRows() { t.grid = t.cut(max(t.tiles(), 1), 1) }

// tiles is the number of tiles that are worth the while: some for each thread, so that none
// waits long for the last one.
func (t *MatMulTask[T]) tiles() int {
	if t.threads == 1 {
		return 0
	}
	return min(threadTiles*t.threads, t.cost/minTileCost)
}

// cut returns the grid of so many tiles, or fewer that are not too small. Tiles are whole
// matrices of the batch, or fill the vector registers.
func (t *MatMulTask[T]) cut(down, across int) grid {
	rows := max(ceilDiv(t.p.Rows(), down), minTileRows)
	if m := t.p.M; m < rows {
		rows = m * max(ceilDiv(t.p.Rows()/m, down), ceilDiv(minTileRows, m))
	} else {
		unit := cmp.Or(t.chunk, rowUnit)
		rows = ceilDiv(rows, unit) * unit
	}
	cols := min(ceilDiv(ceilDiv(t.p.N, across), minTileCols)*minTileCols, t.p.N)
	return grid{min(rows, t.p.Rows()), cols, ceilDiv(t.p.N, cols)}
}

// work estimates how long the threads take for a grid, in products of a row and a column: the
// one that has most to do, half a tile for which others wait for it, as threads are not
// equally fast, and what tiles copy for themselves of A and B.
func (t *MatMulTask[T]) work(g grid) int {
	rows, cols := t.p.Rows(), t.p.N
	down := ceilDiv(rows, g.rows)
	ofB := copyB
	if t.p.Offsets != nil {
		ofB = copyWindows
	}
	copied := copyA*rows*g.across + ofB*cols*max(down, rows/t.p.M)
	tile := g.rows * g.cols
	return (ceilDiv(down*g.across, t.threads)*tile+tile/2)*t.threads + copied
}

// ceilDiv is the number of units that make up n, or more.
func ceilDiv(n, unit int) int { return (n + unit - 1) / unit }

// How products are cut into tiles.
const (
	threadTiles = 4     // of each thread
	minTileCost = 1_000 // of a tile, in nanoseconds
	copyA       = 8     // what an element costs, in products: of A, if its rows crowd the cache,
	copyB       = 4     // of B,
	copyWindows = 24    // and of B where it is windows, of which a few elements each lie side by side
	minTileRows = 48
	minTileCols = 32
	rowUnit     = 12 // fills the vector registers
)

// maxCutElements is the number of elements of a result up to which sums of minCutBlocks or more are
// cut instead.
const (
	maxCutElements = 1024
	minCutBlocks   = 4
)
