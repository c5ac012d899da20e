package engine

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// This file chooses and runs fusions that epilogue.go of package lower allows. With sizes bound, a product passes its
// tiles or rows, or panels of its second matrix, to the kernels that are fused with it.

// fuseWithMatMuls fuses kernels with the products before them if that is worthwhile for these sizes.
func (b *Specialization) fuseWithMatMuls(kernels []lower.Kernel) {
	for i := range b.Launches {
		product, ok := b.Launches[i].Task.(fusable)
		if !ok || b.Launches[i].Chained {
			continue
		}
		next := b.Launches[i+1:]
		if len(next) > 0 && lower.FusionOf(kernels[next[0].kernel]).Kind == lower.OnFactor {
			next[0].Fused = product.fuseFactor(b, next[0].Task.(*LoopTask))
			next = next[1:]
		}
		if len(next) > 0 && lower.FusionOf(kernels[next[0].kernel]).Kind == lower.OnResult {
			next[0].Fused = product.fuseResult(b, next[0].Task.(*LoopTask))
		}
		product.turnRows()
	}
}

// fusable is a product whose result, and whose second matrix, kernels can be fused with.
type fusable interface {
	fuseResult(b *Specialization, k *LoopTask) bool
	fuseFactor(b *Specialization, k *LoopTask) bool
	turnRows()
}

// turnRows lets a product of matrices with few rows that share B use another order of its rows, in which matrices have
// many rows, unless something is fused with it.
func (t *MatMulTask[T]) turnRows() {
	if t.Tiles == nil && t.RowConsumer == nil && t.Reduction == nil && t.sums == nil && t.small == nil &&
		t.p.TurnRows() {
		t.divide()
	}
}

// fuseResult fuses a kernel with the product's tiles or rows, if possible.
func (t *MatMulTask[T]) fuseResult(b *Specialization, k *LoopTask) bool {
	if t.p.Rows() == 0 || t.p.N == 0 {
		return false
	}
	t.Tiles = t.planTiles(b, k)
	fuses := t.Tiles != nil || t.FuseRows(b, k)
	if fuses {
		t.small = nil
	}
	return fuses
}

// FuseRows fuses a kernel with the product's rows. The product must be large, moving the kernel's elements must take
// longer than computing with them, and tiles must be whole rows of both.
func (t *MatMulTask[T]) FuseRows(b *Specialization, k *LoopTask) bool {
	rows := t.p.Rows()
	bytes := rows * t.p.N * t.spec.Dtype.Size()
	isWhole := len(k.Args.Outer) > 0 && !k.Loop.Program.ReducesOutermost() ||
		k.Loop.Program.Elementwise() && k.Loop.Program.Stages == 1
	work, moved := elementCosts(k.Loop.Program)
	if !isWhole || t.sums != nil || bytes < b.Thresholds.RowBytes || work > moved || !b.followsRows(k) {
		return false
	}
	before := t.grid
	if t.divideRows(); t.rows*k.indices()%rows != 0 {
		t.grid = before
		return false
	}
	t.RowConsumer = k
	return true
}

// followsRows reports whether the axis along which a kernel is split is the outermost one of its iteration space, as
// for the product. Axes may have been exchanged for other operands.
func (b *Specialization) followsRows(k *LoopTask) bool {
	if len(k.Args.Outer) == 0 {
		return true
	}
	inOrder := launch.Merge(k.Loop.Program, b.argsOf(k.Loop))
	for i, stride := range inOrder.Stride {
		if stride[0] != k.Args.Stride[i][0] {
			return false
		}
	}
	return inOrder.Outer[0] == k.Args.Outer[0]
}

// rowConsumer computes a kernel's part for rows of a product as soon as they are complete. It is a gemm.RowConsumer.
type rowConsumer struct {
	part *LoopTask
	rows int // of the product
	next int // the first index or element of the part not yet computed
	ws   *Workspace
}

// indices returns the number of equal pieces of the part: indices of its outermost axis or, without one, elements.
func (k *LoopTask) indices() int {
	if len(k.Args.Outer) > 0 {
		return k.Args.Outer[0]
	}
	return k.Args.N
}

// Rows computes the pieces for which the rows up to hi suffice. The product's rows and the pieces split the same
// elements, in order.
func (f *rowConsumer) Rows(_, hi int) {
	end := hi * f.part.indices() / f.rows
	if end > f.next {
		f.part.runPart(0, f.next, end, f.ws)
	}
	f.next = end
}

// planTiles returns how a kernel runs on the product's tiles; nil if it does not.
func (t *MatMulTask[T]) planTiles(b *Specialization, k *LoopTask) *tiled {
	tiles := k.Loop.Tiles
	if tiles == nil || !t.p.HasTiles() || t.sums != nil {
		return nil
	}
	f := b.newTiled(k, append(slices.Clone(t.p.Batch), t.p.M), t.p.N)
	if f == nil || f.colStep(tiles.From) != 1 {
		return nil
	}
	f.isLarge = make([]bool, len(tiles.Program.Operands))
	others, large := 0, 0 // matrices other than the product, including results
	for i, o := range tiles.Program.Operands {
		if o.Domain != rowprog.Vec || tiles.RowInvariant[i] || i == tiles.From {
			continue
		}
		if others++; others == 1 {
			f.step = f.rowStep(i)
		}
		if f.rowStep(i) != f.step {
			return nil
		}
		if o.Type.Size() == t.spec.Dtype.Size() {
			f.isLarge[i] = true
			large++
		}
	}
	if t.p.Rows()*t.p.N*t.spec.Dtype.Size() < b.Thresholds.TileBytes || t.p.M < b.Thresholds.TileRows ||
		!b.Thresholds.TakesAllTiles() && !t.p.FetchesInTime(large, f.step) {
		return nil
	}
	if f.sums != nil {
		t.divideInto(f.chunk)
	}
	return f
}

// epilogue is a goroutine's work on tiles. It is a gemm.Epilogue.
type epilogue struct {
	*tiled
	block backend.TileFrame
	ws    *Workspace
	row   int       // of the last tiles
	lines []line    // of that row, for each operand in memory
	far   []uintptr // the addresses in large ones
}

// line is the start of a row of an operand.
type line struct {
	operand int
	start   unsafe.Pointer
	size    int // bytes between columns
	isLarge bool
}

// begin prepares for tiles of a product.
func (e *epilogue) begin(f *tiled, ws *Workspace) {
	e.tiled, e.ws = f, ws
	f.begin(&e.block)
	e.row, e.lines = -1, e.lines[:0]
	for i, o := range f.k.Loop.Tiles.Program.Operands {
		if i != f.k.Loop.Tiles.From && o.Access != rowprog.Acc {
			e.lines = append(e.lines, line{operand: i, size: f.colStep(i) * o.Type.Size(), isLarge: f.isLarge[i]})
		}
	}
}

// end drops what begin was given.
func (e *epilogue) end() {
	e.block.End()
	e.tiled, e.ws = nil, nil
	clear(e.lines)
}

// Tiles implements gemm.Epilogue.
func (e *epilogue) Tiles(row, col int) gemm.Tiles {
	if row != e.row {
		e.row = row
		for i := range e.lines {
			e.lines[i].start = e.at(e.lines[i].operand, row, 0)
		}
	}
	e.far = e.far[:0]
	farRow := 0
	for i := range e.lines {
		l := &e.lines[i]
		at := unsafe.Add(l.start, col*l.size)
		e.block.Point(l.operand, at)
		if l.isLarge && !slices.Contains(e.far, uintptr(at)) { // an in-place write has one address twice
			e.far, farRow = append(e.far, uintptr(at)), e.step*l.size
		}
	}
	e.pointSums(&e.block, row, col)
	code, args := e.block.Call()
	return gemm.Tiles{Code: code, Args: args, Prefetch: e.far, PrefetchRow: farRow}
}

// Stored implements gemm.Epilogue: results in memory are processed as rows.
func (e *epilogue) Stored(top, bottom, left, right int) { e.runRows(e.ws, top, bottom, left, right) }

var _ gemm.Epilogue = (*epilogue)(nil)

// fuseFactor fuses a kernel with the product's second matrix, if that is large.
func (t *MatMulTask[T]) fuseFactor(b *Specialization, k *LoopTask) bool {
	tiles := k.Loop.Tiles
	if tiles == nil || !t.p.HasPanels() || t.sums != nil ||
		t.p.K*t.p.N*t.spec.Dtype.Size() < b.Thresholds.FactorBytes || t.p.M < b.Thresholds.TileRows {
		return false
	}
	if f := b.newTiled(k, []int{t.p.K}, t.p.N); f != nil && f.rowStep(tiles.From) == t.p.B.Row &&
		f.colStep(tiles.From) == t.p.B.Col {
		t.Reduction, t.small = f, nil
	}
	return t.Reduction != nil
}

// panelReader is a goroutine's sums of a product's second matrix. It is a gemm.PanelReader.
type panelReader struct {
	*tiled
	block backend.TileFrame
	ws    *Workspace
}

// begin prepares for panels of a matrix.
func (r *panelReader) begin(f *tiled, ws *Workspace) {
	r.tiled, r.ws = f, ws
	f.begin(&r.block)
}

// end drops what begin was given.
func (r *panelReader) end() {
	r.block.End()
	r.tiled, r.ws = nil, nil
}

// Panel implements gemm.PanelReader.
func (r *panelReader) Panel(row, rows, col int, packed unsafe.Pointer) {
	for i, o := range r.k.Loop.Tiles.Program.Operands {
		if i != r.k.Loop.Tiles.From && o.Access != rowprog.Acc {
			r.block.Point(i, r.at(i, row, col))
		}
	}
	r.pointSums(&r.block, row, col)
	r.block.Run(rows, packed)
}

// Columns implements gemm.PanelReader.
func (r *panelReader) Columns(row, rows, left, right int) {
	r.runRows(r.ws, row, row+rows, left, right)
}

var _ gemm.PanelReader = (*panelReader)(nil)
