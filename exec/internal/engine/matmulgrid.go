package engine

import (
	"cmp"

	"github.com/broadloom/broadloom/exec/internal/pool"
	"github.com/broadloom/broadloom/kernels/gemm"
)

// grid divides the result of a product into tiles: rows per tile, counted through the batch, columns per tile, and
// tiles in a row.
type grid struct{ rows, cols, across int }

// divide chooses the tiles.
func (t *MatMulTask[T]) divide() {
	t.grid = grid{t.p.Rows(), t.p.N, 1}
	if n := t.p.M * t.p.N; t.threads > 1 && t.p.FactorA.Type != gemm.FastBFloat16 && !t.p.InLanes &&
		n <= maxCutElements && t.p.Blocks() >= minCutBlocks && t.cost >= pool.ParallelCost && len(t.p.Batch) == 0 &&
		t.p.Offsets == nil {
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

// divideInto chooses tiles of whole chunks of rows.
func (t *MatMulTask[T]) divideInto(chunk int) {
	t.chunk = chunk
	t.divide()
}

// divideRows chooses tiles of whole rows.
func (t *MatMulTask[T]) divideRows() { t.grid = t.cut(max(t.tiles(), 1), 1) }

// tiles returns the number of worthwhile tiles: a few for each thread, so that none waits long for the last one.
func (t *MatMulTask[T]) tiles() int {
	if t.threads == 1 {
		return 0
	}
	return min(threadTiles*t.threads, t.cost/minTileCost)
}

// cut returns a grid of down × across tiles, or of fewer if those would be too small. Tiles are whole batch matrices,
// or fill the vector registers.
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

// work estimates the time of a grid, in multiply-adds. It counts the thread with most tiles; half a tile for which
// others wait, as threads are not equally fast; and the parts of A and B that each tile copies.
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

// ceilDiv returns n/unit, rounded up.
func ceilDiv(n, unit int) int { return (n + unit - 1) / unit }

// How products are divided into tiles.
const (
	threadTiles = 4     // for each thread
	minTileCost = 1_000 // of a tile, in nanoseconds
	copyA       = 8     // cost of copying an element, in multiply-adds: of A, if its rows crowd the cache
	copyB       = 4     // of B
	copyWindows = 24    // of B, if it is windows, of which only a few elements each are contiguous
	minTileRows = 48
	minTileCols = 32
	rowUnit     = 12 // it fills the vector registers
)

// If a result has at most maxCutElements elements, sums of at least minCutBlocks blocks are divided instead.
const (
	maxCutElements = 1024
	minCutBlocks   = 4
)
