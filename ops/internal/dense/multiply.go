package dense

import (
	"sync"

	"github.com/broadloom/broadloom/kernels/gemm"
)

// productMemory is kept for other products.
var productMemory = sync.Pool{New: func() any { return new(gemm.Scratch[float64]) }}

// multiply writes the product of a, of n rows and k columns, and b, of k rows and m columns.
func multiply(product, a, b []float64, n, k, m int) {
	run(&gemm.Product[float64]{M: n, N: m, K: k, A: rowByRow(a, k), B: rowByRow(b, m), C: rowByRow(product, m)})
}

// run computes a product.
func run(p *gemm.Product[float64]) {
	s := productMemory.Get().(*gemm.Scratch[float64])
	defer productMemory.Put(s)
	p.Run(s)
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
