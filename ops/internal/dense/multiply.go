package dense

import (
	"sync"

	"github.com/broadloom/broadloom/kernels/gemm"
)

// product is one, and what it needs memory for.
type product[T Number] struct {
	gemm.Product[T]
	scratch gemm.Scratch[T]
	memory  Memory
	stopped func() bool // asks memory
}

func newProduct[T Number]() any {
	p := new(product[T])
	p.stopped = func() bool { return p.memory.Stopped() }
	return p
}

// Products are kept for others.
var (
	products32 = sync.Pool{New: newProduct[float32]}
	products64 = sync.Pool{New: newProduct[float64]}
)

func products[T Number]() *sync.Pool {
	if isSingle[T]() {
		return &products32
	}
	return &products64
}

// multiply makes c the product of a, of n rows and k columns, and b, of k rows and m columns.
func multiply[T Number](memory Memory, c, a, b []T, n, k, m int) {
	run(memory, gemm.Product[T]{M: n, N: m, K: k, A: rowByRow(a, k), B: rowByRow(b, m), C: rowByRow(c, m)})
}

// run computes a product.
func run[T Number](memory Memory, p gemm.Product[T]) {
	kept := products[T]().Get().(*product[T])
	kept.Product, kept.memory = p, memory
	kept.Stopped = kept.stopped
	kept.Run(&kept.scratch)
	kept.Product, kept.memory = gemm.Product[T]{}, nil
	products[T]().Put(kept)
	memory.Poll(p.M * p.N * p.K / vectorized)
}

// vectorized is how many elements take the time of one, where they are computed in vectors.
const vectorized = 8

// rowByRow is a matrix of some columns without gaps.
func rowByRow[T Number](a []T, columns int) gemm.Matrix[T] {
	return gemm.Matrix[T]{Data: a, Row: columns, Col: 1}
}

// columnByColumn is the transpose of such a matrix.
func columnByColumn[T Number](a []T, columns int) gemm.Matrix[T] {
	return gemm.Matrix[T]{Data: a, Row: 1, Col: columns}
}

// transpose writes the transpose of a, of n rows and m columns, by tiles, which stay in a cache.
func transpose[T Number](to, a []T, n, m int) {
	const side = 8
	for i := 0; i < n; i += side {
		for j := 0; j < m; j += side {
			for r := i; r < min(i+side, n); r++ {
				for c, v := range a[r*m+j : r*m+min(j+side, m)] {
					to[(j+c)*n+r] = v
				}
			}
		}
	}
}
