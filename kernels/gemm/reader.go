package gemm

import "unsafe"

// PanelReader goes through B beside a product, which has it in a cache: piece by piece, in the
// order of rows for each column.
type PanelReader interface {
	// Panel is told of rows of B, from one on, and of all columns that a tile has, from col on.
	// Their elements lie packed, one row behind the other, for the time of the call.
	Panel(row, rows, col int, packed unsafe.Pointer)

	// Columns is told of columns [left, right) of such rows that are not packed.
	Columns(row, rows, left, right int)
}

// HasPanels reports whether a [PanelReader] can go through B: a matrix of which the product packs
// most itself.
func (p *Product[T]) HasPanels() bool {
	return p.HasTiles() && !p.FactorB.isHalf() && len(p.Batch) == 0 && p.Offsets == nil && p.M > simdOf[T]().rows
}

// ShowPanels has products show B to a reader, until it is called with nil. Of a product that is
// computed in parts, each shows the columns that it needs.
func (s *Scratch[T]) ShowPanels(to PanelReader) { s.reader = to }

// isInScratch reports whether there is a reader and the panel of B is where it is packed.
func (f *macroKernel[T]) isInScratch() bool {
	return f.s.reader != nil && f.packedB == nil && f.args.b == address(f.s.b, f.packed)
}

// visitPanel shows a panel of B, where the block of A is the first one.
func (f *macroKernel[T]) visitPanel(j, nj int, isPacked bool) {
	switch to := f.s.reader; {
	case to == nil || f.i > f.top:
	case isPacked && nj == f.v.cols:
		to.Panel(f.p, f.np, j, unsafe.Pointer(&f.s.b[f.packed]))
	default:
		to.Columns(f.p, f.np, j, j+nj)
	}
}
