package dense

import (
	"sync"

	"github.com/broadloom/broadloom/kernels/gemm"
)

// product is one, and what it needs memory for.
type product struct {
	gemm.Product[float64]
	scratch gemm.Scratch[float64]
}

// products are kept for others.
var products = sync.Pool{New: func() any { return new(product) }}

// multiply makes c the product of a, of n rows and k columns, and b, of k rows and m columns.
func multiply(c, a, b []float64, n, k, m int) {
	run(gemm.Product[float64]{M: n, N: m, K: k, A: rowByRow(a, k), B: rowByRow(b, m), C: rowByRow(c, m)})
}

// run computes a product.
func run(p gemm.Product[float64]) {
	kept := products.Get().(*product)
	defer products.Put(kept)
	kept.Product = p
	kept.Run(&kept.scratch)
	kept.Product = gemm.Product[float64]{}
}

// rowByRow is a matrix of some columns without gaps.
func rowByRow(a []float64, columns int) gemm.Matrix[float64] {
	return gemm.Matrix[float64]{Data: a, Row: columns, Col: 1}
}

// columnByColumn is the transpose of such a matrix.
func columnByColumn(a []float64, columns int) gemm.Matrix[float64] {
	return gemm.Matrix[float64]{Data: a, Row: 1, Col: columns}
}

// transpose writes the transpose of a, of n rows and m columns, by tiles, which stay in a cache.
func transpose(to, a []float64, n, m int) {
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
