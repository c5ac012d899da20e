package fourier

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// shape is a number of transforms: outer ones, of n numbers, with inner ones side by side.
type shape struct{ outer, n, inner int }

var shapes = []shape{
	{1, 1, 1}, {3, 2, 1}, {5, 3, 1}, {17, 4, 1}, {2, 5, 3}, {40, 6, 1}, {1, 7, 16}, {33, 8, 1}, {2, 10, 40}, {3, 11, 2},
	{20, 12, 1}, {1, 13, 1},
	{2, 16, 17}, {19, 15, 1}, {3, 17, 5}, {1, 21, 33}, {16, 30, 1}, {2, 32, 9}, {25, 49, 1}, {1, 64, 70}, {34, 64, 1},
	{18, 96, 1}, {1, 97, 3}, {2, 100, 1},
	{17, 105, 1}, {1, 128, 1}, {2, 200, 18}, {2, 224, 1}, {3, 256, 1}, {1, 343, 1}, {2, 360, 1}, {1, 400, 1},
	{2, 512, 1}, {1, 675, 1}, {1, 686, 2}, {1, 1000, 1},
	{1, 1009, 1}, {1, 1024, 1}, {2, 1024, 19}, {1, 1536, 1}, {1, 2000, 1}, {1, 2018, 1}, {1, 2048, 1}, {1, 2401, 1},
	{1, 4096, 1}, {1, 6000, 1},
	{1, 22, 40}, {17, 26, 1}, {2, 121, 1}, {3, 143, 17}, {33, 169, 1}, {2, 484, 3}, {1, 572, 1}, {1, 1001, 1},
	{1, 2197, 1}, {1, 4290, 1},
}

func random[T float](n int) []T {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.NormFloat64())
	}
	return x
}

// direct is the sum over j of x[j]·exp(∓2πi·j·k/n) for each k.
func direct(x []complex128, plus bool) []complex128 {
	n := len(x)
	roots := make([]complex128, n)
	for i := range roots {
		re, im := root(i, n)
		if plus {
			im = -im
		}
		roots[i] = complex(re, im)
	}
	y := make([]complex128, n)
	for k := range y {
		var lost complex128 // Kahan's sum
		for j, v := range x {
			term := v*roots[j*k%n] - lost
			sum := y[k] + term
			lost, y[k] = sum-y[k]-term, sum
		}
	}
	return y
}

// each calls a function with the indices of the numbers of each transform, width of them in each place.
func (s shape) each(places, width int, f func(at func(place, part int) int)) {
	for o := range s.outer {
		for i := range s.inner {
			f(func(place, part int) int { return ((o*places+place)*s.inner+i)*width + part })
		}
	}
}

// apart is the distance of numbers from those wanted, relative to these.
func apart[T float](t *testing.T, got []T, want []float64) float64 {
	var less, all float64
	for i, v := range want {
		d := float64(got[i]) - v
		less, all = less+d*d, all+v*v
	}
	require.False(t, math.IsNaN(less))
	return math.Sqrt(less / all)
}

// places is the number of results of a transform of n real numbers.
func places(n int) int { return n/2 + 1 }

// wanted are the results of the transforms of a shape: of complex numbers in either direction, of real ones, and back
// to real ones.
func wanted[T float](s shape, x []T, kind int) (want []float64) {
	switch kind {
	case 0, 1:
		want = make([]float64, s.outer*s.n*s.inner*2)
		s.each(s.n, 2, func(at func(place, part int) int) {
			z := make([]complex128, s.n)
			for j := range z {
				z[j] = complex(float64(x[at(j, 0)]), float64(x[at(j, 1)]))
			}
			for k, v := range direct(z, kind == 1) {
				want[at(k, 0)], want[at(k, 1)] = real(v), imag(v)
			}
		})
	case 2:
		want = make([]float64, s.outer*places(s.n)*s.inner*2)
		var rows [][]complex128
		s.each(s.n, 1, func(at func(place, part int) int) {
			z := make([]complex128, s.n)
			for j := range z {
				z[j] = complex(float64(x[at(j, 0)]), 0)
			}
			rows = append(rows, direct(z, false))
		})
		s.each(places(s.n), 2, func(at func(place, part int) int) {
			for k := range places(s.n) {
				want[at(k, 0)], want[at(k, 1)] = real(rows[0][k]), imag(rows[0][k])
			}
			rows = rows[1:]
		})
	case 3:
		want = make([]float64, s.outer*s.n*s.inner)
		var rows [][]complex128
		s.each(places(s.n), 2, func(at func(place, part int) int) {
			z := make([]complex128, s.n)
			for k := range z {
				if m := s.n - k; k > m {
					z[k] = cmplx.Conj(z[m])
				} else if z[k] = complex(float64(x[at(k, 0)]), float64(x[at(k, 1)])); k == 0 || k == m {
					z[k] = complex(real(z[k]), 0)
				}
			}
			rows = append(rows, direct(z, true))
		})
		s.each(s.n, 1, func(at func(place, part int) int) {
			for j := range s.n {
				want[at(j, 0)] = real(rows[0][j])
			}
			rows = rows[1:]
		})
	}
	return want
}

// sizes are how many numbers a transform of a kind reads and writes.
func (s shape) sizes(kind int) (in, out int) {
	real, complex := s.outer*s.n*s.inner, 2*s.outer*s.n*s.inner
	half := 2 * s.outer * places(s.n) * s.inner
	return [][2]int{{complex, complex}, {complex, complex}, {real, half}, {half, real}}[kind][0],
		[][2]int{{complex, complex}, {complex, complex}, {real, half}, {half, real}}[kind][1]
}

func run[T float](s shape, y, x []T, kind int) {
	switch kind {
	case 0, 1:
		Complex(nil, y, x, s.n, s.inner, kind == 1)
	case 2:
		Real(nil, y, x, s.n, s.inner)
	case 3:
		ToReal(nil, y, x, s.n, s.inner)
	}
}

func testTransforms[T float](t *testing.T, most float64) {
	defer func(before [2]*loops) { current = before }(current)
	for _, s := range shapes {
		for kind, word := range []string{"complex", "back", "real", "to real"} {
			in, out := s.sizes(kind)
			x := random[T](in)
			want := wanted(s, x, kind)
			var first []T
			for name, l := range allLoops() {
				current = l
				plansOf32, plansOf64 = plans[float32]{}, plans[float64]{}
				y := make([]T, out+1)
				for i := range y {
					y[i] = T(math.NaN())
				}
				y[out] = 42
				run(s, y[:out:out], x, kind)
				require.Equal(t, T(42), y[out])
				y = y[:out]
				d := apart(t, y, want)
				require.Less(t, d, most, "%v %s %s", s, word, name)
				if first == nil {
					first = y
				}
				require.Equal(t, first, y, "%v %s %s", s, word, name)
			}
			require.Equal(t, random[T](in), x)
		}
	}
}

// TestTransforms compares with sums in float64, and the loops of all processors with each other.
func TestTransforms(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testTransforms[float32](t, 3e-7) })
	t.Run("float64", func(t *testing.T) { testTransforms[float64](t, 1e-15) })
}

// TestTransformsTogether requires transforms alone and together to have the same bits.
func TestTransformsTogether(t *testing.T) {
	for _, n := range []int{6, 37, 64, 100, 101, 225, 256, 1024} {
		s := shape{37, n, 1}
		for kind := range 4 {
			in, out := s.sizes(kind)
			x, y := random[float32](in), make([]float32, out)
			run(s, y, x, kind)
			alone := make([]float32, out)
			for o := range s.outer {
				run(shape{1, n, 1}, alone[o*out/s.outer:][:out/s.outer], x[o*in/s.outer:][:in/s.outer], kind)
			}
			require.Equal(t, alone, y, fmt.Sprint(n, kind))
		}
	}
}

func BenchmarkTransforms(b *testing.B) {
	for _, s := range []shape{{1, 64, 1}, {16, 64, 1}, {256, 64, 1}, {1, 256, 1}, {256, 256, 1}, {16, 360, 1},
		{1, 1000, 1}, {16, 1000, 1}, {1, 1024, 1}, {256, 1024, 1}, {1, 4096, 1}, {16, 4096, 1}, {1, 1009, 1},
		{1, 64, 64}, {1, 256, 256}, {1, 256, 129}} {
		for kind, word := range []string{"complex", "", "real", "toreal"} {
			if word == "" {
				continue
			}
			b.Run(fmt.Sprintf("f32/%v/%s", s, word), func(b *testing.B) { bench[float32](b, s, kind) })
			b.Run(fmt.Sprintf("f64/%v/%s", s, word), func(b *testing.B) { bench[float64](b, s, kind) })
		}
	}
}

func bench[T float](b *testing.B, s shape, kind int) {
	in, out := s.sizes(kind)
	x, y := random[T](in), make([]T, out)
	run(s, y, x, kind)
	b.ReportAllocs()
	for b.Loop() {
		run(s, y, x, kind)
	}
	flops := 5 * float64(s.outer*s.inner*s.n) * math.Log2(float64(s.n))
	if kind > 1 {
		flops /= 2
	}
	b.ReportMetric(flops*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}
