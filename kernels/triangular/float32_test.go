package triangular

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func wide(parts ...[]float32) (y []float64) {
	for _, x := range parts {
		for _, v := range x {
			y = append(y, float64(v))
		}
	}
	return y
}

// sizes32 are around those of blocks of float32.
var sizes32 = []int{1, 2, 15, 16, 17, 33, 47, 64, 100}

// within32 is the rounding of float32 that n sums of n products make together.
func within32(n int) float64 { return 4e-7 * float64(n+4) }

// requireNearFactors compares a matrix with a product, relative to its greatest element.
func requireNearFactors(t *testing.T, want, got []float64, n int, name string) {
	t.Helper()
	greatest := 0.0
	for _, v := range want {
		greatest = max(greatest, math.Abs(v))
	}
	for i, v := range want {
		require.InDelta(t, v, got[i], within32(n)*greatest, "%s: element %d", name, i)
	}
}

func TestSolve32(t *testing.T) {
	for _, n := range sizes32 {
		for _, k := range []int{1, 5, 16, 40} {
			for bits := range 8 {
				of := Form{bits&1 > 0, bits&2 > 0, bits&4 > 0}
				name := fmt.Sprint(n, k, of)
				a, b := random(n, n), random(n, k)
				for i := range a {
					a[i] /= float64(n)
				}
				for i := range n {
					a[i*n+i] += 2
				}
				each(t, name, func() []float64 {
					x := narrow(b)
					Solve(heap{}, narrow(a), n, of, x, k)
					requireNearFactors(t, b, product(triangleOf(a, n, of), wide(x), n, n, k), n, name)
					return wide(x)
				})
			}
		}
	}
}

func TestLU32(t *testing.T) {
	for _, n := range sizes32 {
		for _, m := range []int{1, 17, 64, 100} {
			name, k := fmt.Sprint(n, m), min(n, m)
			a, pivots := random(n, m), make([]int, k)
			each(t, name, func() []float64 {
				lu := narrow(a)
				LU(heap{}, lu, n, m, pivots)
				lower, upper := make([]float64, n*k), make([]float64, k*m)
				for i := range n {
					for j := range m {
						if i > j {
							lower[i*k+j] = float64(lu[i*m+j])
						} else {
							upper[i*m+j] = float64(lu[i*m+j])
						}
						if i == j {
							lower[i*k+j] = 1
						}
					}
				}
				want := append([]float64{}, a...)
				for i, with := range pivots {
					for c := range m {
						want[i*m+c], want[with*m+c] = want[with*m+c], want[i*m+c]
					}
				}
				requireNearFactors(t, want, product(lower, upper, n, k, m), k, name)
				return wide(lu)
			})
		}
	}
}

func TestCholesky32(t *testing.T) {
	for _, n := range sizes32 {
		x := random(n, n)
		a := product(x, transposed(x, n, n), n, n, n)
		for i := range n {
			a[i*n+i]++
		}
		each(t, fmt.Sprint(n), func() []float64 {
			l := narrow(a)
			require.Zero(t, Cholesky(heap{}, l, n))
			requireNearFactors(t, a, product(wide(l), transposed(wide(l), n, n), n, n, n), n, fmt.Sprint(n))
			return wide(l)
		})
	}
}

func TestQR32(t *testing.T) {
	few := []int{1, 15, 16, 33, 70, 100}
	for _, n := range few {
		for _, m := range few {
			name, k := fmt.Sprint(n, m), min(n, m)
			a := random(n, m)
			a[0] = 1e-30 // whose square is no float32
			each(t, name, func() []float64 {
				packed, tau, q := narrow(a), make([]float32, k), make([]float32, n*k)
				QR(heap{}, packed, tau, n, m)
				Orthonormal(heap{}, q, packed, tau, n, m, k)
				r := make([]float64, k*m)
				for i := range k {
					copy(r[i*m+i:(i+1)*m], wide(packed[i*m+i:(i+1)*m]))
				}
				requireNearFactors(t, a, product(wide(q), r, n, k, m), n, name)
				requireNearFactors(t, eye(k), product(transposed(wide(q), n, k), wide(q), k, n, k), n, name)
				return wide(q, packed)
			})
		}
	}
}

// TestCondensed32 multiplies tridiagonal, bidiagonal and Hessenberg matrices with their reflections.
func TestCondensed32(t *testing.T) {
	for _, n := range sizes32 {
		name := fmt.Sprint(n)
		d, e, tau, tauRight := make([]float32, n), make([]float32, n-1), make([]float32, n), make([]float32, n-1)
		right := make([]float32, (n-1)*(n-1))
		form := func(isSymmetric bool) []float64 {
			y := make([]float64, n*n)
			for i := range n {
				y[i*n+i] = float64(d[i])
				if i > 0 {
					y[(i-1)*n+i] = float64(e[i-1])
				}
				if i > 0 && isSymmetric {
					y[i*n+i-1] = float64(e[i-1])
				}
			}
			return y
		}
		check := func(a []float64, q, form, p []float32) {
			got := product(product(wide(q), wide(form), n, n, n), transposed(wide(p), n, n), n, n, n)
			requireNearFactors(t, a, got, n, name)
			requireNearFactors(t, eye(n), product(transposed(wide(q), n, n), wide(q), n, n, n), n, name)
		}
		a, s := random(n, n), symmetrical(n)
		each(t, name, func() []float64 {
			v, q := narrow(s), narrow(eye(n))
			Tridiagonal(heap{}, v, n, d, e, tau[:n-1])
			Reflect(heap{}, q[n:], v, tau[:n-1], n-1, n-1, n)
			check(s, q, narrow(form(true)), q)
			results := wide(q, d, e)

			v, q = narrow(a), narrow(eye(n))
			p := narrow(eye(n))
			Bidiagonal(heap{}, v, right, n, d, e, tau, tauRight)
			Reflect(heap{}, q, v, tau, n, n, n)
			Reflect(heap{}, p[n:], right, tauRight, n-1, n-1, n)
			check(a, q, narrow(form(false)), p)
			results = append(results, wide(q, p, d, e)...)

			h := narrow(a)
			q = narrow(eye(n))
			Hessenberg(heap{}, h, right, tauRight, n)
			Reflect(heap{}, q[n:], right, tauRight, n-1, n-1, n)
			check(a, q, h, q)
			return append(results, wide(q, h)...)
		})
	}
}

func TestLDL32(t *testing.T) {
	for _, n := range []int{1, 20, 57, 64, 100} {
		a, name := symmetrical(n), fmt.Sprint(n)
		for i := range n {
			a[i*n+i] += float64(n) // well conditioned
		}
		each(t, name, func() []float64 {
			ld, pivots, b := narrow(a), make([]int, n), random(n, 9)
			LDL(heap{}, ld, n, pivots)
			x := narrow(b)
			SolveLDL(heap{}, ld, n, pivots, x, 9)
			requireNearFactors(t, b, product(a, wide(x), n, n, 9), n, name)
			return wide(x, ld)
		})
	}
}
