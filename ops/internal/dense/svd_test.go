package dense

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// matrices are those of n rows and m columns.
func matrices(n, m int) map[string][]float64 {
	all := map[string][]float64{"zero": make([]float64, n*m), "random": random(n, m), "great": random(n, m),
		"small": random(n, m), "ones": make([]float64, n*m),
		"scales": random(n, m), "bidiagonal": make([]float64, n*m), "nilpotent": make([]float64, n*m),
		"one column": make([]float64, n*m)}
	for i := range n * m {
		all["great"][i] *= 1e299
		all["small"][i] *= 1e-305
		all["ones"][i] = 1
		all["scales"][i] *= math.Pow(10, float64(i/m%30*20-300))
	}
	for i := range n {
		if i < m {
			all["bidiagonal"][i*m+i] = float64(i%4) - 1
		}
		if i+1 < m {
			all["bidiagonal"][i*m+i+1] = float64(i%3) - 1
			all["nilpotent"][i*m+i+1] = 1
		}
		if m > 0 {
			all["one column"][i*m+m/2] = float64(i + 1)
		}
	}
	if k := min(n, m); k > 0 {
		for name, values := range spectra(k) {
			all[name] = withValues(n, m, values)
		}
	}
	return all
}

// TestSVD looks at what is left of A·V - U·S, and compares the values with LAPACK's.
func TestSVD(t *testing.T) {
	sizes := [][2]int{{0, 3}, {3, 0}, {1, 1}, {1, 40}, {5, 5}, {31, 31}, {32, 32}, {33, 33}, {33, 40}, {40, 33},
		{41, 41}, {50, 200}, {200, 50}, {64, 8}, {20, 90}, {300, 1}, {57, 57}, {64, 64}, {70, 69},
		{70, 70}, {129, 129}, {130, 160}, {160, 130}, {300, 300}}
	for _, size := range sizes {
		n, m := size[0], size[1]
		k := min(n, m)
		if k > 100 && testing.Short() {
			continue
		}
		for name, a := range matrices(n, m) {
			name := fmt.Sprint(name, size)
			u, vt := make([]float64, n*k), make([]float64, k*m)
			s, alone, want := make([]float64, k), make([]float64, k), make([]float64, k)
			before := append([]float64{}, a...)
			require.NoError(t, SVD(&kept{}, u, s, vt, a, n, m), name)
			require.NoError(t, SVD(&kept{}, nil, alone, nil, a, n, m), name)
			require.Equal(t, before, a)
			if k == 0 {
				continue
			}
			scale := max(maxAbs(a), 0x1p-1000)
			unit := append([]float64{}, a...)
			for i := range unit {
				unit[i] /= scale
			}
			require.NoError(t, lapackSVD(&kept{}, nil, want, nil, append([]float64{}, unit...), n, m))
			within := 3e-16 * float64(n+m+10) * max(want[0], 0x1p-1000)
			for i, w := range want {
				require.InDelta(t, w, s[i]/scale, within, name)
				require.InDelta(t, w, alone[i]/scale, within, name)
				require.True(t, s[i] >= 0 && (i == 0 || s[i] <= s[i-1]), name)
			}
			ut := make([]float64, n*k)
			transpose(ut, u, n, k)
			requireOrthonormal(t, ut, k, n, 3e-16, name)
			requireOrthonormal(t, vt, k, m, 3e-16, name)
			for i := range u {
				u[i] *= s[i%k] / scale
			}
			left := make([]float64, n*m)
			multiply(new(kept), left, u, vt, n, k, m)
			for i := range left {
				left[i] -= unit[i]
			}
			require.LessOrEqual(t, maxAbs(left), within, name)
		}
	}
	require.ErrorIs(t, SVD(&kept{}, nil, nil, nil, make40(math.NaN()), 40, 40), errNotFinite)
	require.ErrorIs(t, SVD(&kept{}, nil, nil, nil, make40(math.Inf(-1)), 40, 40), errNotFinite)
}
