package dense

import (
	"sync"

	"github.com/broadloom/broadloom/kernels/gemm"
)

// productMemory is kept for other products.
var productMemory = sync.Pool{New: func() any { return new(gemm.Scratch[float64]) }}

// multiply writes the product of a, of n rows and k columns, and b, of k rows and m columns.
func multiply(product, a, b []float64, n, k, m int) {
	p := gemm.Product[float64]{M: n, N: m, K: k, A: rowByRow(a, k), B: rowByRow(b, m), C: rowByRow(product, m)}
	s := productMemory.Get().(*gemm.Scratch[float64])
	defer productMemory.Put(s)
	p.Run(s)
}

// rowByRow is a matrix of some columns without gaps.
func rowByRow(a []float64, columns int) gemm.Matrix[float64] {
	return gemm.Matrix[float64]{Data: a, Row: columns, Col: 1}
}
