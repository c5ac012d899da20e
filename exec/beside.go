package exec

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer"
)

// A kernel of sums of columns of a matrix that a product reads as well, as the gradient of a bias
// is beside that of weights, goes through it with the product, which has it in a cache.

// canRunBeside reports whether a kernel sums the columns of the second matrix of a product, needs
// no other matrix nor the product, and writes nothing that this reads.
func canRunBeside(k *kernel, before *product) bool {
	if before == nil || !k.isOneProgram() || len(before.batch) > 0 || before.rows != 1 {
		return false
	}
	part := k.parts[0]
	t, ok := k.besideProgram(before)
	if !ok {
		return false
	}
	for i := range part.prog.Insts {
		if part.prog.Insts[i].Op == rowprog.OpGuard {
			return false
		}
	}
	for i, o := range part.operands {
		if part.prog.Operands[i].Domain == rowprog.Vec && !t.Still[i] && i != t.From { // another matrix
			return false
		}
		for j, x := range before.operands {
			if (o.write || j == 2) && o.base != nil && shapeinfer.Storage(o.base) == shapeinfer.Storage(x.base) {
				return false
			}
		}
	}
	return true
}

// besideProgram says what a kernel does with tiles of the second matrix of the product before it,
// if it can.
func (k *kernel) besideProgram(before *product) (t backend.TileProgram, ok bool) {
	b := before.operands[1]
	if t, ok = k.tileOf(b.base, before.dtype); !ok {
		return t, false
	}
	t.Packed = true
	from := k.parts[0].operands[t.From]
	return t, from.base == b.base && from.undecided == nil && from.layout.Offset == b.layout.Offset
}

// besideBytes is the size of a matrix from which on it is better summed beside a product: a
// smaller one is soon read once more.
const besideBytes = 3 << 20

// runBeside lets a kernel go through the product's second matrix, if that is large.
func (t *typedProduct[T]) runBeside(b *binding, k *boundPart) bool {
	tiles := k.part.tiles
	if tiles == nil || !t.p.HasPanels() || t.sums != nil || !takeAllTiles && (t.p.K*t.p.N*t.spec.dtype.Size() < besideBytes || t.p.M < tiledRows) {
		return false
	}
	if f := b.newTiled(k, []int{t.p.K}, t.p.N); f != nil && f.rowStep(tiles.From) == t.p.B.Row && f.colStep(tiles.From) == t.p.B.Col {
		t.beside = f
	}
	return t.beside != nil
}

// panelReader is a goroutine's work beside a product: a gemm.PanelReader.
type panelReader struct {
	*tiled
	block backend.TileBlock
	ws    *workspace
}

// begin prepares for panels of a matrix.
func (r *panelReader) begin(f *tiled, ws *workspace) {
	r.tiled, r.ws = f, ws
	f.begin(&r.block)
}

// end lets go of what begin was given.
func (r *panelReader) end() {
	r.block.End()
	r.tiled, r.ws = nil, nil
}

// Panel implements gemm.PanelReader.
func (r *panelReader) Panel(row, rows, col int, packed unsafe.Pointer) {
	for i, o := range r.k.part.tiles.Program.Operands {
		if i != r.k.part.tiles.From && o.Access != rowprog.Acc {
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
