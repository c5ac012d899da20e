package gemm

import "github.com/broadloom/broadloom/kernels/scalar"

// packA copies the block of ni rows and np columns at (i, p) in panels of tileRows
// rows, column by column. Rows that are missing in the last panel repeat its first.
func packA[T scalar.Number](dst []T, a *Matrix[T], f *Factor, i, ni, p, np int) {
	for r := 0; r < ni; r += tileRows {
		r0 := a.Start + (i+r)*a.Row + p*a.Col
		r1, r2 := r0, r0
		if r+1 < ni {
			r1 += a.Row
		}
		if r+2 < ni {
			r2 += 2 * a.Row
		}
		panel := dst[r*np:][:np*tileRows]
		for len(panel) >= tileRows {
			panel[0], panel[1], panel[2] = element(a, f, r0), element(a, f, r1), element(a, f, r2)
			panel = panel[tileRows:]
			r0, r1, r2 = r0+a.Col, r1+a.Col, r2+a.Col
		}
	}
}

// packB copies the block of np rows and nj columns at (p, j) in panels of tileCols
// columns, row by row. A column that is missing in the last panel repeats its first.
func packB[T scalar.Number](dst []T, b *Matrix[T], f *Factor, p, np, j, nj int) {
	for c := 0; c < nj; c += tileCols {
		c0 := b.Start + p*b.Row + (j+c)*b.Col
		c1 := c0
		if c+1 < nj {
			c1 += b.Col
		}
		panel := dst[c*np:][:np*tileCols]
		for len(panel) >= tileCols {
			panel[0], panel[1] = element(b, f, c0), element(b, f, c1)
			panel = panel[tileCols:]
			c0, c1 = c0+b.Row, c1+b.Row
		}
	}
}

// packOffsets is packB for a B with offsets.
func packOffsets[T scalar.Number](dst []T, b *Matrix[T], f *Factor, o *Offsets, p, np, j, nj int) {
	for c := 0; c < nj; c += tileCols {
		c0 := b.Start + o.Cols[j+c]
		c1 := b.Start + o.Cols[min(j+c+1, j+nj-1)]
		panel := dst[c*np:][:np*tileCols]
		for k, row := range o.Rows[p : p+np] {
			panel[k*tileCols], panel[k*tileCols+1] = element(b, f, c0+row), element(b, f, c1+row)
		}
	}
}
