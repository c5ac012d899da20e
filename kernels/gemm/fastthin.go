package gemm

import "unsafe"

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
		for p := 0; p < f.k; p += KBlock {
			end := min(p+KBlock, f.k)
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

// dotArgs are the arguments of sums of products of blocks of contiguous elements.
type dotArgs struct {
	k    int
	a, b uintptr
	sums unsafe.Pointer
}

// dotBlocks is the number of blocks that are summed up side by side.
const dotBlocks = 8

// dots computes a single element from contiguous ones. It does nothing where they are not,
// or too few.
func (f *panels[T]) dots() bool {
	const most = dotBlocks * KBlock
	if f.a.Col != 1 || f.b.Row != 1 || f.offsets != nil || f.k < most {
		return false
	}
	a, b := f.a.Data[f.a.Start+f.top*f.a.Row:], f.b.Data[f.b.Start+f.left*f.b.Col:]
	c := &f.c.Data[f.c.Start+f.top*f.c.Row+f.left*f.c.Col]
	add := f.add
	whole := f.k / most * most
	for p := 0; p < whole; p += most {
		f.s.dot = dotArgs{KBlock, address(a, p), address(b, p), unsafe.Pointer(&f.s.sums[0])}
		f.v.dot(&f.s.dot)
		for _, sum := range f.s.sums[:dotBlocks] {
			if add {
				sum += *c
			}
			*c, add = sum, true
		}
	}
	f.a.Start, f.b.Start = f.a.Start+whole, f.b.Start+whole
	f.k, f.add = f.k-whole, true
	if f.k > 0 {
		f.low()
	}
	return true
}
