package gemm

// gemvArgs are the arguments of code that adds rows of B, times factors, to sums. Steps are in bytes.
type gemvArgs struct {
	vectors    int
	sums       uintptr
	b          uintptr
	bRow       int
	factors    uintptr
	factorStep int
}

// gemvRows is the number of rows that are added at a time. gemvCols is the number of columns whose sums stay in the
// first-level cache.
const (
	gemvRows = 8
	gemvCols = 1024
)

// addedRows computes a part of one row, if rows of B are contiguous: several are read in place at a time. It returns
// the column up to which it got: it computes whole vectors only.
func (f *macroKernel[T]) addedRows() int {
	lanes := f.v.cols / 2
	right := f.left + (f.right-f.left)/lanes*lanes
	args := &f.s.gemv
	for j := f.left; j < right; j += gemvCols {
		nj := min(gemvCols, right-j)
		sums := f.s.b[:nj]
		for p, np := f.from, 0; p < f.to; p += np {
			np = f.pieceLen(p)
			end := p + np
			clear(sums)
			*args = gemvArgs{vectors: nj / lanes, sums: address(sums, 0), bRow: f.b.Row * f.size,
				factorStep: f.a.Col * f.size}
			for k := p; k < end; {
				args.b = address(f.b.Data, f.b.Start+k*f.b.Row+j)
				args.factors = address(f.a.Data, f.a.Start+f.top*f.a.Row+k*f.a.Col)
				if k+gemvRows <= end {
					f.v.addRows(args)
					k += gemvRows
				} else {
					f.v.addRow(args)
					k++
				}
			}
			f.putRow(sums, f.c.Data, f.top, j, f.add || p > f.from)
		}
	}
	return right
}
