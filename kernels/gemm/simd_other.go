//go:build !amd64 && !arm64

package gemm

import "github.com/broadloom/broadloom/kernels/scalar"

// simdOf returns the loops for a type of elements: there are none for this processor.
func simdOf[T scalar.Number]() *simdTiles { return nil }
