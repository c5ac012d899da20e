package dense

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	kinds "gonum.org/v1/gonum/lapack"
)

// squareMatrices are those of n rows that may have complex eigenvalues.
func squareMatrices(n int) map[string][]float64 {
	all := matrices(n, n)
	delete(all, "scales")
	delete(all, "graded")
	orthogonal, turn, companion, triangle, steep := random(n, n), make([]float64, n*n), make([]float64, n*n),
		random(n, n), random(n, n)
	for i := range steep { // products of shifts are 0 in float64
		steep[i] *= math.Pow(10, -float64(i/n+i%n)*240/float64(n))
	}
	if n > 0 {
		QR(&kept{}, orthogonal, make([]float64, n*n), n, n)
	}
	for i := range n {
		turn[i*n+(i+1)%n] = 1
		companion[i] = float64(i%3) - 1
		if i > 0 {
			companion[i*n+i-1] = 1
		}
		clear(triangle[i*n : i*n+i])
	}
	all["orthogonal"], all["turn"], all["companion"], all["triangle"], all["steep"] = orthogonal, turn, companion,
		triangle, steep
	return all
}

// together puts parts of eigenvalues together.
func together(re, im []float64) []complex128 {
	c := make([]complex128, len(re))
	for i := range c {
		c[i] = complex(re[i], im[i])
	}
	return c
}

// apart is how far the farthest of some numbers is from those of a list, each of which is near to one.
func apart(a, b []complex128) (most float64) {
	b = slices.Clone(b)
	for _, v := range a {
		nearest := 0
		for i, w := range b {
			if cmplx.Abs(w-v) < cmplx.Abs(b[nearest]-v) {
				nearest = i
			}
		}
		most = max(most, cmplx.Abs(b[nearest]-v))
		b = slices.Delete(b, nearest, nearest+1)
	}
	return most
}

// TestSchur multiplies the factors, and compares eigenvalues with LAPACK's.
func TestSchur(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 10, 40, 75, 76, 77, 90, 130, 200, 300} {
		if n > 100 && testing.Short() {
			continue
		}
		for name, a := range squareMatrices(n) {
			name := fmt.Sprint(name, n)
			form, z, re, im := slices.Clone(a), make([]float64, n*n), make([]float64, n), make([]float64, n)
			require.NoError(t, Eig(&kept{}, re, im, nil, nil, slices.Clone(a), n), name)
			require.NoError(t, Schur(&kept{}, form, z, n), name)
			if n == 0 {
				continue
			}
			zt, product, back := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
			transpose(zt, z, n, n)
			requireOrthonormal(t, zt, n, n, 1e-15, name)
			size := max(maxAbs(a), 0x1p-1000)
			for i := range form {
				form[i] /= size
			}
			multiply(new(kept), product, z, form, n, n, n)
			multiply(new(kept), back, product, zt, n, n, n)
			for i := range back {
				back[i] -= a[i] / size
			}
			require.LessOrEqual(t, maxAbs(back), 1e-15*float64(n+10)*math.Sqrt(float64(n)), name)
			trace := 0.0
			for i := range n { // blocks of two rows have complex eigenvalues
				trace += re[i]/size - a[i*n+i]/size
				for j := range i {
					v := form[i*n+j]
					require.True(t, v == 0 || j == i-1 && (j == 0 || form[j*n+j-1] == 0) &&
						math.Signbit(v) != math.Signbit(form[j*n+i]), name)
				}
			}
			require.InDelta(t, 0, trace, 1e-11, name)
			if slices.Contains([]string{fmt.Sprint("random", n), fmt.Sprint("orthogonal", n), fmt.Sprint("turn", n),
				fmt.Sprint("triangle", min(n, 10)), fmt.Sprint("companion", n)}, name) {
				work, r, i := make([]float64, 100*n), make([]float64, n), make([]float64, n)
				require.Zero(t, lapack.Dgeev(kinds.LeftEVNone, kinds.RightEVNone, n, slices.Clone(a), n, r, i, nil, 1,
					nil, 1, work, len(work)))
				require.LessOrEqual(t, apart(together(re, im), together(r, i)), 1e-9*size*float64(n), name)
			}
		}
	}
}

// TestEig looks at what is left of A·V - V·Λ, in complex numbers.
func TestEig(t *testing.T) {
	for _, n := range []int{1, 2, 10, 75, 76, 80, 150, 220} {
		if n > 100 && testing.Short() {
			continue
		}
		for name, a := range squareMatrices(n) {
			name := fmt.Sprint(name, n)
			re, im, vre, vim := make([]float64, n), make([]float64, n), make([]float64, n*n), make([]float64, n*n)
			require.NoError(t, Eig(&kept{}, re, im, vre, vim, slices.Clone(a), n), name)
			size := max(maxAbs(a), 0x1p-1000)
			unit, real, imaginary := slices.Clone(a), make([]float64, n*n), make([]float64, n*n)
			for i := range unit {
				unit[i] /= size
			}
			multiply(new(kept), real, unit, vre, n, n, n)
			multiply(new(kept), imaginary, unit, vim, n, n, n)
			for c := range n {
				length, greatest, ofReal := 0.0, 0.0, 0.0 // of all elements, and of those that are real
				for i := range n {
					k := i*n + c
					v := complex(vre[k], vim[k])
					left := complex(real[k], imaginary[k]) - v*complex(re[c]/size, im[c]/size)
					require.LessOrEqual(t, cmplx.Abs(left), 1e-14*float64(n+10), name)
					length = math.Hypot(length, cmplx.Abs(v))
					greatest = max(greatest, cmplx.Abs(v))
					if math.Abs(imag(v)) < 1e-13 {
						ofReal = max(ofReal, cmplx.Abs(v))
					}
				}
				require.InDelta(t, 1, length, 1e-12, name)
				require.InDelta(t, greatest, ofReal, 1e-12, name)
			}
		}
	}
}
