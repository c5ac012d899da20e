package triangular

// ldlUnblocked is [LDL] without blocks: column by column.
func ldlUnblocked[T Number](a []T, n int, pivots []int) {
	for k := 0; k < n; {
		size, with := 1, k
		own := abs(a[k*n+k])
		row, greatest := greatestBelow(a, n, k)
		switch {
		case max(own, greatest) == 0 || isNaN(own):
			pivots[k], k = k+1, k+1
			continue
		case own >= pivotShare*greatest:
		default:
			other := T(0) // the greatest of that row beside the diagonal
			for j := k; j < row; j++ {
				other = max(other, abs(a[row*n+j]))
			}
			if _, v := greatestBelow(a, n, row); v > other {
				other = v
			}
			switch {
			case own >= pivotShare*greatest*(greatest/other):
			case abs(a[row*n+row]) >= pivotShare*other:
				with = row
			default:
				size, with = 2, row
			}
		}
		if last := k + size - 1; with != last {
			exchangeSymmetric(a, n, last, with)
			if size == 2 {
				a[(k+1)*n+k], a[with*n+k] = a[with*n+k], a[(k+1)*n+k]
			}
		}
		if size == 1 {
			eliminate(a, n, k)
			pivots[k] = with + 1
		} else {
			eliminateTwo(a, n, k)
			pivots[k], pivots[k+1] = -(with + 1), -(with + 1)
		}
		k += size
	}
}

// greatestBelow returns where the greatest element of a column below the diagonal is.
func greatestBelow[T Number](a []T, n, col int) (row int, greatest T) {
	row = col + 1
	for i := col + 1; i < n; i++ {
		if v := abs(a[i*n+col]); v > greatest {
			row, greatest = i, v
		}
	}
	return row, greatest
}

// exchangeSymmetric exchanges two rows and columns of the lower triangle, from the first one on.
func exchangeSymmetric[T Number](a []T, n, first, second int) {
	for i := second + 1; i < n; i++ {
		a[i*n+first], a[i*n+second] = a[i*n+second], a[i*n+first]
	}
	for j := first + 1; j < second; j++ {
		a[j*n+first], a[second*n+j] = a[second*n+j], a[j*n+first]
	}
	a[first*n+first], a[second*n+second] = a[second*n+second], a[first*n+first]
}

// eliminate takes the part of one column from the triangle behind it.
func eliminate[T Number](a []T, n, k int) {
	by := 1 / a[k*n+k]
	for j := k + 1; j < n; j++ {
		share := by * a[j*n+k]
		for i := j; i < n; i++ {
			a[i*n+j] -= a[i*n+k] * share
		}
	}
	for i := k + 1; i < n; i++ {
		a[i*n+k] *= by
	}
}

// eliminateTwo takes the part of two columns from the triangle behind them.
func eliminateTwo[T Number](a []T, n, k int) {
	if k+2 >= n {
		return
	}
	beside := a[(k+1)*n+k]
	second, first := a[(k+1)*n+k+1]/beside, a[k*n+k]/beside
	by := 1 / (first*second - 1) / beside
	for j := k + 2; j < n; j++ {
		left := by * (second*a[j*n+k] - a[j*n+k+1])
		right := by * (first*a[j*n+k+1] - a[j*n+k])
		for i := j; i < n; i++ {
			a[i*n+j] -= a[i*n+k]*left + a[i*n+k+1]*right
		}
		a[j*n+k], a[j*n+k+1] = left, right
	}
}

// solveLDLUnblocked is [SolveLDL] without blocks: row by row.
func solveLDLUnblocked[T Number](ld []T, n int, pivots []int, b []T, m int) {
	row := func(i int) []T { return b[i*m : (i+1)*m] }
	swap := func(i, j int) {
		if i != j {
			for c := range m {
				b[i*m+c], b[j*m+c] = b[j*m+c], b[i*m+c]
			}
		}
	}
	less := func(to, from int, share T) {
		of := row(from)
		for c, v := range of {
			b[to*m+c] -= share * v
		}
	}
	for k := 0; k < n; {
		if pivots[k] > 0 {
			swap(k, pivots[k]-1)
			for i := k + 1; i < n; i++ {
				less(i, k, ld[i*n+k])
			}
			for c := range m {
				b[k*m+c] /= ld[k*n+k]
			}
			k++
			continue
		}
		swap(k+1, -pivots[k]-1)
		for i := k + 2; i < n; i++ {
			less(i, k, ld[i*n+k])
			less(i, k+1, ld[i*n+k+1])
		}
		beside := ld[(k+1)*n+k]
		first, second := ld[k*n+k]/beside, ld[(k+1)*n+k+1]/beside
		by := first*second - 1
		for c := range m {
			upper, lower := b[k*m+c]/beside, b[(k+1)*m+c]/beside
			b[k*m+c], b[(k+1)*m+c] = (second*upper-lower)/by, (first*lower-upper)/by
		}
		k += 2
	}
	for k := n - 1; k >= 0; {
		for i := k + 1; i < n; i++ {
			less(k, i, ld[i*n+k])
		}
		if pivots[k] > 0 {
			swap(k, pivots[k]-1)
			k--
			continue
		}
		for i := k + 1; i < n; i++ {
			less(k-1, i, ld[i*n+k-1])
		}
		swap(k, -pivots[k]-1)
		k -= 2
	}
}
