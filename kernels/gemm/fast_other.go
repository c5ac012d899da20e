//go:build !amd64

package gemm

import "github.com/broadloom/broadloom/kernels/scalar"

// inVectors returns the loops for a type of elements: there are none for this processor.
func inVectors[T scalar.Number]() *vectorized { return nil }
