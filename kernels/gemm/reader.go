package gemm

import "unsafe"

// PanelReader reads B along with a product, while it is in a cache: piece by piece, and for each column in the order of
// rows.
type PanelReader interface {
	// Panel is called with a number of rows of B, from one on, and all columns of a tile, from col on. Their elements
	// are packed, one row after the other, and valid during the call.
	Panel(row, rows, col int, packed unsafe.Pointer)

	// Columns is called for columns [left, right) of such rows that are not packed.
	Columns(row, rows, left, right int)
}

// HasPanels reports whether a [PanelReader] can read B: the product itself packs most of it.
func (p *Product[T]) HasPanels() bool {
	return p.HasTiles() && !p.FactorB.isConverted() && len(p.Batch) == 0 && p.Offsets == nil && p.M > simdOf[T]().rows
}

// ShowPanels has products show B to a reader, until it is called with nil. If a product is computed in parts, each part
// shows the columns that it needs.
func (s *Scratch[T]) ShowPanels(to PanelReader) { s.reader = to }

// isInScratch reports whether there is a reader and the panel of B is packed in the scratch memory.
func (f *macroKernel[T]) isInScratch() bool {
	return f.s.reader != nil && f.packedB == nil && f.args.b == address(f.s.b, f.packed)
}

// visitPanel shows a panel of B to the reader, if the block of A is the first one.
func (f *macroKernel[T]) visitPanel(j, nj int, isPacked bool) {
	switch to := f.s.reader; {
	case to == nil || f.i > f.top:
	case isPacked && nj == f.v.cols:
		to.Panel(f.p, f.np, j, unsafe.Pointer(&f.s.b[f.packed]))
	default:
		to.Columns(f.p, f.np, j, j+nj)
	}
}
