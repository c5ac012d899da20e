package triangular

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLDL compares factors with those that are computed column by column, and solves with them.
func TestLDL(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32, 33, 40, 64, 71, 100, 150} {
		diagonal, blocks, zeroed := make([]float64, n*n), make([]float64, n*n), symmetrical(n)
		for i := range n {
			diagonal[i*n+i] = float64(i%5) - 2.5
			if i > 0 && i%2 == 1 {
				blocks[i*n+i-1], blocks[(i-1)*n+i] = 1, 1
			}
			for j := range n { // a column of zeros
				zeroed[i*n+n/2], zeroed[(n/2)*n+j] = 0, 0
			}
			zeroed[i*n+i] /= 100
		}
		for kind, a := range map[string][]float64{
			"random": symmetrical(n), "diagonal": diagonal, "blocks": blocks, "zeroed": zeroed,
			"zeros": make([]float64, n*n)} {
			name := fmt.Sprint(kind, n)
			want, pivotsWanted := append([]float64{}, a...), make([]int, n)
			ldlUnblocked(want, n, pivotsWanted)
			each(t, name, func() []float64 {
				ld, pivots := append([]float64{}, a...), make([]int, n)
				LDL(heap{}, ld, n, pivots)
				require.Equal(t, pivotsWanted, pivots, name)
				for i := range n {
					requireNear(t, want[i*n:i*n+i+1], ld[i*n:i*n+i+1], 1e-9, name)
				}
				b := random(n, 9)
				x := append([]float64{}, b...)
				SolveLDL(heap{}, ld, n, pivots, x, 9)
				if kind == "random" || kind == "diagonal" || kind == "blocks" && n%2 == 0 {
					requireNear(t, b, product(a, x, n, n, 9), 1e-10, name)
				}
				for i, v := range x { // each NaN is the same
					if math.IsNaN(v) {
						x[i] = 0
					}
				}
				return append(x, ld...)
			})
		}
	}
	a, pivots := random(40, 40), make([]int, 40)
	a[77*7] = math.NaN()
	LDL(heap{}, a, 40, pivots)
}
