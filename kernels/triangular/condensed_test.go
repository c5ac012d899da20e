package triangular

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func eye(n int) []float64 {
	y := make([]float64, n*n)
	for i := range n {
		y[i*n+i] = 1
	}
	return y
}

func requireOrthonormal(t *testing.T, q []float64, n int, name string) {
	t.Helper()
	requireNear(t, eye(n), product(transposed(q, n, n), q, n, n, n), 1e-13, name)
}

// symmetrical is a symmetric matrix.
func symmetrical(n int) []float64 {
	a := random(n, n)
	for i := range n {
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
	}
	return a
}

// TestTridiagonal multiplies what a symmetric matrix becomes with the reflections.
func TestTridiagonal(t *testing.T) {
	for _, n := range sizes {
		for kind, a := range map[string][]float64{
			"random": symmetrical(n), "zeros": make([]float64, n*n), "identity": eye(n)} {
			name := fmt.Sprint(kind, n)
			each(t, name, func() []float64 {
				v := append([]float64{}, a...)
				for i := range n {
					for j := i + 1; j < n; j++ {
						v[i*n+j] = 7 // which is not read
					}
				}
				d, e, tau := make([]float64, n), make([]float64, n-1), make([]float64, n-1)
				Tridiagonal(heap{}, v, n, d, e, tau)
				form, q := make([]float64, n*n), eye(n)
				for i := range n {
					form[i*n+i] = d[i]
					if i > 0 {
						form[i*n+i-1], form[(i-1)*n+i] = e[i-1], e[i-1]
					}
				}
				Reflect(heap{}, q[n:], v, tau, n-1, n-1, n)
				requireOrthonormal(t, q, n, name)
				requireNear(t, a, product(product(q, form, n, n, n), transposed(q, n, n), n, n, n), 1e-13, name)
				return append(append(d, e...), q...)
			})
		}
	}
}

// TestBidiagonal multiplies what a matrix becomes with the reflections.
func TestBidiagonal(t *testing.T) {
	for _, n := range sizes {
		upper := eye(n)
		for i := range n {
			upper[i] = 1
		}
		for kind, a := range map[string][]float64{
			"random": random(n, n), "zeros": make([]float64, n*n), "identity": eye(n), "upper": upper} {
			name := fmt.Sprint(kind, n)
			each(t, name, func() []float64 {
				left, right := append([]float64{}, a...), make([]float64, (n-1)*(n-1))
				d, e, tau, tauRight := make([]float64, n), make([]float64, n-1), make([]float64, n),
					make([]float64, n-1)
				Bidiagonal(heap{}, left, right, n, d, e, tau, tauRight)
				form, q, p := make([]float64, n*n), eye(n), eye(n)
				for i := range n {
					form[i*n+i] = d[i]
					if i > 0 {
						form[(i-1)*n+i] = e[i-1]
					}
				}
				Reflect(heap{}, q, left, tau, n, n, n)
				Reflect(heap{}, p[n:], right, tauRight, n-1, n-1, n)
				requireOrthonormal(t, q, n, name)
				requireOrthonormal(t, p, n, name)
				requireNear(t, a, product(product(q, form, n, n, n), transposed(p, n, n), n, n, n), 1e-13, name)
				return append(append(append(d, e...), q...), p...)
			})
		}
	}
}

// TestHessenberg multiplies what a matrix becomes with the reflections.
func TestHessenberg(t *testing.T) {
	for _, n := range sizes {
		small := eye(n)
		for i := range small {
			small[i] += 1e-200 * float64(i%7)
		}
		for kind, a := range map[string][]float64{
			"random": random(n, n), "zeros": make([]float64, n*n), "identity": eye(n), "small": small} {
			name := fmt.Sprint(kind, n)
			each(t, name, func() []float64 {
				h, v, tau, q := append([]float64{}, a...), make([]float64, (n-1)*(n-1)), make([]float64, n-1), eye(n)
				Hessenberg(heap{}, h, v, tau, n)
				for i := range n {
					for j := range i - 1 {
						require.Zero(t, h[i*n+j], name)
					}
				}
				Reflect(heap{}, q[n:], v, tau, n-1, n-1, n)
				requireOrthonormal(t, q, n, name)
				requireNear(t, a, product(product(q, h, n, n, n), transposed(q, n, n), n, n, n), 1e-13, name)
				return append(h, q...)
			})
		}
	}
}
