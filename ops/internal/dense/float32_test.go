package dense

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/triangular"
)

func single(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func double(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// singles are matrices whose numbers are float32: of many scales, and near the ends of what that has.
func singles(n, m int) map[string][]float64 {
	all := matrices(n, m)
	for _, name := range []string{"great", "small", "scales"} {
		delete(all, name)
	}
	all["great"], all["small"] = random(n, m), random(n, m)
	for i := range n * m {
		all["great"][i] *= 1e36
		all["small"][i] *= 1e-36
	}
	for name, a := range all {
		all[name] = double(single(a))
	}
	return all
}

// within is how far results may be off, as LAPACK's of float32 are: some last digits of the norm for each row.
func within32(n int) float64 { return 6e-8 * float64(n+20) }

func requireProduct32(t *testing.T, want, x, y []float64, n, k, m int, name string) {
	t.Helper()
	got, scale := make([]float64, n*m), max(frobenius(want), math.SmallestNonzeroFloat32)
	multiply(new(kept), got, x, y, n, k, m)
	for i, v := range want {
		require.InDelta(t, v/scale, got[i]/scale, within32(n+m), "%s: element %d", name, i)
	}
}

func requireOrthonormal32(t *testing.T, rows []float64, n, m int, name string) {
	t.Helper()
	columns, unit := make([]float64, n*m), make([]float64, n*n)
	transpose(columns, rows, n, m)
	identity(unit, n)
	requireProduct32(t, unit, rows, columns, n, m, n, name)
}

func TestSVD32(t *testing.T) {
	for _, size := range [][2]int{{32, 32}, {33, 40}, {40, 33}, {50, 200}, {200, 50}, {129, 129}, {200, 200}} {
		n, m, k := size[0], size[1], min(size[0], size[1])
		for name, a := range singles(n, m) {
			name := fmt.Sprint(name, size)
			u, s, vt, alone := make([]float32, n*k), make([]float32, k), make([]float32, k*m), make([]float32, k)
			require.NoError(t, SVD(&kept{}, u, s, vt, single(a), n, m), name)
			require.NoError(t, SVD(&kept{}, nil, alone, nil, single(a), n, m), name)
			want := make([]float64, k)
			require.NoError(t, SVD(&kept{}, nil, want, nil, a, n, m), name)
			scale := max(want[0], math.SmallestNonzeroFloat32)
			for i, w := range want {
				require.InDelta(t, w/scale, float64(s[i])/scale, within32(max(n, m)), name)
				require.InDelta(t, w/scale, float64(alone[i])/scale, within32(max(n, m)), name)
				require.True(t, s[i] >= 0 && (i == 0 || s[i] <= s[i-1]), name)
			}
			ut := make([]float64, n*k)
			transpose(ut, double(u), n, k)
			requireOrthonormal32(t, ut, k, n, name)
			requireOrthonormal32(t, double(vt), k, m, name)
			left := double(u)
			for i := range left {
				left[i] *= float64(s[i%k])
			}
			requireProduct32(t, a, left, double(vt), n, k, m, name)
		}
	}
}

func TestEigh32(t *testing.T) {
	for _, n := range []int{32, 33, 57, 64, 129, 200} {
		for name, a := range singles(n, n) {
			name := fmt.Sprint(name, n)
			for i := range n {
				for j := range i {
					a[j*n+i] = a[i*n+j]
				}
			}
			v, values, alone := single(a), make([]float32, n), make([]float32, n)
			require.NoError(t, Eigh(&kept{}, values, v, n, true), name)
			require.NoError(t, Eigh(&kept{}, alone, single(a), n, false), name)
			want := make([]float64, n)
			require.NoError(t, Eigh(&kept{}, want, append([]float64{}, a...), n, false), name)
			scale := max(maxAbs(want), math.SmallestNonzeroFloat32)
			for i, w := range want {
				require.InDelta(t, w/scale, float64(values[i])/scale, within32(n), name)
				require.InDelta(t, w/scale, float64(alone[i])/scale, within32(n), name)
				require.True(t, i == 0 || values[i] >= values[i-1], name)
			}
			vt, left := make([]float64, n*n), double(v)
			transpose(vt, left, n, n)
			requireOrthonormal32(t, vt, n, n, name)
			for i := range left {
				left[i] *= float64(values[i%n])
			}
			requireProduct32(t, a, left, vt, n, n, n, name)
		}
	}
}

// TestSystems32 compares solutions, inverses and exponentials with those of float64.
func TestSystems32(t *testing.T) {
	for _, n := range []int{32, 70, 129} {
		name := fmt.Sprint(n)
		a := double(single(random(n, n)))
		for i := range n {
			a[i*n+i] += 3 * math.Sqrt(float64(n)) // well conditioned
		}
		lu, pivots, x := single(a), make([]int, n), make([]float32, n*n)
		triangular.LU(&kept{}, lu, n, n, pivots)
		require.NoError(t, InverseOfLU(&kept{}, x, lu, n, pivots))
		unit := make([]float64, n*n)
		identity(unit, n)
		requireProduct32(t, unit, a, double(x), n, n, n, name)
		for _, norm := range []float64{0.01, 1, 30} {
			b, want, got := random(n, n), make([]float64, n*n), make([]float32, n*n)
			for i := range b {
				b[i] *= norm / math.Sqrt(float64(n))
			}
			require.NoError(t, Exp(&kept{}, want, double(single(b)), n))
			require.NoError(t, Exp(&kept{}, got, single(b), n))
			greatest := maxAbs(want)
			for i, v := range want {
				require.InDelta(t, v/greatest, float64(got[i])/greatest, 4e-7*(10+4*norm), "%d rows, norm %v", n, norm)
			}
		}
	}
}

// TestCofactors32 has a matrix that is singular but for rounding too.
func TestCofactors32(t *testing.T) {
	for name, a := range map[string][]float64{"random": random(40, 40), "singular": random(40, 40)} {
		for i := range a {
			a[i] /= math.Sqrt(40)
		}
		if name == "singular" {
			for row := range 40 {
				a[row*40] = a[row*40+1] + 1e-6*a[row*40+2]
			}
		}
		a = double(single(a))
		want, got := make([]float64, len(a)), make([]float32, len(a))
		require.NoError(t, Cofactors(&kept{}, want, a, 40))
		require.NoError(t, Cofactors(&kept{}, got, single(a), 40))
		greatest := maxAbs(want)
		for i, v := range want {
			require.InDelta(t, v/greatest, float64(got[i])/greatest, 1e-4, name)
		}
	}
}
