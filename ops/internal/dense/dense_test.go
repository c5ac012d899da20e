package dense

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/broadloom/broadloom/kernels/triangular"
)

// kept is memory that calls use again.
type kept struct {
	floats []float64
	used   int
}

func (*kept) Poll(int) {}

func (*kept) Stopped() bool { return false }

func (k *kept) Floats(n int) []float64 {
	if k.used+n > len(k.floats) {
		k.floats = make([]float64, 2*(k.used+n))
	}
	k.used += n
	return k.floats[k.used-n : k.used : k.used]
}

func (k *kept) Ints(n int) []int { return make([]int, n) }

// random is a matrix of normal numbers, the same ones for the same size.
func random(n, m int) []float64 {
	r := rand.New(rand.NewPCG(uint64(n), uint64(m)))
	x := make([]float64, n*m)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func BenchmarkDense(b *testing.B) {
	for _, n := range []int{4, 16, 32, 64, 128, 256, 701} {
		memory, a := &kept{}, random(n, n)
		x, y, s := make([]float64, n*n), make([]float64, n*n), make([]float64, n)
		symmetric := make([]float64, n*n)
		for i := range n {
			for j := range n {
				symmetric[i*n+j] = a[i*n+j] + a[j*n+i]
			}
		}
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					memory.used = 0
					f()
				}
			})
		}
		run("pinv", func() { _ = PseudoInverse(memory, x, a, n, n, 0, 1e-7) })
		lu, pivots := make([]float64, n*n), make([]int, n)
		copy(lu, a)
		triangular.LU(memory, lu, n, n, pivots)
		run("inverse", func() { _ = InverseOfLU(memory, x, lu, n, pivots) })
		run("eigh", func() { copy(x, symmetric); _ = Eigh(memory, s, x, n, true) })
		run("eigvalsh", func() { copy(x, symmetric); _ = Eigh(memory, s, x, n, false) })
		re, im := make([]float64, n), make([]float64, n)
		run("eigvals", func() { copy(x, a); _ = Eig(memory, re, im, nil, nil, x, n) })
		run("schur", func() { copy(x, a); _ = Schur(memory, x, y, n) })
		run("hessenberg", func() { copy(x, a); Hessenberg(memory, x, y, n) })
		run("exp", func() { _ = Exp(memory, x, a, n) })
		run("svd", func() { _ = SVD(memory, x, s, y, a, n, n) })
		run("svdvals", func() { _ = SVD(memory, nil, s, nil, a, n, n) })
	}
}
