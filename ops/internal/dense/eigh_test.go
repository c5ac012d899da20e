package dense

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	kinds "gonum.org/v1/gonum/lapack"
)

// spectra are numbers that matrices of n rows have as eigenvalues or singular values.
func spectra(n int) map[string][]float64 {
	all := map[string][]float64{"graded": falling(n, 1e-300), "falling": falling(n, 1e-8)}
	for name, f := range map[string]func(i int) float64{
		"identity": func(int) float64 { return 1 },
		"two":      func(i int) float64 { return float64(i % 2) },
		"rank 1":   func(i int) float64 { return float64(1 - min(i, 1)) },
		"clusters": func(i int) float64 { return float64(i/10) + 1e-14*float64(i) },
		"signs":    func(i int) float64 { return float64(1-2*(i%2)) * float64(1+i/2) },
		"near":     func(i int) float64 { return 1 + 1e-9*float64(i) },
	} {
		s := make([]float64, n)
		for i := range s {
			s[i] = f(i)
		}
		all[name] = s
	}
	return all
}

// symmetricMatrices are those of n rows.
func symmetricMatrices(n int) map[string][]float64 {
	all := map[string][]float64{"zero": make([]float64, n*n), "random": random(n, n), "great": random(n, n),
		"small": random(n, n)}
	for i := range n * n {
		all["great"][i] *= 1e300
		all["small"][i] *= 1e-305
	}
	tridiagonal := func(d, e func(i int) float64) []float64 {
		a := make([]float64, n*n)
		for i := range n {
			a[i*n+i] = d(i)
			if i > 0 {
				a[i*n+i-1] = e(i)
			}
		}
		return a
	}
	all["wilkinson"] = tridiagonal(func(i int) float64 { return math.Abs(float64(i) - float64(n-1)/2) },
		func(int) float64 { return 1 })
	all["toeplitz"] = tridiagonal(func(int) float64 { return 2 }, func(int) float64 { return -1 })
	all["glued"] = tridiagonal(func(i int) float64 { return math.Abs(float64(i%11) - 5) }, func(i int) float64 {
		if i%11 == 0 {
			return 1e-8
		}
		return 1
	})
	all["diagonal"] = tridiagonal(func(i int) float64 { return float64((i * 7) % 11) }, func(int) float64 { return 0 })
	all["scales"] = tridiagonal(func(i int) float64 { return math.Pow(10, float64(20*(i%15)-300)) },
		func(i int) float64 { return math.Pow(10, float64(10*(i%30)-300)) })
	for name, values := range spectra(n) {
		v, r := random(n, n), make([]float64, n*n)
		QR(&kept{}, v, r, n, n)
		vt, a := make([]float64, n*n), make([]float64, n*n)
		transpose(vt, v, n, n)
		for i := range v {
			v[i] *= values[i%n]
		}
		multiply(new(kept), a, v, vt, n, n, n)
		all[name] = a
	}
	for _, a := range all {
		for i := range n {
			for j := range i {
				a[j*n+i] = a[i*n+j]
			}
		}
	}
	return all
}

// requireOrthonormal requires that the products of all rows are those of the identity.
func requireOrthonormal(t *testing.T, q []float64, n, m int, within float64, name string) {
	t.Helper()
	qt, product := make([]float64, n*m), make([]float64, n*n)
	transpose(qt, q, n, m)
	multiply(new(kept), product, q, qt, n, m, n)
	for i := range n {
		product[i*n+i]--
	}
	require.LessOrEqual(t, maxAbs(product), within*float64(m+10), name)
}

// TestEigh looks at what is left of A·V - V·Λ, and compares the values with LAPACK's.
func TestEigh(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 5, 8, 17, 31, 32, 33, 40, 49, 50, 57, 64, 70, 129, 300}
	for _, n := range sizes {
		if n > 100 && testing.Short() {
			continue
		}
		for name, a := range symmetricMatrices(n) {
			name := fmt.Sprint(name, n)
			v, values, alone, want := append([]float64{}, a...), make([]float64, n), make([]float64, n),
				make([]float64, n)
			require.NoError(t, Eigh(&kept{}, values, v, n, true), name)
			require.NoError(t, Eigh(&kept{}, alone, append([]float64{}, a...), n, false), name)
			if n == 0 {
				continue
			}
			size := max(maxAbs(a), 0x1p-1000)
			vt, unit, left := make([]float64, n*n), append([]float64{}, a...), make([]float64, n*n)
			for i := range unit {
				unit[i] /= size
			}
			work := make([]float64, 64*n)
			require.True(t, lapack.Dsyev(kinds.EVCompute, blas.Lower, n, append([]float64{}, unit...), n, want, work,
				len(work)))
			within := 3e-16 * float64(n+10) * max(maxAbs(want), 0x1p-1000)
			for i, w := range want {
				if name != fmt.Sprint("scales", n) { // where LAPACK is wrong
					require.InDelta(t, w, values[i]/size, within, name)
				}
				require.InDelta(t, values[i]/size, alone[i]/size, within, name)
				require.True(t, i == 0 || values[i] >= values[i-1], name)
			}
			transpose(vt, v, n, n)
			requireOrthonormal(t, vt, n, n, 3e-16, name)
			multiply(new(kept), left, unit, v, n, n, n)
			for i := range left {
				left[i] -= v[i] * (values[i%n] / size)
			}
			require.LessOrEqual(t, maxAbs(left), within, name)
		}
	}
	require.ErrorIs(t, Eigh(&kept{}, make([]float64, 40), make40(math.NaN()), 40, true), errNotFinite)
	require.ErrorIs(t, Eigh(&kept{}, make([]float64, 40), make40(math.Inf(1)), 40, false), errNotFinite)
}

// make40 is a matrix of 40 rows with one number that is not 0.
func make40(v float64) []float64 {
	a := make([]float64, 40*40)
	a[77] = v
	return a
}
