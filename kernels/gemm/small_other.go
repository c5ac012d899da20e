//go:build !amd64

package gemm

import "unsafe"

func (s *Small) prepare(int) (masks, code unsafe.Pointer) { return nil, nil }

// Run computes the product by the code.
func (s *Small) Run(unsafe.Pointer) { panic("gemm: not on this processor") }
