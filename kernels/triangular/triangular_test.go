package triangular

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// heap is memory that was used before.
type heap struct{}

func (heap) Poll(int) {}

func (heap) Floats(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.NaN()
	}
	return x
}

func random(rows, columns int) []float64 {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(columns)))
	x := make([]float64, rows*columns)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// product is a·b, of n rows, k terms and m columns.
func product(a, b []float64, n, k, m int) []float64 {
	y := make([]float64, n*m)
	for i := range n {
		for j := range m {
			for t := range k {
				y[i*m+j] += a[i*k+t] * b[t*m+j]
			}
		}
	}
	return y
}

func transposed(a []float64, rows, columns int) []float64 {
	t := make([]float64, len(a))
	for i := range rows {
		for j := range columns {
			t[j*rows+i] = a[i*columns+j]
		}
	}
	return t
}

// each runs a test with the loops of each instruction set, whose results must be the same.
func each(t *testing.T, name string, f func() []float64) {
	t.Helper()
	defer func(before *both) { current = before }(current)
	var first []float64
	for isa, l := range allLoops() {
		current = l
		y := f()
		if first == nil {
			first = y
		}
		require.Equal(t, first, y, "%s %s", name, isa)
	}
}

func requireNear(t *testing.T, want, got []float64, within float64, name string) {
	t.Helper()
	greatest := 0.0
	for _, v := range want {
		greatest = max(greatest, math.Abs(v))
	}
	for i, v := range want {
		require.InDelta(t, v, got[i], within*max(greatest, 1), "%s: element %d", name, i)
	}
}

var sizes = []int{1, 2, 7, 8, 9, 16, 23, 33, 64, 100}

// triangleOf is the matrix of a system: a triangle of t, whose other half does not count.
func triangleOf(t []float64, n int, of Form) []float64 {
	a := make([]float64, len(t))
	for i := range n {
		for j := range n {
			switch {
			case i == j && of.Unit:
				a[i*n+j] = 1
			case i == j, i > j != of.Upper:
				a[i*n+j] = t[i*n+j]
			}
		}
	}
	if of.Transposed {
		return transposed(a, n, n)
	}
	return a
}

// TestSolve multiplies solutions with the matrices of their systems.
func TestSolve(t *testing.T) {
	for _, n := range sizes {
		for _, k := range []int{1, 5, 8, 25, 40} {
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
					x := append([]float64{}, b...)
					Solve(heap{}, a, n, of, x, k)
					requireNear(t, b, product(triangleOf(a, n, of), x, n, n, k), 1e-13, name)
					inverse := eye(n) // zeros that columns begin with are skipped
					Solve(heap{}, a, n, of, inverse, n)
					requireNear(t, eye(n), product(triangleOf(a, n, of), inverse, n, n, n), 1e-13, name)
					return append(x, inverse...)
				})
			}
		}
	}
	x := []float64{1, 2}
	Solve(heap{}, []float64{0, 0, 1, 1}, 2, Form{}, x, 1)
	require.Equal(t, []float64{math.Inf(1), math.Inf(-1)}, x)
}

// Many columns are solved for some at a time, each as by itself.
func TestSolveInParts(t *testing.T) {
	const n, k = 3, 4001
	a, b := random(n, n), random(n, k)
	for i := range n {
		a[i*n+i] += 2
	}
	pivots := make([]int, n)
	lu := append([]float64{}, a...)
	LU(heap{}, lu, n, n, pivots)
	for name, solve := range map[string]func(b []float64, k int){
		"solve": func(b []float64, k int) { Solve(heap{}, a, n, Form{}, b, k) },
		"lu":    func(b []float64, k int) { SolveLU(heap{}, lu, n, pivots, false, b, k) },
		"luᵀ":   func(b []float64, k int) { SolveLU(heap{}, lu, n, pivots, true, b, k) },
	} {
		all := append([]float64{}, b...)
		solve(all, k)
		for c := range k {
			one, want := make([]float64, n), make([]float64, n)
			for i := range n {
				one[i], want[i] = b[i*k+c], all[i*k+c]
			}
			solve(one, 1)
			require.Equal(t, want, one, "%s: column %d", name, c)
		}
	}
}

// TestLU multiplies factors, and solves systems with them.
func TestLU(t *testing.T) {
	for _, n := range sizes {
		for _, m := range sizes {
			name := fmt.Sprint(n, m)
			a := random(n, m)
			count := min(n, m)
			pivots := make([]int, count)
			each(t, name, func() []float64 {
				lu := append([]float64{}, a...)
				LU(heap{}, lu, n, m, pivots)
				lower, upper := make([]float64, n*count), make([]float64, count*m)
				for i := range n {
					for j := range m {
						switch {
						case i > j:
							lower[i*count+j] = lu[i*m+j]
							require.LessOrEqual(t, math.Abs(lu[i*m+j]), 1.0)
						default:
							upper[i*m+j] = lu[i*m+j]
						}
						if i == j {
							lower[i*count+j] = 1
						}
					}
				}
				want := append([]float64{}, a...)
				for i, with := range pivots {
					for c := range m {
						want[i*m+c], want[with*m+c] = want[with*m+c], want[i*m+c]
					}
				}
				requireNear(t, want, product(lower, upper, n, count, m), 1e-13, name)
				if n != m {
					return lu
				}
				b := random(n, 5)
				for _, back := range []bool{false, true} {
					x, of := append([]float64{}, b...), a
					SolveLU(heap{}, lu, n, pivots, back, x, 5)
					if back {
						of = transposed(a, n, n)
					}
					requireNear(t, b, product(of, x, n, n, 5), 1e-10, name)
				}
				return lu
			})
		}
	}
}

// TestLUOfSingular keeps on where a column has no pivot.
func TestLUOfSingular(t *testing.T) {
	a, pivots := []float64{0, 1, 2, 0, 3, 4, 0, 5, 6}, make([]int, 3)
	LU(heap{}, a, 3, 3, pivots)
	require.Equal(t, []int{0, 2, 2}, pivots)
	requireNear(t, []float64{0, 1, 2, 0, 5, 6, 0, 0.6, 0.4}, a, 1e-15, "factors")
}

// TestCholesky multiplies factors, and finds the least minor that is not positive-definite.
func TestCholesky(t *testing.T) {
	for _, n := range sizes {
		x := random(n, n)
		a := product(x, transposed(x, n, n), n, n, n)
		for i := range n {
			a[i*n+i]++
			for j := i + 1; j < n; j++ {
				a[i*n+j] = math.NaN() // which is not read
			}
		}
		each(t, fmt.Sprint(n), func() []float64 {
			l := append([]float64{}, a...)
			require.Zero(t, Cholesky(heap{}, l, n))
			got := product(l, transposed(l, n, n), n, n, n)
			for i := range n {
				for j := i + 1; j < n; j++ {
					require.Zero(t, l[i*n+j])
					got[i*n+j] = 0
				}
			}
			want := append([]float64{}, a...)
			for i := range n {
				clear(want[i*n+i+1 : (i+1)*n])
			}
			requireNear(t, want, got, 1e-14, fmt.Sprint(n))
			return l
		})
		for _, at := range []int{0, n / 2, n - 1} {
			l := append([]float64{}, a...)
			l[at*n+at] = -1
			require.Equal(t, at+1, Cholesky(heap{}, l, n))
		}
	}
}

// TestQR multiplies factors.
func TestQR(t *testing.T) {
	few := []int{1, 7, 8, 33, 70, 100}
	for _, n := range few {
		for _, m := range few {
			name, k := fmt.Sprint(n, m), min(n, m)
			a := random(n, m)
			each(t, name, func() []float64 {
				packed, tau, q := append([]float64{}, a...), make([]float64, k), make([]float64, n*k)
				QR(heap{}, packed, tau, n, m)
				Orthonormal(heap{}, q, packed, tau, n, m, k)
				r := make([]float64, k*m)
				for i := range k {
					copy(r[i*m+i:(i+1)*m], packed[i*m+i:(i+1)*m])
				}
				requireNear(t, a, product(q, r, n, k, m), 1e-13, name)
				eye := make([]float64, k*k)
				for i := range k {
					eye[i*k+i] = 1
				}
				requireNear(t, eye, product(transposed(q, n, k), q, k, n, k), 1e-14, name)
				return append(q, packed...)
			})
		}
	}
}

// TestQRScales has columns whose squares are too great or too small for float64, and one of zeros.
func TestQRScales(t *testing.T) {
	a, tau := []float64{3e200, 1e-200, 0, 1, 4e200, 1e-200, 0, 1, 0, 1e-200, 0, 1}, make([]float64, 3)
	QR(heap{}, a, tau, 3, 4)
	require.InDelta(t, -5, a[0]/1e200, 1e-14)
	require.InDelta(t, -1.4, a[1]/1e-200, 1e-14)
	require.InDelta(t, math.Sqrt(3-1.96), math.Abs(a[5])/1e-200, 1e-14)
	require.Equal(t, 0.0, tau[2])
	for _, at := range []int{2, 6, 10} {
		require.Equal(t, 0.0, a[at])
	}
}

// kept is memory that calls use again.
type kept struct {
	used int
	all  []float64
}

func (*kept) Poll(int) {}

func (k *kept) Floats(n int) []float64 {
	k.used += n
	return k.all[k.used-n : k.used]
}

func BenchmarkMatrices(b *testing.B) {
	b.Run("float64", benchmarkMatrices[float64])
	b.Run("float32", benchmarkMatrices[float32])
}

func cast[T Number](x []float64) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[i] = T(v)
	}
	return y
}

func benchmarkMatrices[T Number](b *testing.B) {
	for _, n := range []int{4, 16, 32, 64, 128, 200, 256, 512, 701} {
		memory := &kept{all: make([]float64, 8*(n+80)*(n+80))}
		a, x, y := cast[T](random(n, n)), cast[T](random(n, n)), cast[T](random(n, n))
		for i := range n {
			a[i*n+i] += 2 * T(n)
		}
		pivots := make([]int, n)
		run := func(name string, flops float64, f func()) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					memory.used = 0
					f()
				}
				b.ReportMetric(flops*float64(n*n*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
		run("solve", 1, func() { copy(y, x); Solve(memory, a, n, Form{}, y, n) })
		run("upper", 1, func() { copy(y, x); Solve(memory, a, n, Form{Upper: true}, y, n) })
		run("lu", 2./3, func() { copy(y, a); LU(memory, y, n, n, pivots) })
		tau, q := make([]T, n), make([]T, n*n)
		run("qr", 4./3, func() { copy(y, a); QR(memory, y, tau, n, n) })
		run("q", 4./3, func() { Orthonormal(memory, q, y, tau, n, n, n) })
		d, e := make([]T, n), make([]T, n-1)
		run("tridiagonal", 4./3, func() { copy(y, a); Tridiagonal(memory, y, n, d, e, tau) })
		right, tauRight := make([]T, (n-1)*(n-1)), make([]T, n-1)
		run("bidiagonal", 8./3, func() { copy(y, a); Bidiagonal(memory, y, right, n, d, e, tau, tauRight) })
		run("hessenberg", 10./3, func() { copy(y, a); Hessenberg(memory, y, right, tauRight, n) })
		symmetric, factored := cast[T](symmetrical(n)), make([]T, n*n)
		run("ldl", 1./3, func() { copy(factored, symmetric); LDL(memory, factored, n, pivots) })
		run("ldlsolve", 2, func() { copy(y, x); SolveLDL(memory, factored, n, pivots, y, n) })
		run("cholesky", 1./3, func() { copy(y, a); Cholesky(memory, y, n) })
	}
}
