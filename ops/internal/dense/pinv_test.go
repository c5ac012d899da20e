package dense

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// withValues is a matrix of n rows and m columns with the given singular values, min(n, m) or fewer.
func withValues(n, m int, values []float64) []float64 {
	k := len(values)
	u, v, r := random(n, k), random(m, k), make([]float64, k*k)
	QR(&kept{}, u, r, n, k)
	QR(&kept{}, v, r, m, k)
	vt, a := make([]float64, k*m), make([]float64, n*m)
	transpose(vt, v, m, k)
	for i := range n {
		for c, s := range values {
			u[i*k+c] *= s
		}
	}
	multiply(new(kept), a, u, vt, n, k, m)
	return a
}

// falling are n numbers from 1 to the last, in equal ratios.
func falling(n int, last float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = math.Pow(last, float64(i)/float64(max(n-1, 1)))
	}
	return s
}

// TestPseudoInverse compares inverses with those by singular values, on both sides of the rank that is full.
func TestPseudoInverse(t *testing.T) {
	const share = 1e-5
	for _, size := range [][2]int{{1, 1}, {1, 9}, {9, 1}, {5, 5}, {40, 40}, {70, 31}, {31, 70}, {130, 130}} {
		n, m := size[0], size[1]
		k := min(n, m)
		for _, last := range []float64{1, 1e-2, 2 * share, 1.1 * share, 1.001 * share, 0.999 * share, 0.5 * share, 1e-9,
			1e-14, 0} {
			for _, scale := range []float64{1, 1e150, 1e-150, 1e-300} {
				name := fmt.Sprint(size, last, scale)
				values := falling(k, last)
				a := withValues(n, m, values)
				for i := range a {
					a[i] *= scale
				}
				x := make([]float64, n*m)
				require.NoError(t, PseudoInverse(&kept{}, x, a, n, m, 0, share))
				// A⁺·A has the rank as its trace.
				rank := 0
				for _, s := range values {
					if s > share*values[0] {
						rank++
					}
				}
				trace := 0.0
				for i := range m {
					for j := range n {
						trace += x[i*n+j] * a[j*m+i]
					}
				}
				require.InDelta(t, rank, trace, 1e-8, name)
				// And A·A⁺·A is A, but for singular values that count as 0.
				back, product := make([]float64, n*m), make([]float64, n*n)
				multiply(new(kept), product, a, x, n, m, n)
				multiply(new(kept), back, product, a, n, n, m)
				for i := range back {
					require.InDelta(t, a[i]/scale, back[i]/scale, share*1.01+1e-10, name)
				}
			}
		}
	}
}

// An inverse without singular values is as exact as one with them, and is that of a matrix whose rank is certain.
func TestPseudoInverseByQR(t *testing.T) {
	for _, size := range [][2]int{{40, 40}, {70, 31}, {31, 70}} {
		n, m := size[0], size[1]
		k := min(n, m)
		for _, condition := range []float64{1, 1e3, 1e7, 1e10} {
			values := falling(k, 1/condition)
			a := withValues(n, m, values)
			x, exact := make([]float64, n*m), make([]float64, n*m)
			require.True(t, inverseByQR(&kept{}, x, a, n, m, 0, 1e-14))
			for i, s := range values {
				values[i] = 1 / s
			}
			transpose(exact, withValues(n, m, values), n, m)
			for i, v := range exact {
				require.InDelta(t, v, x[i], 1e-14*condition*maxAbs(exact))
			}
		}
		x := make([]float64, n*m)
		require.False(t, inverseByQR(&kept{}, x, withValues(n, m, falling(k, 1e-12)), n, m, 0, 1e-14),
			"rounding decides")
		require.False(t, inverseByQR(&kept{}, x, withValues(n, m, falling(k, 0.5)), n, m, 0.6, 0),
			"not all are above the least")
		require.False(t, inverseByQR(&kept{}, x, make([]float64, n*m), n, m, 0, 0))
		require.True(t, inverseByQR(&kept{}, x, withValues(n, m, falling(k, 1e-4)), n, m, 0, 1e-5),
			"the norm is not that of Frobenius")
	}
}

// The power method finds the greatest value also where many are near it.
func TestMostStretch(t *testing.T) {
	for _, n := range []int{1, 2, 60, 150} {
		for _, last := range []float64{1, 0.9, 0.6, 0.3, 1e-3} {
			values := make([]float64, n)
			for i := range values {
				values[i] = last
			}
			values[0] = 1
			r, a := make([]float64, n*n), withValues(n, n, values)
			QR(&kept{}, a, r, n, n)
			most := largestSingular(&kept{}, r, n, 0)
			require.GreaterOrEqual(t, most, 1.0)
			require.LessOrEqual(t, most, 1.25+1e-12)
			most = largestSingular(&kept{}, r, n, 2.1)
			require.GreaterOrEqual(t, most, 1.0)
			require.LessOrEqual(t, most, 2+1e-12)
		}
	}
	require.True(t, math.IsNaN(largestSingular(&kept{}, make([]float64, 4), 2, 0)))
}
