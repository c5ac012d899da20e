package gemm

// gemvArgs are the arguments of code that adds rows of B, times factors, to sums. Steps are in bytes.
type gemvArgs struct {
	vectors    int
	sums       uintptr
	b          uintptr
	bRow       int
	factors    uintptr
	factorStep int
	rows       int // of sumRows
	ahead      int // from a row to the one that is prefetched meanwhile
}

// gemvRows is the number of rows that are added at a time. gemvCols is the number of columns whose sums stay in the
// first-level cache. Rows whose sums stay in registers are prefetched gemvAhead bytes ahead.
const (
	gemvRows  = 8
	gemvCols  = 1024
	gemvAhead = 1 << 13
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
				switch {
				case args.vectors < len(f.v.sumRows):
					args.rows, args.ahead = np, max(gemvAhead/(nj*f.size), 1)*args.bRow
					f.v.sumRows[args.vectors](args)
					k = end
				case k+gemvRows <= end:
					f.v.addRows(args)
					k += gemvRows
				default:
					f.v.addRow(args)
					k++
				}
			}
			f.putRow(sums, f.c.Data, f.top, j, f.add || p > f.from)
		}
	}
	return right
}
