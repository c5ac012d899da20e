package triangular

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Few rows and columns have the bits of those of more: of systems with more columns, and of matrices with so many
// columns that these are factored in halves.
func TestUnblocked(t *testing.T) {
	const side, minBlocked = 8, 9 // of float64
	const all = (mostStrips + 1) * side
	for n := 1; n <= mostStrips*side+1; n++ {
		a, wide := random(n, n), make([]float64, n*all)
		for i := range n {
			copy(wide[i*all:], a[i*n:(i+1)*n])
		}
		columns := func(x []float64, of, k int) (cut []float64) { // the first k
			for i := range n {
				cut = append(cut, x[i*of:i*of+k]...)
			}
			return cut
		}
		lu, pivots, more, morePivots := append([]float64{}, a...), make([]int, n), append([]float64{}, wide...),
			make([]int, n)
		LU(heap{}, lu, n, n, pivots)
		LU(heap{}, more, n, all, morePivots)
		require.Equal(t, morePivots, pivots)
		require.Equal(t, columns(more, all, n), lu)
		for k := 1; k < minBlocked; k++ {
			b := random(n, all)
			for form := range 8 {
				of := Form{Upper: form&1 != 0, Transposed: form&2 != 0, Unit: form&4 != 0}
				want, got := append([]float64{}, b...), columns(b, all, k)
				Solve(heap{}, a, n, of, want, all)
				Solve(heap{}, a, n, of, got, k)
				require.Equal(t, columns(want, all, k), got, fmt.Sprint(n, k, of))
			}
			for _, isTransposed := range []bool{false, true} {
				want, got := append([]float64{}, b...), columns(b, all, k)
				SolveLU(heap{}, lu, n, pivots, isTransposed, want, all)
				SolveLU(heap{}, lu, n, pivots, isTransposed, got, k)
				require.Equal(t, columns(want, all, k), got, fmt.Sprint(n, k, isTransposed))
			}
		}
	}
}

// The factor of a matrix of few rows is that of the first rows of a greater one.
func TestCholeskyUnblocked(t *testing.T) {
	const minBlocked = 9
	const all = minBlocked + 2
	a := random(all, all)
	spd := product(a, transposed(a, all, all), all, all, all)
	want := append([]float64{}, spd...)
	require.Zero(t, Cholesky(heap{}, want, all))
	for n := 1; n < minBlocked; n++ {
		var got, first []float64
		for i := range n {
			got, first = append(got, spd[i*all:i*all+n]...), append(first, want[i*all:i*all+n]...)
		}
		require.Zero(t, Cholesky(heap{}, got, n))
		require.Equal(t, first, got)
	}
	bad := []float64{1, 0, 0, -1}
	require.Equal(t, 2, Cholesky(heap{}, bad, 2))
}
