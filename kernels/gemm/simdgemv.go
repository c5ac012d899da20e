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
	args, loops := &f.s.gemv, f.v.rowLoopsOf(&f.factorB)
	for j := f.left; j < right; j += gemvCols {
		nj := min(gemvCols, right-j)
		sums := f.s.b[:nj]
		for p, np := f.from, 0; p < f.to; p += np {
			np = f.pieceLen(p)
			end := p + np
			clear(sums)
			*args = gemvArgs{vectors: nj / lanes, sums: address(sums, 0), bRow: f.b.Row * f.bytesB()}
			factors := f.factorsOfRow(p, np)
			for k := p; k < end; {
				args.b = f.addressB(f.b.Start + k*f.b.Row + j)
				args.factors = factors + uintptr((k-p)*args.factorStep)
				switch {
				case args.vectors < len(loops.sumRows):
					args.rows, args.ahead = np, max(gemvAhead/(nj*f.bytesB()), 1)*args.bRow
					loops.sumRows[args.vectors](args)
					k = end
				case k+gemvRows <= end:
					loops.addRows(args)
					k += gemvRows
				default:
					loops.addRow(args)
					k++
				}
			}
			f.putRow(sums, f.c.Data, f.top, j, f.add || p > f.from)
		}
	}
	return right
}

// factorsOfRow is the address of the elements of A from p on, and sets the step from one to the next. Those of 16 bits
// are converted first.
func (f *macroKernel[T]) factorsOfRow(p, np int) uintptr {
	at := f.a.Start + f.top*f.a.Row + p*f.a.Col
	if !f.factorA.isHalf() {
		f.s.gemv.factorStep = f.a.Col * f.size
		return address(f.a.Data, at)
	}
	f.copyFactors(f.s.a[:np], at)
	f.s.gemv.factorStep = f.size
	return address(f.s.a, 0)
}

// copyFactors copies elements of a row of A, the first of which is given, as those of the product's type.
func (f *macroKernel[T]) copyFactors(to []T, at int) {
	if f.factorA.isHalf() && f.a.Col == 1 {
		f.convert(to, 0, &f.factorA, at, 0, 1, len(to))
		return
	}
	for k := range to {
		to[k] = element(&f.a, &f.factorA, at+k*f.a.Col)
	}
}
