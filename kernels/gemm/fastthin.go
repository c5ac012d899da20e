package gemm

// thinArgs are the arguments of an addition of rows of B, times factors, to sums. Steps are
// in bytes.
type thinArgs struct {
	vectors    int
	sums       uintptr
	b          uintptr
	bRow       int
	factors    uintptr
	factorStep int
}

// thinRows is the number of rows that are added at a time, and thinCols that of columns
// whose sums stay in the first-level cache.
const (
	thinRows = 8
	thinCols = 1024
)

// addedRows computes a part of one row, where rows of B are contiguous: they are read as
// they lie in memory, several at a time. It gives the column up to which it got: vectors
// are whole.
func (f *panels[T]) addedRows() int {
	lanes := f.v.cols / 2
	right := f.left + (f.right-f.left)/lanes*lanes
	args := &f.s.thin
	for j := f.left; j < right; j += thinCols {
		nj := min(thinCols, right-j)
		sums := f.s.b[:nj]
		for p, np := 0, 0; p < f.k; p += np {
			np = blockSize(p, f.k)
			end := p + np
			clear(sums)
			*args = thinArgs{vectors: nj / lanes, sums: address(sums, 0), bRow: f.b.Row * f.size, factorStep: f.a.Col * f.size}
			for k := p; k < end; {
				args.b = address(f.b.Data, f.b.Start+k*f.b.Row+j)
				args.factors = address(f.a.Data, f.a.Start+f.top*f.a.Row+k*f.a.Col)
				if k+thinRows <= end {
					f.v.addRows(args)
					k += thinRows
				} else {
					f.v.addRow(args)
					k++
				}
			}
			f.putRow(sums, f.top, j, f.add || p > 0)
		}
	}
	return right
}
